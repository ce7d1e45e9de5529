/** How a client finds the revision: the pure step first, then the whole client on connections in memory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as McpClient from "../../src/client/McpClient.ts"
import * as Negotiate from "../../src/era/Negotiate.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as Scripted from "../utils/ScriptedServer.ts"

const connect = (server: Scripted.ScriptedServer, options: Partial<McpClient.Options> = {}) =>
  Effect.provideService(
    McpClient.make({ name: "test", version: "1", ...options }),
    ClientTransport,
    server.transport
  )

/** Anything that a server may do when it is asked, and what kind of server does so. */
const Answer = Schema.Union([
  Schema.Struct({ _: Schema.Literal("discovered"), versions: Schema.Array(Schema.String) }),
  Schema.Struct({ _: Schema.Literal("initialized"), version: Schema.String }),
  Schema.Struct({ _: Schema.Literal("rpc"), code: Schema.Int, supported: Schema.Array(Schema.String) }),
  Schema.Struct({ _: Schema.Literals(["silent", "closed", "invalid"]) })
])

const versions = Schema.Literals([...Revision.all, "2031-01-01", ""])

const Play = Schema.Struct({
  mode: Schema.Literals(["auto", ...Revision.all]),
  answers: Schema.Array(Schema.Union([
    Answer,
    Schema.Struct({ _: Schema.Literal("discovered"), versions: Schema.Array(versions) }),
    Schema.Struct({ _: Schema.Literal("initialized"), version: versions }),
    Schema.Struct({ _: Schema.Literal("rpc"), code: Schema.Literal(-32022), supported: Schema.Array(versions) })
  ])).check(Schema.isMaxLength(12))
})

const errorOf = (answer: typeof Answer.Type): McpError.McpError => {
  switch (answer._) {
    case "rpc":
      return McpError.fromJsonRpc({
        code: answer.code,
        message: "no",
        data: { supported: answer.supported, requested: "x" }
      })
    case "silent":
      return McpError.make(new McpError.RequestTimeout({ method: "server/discover", millis: 1, maximum: false }))
    case "closed":
      return McpError.make(new McpError.ConnectionClosed({}))
    default:
      return McpError.make(new McpError.InvalidPeerMessage({ detail: "no answer" }))
  }
}

/** Plays a negotiation; gives the actions. A server that has run out of answers is silent. */
const play = ({ answers, mode }: typeof Play.Type): ReadonlyArray<Negotiate.Action> => {
  let [state, action] = Negotiate.start(mode, Revision.all)
  const actions = [action]
  for (let turn = 0; action._tag === "Discover" || action._tag === "Initialize"; turn++) {
    if (turn > 50) throw new Error("endless")
    const answer = answers[turn] ?? { _: "silent" as const }
    ;[state, action] = action._tag === "Discover"
      ? answer._ === "discovered"
        ? Negotiate.onDiscovered(state, answer.versions, {})
        : Negotiate.onProbeFailed(state, errorOf(answer))
      : answer._ === "initialized"
      ? Negotiate.onInitialized(state, answer.version, {})
      : Negotiate.onInitializeFailed(state, errorOf(answer))
    actions.push(action)
  }
  return actions
}

describe("the step of a negotiation", () => {
  it.effect.prop("ends after a few questions, whatever the server does", [Play], ([game]) =>
    Effect.sync(() => {
      const actions = play(game)
      assert.isAtMost(actions.length, 7)
      assert.include(["Agreed", "Failed"], actions.at(-1)!._tag)
    }), { arbitrary: { runs: 2000 } })

  it.effect.prop("asks for nothing but what it is pinned to", [Play], ([game]) =>
    Effect.sync(() => {
      if (game.mode === "auto") return
      for (const action of play(game)) {
        if (action._tag === "Discover" || action._tag === "Initialize") assert.strictEqual(action.revision, game.mode)
        if (action._tag === "Agreed") assert.strictEqual(action.agreement.revision, game.mode)
      }
    }), { arbitrary: { runs: 2000 } })

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
  it.effect.prop(
    "any error but a modern one leads to the handshake: never keyed to one code",
    [Schema.Int],
    ([code]) =>
      Effect.sync(() => {
        const [state] = Negotiate.start("auto", Revision.all)
        const error = McpError.fromJsonRpc({ code, message: "what?" })
        const [, action] = Negotiate.onProbeFailed(state, error)
        if (code === -32020 || code === -32021) assert.strictEqual(action._tag, "Failed")
        else assert.deepStrictEqual(action, { _tag: "Initialize", revision: "2025-11-25", reopen: false })
      }),
    { arbitrary: { runs: 500 } }
  )

  it("a modern error never leads to the handshake, unless it names nothing else", () => {
    const [state] = Negotiate.start("auto", Revision.all)
    const refused = (supported: ReadonlyArray<string>) =>
      Negotiate.onProbeFailed(
        state,
        McpError.make(new McpError.UnsupportedProtocolVersion({ supported, requested: "2026-07-28" }))
      )[1]
    assert.deepStrictEqual(refused(["2026-07-28", "2025-11-25"]), { _tag: "Discover", revision: "2026-07-28" })
    assert.strictEqual(refused(["2031-01-01"])._tag, "Failed")
    assert.deepInclude(refused(["2025-06-18"]), { _tag: "Initialize", revision: "2025-06-18" })
  })

  it("the end of the connection opens another one, once", () => {
    const closed = McpError.make(new McpError.ConnectionClosed({}))
    const [start] = Negotiate.start("auto", Revision.all)
    const [state, action] = Negotiate.onProbeFailed(start, closed)
    assert.deepStrictEqual(action, { _tag: "Initialize", revision: "2025-11-25", reopen: true })
    assert.strictEqual(Negotiate.onInitializeFailed(state, closed)[1]._tag, "Failed")
  })
})

