import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Catalog } from "../../src/api/Catalog.ts"
import * as Changes from "../../src/api/Changes.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import { type ServerTransport } from "../../src/peer/ServerTransport.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { make as rawClient, type RawClient } from "../utils/rawClient.ts"
import { connect, handshake, modern, text, toolNames } from "./support/connect.ts"

/** A service of which the two servers have different ones. */
class Greeting extends Context.Service<Greeting, string>()("test/Greeting") {}

class Api extends McpApi.make("api", { version: "1.0.0", tools: [Tool.make("greet")] }) {}
class Other extends McpApi.make("other", { version: "1.0.0", tools: [Tool.make("wave")] }) {}
class SameName extends McpApi.make("api", { version: "1.0.0", tools: [Tool.make("greet")] }) {}

const greeting = (tag: string) =>
  Api.toLayer({ tools: { greet: () => Greeting } }).pipe(Layer.provide(Layer.succeed(Greeting, tag)))

const other = Other.toLayer({ tools: { wave: () => Effect.succeed("waving") } })

class Left extends Context.Service<Left, Catalog["Service"]>()("test/Left") {}
class Right extends Context.Service<Right, Catalog["Service"]>()("test/Right") {}

const call = (client: RawClient, name: string) => Effect.map(client.request("tools/call", { name }), text)

/** A transport of its own each time, and a client of it. */
const transport = () => Layer.fresh(Memory.layer)

const clientOf = Effect.fnUntraced(function*(
  context: Context.Context<ClientTransport>,
  revision: typeof modern | typeof handshake = modern
) {
  return yield* rawClient(yield* Context.get(context, ClientTransport).open, { revision })
})

describe("two servers in one layer graph", () => {
  it.effect("of two contracts share nothing", () =>
    Effect.gen(function*() {
      const one = yield* Effect.provide(McpServer.make(Api), greeting("hello"))
      const two = yield* Effect.provide(McpServer.make(Other), other)
      const clients = { one: yield* connect(one), two: yield* connect(two) }
      yield* one.catalog.addTool(Tool.make("extra"), () => Effect.void)
      assert.deepStrictEqual(yield* toolNames(clients.one), ["greet", "extra"])
      assert.deepStrictEqual(yield* toolNames(clients.two), ["wave"])
    }))

  it.effect("of two contracts with the same name have their own handlers", () =>
    Effect.gen(function*() {
      const handlers = Layer.merge(
        greeting("of Api"),
        SameName.toLayer({ tools: { greet: () => Effect.succeed("of SameName") } })
      )
      const servers = yield* Effect.provide(Effect.all([McpServer.make(Api), McpServer.make(SameName)]), handlers)
      const [one, two] = yield* Effect.forEach(servers, (server) => connect(server))
      assert.strictEqual(yield* call(one!, "greet"), "of Api")
      assert.strictEqual(yield* call(two!, "greet"), "of SameName")
    }))

  it.effect("of one contract with other handlers each have their own", () =>
    Effect.gen(function*() {
      const one = yield* Effect.provide(McpServer.make(Api), greeting("hello"))
      const two = yield* Effect.provide(McpServer.make(Api), greeting("goodbye"))
      assert.strictEqual(yield* call(yield* connect(one), "greet"), "hello")
      assert.strictEqual(yield* call(yield* connect(two), "greet"), "goodbye")
    }))

  it.effect("made by two calls of `layer` are two, though they have their contract and handlers in common", () =>
    Effect.gen(function*() {
      const handlers = greeting("hello")
      const ends = [yield* Layer.build(transport()), yield* Layer.build(transport())] as const
      const server = (context: Context.Context<ServerTransport>) =>
        McpServer.layer(Api).pipe(Layer.provide(handlers), Layer.provide(Layer.succeedContext(context)))
      // Both are built in one graph, where layers are memoized.
      const catalogs = yield* Layer.build(Layer.merge(
        Layer.provide(Layer.effect(Left, Effect.service(Catalog)), server(ends[0])),
        Layer.provide(Layer.effect(Right, Effect.service(Catalog)), server(ends[1]))
      ))
      yield* Context.get(catalogs, Left).addTool(Tool.make("extra"), () => Effect.void)
      assert.deepStrictEqual(yield* toolNames(yield* clientOf(ends[0])), ["greet", "extra"])
      assert.deepStrictEqual(yield* toolNames(yield* clientOf(ends[1])), ["greet"])
    }))

  it.effect("do not hear of each other's changes, even where one is built in the context of the other", () =>
    Effect.gen(function*() {
      const outer = yield* Effect.provide(McpServer.make(Api), greeting("hello"))
      const inner = yield* McpServer.make(Other).pipe(
        Effect.provide(other),
        Effect.provideService(Changes.Changes, outer.changes),
        Effect.provideService(Catalog, outer.catalog)
      )
      const clients = [
        yield* connect(outer, { revision: handshake }),
        yield* connect(inner, { revision: handshake })
      ] as const
      yield* outer.catalog.addTool(Tool.make("extra"), () => Effect.void)
      yield* clients[0].find(({ method }) => method === "notifications/tools/list_changed")
      yield* clients[1].flush
      assert.deepStrictEqual(clients[1].notifications("notifications/tools/list_changed"), [])
      assert.deepStrictEqual(yield* toolNames(clients[1]), ["wave"])
    }))

  it.effect("share the Changes that they are both given", () =>
    Effect.gen(function*() {
      const servers = yield* Effect.all([McpServer.make(Api), McpServer.make(Other)]).pipe(
        Effect.provide(Layer.merge(greeting("hello"), other)),
        Effect.provide(Changes.layer)
      )
      const clients = yield* Effect.forEach(servers, (server) => connect(server, { revision: handshake }))
      assert.strictEqual(servers[0].changes, servers[1].changes)
      yield* servers[0].catalog.addTool(Tool.make("extra"), () => Effect.void)
      for (const client of clients) {
        yield* client.find(({ method }) => method === "notifications/tools/list_changed")
      }
      // The features stay with their server.
      assert.deepStrictEqual(yield* toolNames(clients[1]!), ["wave"])
    }))
})

