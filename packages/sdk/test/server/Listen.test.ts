import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { spawn } from "node:child_process"
import type * as Changes from "../../src/api/Changes.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as Tool from "../../src/api/Tool.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { settle } from "../peer/support/peers.ts"
import { program } from "../suite/pipes.ts"
import { type Json, make as rawClient, type RawClient } from "../utils/rawClient.ts"
import { connect, connectWith, modern } from "./support/connect.ts"

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [Tool.make("t")],
  resources: [Resource.make("r", "x://r")],
  prompts: [Prompt.make("p")]
}) {}

class ToolsOnly extends McpApi.make("tools", { version: "1.0.0", tools: [Tool.make("t")] }) {}

const handlers = Api.toLayer({
  tools: { t: () => Effect.void },
  resources: { r: () => Effect.succeed("r") },
  prompts: { p: () => Effect.succeed("p") }
})

const make = Effect.provide(McpServer.make(Api), handlers)

const key = "io.modelcontextprotocol/subscriptionId"
const acknowledged = "notifications/subscriptions/acknowledged"

/** The frames of one subscription, in order. */
const ofSubscription = (client: RawClient, id: string | number): ReadonlyArray<Json> =>
  client.received.filter(({ params, result }) =>
    params?._meta?.[key] === id || params?.requestId === id || result?._meta?.[key] === id
  )

const kinds = (frames: ReadonlyArray<Json>) =>
  frames.map(({ method }) => typeof method === "string" ? method.slice("notifications/".length) : "result")

const listen = Effect.fnUntraced(function*(client: RawClient, id: string | number, notifications: Json) {
  const from = client.received.length
  yield* client.send(client.make("subscriptions/listen", { notifications }, { id }))
  const { params } = yield* client.find(
    ({ method, params }) => method === acknowledged && params._meta[key] === id,
    from
  )
  return params.notifications as Json
})

const publish = (server: McpServer.McpServer["Service"], change: Changes.Change) => server.changes.publish(change)