describe("a client", () => {
  it.effect("of a modern server discovers it, and stamps each request", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make()
      const client = yield* connect(server)
      assert.deepInclude(yield* client.server, {
        revision: "2026-07-28",
        capabilities: Scripted.everything,
        serverInfo: { name: "scripted", version: "1" },
        instructions: "be kind"
      })
      yield* client.callTool("echo", {}, { meta: { traceparent: "00-x", "com.example/k": 1 } })
      assert.deepStrictEqual(server.received("tools/call")[0]!.params["_meta"], {
        traceparent: "00-x",
        "com.example/k": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
      })
      assert.deepStrictEqual(server.received("initialize"), [])
    }))

  it.effect("of a server of the handshake era falls back, and stamps nothing", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({ era: "2025-06-18" })
      const client = yield* connect(server, { title: "Test", description: "younger than that revision" })
      assert.strictEqual(yield* client.revision, "2025-06-18")
      yield* client.callTool("echo", {})
      assert.deepStrictEqual(server.received("initialize").map(({ params }) => params), [{
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1", title: "Test", description: "younger than that revision" }
      }])
      assert.lengthOf(server.received("notifications/initialized"), 1)
      assert.deepStrictEqual(server.received("tools/call")[0]!.params, { name: "echo", arguments: {} })
    }))

  it.effect("waits for a silent server as long as it is told, and cancels neither probe nor handshake", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({ era: "2025-11-25", on: { "server/discover": () => undefined } })
      const opening = yield* Effect.forkChild(connect(server, { probeTimeout: "2 seconds" }))
      yield* server.until("server/discover")
      yield* TestClock.adjust("1999 millis")
      assert.lengthOf(server.received("initialize"), 0)
      yield* TestClock.adjust("1 millis")
      const client = yield* Fiber.join(opening)
      assert.strictEqual(yield* client.revision, "2025-11-25")
      assert.lengthOf(server.received("notifications/cancelled"), 0)
    }))

  it.effect("takes a modern server at its word that was only slow to say so", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({
        on: {
          "server/discover": () =>
            Effect.delay(Effect.succeed({ supportedVersions: ["2026-07-28"], capabilities: {} }), "8 seconds"),
          initialize: () => undefined
        }
      })
      const opening = yield* Effect.forkChild(connect(server))
      yield* server.until("server/discover")
      yield* TestClock.adjust("10 seconds")
      const client = yield* Fiber.join(opening)
      assert.strictEqual(yield* client.revision, "2026-07-28")
      assert.lengthOf(server.received("initialize"), 1)
      assert.lengthOf(server.received("notifications/cancelled"), 0)
    }))

  it.effect("opens another connection where the server has left over the probe", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({
        era: "2025-11-25",
        on: { "server/discover": (turn) => Effect.as(turn.line.drop, undefined) }
      })
      const client = yield* connect(server)
      assert.strictEqual(yield* client.revision, "2025-11-25")
      assert.lengthOf(server.lines, 2)
      assert.lengthOf(server.received("server/discover"), 1)
    }))

  it.effect("refuses a revision that it does not speak, and leaves nothing open", () =>
    Effect.gen(function*() {
      for (const version of ["1999-01-01", "2099-01-01", ""]) {
        const server = yield* Scripted.make({ era: version })
        const reason = yield* Scripted.reason(connect(server, { negotiation: "2025-11-25" }))
        assert.strictEqual(reason._tag, "NegotiationFailed")
        assert.lengthOf(server.received("notifications/initialized"), 0)
      }
    }))

  it.effect("takes an opening that is odd but clear for what it is", () =>
    Effect.gen(function*() {
      const old = yield* connect(
        yield* Scripted.make({
          era: "2025-11-25",
          on: {
            initialize: () => ({
              protocolVersion: "2025-03-26",
              capabilities: { tools: true, prompts: null },
              serverInfo: { name: "no version" }
            })
          }
        })
      )
      assert.deepStrictEqual(yield* old.server, {
        revision: "2025-03-26",
        capabilities: { tools: {} },
        serverInfo: undefined,
        instructions: undefined
      })
      yield* old.callTool("echo")
      const modern = yield* connect(
        yield* Scripted.make({
          on: { "server/discover": () => ({ supportedVersions: ["2026-07-28", 5], capabilities: "all", ttlMs: "x" }) }
        })
      )
      assert.strictEqual(yield* modern.revision, "2026-07-28")
      // What nobody has declared is not refused.
      yield* modern.callTool("echo")
    }))

  it.effect("that is pinned to the modern era sends no handshake", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({ era: "2025-11-25" })
      const reason = yield* Scripted.reason(connect(server, { negotiation: "2026-07-28" }))
      assert.strictEqual(reason._tag, "NegotiationFailed")
      assert.lengthOf(server.received("initialize"), 0)
    }))

  it.effect("that is pinned to a revision asks for that one and takes no other", () =>
    Effect.gen(function*() {
      for (const revision of Revision.handshake) {
        const server = yield* Scripted.make({ era: revision })
        const client = yield* connect(server, { negotiation: revision })
        assert.strictEqual(yield* client.revision, revision)
        assert.strictEqual(server.received("initialize")[0]!.params["protocolVersion"], revision)
        assert.lengthOf(server.received("server/discover"), 0)
      }
      const other = yield* Scripted.make({ era: "2025-06-18" })
      assert.strictEqual(
        (yield* Scripted.reason(connect(other, { negotiation: "2025-11-25" })))._tag,
        "NegotiationFailed"
      )
    }))

  it.effect("that knows the verdict asks no more", () =>
    Effect.gen(function*() {
      const modern = yield* Scripted.make()
      const before = yield* connect(modern)
      const again = yield* connect(modern, { negotiation: yield* before.server })
      yield* again.callTool("echo")
      assert.lengthOf(modern.received("server/discover"), 1)

      const old = yield* Scripted.make({ era: "2025-06-18" })
      const agreement = yield* (yield* connect(old)).server
      yield* connect(old, { negotiation: agreement })
      assert.lengthOf(old.received("server/discover"), 1)
      assert.strictEqual(old.received("initialize").at(-1)!.params["protocolVersion"], "2025-06-18")
    }))

  it.effect("whose verdict is wrong finds out, and the call is made all the same", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({
        era: "2025-11-25",
        on: {
          "tools/call": (turn) =>
            turn.meta["io.modelcontextprotocol/protocolVersion"] !== undefined
              ? Effect.as(turn.fail(-32000, "Server not initialized"), undefined)
              : Scripted.text("done")
        }
      })
      const client = yield* connect(server, {
        negotiation: { revision: "2026-07-28", capabilities: Scripted.everything },
        restart: false
      })
      assert.lengthOf(server.all(), 0)
      assert.deepInclude(yield* client.callTool("echo"), Scripted.text("done"))
      assert.strictEqual(yield* client.revision, "2025-11-25")
      assert.lengthOf(server.lines, 2)
    }))

  it.effect("retries at another revision that the server names, but not for ever", () =>
    Effect.gen(function*() {
      let refusals = 1
      const server = yield* Scripted.make({
        on: {
          "tools/call": (turn) =>
            refusals-- > 0
              ? Effect.as(turn.fail(-32022, "no", { supported: ["2026-07-28"], requested: "x" }), undefined)
              : Scripted.text("done")
        }
      })
      const client = yield* connect(server)
      yield* client.callTool("echo")
      assert.lengthOf(server.received("tools/call"), 2)
      refusals = 100
      assert.strictEqual((yield* Scripted.reason(client.callTool("echo")))._tag, "UnsupportedProtocolVersion")
      assert.isAtMost(server.received("tools/call").length, 6)
    }))
})
