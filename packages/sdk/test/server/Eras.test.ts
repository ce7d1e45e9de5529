import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Tool from "../../src/api/Tool.ts"
import { Invocation } from "../../src/era/Invocation.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import type { RawClient } from "../utils/rawClient.ts"
import { connect, handshake, modern, text } from "./support/connect.ts"

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [Tool.make("facts"), Tool.make("log")]
}) {}

const handlers = Api.toLayer({
  tools: {
    facts: () =>
      Effect.map(
        Invocation,
        ({ client, logLevel, revision, sessionId }) => JSON.stringify({ client, logLevel, revision, sessionId })
      ),
    log: () => Effect.as(Effect.logInfo("logged"), "done")
  }
})

const make = (options?: McpServer.Options) => Effect.provide(McpServer.make(Api, options), handlers)

/** A connection that nothing was sent over. Its frames may be of several revisions. */
const open = (server: McpServer.McpServer["Service"]) =>
  connect(server, { revision: handshake, open: false, checked: false })

/** A client of both eras on one connection: each request says which one it is of. */
const both = (client: RawClient) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": modern,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "modern", version: "2" }
  }
  let id = 0
  const ask = (method: string, params: object) =>
    Effect.suspend(() => {
      const message = { jsonrpc: "2.0", id: `both ${id++}`, method, params }
      return Effect.andThen(client.send(message), client.answer(message.id))
    })
  return {
    modern: (method: string, params: object = {}, more: object = {}) =>
      ask(method, { ...params, _meta: { ...meta, ...more } }),
    handshake: (method: string, params: object = {}) => ask(method, params)
  }
}

const initialize = (version: string, capabilities = {}) => ({
  protocolVersion: version,
  capabilities,
  clientInfo: { name: "old", version: "1" }
})

// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
describe("one connection", () => {
  it.effect("serves requests of both eras side by side, each in its own shape", () =>
    Effect.gen(function*() {
      const { handshake: old, modern: young } = both(yield* open(yield* make()))
      assert.strictEqual((yield* young("tools/list"))["result"].resultType, "complete")
      assert.strictEqual((yield* old("initialize", initialize("2025-06-18")))["result"].protocolVersion, "2025-06-18")
      for (let round = 0; round < 3; round++) {
        const modernResult = (yield* young("tools/list"))["result"]
        assert.strictEqual(modernResult.resultType, "complete")
        assert.isDefined(modernResult.ttlMs)
        const oldResult = (yield* old("tools/list"))["result"]
        assert.deepStrictEqual(Object.keys(oldResult), ["tools"])
      }
      assert.strictEqual((yield* young("ping"))["error"].code, -32601)
      assert.deepStrictEqual((yield* old("ping"))["result"], {})
      assert.strictEqual((yield* old("server/discover"))["error"].code, -32601)
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic#statelessness
  it.effect("a handshake lends nothing to modern requests, and they lend nothing to it", () =>
    Effect.gen(function*() {
      const { handshake: old, modern: young } = both(yield* open(yield* make()))
      yield* old("initialize", initialize(handshake, { sampling: {}, roots: {} }))
      yield* old("logging/setLevel", { level: "debug" })
      const call = { name: "facts" }
      assert.deepStrictEqual(JSON.parse(text((yield* young("tools/call", call))["result"])), {
        client: { info: { name: "modern", version: "2" }, capabilities: {} },
        revision: modern
      })
      assert.deepStrictEqual(
        JSON.parse(text((yield* young("tools/call", call, { "io.modelcontextprotocol/logLevel": "error" }))["result"])),
        {
          client: { info: { name: "modern", version: "2" }, capabilities: {} },
          logLevel: "error",
          revision: modern
        }
      )
      assert.deepStrictEqual(JSON.parse(text((yield* old("tools/call", call))["result"])), {
        client: { info: { name: "old", version: "1" }, capabilities: { sampling: {}, roots: {} } },
        logLevel: "debug",
        revision: handshake
      })
    }))

  it.effect("sends the log messages of each request by its own era's rule", () =>
    Effect.gen(function*() {
      const client = yield* open(yield* make())
      const { handshake: old, modern: young } = both(client)
      yield* old("initialize", initialize(handshake))
      yield* old("logging/setLevel", { level: "debug" })
      const messages = () => client.notifications("notifications/message").length
      yield* young("tools/call", { name: "log" })
      assert.strictEqual(messages(), 0)
      yield* old("tools/call", { name: "log" })
      assert.strictEqual(messages(), 1)
      yield* young("tools/call", { name: "log" }, { "io.modelcontextprotocol/logLevel": "info" })
      assert.strictEqual(messages(), 2)
    }))

  it.effect("can begin with a probe of the other era", () =>
    Effect.gen(function*() {
      const { handshake: old, modern: young } = both(yield* open(yield* make()))
      const discovered = (yield* young("server/discover"))["result"]
      assert.deepStrictEqual(discovered.supportedVersions, [...Revision.all])
      assert.isDefined((yield* old("initialize", initialize(handshake)))["result"])
    }))
})

// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
describe("the handshake", () => {
  it.effect("settles on the version that is asked for, else on the newest of its era", () =>
    Effect.gen(function*() {
      const server = yield* make()
      const cases: ReadonlyArray<readonly [string, string]> = [
        ...Revision.handshake.map((revision) => [revision, revision] as const),
        ["2023-01-01", handshake],
        ["2026-07-28", handshake],
        ["", handshake]
      ]
      for (const [asked, settled] of cases) {
        const { handshake: old } = both(yield* open(server))
        assert.strictEqual((yield* old("initialize", initialize(asked)))["result"].protocolVersion, settled, asked)
      }
    }))

  it.effect("is made once a connection", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* make(), { revision: "2025-06-18" })
      const error = yield* client.error("initialize", initialize("2025-11-25"))
      assert.strictEqual(error["code"], -32600)
      // And the first one holds.
      assert.strictEqual(
        JSON.parse(text(yield* client.request("tools/call", { name: "facts" }))).revision,
        "2025-06-18"
      )
    }))

  it.effect("that is malformed is refused, and can be made again", () =>
    Effect.gen(function*() {
      const { handshake: old } = both(yield* open(yield* make()))
      for (const params of [{}, { protocolVersion: 5 }, { ...initialize(handshake), clientInfo: "me" }]) {
        assert.strictEqual((yield* old("initialize", params))["error"].code, -32602, JSON.stringify(params))
      }
      assert.isDefined((yield* old("initialize", initialize(handshake)))["result"])
    }))

  it.effect("comes before everything but a ping", () =>
    Effect.gen(function*() {
      const client = yield* open(yield* make())
      const { handshake: old } = both(client)
      assert.deepStrictEqual((yield* old("ping"))["result"], {})
      for (const method of ["tools/list", "tools/call", "resources/subscribe", "logging/setLevel", "unknown"]) {
        const { error } = yield* old(method, { level: "debug", uri: "x://y" })
        // What is missing is either a handshake or the facts of a modern request.
        assert.strictEqual(error.code, -32602, method)
        assert.match(error.message, /initialize/)
      }
      yield* client.notify("notifications/initialized")
      assert.isDefined((yield* old("tools/list"))["error"])
    }))

  it.effect("of a server of one era is refused, and names what is spoken", () =>
    Effect.gen(function*() {
      const server = yield* make({ revisions: [modern] })
      const { handshake: old, modern: young } = both(yield* open(server))
      const { error } = yield* old("initialize", initialize(handshake))
      assert.strictEqual(error.code, -32022)
      assert.deepStrictEqual(error.data, { supported: [modern], requested: handshake })
      assert.isDefined((yield* young("tools/list"))["result"])
    }))

  it.effect("of a server of some revisions settles on the newest of those, in whatever order they were given", () =>
    Effect.gen(function*() {
      const server = yield* make({ revisions: ["2025-06-18", "2024-11-05"] })
      const { handshake: old, modern: young } = both(yield* open(server))
      const { error } = yield* young("tools/list")
      assert.strictEqual(error.code, -32022)
      assert.deepStrictEqual(error.data, { supported: ["2024-11-05", "2025-06-18"], requested: modern })
      assert.strictEqual((yield* old("initialize", initialize(handshake)))["result"].protocolVersion, "2025-06-18")
    }))
})