const tools = { toolsListChanged: true }

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {}
}

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
describe("subscriptions/listen", () => {
  for (const id of [7, "7", 0, ""]) {
    it.effect(`acknowledges first, and stamps every message with its id as it is: ${JSON.stringify(id)}`, () =>
      Effect.gen(function*() {
        const server = yield* make
        const client = yield* connect(server)
        yield* listen(client, id, { ...tools, promptsListChanged: true, resourceSubscriptions: ["x://r"] })
        yield* publish(server, { _tag: "Tools" })
        yield* publish(server, { _tag: "Prompts" })
        yield* publish(server, { _tag: "Resource", uri: "x://r" })
        yield* client.find(({ method }) => method === "notifications/resources/updated")
        yield* client.flush
        const frames = ofSubscription(client, id)
        assert.strictEqual(frames[0]!["method"], acknowledged)
        assert.sameMembers(kinds(frames.slice(1)), ["tools/list_changed", "prompts/list_changed", "resources/updated"])
        for (const { params } of frames) assert.strictEqual(params._meta[key], id)
        // No answer as long as it goes on.
        assert.isUndefined(client.received.find((frame) => frame["id"] === id))
      }))
  }

  it.effect("honours what was asked for and what the server can do, and no more", () =>
    Effect.gen(function*() {
      const everything = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ["x://r", "x://s", "x://r"],
        tasks: true
      }
      const client = yield* connect(yield* make)
      assert.deepStrictEqual(yield* listen(client, "all", everything), {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ["x://r", "x://s"]
      })
      assert.deepStrictEqual(yield* listen(client, "none", { toolsListChanged: false, resourceSubscriptions: [] }), {
        resourceSubscriptions: []
      })
      assert.deepStrictEqual(yield* listen(client, "empty", {}), {})
      const few = yield* connect(
        yield* Effect.provide(McpServer.make(ToolsOnly), ToolsOnly.toLayer({ tools: { t: () => Effect.void } }))
      )
      assert.deepStrictEqual(yield* listen(few, 1, everything), tools)
      for (const params of [{}, { notifications: true }, { notifications: { resourceSubscriptions: "x://r" } }]) {
        assert.strictEqual((yield* client.error("subscriptions/listen", params)).code, -32602)
      }
    }))

  it.effect("sends each subscription what it asked for, several at a time", () =>
    Effect.gen(function*() {
      const server = yield* make
      const client = yield* connect(server)
      yield* listen(client, 7, tools)
      yield* listen(client, "7", { ...tools, promptsListChanged: true })
      yield* listen(client, "none", {})
      yield* publish(server, { _tag: "Tools" })
      yield* publish(server, { _tag: "Prompts" })
      yield* client.find(({ method }) => method === "notifications/prompts/list_changed")
      yield* client.flush
      assert.deepStrictEqual(kinds(ofSubscription(client, 7)), ["subscriptions/acknowledged", "tools/list_changed"])
      assert.sameMembers(kinds(ofSubscription(client, "7")), [
        "subscriptions/acknowledged",
        "tools/list_changed",
        "prompts/list_changed"
      ])
      assert.deepStrictEqual(kinds(ofSubscription(client, "none")), ["subscriptions/acknowledged"])
    }))

  it.effect("ends one subscription when the client cancels it, and no other", () =>
    Effect.gen(function*() {
      const server = yield* make
      const client = yield* connect(server)
      yield* listen(client, 7, tools)
      yield* listen(client, "7", tools)
      yield* client.notify("notifications/cancelled", { requestId: 7 })
      yield* client.flush
      yield* publish(server, { _tag: "Tools" })
      yield* client.find(({ params }) => params?._meta?.[key] === "7" && params.notifications === undefined)
      yield* client.flush
      assert.deepStrictEqual(kinds(ofSubscription(client, 7)), ["subscriptions/acknowledged"])
      assert.isUndefined(client.received.find((frame) => frame["id"] === 7))
      // Its id is free again.
      yield* listen(client, 7, tools)
    }))
})

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
describe("a subscription that the server ends", () => {
  const gracefully = (client: RawClient, id: string | number) => {
    const frames = ofSubscription(client, id)
    assert.deepStrictEqual(kinds(frames).slice(-2), ["cancelled", "result"])
    assert.deepStrictEqual(frames.at(-2)!["params"].requestId, id)
    const { _meta, resultType } = frames.at(-1)!["result"]
    assert.strictEqual(frames.at(-1)!["id"], id)
    assert.strictEqual(resultType, "complete")
    assert.strictEqual(_meta[key], id)
  }

  it.effect("because its scope closes gets its last notices, a cancel notice and a result", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(make, scope)
      const client = yield* connect(server)
      yield* listen(client, 1, tools)
      yield* listen(client, "two", tools)
      yield* publish(server, { _tag: "Tools" })
      yield* Scope.close(scope, Exit.void)
      yield* client.answer(1)
      yield* client.answer("two")
      for (const id of [1, "two"]) {
        gracefully(client, id)
        assert.deepStrictEqual(kinds(ofSubscription(client, id)), [
          "subscriptions/acknowledged",
          "tools/list_changed",
          "cancelled",
          "result"
        ])
      }
    }))

  it.effect("because its connection is stopped gets the same", () =>
    Effect.gen(function*() {
      const { client, stop } = yield* connectWith(yield* make)
      yield* listen(client, 1, tools)
      yield* stop
      yield* client.answer(1)
      gracefully(client, 1)
    }))

  it.effect("because the client has closed its side gets the same, without a delay", () =>
    Effect.gen(function*() {
      const server = yield* make
      const [near, far] = yield* Memory.pair
      const scope = yield* Scope.make()
      // A client that has ended its side and still reads.
      const half = yield* Scope.provide(Memory.pair, scope)
      const serving = yield* Effect.forkChild(
        Effect.scoped(server.endpoint.connect({ incoming: half[1].incoming, send: far.send })),
        { startImmediately: true }
      )
      const client = yield* rawClient({ incoming: near.incoming, send: half[0].send }, { revision: modern })
      yield* listen(client, 1, tools)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(serving)
      yield* client.answer(1)
      gracefully(client, 1)
    }))

  const running = {
    "`serve` is interrupted": Effect.asVoid(Effect.forkScoped(McpServer.serve(Api), { startImmediately: true })),
    "its layer is released": Effect.asVoid(Layer.build(McpServer.layer(Api)))
  }
  for (const [how, run] of Object.entries(running)) {
    it.effect(`because ${how} gets the same`, () =>
      Effect.gen(function*() {
        const transport = yield* Layer.build(Memory.layer)
        const scope = yield* Scope.make()
        yield* Scope.provide(run, scope).pipe(Effect.provide(handlers), Effect.provideContext(transport))
        const client = yield* rawClient(yield* Context.get(transport, ClientTransport).open, { revision: modern })
        yield* listen(client, 1, tools)
        yield* Scope.close(scope, Exit.void)
        yield* client.closed
        gracefully(client, 1)
      }))
  }

  it.live("in a process whose input ends gets the same, and the process ends", () =>
    Effect.gen(function*() {
      const child = spawn(program.command, program.args, { stdio: ["pipe", "pipe", "inherit"] })
      const exited = new Promise<number | null>((resolve) => child.on("exit", resolve))
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text) => {
        output += text
      })
      const request = {
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { notifications: tools, _meta: meta }
      }
      child.stdin.end(`${JSON.stringify(request)}\n`)
      assert.strictEqual(yield* Effect.promise(() => exited), 0)
      const frames = output.trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(kinds(frames), ["subscriptions/acknowledged", "cancelled", "result"])
    }))

  it.effect("does not wait longer than drainTimeout for a client that does not read", () =>
    Effect.gen(function*() {
      const server = yield* Effect.provide(McpServer.make(Api, { drainTimeout: "2 seconds" }), handlers)
      const [near, far] = yield* Memory.pairWith({ capacity: 1 })
      const serving = yield* Effect.forkScoped(Effect.scoped(server.endpoint.connect(far)), { startImmediately: true })
      yield* near.send({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { notifications: tools, _meta: meta }
      })
      yield* settle
      const stopping = yield* Effect.forkChild(Fiber.interrupt(serving), { startImmediately: true })
      yield* settle
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(stopping)
    }))
})

