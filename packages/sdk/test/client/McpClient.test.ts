/** A client and what it does for its caller, against servers that do what the test says. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Custom from "../../src/api/Custom.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Progress from "../../src/api/Progress.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import * as McpClient from "../../src/client/McpClient.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Scripted from "../utils/ScriptedServer.ts"
import { connect, eras, pair } from "./support.ts"

const tool = (name: string, extra: Params = {}) => ({ name, inputSchema: { type: "object" }, ...extra })

describe("calls", () => {
  it.effect("of every kind reach the server and come back", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era })
        assert.strictEqual((yield* client.listTools()).tools[0]!.name, "echo")
        assert.deepInclude(yield* client.callTool("echo", { a: 1 }), Scripted.text("ok echo"))
        assert.strictEqual((yield* client.listResources()).resources[0]!.uri, "file:///a")
        assert.strictEqual((yield* client.listResourceTemplates()).resourceTemplates[0]!.name, "t")
        assert.deepInclude((yield* client.readResource("file:///ü")).contents[0], { uri: "file:///ü" })
        assert.strictEqual((yield* client.listPrompts()).prompts[0]!.name, "p")
        assert.deepStrictEqual((yield* client.getPrompt("p", { x: "1" })).messages, [])
        assert.deepStrictEqual(
          (yield* client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "o" } }))
            .completion.values,
          ["one"]
        )
        assert.deepInclude(server.received("prompts/get")[0]!.params, { name: "p", arguments: { x: "1" } })
      }
    }))

  it.effect("that a revision does not have are refused here", () =>
    Effect.gen(function*() {
      const modern = yield* pair({})
      for (const call of [modern.client.ping(), modern.client.subscribe("file:///a")]) {
        assert.strictEqual((yield* Scripted.reason(call))._tag, "CapabilityNotSupported")
      }
      const old = yield* pair({ era: "2025-11-25" })
      yield* old.client.ping()
      yield* old.client.subscribe("file:///a")
      yield* old.client.unsubscribe("file:///a")
      assert.lengthOf(old.server.received("resources/unsubscribe"), 1)
    }))

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation
  it.effect("that need what the server did not declare are not sent; lists are empty", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era, capabilities: { logging: {} } })
        for (const call of [client.callTool("echo"), client.readResource("file:///a"), client.getPrompt("p")]) {
          assert.strictEqual((yield* Scripted.reason<unknown, never>(call))._tag, "CapabilityNotSupported")
        }
        assert.deepStrictEqual(yield* Stream.runCollect(client.tools), [])
        assert.lengthOf(server.received("tools/list"), 0)
        const lenient = yield* connect(server, { enforceCapabilities: false })
        assert.lengthOf(yield* Stream.runCollect(lenient.tools), 1)
      }
    }))

  it.effect("complete at 2024-11-05, which had no capability for it", () =>
    Effect.gen(function*() {
      const { client } = yield* pair({ era: "2024-11-05", capabilities: { prompts: {} } })
      const { completion } = yield* client.complete({
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "a", value: "" }
      })
      assert.deepStrictEqual(completion.values, ["one"])
    }))

  it.effect("give errors of the server as they are, and errors of this side as what they are", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client } = yield* pair({
          era,
          on: {
            "tools/call": (turn) => Effect.as(turn.fail(-4711, "no", { why: ["x"] }), undefined),
            "prompts/get": () => ({ nope: 1 }),
            "prompts/list": () => undefined
          }
        })
        assert.deepInclude(yield* Scripted.reason(client.callTool("echo")), {
          _tag: "PeerError",
          code: -4711,
          detail: "no",
          data: { why: ["x"] }
        })
        assert.strictEqual((yield* Scripted.reason(client.getPrompt("p")))._tag, "InvalidPeerMessage")
        const slow = yield* Effect.forkChild(Scripted.reason(client.listPrompts({ timeout: "2 seconds" })))
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(yield* Fiber.join(slow), { _tag: "RequestTimeout", millis: 2000, maximum: false })
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
  it.effect("take a result for what its type says, in the era that has types", () =>
    Effect.gen(function*() {
      for (const resultType of ["banana", "task", "Complete", "", 5, null]) {
        const { client } = yield* pair({ on: { "tools/call": () => ({ ...Scripted.text("x"), resultType }) } })
        assert.strictEqual((yield* Scripted.reason(client.callTool("echo")))._tag, "InvalidPeerMessage")
      }
      const old = yield* pair({
        era: "2025-11-25",
        on: { "tools/call": () => ({ ...Scripted.text("x"), resultType: "banana" }) }
      })
      assert.deepInclude(yield* old.client.callTool("echo"), Scripted.text("x"))
    }))

  it.effect("are finished by an extension where the result has the extension's type", () =>
    Effect.gen(function*() {
      const { client } = yield* pair({ on: { "tools/call": () => ({ resultType: "task", taskId: "t1" }) } }, {
        resultTypes: { task: (result, { method }) => Effect.succeed(Scripted.text(`${method} ${result["taskId"]}`)) }
      })
      assert.deepInclude(yield* client.callTool("echo"), Scripted.text("tools/call t1"))
    }))

  it.effect("know an unknown resource by either of its codes", () =>
    Effect.gen(function*() {
      const errors: ReadonlyArray<readonly [number, unknown]> = [
        [-32602, { uri: "file:///x" }],
        [-32002, { uri: "file:///x" }],
        [-32002, undefined]
      ]
      for (const era of eras) {
        for (const [code, data] of errors) {
          const { client } = yield* pair({
            era,
            on: { "resources/read": (turn) => Effect.as(turn.fail(code, "gone", data), undefined) }
          })
          const reason = yield* Scripted.reason(client.readResource("file:///x"))
          assert.deepInclude(reason, { _tag: "ResourceNotFound", uri: "file:///x", detail: "gone" })
        }
      }
    }))

  it.effect("interrupted are cancelled on the wire, once", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era, on: { "tools/call": () => undefined } })
        const call = yield* Effect.forkChild(client.callTool("echo"))
        yield* server.until("tools/call")
        yield* Fiber.interrupt(call)
        yield* server.until("notifications/cancelled")
        assert.deepStrictEqual(
          server.received("notifications/cancelled").map(({ params }) => params["requestId"]),
          [server.received("tools/call")[0]!.id]
        )
      }
    }))

  it.effect("that the server takes for its own request's answer are not answered in the modern era", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({
        on: {
          "tools/call": (turn) =>
            Effect.as(
              Effect.andThen(
                Effect.forEach([["a", "ping"], [1, "roots/list"], ["c", "foo/bar"]] as const, ([id, method]) =>
                  turn.line.send({ jsonrpc: "2.0", id, method })),
                Effect.yieldNow
              ),
              Scripted.text("done")
            )
        }
      }, { roots: [] })
      yield* client.callTool("echo")
      yield* client.listTools()
      assert.isTrue(server.all().every((message) => "method" in message))
    }))
})

describe("progress", () => {
  it.effect("reaches the caller before the answer, and no other caller", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client } = yield* pair({
          era,
          on: {
            "tools/call": (turn) =>
              Effect.as(
                Effect.andThen(turn.progress(1, 2), turn.progress(2, 2)),
                Scripted.text(String(turn.params["name"]))
              )
          }
        })
        const heard: Array<number> = []
        const listened = client.callTool("a").pipe(
          Progress.onProgress(({ progress }) => Effect.sync(() => heard.push(progress))),
          Effect.tap(() => Effect.sync(() => heard.push(-1)))
        )
        yield* Effect.all([listened, client.callTool("b")], { concurrency: 2 })
        assert.deepStrictEqual(heard, [1, 2, -1])
      }
    }))

  it.effect("is asked for by who wants it only; what is malformed is passed over", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({
        on: {
          "tools/call": (turn) =>
            Effect.as(
              Effect.forEach(
                [undefined, {}, { progressToken: turn.meta["progressToken"], progress: "x" }, {
                  progressToken: "alien",
                  progress: 1
                }],
                (params) => turn.notify("notifications/progress", params)
              ),
              Scripted.text("done")
            )
        }
      })
      yield* client.callTool("a")
      assert.notProperty(server.received("tools/call")[0]!.params["_meta"], "progressToken")
      const events = yield* Stream.runCollect(Progress.stream(client.callTool("b")))
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["Done"])
    }))

  it.effect("keeps a call alive within its hard limit, but not beyond a time given with the call", () =>
    Effect.gen(function*() {
      const script: Scripted.Script = {
        on: {
          "tools/call": (turn) => Effect.as(Effect.repeat(turn.progress(1), Schedule.spaced("30 seconds")), undefined)
        }
      }
      const { client } = yield* pair(script, { maximumTimeout: "5 minutes" })
      const listening = <A, E>(call: Effect.Effect<A, E>) => Progress.onProgress(() => Effect.void)(call)
      const patient = yield* Effect.forkChild(Scripted.reason(listening(client.callTool("a"))))
      const strict = yield* Effect.forkChild(
        Scripted.reason(listening(client.callTool("a", {}, { timeout: "40 seconds" })))
      )
      yield* TestClock.adjust("39 seconds")
      assert.isUndefined(strict.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(strict), { _tag: "RequestTimeout", maximum: false })
      for (let i = 0; i < 10; i++) yield* TestClock.adjust("25 seconds")
      assert.isUndefined(patient.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(patient), { _tag: "RequestTimeout", maximum: true })
    }))
})

describe("lists", () => {
  const paged = (
    pages: { readonly [cursor: string]: readonly [string, string | null | undefined] }
  ): Scripted.Script => ({
    on: {
      "tools/list": ({ params }) => {
        const [name, nextCursor] = pages[params["cursor"] === undefined ? "first" : `c${params["cursor"]}`]!
        return { tools: [tool(name)], ...(nextCursor === undefined ? {} : { nextCursor }) }
      }
    }
  })
  const names = (client: McpClient.McpClient["Service"]) =>
    Effect.map(Stream.runCollect(client.tools), (tools) => tools.map(({ name }) => name))

  // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
  it.effect("are walked to their end; the empty string is a cursor, null is none", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(paged({ first: ["a", ""], c: ["b", " x\n"], "c x\n": ["c", null] }))
      assert.deepStrictEqual(yield* names(client), ["a", "b", "c"])
      assert.deepStrictEqual(server.received("tools/list").map(({ params }) => params["cursor"]), [
        undefined,
        "",
        " x\n"
      ])
      assert.notProperty(server.received("tools/list")[0]!.params, "cursor")
    }))

  it.effect("are asked for page by page as they are wanted", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(paged({ first: ["a", "1"], c1: ["b", "2"], c2: ["c", undefined] }))
      assert.strictEqual((yield* Stream.runCollect(Stream.take(client.tools, 1)))[0]!.name, "a")
      assert.lengthOf(server.received("tools/list"), 1)
    }))

  it.effect("are not spoilt by an entry that cannot be read", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const anyOf = { name: "no type", inputSchema: { anyOf: [{ type: "object" }] }, outputSchema: { type: 5 } }
        const { client } = yield* pair({
          era,
          on: {
            "tools/list": () => ({ tools: [tool("good"), { name: 5 }, { name: "none" }, "text", anyOf], ttlMs: "60" }),
            "resources/list": () => ({ resources: [{ uri: "file:///a" }, { uri: "file:///b", name: "b" }] }),
            "prompts/list": () => ({ prompts: "none" })
          }
        })
        assert.deepStrictEqual((yield* client.listTools()).tools, [tool("good"), anyOf] as never)
        assert.deepStrictEqual((yield* client.listResources()).resources.map(({ name }) => name), ["b"])
        assert.strictEqual((yield* Scripted.reason(client.listPrompts()))._tag, "InvalidPeerMessage")
      }
    }))

  it.effect("that come to no end are given up", () =>
    Effect.gen(function*() {
      let count = 0
      const loop = yield* pair({ on: { "tools/list": () => ({ tools: [tool("a")], nextCursor: "again" }) } })
      const growing = yield* pair(
        { on: { "tools/list": () => ({ tools: [tool("a")], nextCursor: `c${++count}` }) } },
        { maxPages: 20 }
      )
      assert.strictEqual((yield* Scripted.reason(names(loop.client)))._tag, "InvalidPeerMessage")
      assert.lengthOf(loop.server.received("tools/list"), 2)
      assert.strictEqual((yield* Scripted.reason(names(growing.client)))._tag, "InvalidPeerMessage")
      assert.lengthOf(growing.server.received("tools/list"), 20)
    }))
})

describe("tools of an unknown server", () => {
  const schema = { type: "object", properties: { t: { type: "number" } }, required: ["t"] }
  const listed = (tools: ReadonlyArray<Params>, result: Params): Scripted.Script => ({
    on: { "tools/list": () => ({ tools }), "tools/call": () => result }
  })

  it.effect("are held to the schemas that were listed, before and after the call", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(listed([tool("q", { inputSchema: schema, outputSchema: schema })], {
        content: [],
        structuredContent: { t: "hot" }
      }))
      // Not listed yet: nothing is known.
      yield* client.callTool("q", { t: "cold" })
      yield* client.listTools()
      const before = yield* Scripted.reason(client.callTool("q", { t: "cold" }))
      assert.deepInclude(before, { _tag: "InvalidArguments", method: "tools/call" })
      assert.include(before.message, "t: expected")
      assert.lengthOf(server.received("tools/call"), 1)
      assert.strictEqual((yield* Scripted.reason(client.callTool("q", { t: 1 })))._tag, "InvalidPeerMessage")
    }))

  it.effect("have their say when they fail, whatever their schema wants", () =>
    Effect.gen(function*() {
      for (const extra of [{}, { structuredContent: { t: "x" } }]) {
        const { client } = yield* pair(
          listed([tool("q", { outputSchema: schema })], { ...Scripted.text("no luck"), isError: true, ...extra })
        )
        yield* client.listTools()
        assert.deepInclude(yield* client.callTool("q"), { ...Scripted.text("no luck"), isError: true })
      }
    }))

  it.effect("that promise structured output have to give it", () =>
    Effect.gen(function*() {
      const { client } = yield* pair(listed([tool("q", { outputSchema: schema })], Scripted.text("only text")))
      yield* client.listTools()
      assert.strictEqual((yield* Scripted.reason(client.callTool("q")))._tag, "InvalidPeerMessage")
    }))

  it.effect("spoil nothing but themselves with a schema that cannot be used", () =>
    Effect.gen(function*() {
      const odd = { $schema: "https://example.com/dialect", type: "object" }
      const { client, server } = yield* pair(
        listed([
          tool("bad-in", { inputSchema: odd }),
          tool("bad-out", { outputSchema: odd }),
          tool("__proto__", { outputSchema: schema }),
          tool("good", { outputSchema: schema })
        ], { content: [], structuredContent: { t: 1 } })
      )
      assert.lengthOf((yield* client.listTools()).tools, 4)
      yield* client.callTool("good")
      yield* client.callTool("__proto__")
      yield* client.callTool("bad-in", { any: "thing" })
      const reason = yield* Scripted.reason(client.callTool("bad-out"))
      assert.strictEqual(reason._tag, "InvalidPeerMessage")
      assert.match(reason.message, /bad-out.*dialect/s)
      assert.lengthOf(server.received("tools/call"), 3)
    }))

  it.effect("take null for what may be left out", () =>
    Effect.gen(function*() {
      const inputSchema = {
        type: "object",
        properties: { a: { type: "boolean" }, b: { type: "string" } },
        required: ["b"]
      }
      const { client, server } = yield* pair(listed([tool("q", { inputSchema })], Scripted.text("ok")))
      yield* client.listTools()
      yield* client.callTool("q", { a: null, b: "x" })
      assert.deepStrictEqual(server.received("tools/call")[0]!.params["arguments"], { a: null, b: "x" })
      assert.strictEqual((yield* Scripted.reason(client.callTool("q", { b: null })))._tag, "InvalidArguments")
    }))

  it.effect("are not held to a list that has changed since", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(
        listed([tool("q", { outputSchema: schema })], { content: [], structuredContent: { other: 1 } })
      )
      yield* client.listTools()
      yield* server.line().send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      yield* Effect.yieldNow
      yield* client.callTool("q")
    }))
})

describe("what the server tells", () => {
  const telling = (...notices: ReadonlyArray<readonly [string, Params?]>): Scripted.Script => ({
    era: "2025-11-25",
    on: {
      "tools/call": (turn) =>
        Effect.as(
          Effect.forEach(notices, ([method, params]) => turn.notify(method, params)),
          Scripted.text("done")
        )
    }
  })

  it.effect("reaches handlers in order, and one that calls the server locks nothing", () =>
    Effect.gen(function*() {
      const heard: Array<string> = []
      const self: { client?: McpClient.McpClient["Service"] } = {}
      const server = yield* Scripted.make(telling(
        ["notifications/message", { level: "info", data: "one" }],
        ["notifications/tools/list_changed"],
        ["notifications/message", { level: "info", data: "two" }],
        ["notifications/resources/updated", { uri: "file:///a" }]
      ))
      const client = self.client = yield* connect(server, {
        onLog: ({ data }) => Effect.sync(() => heard.push(String(data))),
        onResourceUpdated: (uri) => Effect.sync(() => heard.push(uri)),
        onToolsChanged: Effect.flatMap(
          Effect.suspend(() => self.client!.listTools()),
          ({ tools }) => Effect.sync(() => heard.push(`${tools.length} tools`))
        ).pipe(Effect.orDie, Effect.asVoid)
      })
      yield* client.callTool("echo")
      yield* server.until("tools/list")
      yield* client.ping()
      assert.deepStrictEqual(heard, ["one", "1 tools", "two", "file:///a"])
    }))

  it.effect("is there as a stream, unknown notices too; malformed ones are passed over", () =>
    Effect.gen(function*() {
      const { client } = yield* pair(telling(
        ["notifications/acme/what", { a: 1 }],
        ["notifications/message", { level: "loud", data: 1 }],
        ["notifications/resources/updated", { uri: "file:///é" }]
      ))
      const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.notifications, 2)))
      yield* Effect.yieldNow
      yield* client.callTool("echo")
      assert.deepStrictEqual((yield* Fiber.join(heard)).map(({ method, params }) => [method, params]), [
        ["notifications/acme/what", { a: 1 }],
        ["notifications/resources/updated", { uri: "file:///é" }]
      ])
    }))

  it.effect("in the modern era is subscribed to where handlers are given", () =>
    Effect.gen(function*() {
      let changes = 0
      const { client, server } = yield* pair({}, { onToolsChanged: Effect.sync(() => void changes++) })
      yield* server.until("subscriptions/listen")
      const [own] = server.received("subscriptions/listen")
      assert.deepStrictEqual(own!.params["notifications"], { toolsListChanged: true })
      // Another subscription to the same makes no second call of the handler.
      yield* client.listen({ toolsListChanged: true })
      for (const { id } of server.received("subscriptions/listen")) {
        yield* server.line().send({
          jsonrpc: "2.0",
          method: "notifications/tools/list_changed",
          params: { _meta: { "io.modelcontextprotocol/subscriptionId": id } }
        })
      }
      yield* client.callTool("echo")
      assert.strictEqual(changes, 1)
    }))

  it.effect("of logs is what was asked for: once before, with each request in the modern era", () =>
    Effect.gen(function*() {
      const old = yield* pair({ era: "2025-11-25" }, { logLevel: "warning" })
      assert.deepStrictEqual(old.server.received("logging/setLevel").map(({ params }) => params), [{
        level: "warning"
      }])
      yield* old.client.setLogLevel("debug")
      assert.lengthOf(old.server.received("logging/setLevel"), 2)

      const modern = yield* pair({}, { logLevel: "warning" })
      const level = () =>
        (modern.server.received("tools/call").at(-1)!.params["_meta"] as Params)["io.modelcontextprotocol/logLevel"]
      yield* modern.client.callTool("echo")
      assert.strictEqual(level(), "warning")
      yield* modern.client.setLogLevel(undefined)
      yield* modern.client.callTool("echo")
      assert.isUndefined(level())
    }))
})

describe("requests and notifications of one's own", () => {
  const Echo = Custom.request("acme/echo", {
    params: Schema.Struct({ at: Schema.FiniteFromString }),
    result: Schema.Struct({ at: Schema.FiniteFromString })
  })
  const Note = Custom.notification("acme/note", { params: Schema.Struct({ at: Schema.FiniteFromString }) })

  it.effect("are written, read and stamped", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({ on: { "acme/echo": ({ params }) => ({ at: params["at"] }) } })
      assert.deepStrictEqual(yield* client.request(Echo, { at: 5 }), { at: 5 })
      assert.deepInclude(server.received("acme/echo")[0]!.params, { at: "5" })
      assert.property(server.received("acme/echo")[0]!.params["_meta"], "io.modelcontextprotocol/protocolVersion")
      yield* client.notify(Note, { at: 7 })
      yield* server.until("acme/note")
      assert.deepStrictEqual(server.received("acme/note")[0]!.params, { at: "7" })
    }))

  it.effect("come the other way too", () =>
    Effect.gen(function*() {
      const heard: Array<number> = []
      const server = yield* Scripted.make({
        era: "2025-11-25",
        on: {
          "tools/call": (turn) =>
            Effect.gen(function*() {
              yield* turn.notify("acme/note", { at: "1" })
              yield* turn.notify("acme/note", { at: "not a number" })
              const answer = yield* turn.ask("q", "acme/echo", { at: "2" })
              const refusal = yield* turn.ask("r", "acme/echo", {})
              return { content: [], structuredContent: { answer, refusal } }
            })
        }
      })
      const client = yield* connect(server, {
        handlers: [
          McpClient.onRequest(Echo, ({ at }) => Effect.succeed({ at: at + 1 })),
          McpClient.onNotification(Note, ({ at }) => Effect.sync(() => heard.push(at)))
        ]
      })
      const { structuredContent } = yield* client.callTool("echo")
      const { answer, refusal } = structuredContent as { answer: Params; refusal: Params }
      assert.deepStrictEqual(answer["result"], { at: "3" })
      assert.deepInclude(refusal["error"], { code: -32602 })
      assert.deepStrictEqual(heard, [1])
    }))
})

describe("the life of a client", () => {
  it.effect("ends with its scope or when it is closed: what is under way fails, closing twice is harmless", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const server = yield* Scripted.make({ era, on: { "tools/call": () => undefined } })
        const scope = yield* Scope.make()
        const client = yield* Scope.provide(connect(server), scope)
        const pending = yield* Effect.forkChild(Scripted.reason(client.callTool("echo")))
        yield* server.until("tools/call")
        yield* client.close
        yield* client.close
        assert.strictEqual((yield* Fiber.join(pending))._tag, "ConnectionClosed")
        assert.strictEqual((yield* Scripted.reason(client.callTool("echo")))._tag, "ConnectionClosed")
        yield* Scope.close(scope, Exit.void)
      }
    }))

  it.effect("can end by its own handler, at any depth", () =>
    Effect.gen(function*() {
      const self: { client?: McpClient.McpClient["Service"] } = {}
      const server = yield* Scripted.make({
        era: "2025-11-25",
        on: {
          "tools/call": (turn) => Effect.as(turn.notify("notifications/message", { level: "info", data: 1 }), undefined)
        }
      })
      self.client = yield* connect(server, {
        onLog: () => Effect.asVoid(Effect.timeoutOption(Effect.suspend(() => self.client!.close), "1 hour"))
      })
      assert.strictEqual((yield* Scripted.reason(self.client.callTool("echo")))._tag, "ConnectionClosed")
      yield* self.client.close
    }))

  it.effect("goes on after a loss, by the schedule: pending calls fail at once, later ones wait", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        let hang = true
        const { client, server } = yield* pair({
          era,
          on: { "tools/call": () => hang ? undefined : Scripted.text("again") }
        }, { restart: Schedule.spaced("10 seconds") })
        const statuses = yield* Effect.forkChild(
          Stream.runCollect(Stream.take(Stream.map(client.status, ({ _tag }) => _tag), 3))
        )
        const pending = yield* Effect.forkChild(Scripted.reason(client.callTool("echo")))
        yield* server.until("tools/call")
        yield* server.line().drop
        assert.strictEqual((yield* Fiber.join(pending))._tag, "ConnectionClosed")
        hang = false
        const waiting = yield* Effect.forkChild(client.callTool("echo"))
        yield* TestClock.adjust("9 seconds")
        assert.lengthOf(server.lines, 1)
        assert.isUndefined(waiting.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* Fiber.join(waiting), Scripted.text("again"))
        assert.lengthOf(server.lines, 2)
        assert.deepStrictEqual(yield* Fiber.join(statuses), ["Open", "Lost", "Open"])
      }
    }))

  it.effect("is over where the schedule says no more; a waiting call has its own limit", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make()
      let gone = false
      const client = yield* Effect.provideService(
        McpClient.make({ name: "t", version: "1", restart: Schedule.upTo(Schedule.spaced("1 minute"), { times: 2 }) }),
        ClientTransport,
        {
          kind: "memory",
          open: Effect.suspend(() =>
            gone
              ? Effect.fail(McpError.make(new McpError.SpawnError({ command: "x" })))
              : server.transport.open
          )
        }
      )
      gone = true
      yield* server.line().drop
      yield* Effect.yieldNow
      const impatient = yield* Effect.forkChild(Scripted.reason(client.callTool("echo", {}, { timeout: "30 seconds" })))
      const patient = yield* Effect.forkChild(Scripted.reason(client.callTool("echo", {}, { timeout: "1 hour" })))
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* Fiber.join(impatient), { _tag: "TransportError", sent: "no" })
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* Fiber.join(patient))._tag, "SpawnError")
      assert.strictEqual((yield* Scripted.reason(client.listTools()))._tag, "SpawnError")
    }))

  it.effect("that cannot begin leaves nothing, and can be interrupted", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({ on: { "server/discover": () => undefined }, otherwise: () => undefined })
      const opening = yield* Effect.forkChild(connect(server))
      yield* server.until("server/discover")
      yield* Fiber.interrupt(opening)
      const exit = yield* Fiber.await(opening)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      yield* server.line().send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      assert.lengthOf(server.received("notifications/cancelled"), 0)
    }))
})

describe("services", () => {
  class Weather extends McpApi.make("weather", {
    version: "1",
    tools: [Tool.make("forecast", {
      parameters: { city: Schema.String },
      success: Schema.Struct({ high: Schema.Finite })
    })],
    resources: [ResourceTemplate.make("city", "city://{name}")]
  }) {}
  class Screen extends Context.Service<Screen, { readonly show: (text: string) => Effect.Effect<void> }>()("Screen") {}
  class Model extends Context.Service<Model, { readonly ask: Effect.Effect<string> }>()("Model") {}

  it.effect("a typed client is made on the layer", () =>
    Effect.gen(function*() {
      const server = yield* Scripted.make({
        on: { "tools/call": ({ params }) => ({ content: [], structuredContent: { high: 5 }, params }) }
      })
      const high = yield* Effect.gen(function*() {
        const { resources, tools } = yield* Weather.client
        assert.deepInclude((yield* resources.city({ name: "Oslo" })).contents[0], { uri: "city://Oslo" })
        const [now] = yield* Stream.runCollect(Stream.take(resources.city.changes({ name: "Oslo" }), 1))
        assert.deepInclude(now!.contents[0], { uri: "city://Oslo" })
        return yield* tools.forecast({ city: "Oslo" })
      }).pipe(
        Effect.provide(Layer.provide(McpClient.layer({ name: "t", version: "1" }), Scripted.layer(server)))
      )
      assert.deepStrictEqual(high, { high: 5 })
    }))

  it("the requirements of handlers are inferred, and a slip of the pen does not compile", () => {
    const two = McpClient.make({
      name: "t",
      version: "1",
      elicit: ({ message }) =>
        Screen.pipe(Effect.flatMap(({ show }) => show(message)), Effect.as({ action: "decline" })),
      sample: () =>
        Effect.map(Effect.flatMap(Model, ({ ask }) => ask), (text) => ({
          role: "assistant",
          model: "m",
          content: { type: "text", text }
        }))
    })
    const none = McpClient.make({ name: "t", version: "1", roots: [] })
    type Needs<T> = T extends Effect.Effect<unknown, unknown, infer R> ? R : never
    const exactly = <A>() => <B>(_: [A] extends [B] ? [B] extends [A] ? true : never : never) => {}
    exactly<Needs<typeof two>>()<Needs<typeof none> | Screen | Model>(true)
    // @ts-expect-error there is no such option
    McpClient.make({ name: "t", version: "1", elict: () => Effect.void })
    // @ts-expect-error a form is answered by an action
    McpClient.make({ name: "t", version: "1", elicit: () => Effect.succeed({ action: "maybe" }) })
  })
})