// https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
describe("a modern request", () => {
  const version = "io.modelcontextprotocol/protocolVersion"
  const capabilities = "io.modelcontextprotocol/clientCapabilities"
  const info = "io.modelcontextprotocol/clientInfo"

  it.effect("says its version and its client's capabilities, or is malformed", () =>
    Effect.gen(function*() {
      const { handshake: raw } = both(yield* open(yield* make()))
      const malformed: ReadonlyArray<object> = [
        {},
        { _meta: {} },
        { _meta: "x" },
        { _meta: { [version]: modern } },
        { _meta: { [capabilities]: {} } },
        { _meta: { [version]: modern, [capabilities]: [] } },
        { _meta: { [version]: modern, [capabilities]: "all" } },
        { _meta: { [version]: modern, [capabilities]: {}, [info]: "me" } },
        { _meta: { [version]: modern, [capabilities]: {}, [info]: { name: "me" } } },
        { _meta: { [version]: 5, [capabilities]: {} } }
      ]
      for (const params of malformed) {
        assert.strictEqual((yield* raw("tools/list", params))["error"].code, -32602, JSON.stringify(params))
      }
      // Who it is, it only should say; what nobody knows is no hindrance.
      const { result } = yield* raw("tools/list", {
        _meta: { [version]: modern, [capabilities]: { future: {}, extensions: { "example.com/x": {} } }, other: 1 }
      })
      assert.isDefined(result)
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation
  it.effect("of a version that is not spoken is told which ones are, before anything else", () =>
    Effect.gen(function*() {
      const { modern: young } = both(yield* open(yield* make()))
      for (const requested of ["2099-12-31", "1.0", "", handshake]) {
        for (const method of ["server/discover", "tools/list", "unknown"]) {
          const { error } = yield* young(method, {}, { [version]: requested, [capabilities]: undefined })
          assert.strictEqual(error.code, -32022, `${method} at ${requested}`)
          assert.deepStrictEqual(error.data, { supported: [...Revision.all], requested })
        }
      }
    }))

  it.effect("over a connection that is half open in the other era is answered all the same", () =>
    Effect.gen(function*() {
      const client = yield* open(yield* make())
      const { handshake: old, modern: young } = both(client)
      yield* old("initialize", initialize(handshake))
      assert.isDefined((yield* young("server/discover"))["result"])
    }))
})