describe("a client that does not read", () => {
  it.effect("holds up no other, and what waits for it is bounded: the newest of each kind", () =>
    Effect.gen(function*() {
      const server = yield* make
      const [near, far] = yield* Memory.pairWith({ capacity: 2 })
      yield* Effect.forkScoped(Effect.scoped(server.endpoint.connect(far)), { startImmediately: true })
      yield* near.send({
        jsonrpc: "2.0",
        id: "stalled",
        method: "subscriptions/listen",
        params: { notifications: { ...tools, resourceSubscriptions: ["x://r"] }, _meta: meta }
      })
      yield* settle
      const client = yield* connect(server)
      yield* listen(client, 1, tools)
      for (let n = 0; n < 100; n++) {
        const from = client.received.length
        yield* publish(server, { _tag: "Tools" })
        yield* publish(server, { _tag: "Resource", uri: "x://r" })
        yield* client.find(({ method }) => method === "notifications/tools/list_changed", from)
      }
      // Now it reads: some notices lay there, one was on its way, and the rest is one of each kind.
      const late = yield* rawClient(near, { revision: modern })
      yield* settle
      yield* late.flush
      const notices = kinds(ofSubscription(late, "stalled")).slice(1)
      assert.isAtMost(notices.length, 6)
      assert.include(notices.slice(-2), "tools/list_changed")
      assert.include(notices.slice(-2), "resources/updated")
    }))
})
