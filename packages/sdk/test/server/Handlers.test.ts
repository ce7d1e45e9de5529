import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as Custom from "../../src/api/Custom.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Progress from "../../src/api/Progress.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as Tool from "../../src/api/Tool.ts"
import { Invocation } from "../../src/era/Invocation.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import { connect, handshake, text } from "./support/connect.ts"

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [Tool.make("t")],
  resources: [Resource.make("r", "x://r")]
}) {}

const handlers = (t: Effect.Effect<string, never, any>) =>
  Api.toLayer({ tools: { t: () => t }, resources: { r: () => Effect.as(t, "r") } })

const call = { name: "t" }

/** Keeps what is logged. */
const recording = (logs: Array<string>) =>
  Logger.make<unknown, void>(({ fiber, message }) => {
    logs.push(`${[message].flat().join(" ")} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })

describe("a handler", () => {
  it.effect("has a scope of its own, which closes with the call, however it ends", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const scoped = (name: string) =>
        Effect.acquireRelease(
          Effect.sync(() => void events.push(`${name} acquired`)),
          () => Effect.sync(() => void events.push(`${name} released`))
        )
      class Many extends McpApi.make("many", {
        version: "1.0.0",
        tools: [Tool.make("ends"), Tool.make("dies"), Tool.make("waits")],
        resources: [Resource.make("r", "x://r")]
      }) {}
      const server = yield* Effect.provide(
        McpServer.make(Many),
        Many.toLayer({
          tools: {
            ends: () => Effect.as(scoped("ends"), "done"),
            dies: () => Effect.andThen(scoped("dies"), Effect.die("no")),
            waits: () =>
              Effect.andThen(
                scoped("waits"),
                // A fiber of the call ends with it.
                Effect.andThen(
                  Effect.forkScoped(
                    Effect.onInterrupt(Effect.never, () => Effect.sync(() => void events.push("fiber interrupted"))),
                    { startImmediately: true }
                  ),
                  Deferred.await(gate)
                )
              ).pipe(Effect.as("waited"))
          },
          resources: { r: () => Effect.as(scoped("read"), "r") }
        })
      )
      const client = yield* connect(server)
      yield* client.request("tools/call", { name: "ends" })
      yield* client.request("resources/read", { uri: "x://r" })
      yield* client.error("tools/call", { name: "dies" })
      assert.deepStrictEqual(events, [
        "ends acquired",
        "ends released",
        "read acquired",
        "read released",
        "dies acquired",
        "dies released"
      ])
      events.length = 0
      yield* client.send(client.make("tools/call", { name: "waits" }, { id: "w" }))
      yield* client.flush
      yield* client.notify("notifications/cancelled", { requestId: "w" })
      yield* client.flush
      assert.deepStrictEqual(events, ["waits acquired", "fiber interrupted", "waits released"])
    }))

  it.effect("has the services of the layer that it was built in, not those of the server", () =>
    Effect.gen(function*() {
      class Database extends Context.Service<Database, string>()("test/Database") {}
      const server = yield* McpServer.make(Api).pipe(
        Effect.provide(Layer.provide(handlers(Effect.service(Database)), Layer.succeed(Database, "the handler's"))),
        Effect.provideService(Database, "the server's")
      )
      assert.strictEqual(text(yield* (yield* connect(server)).request("tools/call", call)), "the handler's")
    }))

  it.effect("has the spans and annotations of its call, not of the building of its layer", () =>
    Effect.gen(function*() {
      const logs: Array<string> = []
      const facts = Effect.gen(function*() {
        yield* Effect.log("called")
        const span = yield* Effect.serviceOption(Tracer.ParentSpan)
        return span._tag === "None" ? "no span" : (span.value as Tracer.Span).name
      })
      const server = yield* McpServer.make(Api, {
        middleware: [(next) => (method, params, invocation) =>
          next(method, params, invocation).pipe(
            Effect.annotateLogs({ of: "the call" }),
            Effect.withSpan("the call")
          )]
      }).pipe(
        Effect.provide(handlers(facts).pipe(Layer.provideMerge(Layer.span("building")))),
        Effect.annotateLogs({ of: "the building" }),
        Effect.provide(Logger.layer([recording(logs)]))
      )
      const client = yield* connect(server)
      assert.strictEqual(text(yield* client.request("tools/call", call)), "the call")
      assert.deepStrictEqual(logs, ["called {\"of\":\"the call\"}"])
    }))

  it.effect("keeps logging to the loggers that are there, whatever the client wants to hear", () =>
    Effect.gen(function*() {
      const atBuilding: Array<string> = []
      const atServing: Array<string> = []
      // Once the logger is given where the handlers are built, once only where the server runs.
      const built = yield* McpServer.make(Api).pipe(
        Effect.provide(
          Layer.provide(handlers(Effect.as(Effect.log("hello"), "done")), Logger.layer([recording(atBuilding)]))
        )
      )
      const plain = yield* Effect.provide(McpServer.make(Api), handlers(Effect.as(Effect.log("hello"), "done")))
      for (const [server, logs] of [[built, atBuilding], [plain, atServing]] as const) {
        const client = yield* Effect.provide(connect(server), Logger.layer([recording(atServing)]))
        for (const options of [{}, { logLevel: "debug" }, { logLevel: "emergency" }]) {
          logs.length = 0
          yield* client.request("tools/call", call, options)
          assert.deepStrictEqual(logs, ["hello {}"], JSON.stringify(options))
        }
        assert.strictEqual(client.notifications("notifications/message").length, 1)
      }
    }))

  it.effect("logs to the client with its annotations, its causes without a stack, and under its logger's name", () =>
    Effect.gen(function*() {
      const log = Effect.gen(function*() {
        yield* Effect.annotateLogs(Effect.logInfo("plain"), { user: 7, logger: "db" })
        yield* Effect.logError("failed", new Error("why"))
        yield* Effect.logWarning({ deep: { n: 1n } }, [1, 2])
        yield* Effect.catchCause(Effect.fail(new Error("cause")), (cause) => Effect.logError("with", cause))
        return "done"
      })
      const client = yield* connect(yield* Effect.provide(McpServer.make(Api), handlers(log)))
      yield* client.request("tools/call", call, { logLevel: "info" })
      const messages = client.notifications("notifications/message").map(({ params }) => params)
      assert.deepStrictEqual(messages[0], { level: "info", logger: "db", data: { message: "plain", user: 7 } })
      assert.deepStrictEqual(messages[1], { level: "error", data: ["failed", { name: "Error", message: "why" }] })
      assert.strictEqual(messages[2]!["level"], "warning")
      assert.deepStrictEqual(messages[3], { level: "error", data: ["with", "cause"] })
      // No path of this machine.
      assert.notInclude(JSON.stringify(messages), "Handlers.test")
    }))

  it.effect("tells nothing any more once its request is answered", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const told = yield* Deferred.make<void>()
      const late = Effect.gen(function*() {
        yield* Progress.report({ progress: 1 })
        yield* Effect.forkDetach(Effect.gen(function*() {
          yield* Deferred.await(gate)
          yield* Progress.report({ progress: 2 })
          yield* Effect.logError("late")
          yield* Deferred.succeed(told, undefined)
        }))
        return "done"
      })
      for (const revision of [handshake, "2026-07-28"] as const) {
        const client = yield* connect(yield* Effect.provide(McpServer.make(Api), handlers(late)), { revision })
        yield* client.setLevel("debug")
        yield* client.request("tools/call", call, {
          progressToken: "p",
          ...(client.isModern ? { logLevel: "debug" } : {})
        })
        const before = client.received.length
        yield* Deferred.succeed(gate, undefined)
        yield* Deferred.await(told)
        yield* client.flush
        // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress: stops after completion
        assert.strictEqual(client.received.length, before + 1, revision)
        assert.strictEqual(client.notifications("notifications/progress").length, 1)
      }
    }))

  it.effect("of one's own request has the invocation, services and a scope; a bad answer is an internal error", () =>
    Effect.gen(function*() {
      const server = yield* Effect.provide(McpServer.make(Api), handlers(Effect.succeed("t")))
      const released: Array<string> = []
      class Service extends Context.Service<Service, string>()("test/Service") {}
      const When = Custom.request("own/when", {
        params: Schema.Struct({ at: Schema.Date, fail: Schema.optionalKey(Schema.Boolean) }),
        result: Schema.Struct({ next: Schema.Date, by: Schema.String })
      })
      yield* Effect.provideService(
        server.catalog.addRequest(When, ({ at, fail }) =>
          Effect.gen(function*() {
            const { method } = yield* Invocation
            yield* Effect.addFinalizer(() => Effect.sync(() => void released.push(method)))
            if (fail === true) return { next: "soon" as never, by: "" }
            return { next: new Date(at.getTime() + 1), by: yield* Service }
          })),
        Service,
        "a service"
      )
      const client = yield* connect(server)
      const { by, next } = yield* client.request("own/when", { at: "2026-07-28T00:00:00.000Z" })
      assert.deepStrictEqual({ by, next }, { by: "a service", next: "2026-07-28T00:00:00.001Z" })
      assert.deepStrictEqual(released, ["own/when"])
      assert.strictEqual((yield* client.error("own/when", { at: 5 })).code, -32602)
      const broken = yield* client.error("own/when", { at: "2026-07-28T00:00:00.000Z", fail: true })
      assert.deepStrictEqual(broken, { code: -32603, message: "Internal error" })
    }))

  it.effect("knows whom the transport has verified, and the session where there is one", () =>
    Effect.gen(function*() {
      const facts = { transport: "custom", principal: { subject: "ada", role: "admin" }, sessionId: "s1" }
      const server = yield* Effect.provide(
        McpServer.make(Api),
        handlers(Effect.map(Effect.service(Invocation), ({ principal, sessionId, transport }) =>
          JSON.stringify({ principal, sessionId, transport })))
      )
      const known = (revision: typeof handshake | "2026-07-28") =>
        Effect.map(
          Effect.flatMap(connect(server, { facts, revision }), (client) =>
            client.request("tools/call", call)),
          (result) => JSON.parse(text(result))
        )
      assert.deepStrictEqual(yield* known(handshake), facts)
      // The modern era has no sessions.
      assert.deepStrictEqual(yield* known("2026-07-28"), { transport: "custom", principal: facts.principal })
    }))

  it.effect("of many connections at a time answers each its own", () =>
    Effect.gen(function*() {
      const server = yield* Effect.provide(
        McpServer.make(Api),
        handlers(Effect.map(Effect.service(Invocation), ({ client }) => String(client.info?.name)))
      )
      const clients = yield* Effect.forEach(Array.from({ length: 20 }, (_, n) => n), () => connect(server))
      const calls = yield* Effect.forEach(clients, (client, n) =>
        Effect.forkChild(client.request("tools/call", call, {
          meta: { "io.modelcontextprotocol/clientInfo": { name: `client ${n}`, version: "1" } }
        })))
      const names = yield* Effect.forEach(calls, (fiber) => Effect.map(Fiber.join(fiber), text))
      assert.deepStrictEqual(names, clients.map((_, n) => `client ${n}`))
    }))
})