describe("a server", () => {
  it.effect("of several contracts offers them all, under the name of the first", () =>
    Effect.gen(function*() {
      const server = yield* Effect.provide(
        McpServer.make([Api, Other]),
        Layer.merge(greeting("hello"), other)
      )
      const client = yield* connect(server)
      assert.deepStrictEqual(yield* toolNames(client), ["greet", "wave"])
      assert.strictEqual(yield* call(client, "wave"), "waving")
      assert.strictEqual(server.info.name, "api")
    }))

  it.effect("of two contracts that have a feature in common does not begin", () =>
    Effect.gen(function*() {
      const exit = yield* McpServer.make([Api, SameName]).pipe(
        Effect.provide(Layer.merge(greeting("a"), SameName.toLayer({ tools: { greet: () => Effect.succeed("b") } }))),
        Effect.exit
      )
      assert.strictEqual(exit._tag, "Failure")
      assert.match(String(Exit.isFailure(exit) && exit.cause.reasons[0]), /tool "greet"/)
    }))

  it.effect("is implemented feature by feature, from an object or from an effect, each with its own services", () =>
    Effect.gen(function*() {
      class Parts extends McpApi.make("parts", {
        version: "1.0.0",
        tools: [Tool.make("a"), Tool.make("b")],
        resources: [Resource.make("r", "x://r"), ResourceTemplate.make("t", "x://t/{id}")],
        prompts: [Prompt.make("p", { arguments: { a: Schema.String, b: Schema.String } })]
      }) {}
      const say = Layer.succeed(Greeting, "a's")
      const parts = Layer.mergeAll(
        Layer.provide(Parts.toolLayer("a", () => Greeting), say),
        Parts.toolLayer("b", Effect.map(Greeting, (text) => () => Effect.succeed(text))).pipe(
          Layer.provide(Layer.succeed(Greeting, "b's"))
        ),
        Parts.resourceLayer("r", () => Effect.succeed("r")),
        Parts.resourceLayer("t", ({ id }) => Effect.succeed(id)),
        Parts.promptLayer("p", ({ a }) => Effect.succeed(a)),
        Parts.completionsLayer({ prompts: { p: { a: () => Effect.succeed(["x"]) } } }),
        Parts.completionsLayer({ resources: { t: { id: () => Effect.succeed(["y"]) } } })
      )
      const client = yield* connect(yield* Effect.provide(McpServer.make(Parts), parts))
      assert.strictEqual(yield* call(client, "a"), "a's")
      assert.strictEqual(yield* call(client, "b"), "b's")
      const complete = (ref: object, name: string) =>
        Effect.map(
          client.request("completion/complete", { ref, argument: { name, value: "" } }),
          ({ completion }) => completion.values
        )
      assert.deepStrictEqual(yield* complete({ type: "ref/prompt", name: "p" }, "a"), ["x"])
      assert.deepStrictEqual(yield* complete({ type: "ref/resource", uri: "x://t/{id}" }, "id"), ["y"])
    }))

  it.effect("as a layer provides itself, its catalog and its changes", () =>
    Effect.gen(function*() {
      const ends = yield* Layer.build(transport())
      const running = yield* Layer.build(McpServer.layer(Api)).pipe(
        Effect.provide(greeting("hello")),
        Effect.provideContext(ends)
      )
      const server = Context.get(running, McpServer.McpServer)
      assert.strictEqual(Context.get(running, Catalog), server.catalog)
      assert.strictEqual(Context.get(running, Changes.Changes), server.changes)
      yield* Effect.provideContext(
        Effect.flatMap(
          Catalog,
          (catalog) => catalog.addResource(Resource.make("r", "x://r"), () => Effect.succeed("r"))
        ),
        running
      )
      const later = yield* clientOf(ends, handshake)
      yield* later.request("resources/subscribe", { uri: "x://r" })
      yield* Effect.provideContext(Changes.resourceUpdated("x://r"), running)
      yield* later.find(({ method }) => method === "notifications/resources/updated")
    }))

  it.effect("says what its options say of it, and else what its contracts do", () =>
    Effect.gen(function*() {
      class Described extends McpApi.make("described", {
        version: "2.0.0",
        instructions: "One.",
        tools: [Tool.make("t")],
        extensions: { "example.com/x": { mode: 1 } },
        experimental: { y: { on: true } }
      }) {}
      class More extends McpApi.make("more", { version: "1.0.0", instructions: "Two." }) {}
      const handlers = Described.toLayer({ tools: { t: () => Effect.void } })
      const discover = (options?: McpServer.Options) =>
        Effect.gen(function*() {
          const server = yield* Effect.provide(McpServer.make([Described, More], options), handlers)
          return yield* (yield* connect(server)).request("server/discover")
        })
      const own = yield* discover()
      assert.strictEqual(own["instructions"], "One.\n\nTwo.")
      assert.deepInclude(own["capabilities"], {
        extensions: { "example.com/x": { mode: 1 } },
        experimental: { y: { on: true } }
      })
      assert.deepInclude(own, { ttlMs: 0, cacheScope: "private" })
      const given = yield* discover({
        info: { name: "given", version: "3" },
        instructions: "Given.",
        cache: { ttl: "1 minute", scope: "public", methods: { "tools/list": { ttl: "1 second" } } }
      })
      assert.strictEqual(given["instructions"], "Given.")
      assert.deepStrictEqual(given["_meta"]["io.modelcontextprotocol/serverInfo"], { name: "given", version: "3" })
      assert.deepInclude(given, { ttlMs: 60_000, cacheScope: "public" })
      const server = yield* Effect.provide(
        McpServer.make(Described, { cache: { scope: "public", methods: { "tools/list": { ttl: "1 second" } } } }),
        handlers
      )
      assert.deepInclude(yield* (yield* connect(server)).request("tools/list"), { ttlMs: 1000, cacheScope: "public" })
    }))
})

describe("a contract", () => {
  it("with two features of one name, or two resources at one URI, is none", () => {
    const make = (options: object) => () => McpApi.make("x", { version: "1", ...options })
    assert.throws(make({ tools: [Tool.make("a"), Tool.make("a")] }), /tool "a" twice/)
    assert.throws(make({ prompts: [Prompt.make("a"), Prompt.make("a")] }), /prompt "a" twice/)
    assert.throws(make({ resources: [Resource.make("a", "x://1"), Resource.make("a", "x://2")] }), /resource "a" twice/)
    assert.throws(make({ resources: [Resource.make("a", "x://1"), Resource.make("b", "x://1")] }), /"x:\/\/1" twice/)
    assert.throws(
      make({ resources: [ResourceTemplate.make("a", "x://{a}"), ResourceTemplate.make("b", "x://{a}")] }),
      /"x:\/\/{a}" twice/
    )
    assert.doesNotThrow(make({ tools: [Tool.make("a")], prompts: [Prompt.make("a")] }))
  })
})
