import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { Catalog } from "../../src/api/Catalog.ts"
import * as Changes from "../../src/api/Changes.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import { Invocation } from "../../src/era/Invocation.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import type { RawClient } from "../utils/rawClient.ts"
import { connect, handshake, text, toolNames } from "./support/connect.ts"

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [Tool.make("a"), Tool.make("b"), Tool.make("c"), Tool.make("grow")],
  resources: [
    Resource.make("one", "x://one"),
    Resource.make("two", "x://two"),
    ResourceTemplate.make("item", "x://item/{id}")
  ],
  prompts: [Prompt.make("p")]
}) {}

const handlers = Api.toLayer({
  tools: {
    a: () => Effect.succeed("a"),
    b: () => Effect.succeed("b"),
    c: () => Effect.succeed("c"),
    // Changes in a row, from within a call.
    grow: Effect.fnUntraced(function*() {
      const catalog = yield* Catalog
      for (const name of ["x", "y", "z"]) yield* catalog.addTool(Tool.make(name), () => Effect.succeed(name))
      yield* catalog.addPrompt(Prompt.make("q"), () => Effect.succeed("q"))
      yield* catalog.remove("tool", "y")
      return "grown"
    })
  },
  resources: {
    one: () => Effect.succeed("1"),
    two: () => Effect.succeed("2"),
    item: ({ id }) => Effect.succeed(`item ${id}`)
  },
  prompts: { p: () => Effect.succeed("p") }
})

class Empty extends McpApi.make("empty", { version: "1.0.0" }) {}

const make = Effect.provide(McpServer.make(Api), handlers)

const call = (client: RawClient, name: string) => client.request("tools/call", { name })
const read = (client: RawClient, uri: string) =>
  Effect.map(client.request("resources/read", { uri }), ({ contents }): string => contents[0].text)
const list = (client: RawClient, method: string, key: string, by: string) =>
  Effect.map(client.request(method), (result): ReadonlyArray<string> => result[key].map((item: any) => item[by]))
const uris = (client: RawClient) => list(client, "resources/list", "resources", "uri")

/** The change notices that have come, in order. */
const notices = (client: RawClient, from = 0) =>
  client.received.slice(from).flatMap(({ method, params }) =>
    typeof method === "string" && /list_changed|updated/.test(method)
      ? [method.slice("notifications/".length) + (params?.uri === undefined ? "" : ` ${params.uri}`)]
      : []
  )

/** Opens a subscription, and gives its id. */
const listen = Effect.fnUntraced(function*(client: RawClient, id: string, notifications: object) {
  yield* client.send(client.make("subscriptions/listen", { notifications }, { id }))
  yield* client.find(({ method, params }) =>
    method === "notifications/subscriptions/acknowledged" &&
    params._meta["io.modelcontextprotocol/subscriptionId"] === id
  )
})

const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

describe("features", () => {
  it.effect("are added, replaced in their place, and taken out while the server runs", () =>
    Effect.gen(function*() {
      const server = yield* make
      const { catalog } = server
      const client = yield* connect(server)
      yield* catalog.addTool(
        Tool.make("d", { parameters: { n: Schema.Int }, success: Schema.Struct({ n: Schema.Int }) }),
        ({ n }) => Effect.succeed({ n: n + 1 })
      )
      assert.deepStrictEqual(yield* toolNames(client), ["a", "b", "c", "grow", "d"])
      const { structuredContent } = yield* client.request("tools/call", { name: "d", arguments: { n: 1 } })
      assert.deepStrictEqual(structuredContent, { n: 2 })
      yield* catalog.addTool(Tool.make("b"), () => Effect.succeed("another b"))
      assert.deepStrictEqual(yield* toolNames(client), ["a", "b", "c", "grow", "d"])
      assert.strictEqual(text(yield* call(client, "b")), "another b")
      assert.isTrue(yield* catalog.remove("tool", "a"))
      assert.isFalse(yield* catalog.remove("tool", "a"))
      assert.deepStrictEqual(yield* toolNames(client), ["b", "c", "grow", "d"])
      assert.strictEqual((yield* client.error("tools/call", { name: "a" })).code, -32602)
    }))

  it.effect("are hidden and refused while they are disabled", () =>
    Effect.gen(function*() {
      const server = yield* make
      const { catalog } = server
      const client = yield* connect(server)
      assert.isTrue(yield* catalog.disable("tool", "b"))
      assert.isTrue(yield* catalog.disable("resource", "one"))
      assert.isTrue(yield* catalog.disable("template", "item"))
      assert.isTrue(yield* catalog.disable("prompt", "p"))
      assert.isFalse(yield* catalog.disable("prompt", "unknown"))
      assert.deepStrictEqual(yield* toolNames(client), ["a", "c", "grow"])
      assert.deepStrictEqual(yield* uris(client), ["x://two"])
      assert.deepStrictEqual(yield* list(client, "resources/templates/list", "resourceTemplates", "name"), [])
      assert.deepStrictEqual(yield* list(client, "prompts/list", "prompts", "name"), [])
      assert.strictEqual((yield* client.error("tools/call", { name: "b" })).code, -32602)
      assert.strictEqual((yield* client.error("resources/read", { uri: "x://one" })).code, -32602)
      assert.strictEqual((yield* client.error("resources/read", { uri: "x://item/1" })).code, -32602)
      assert.strictEqual((yield* client.error("prompts/get", { name: "p" })).code, -32602)
      // What is disabled is still there.
      assert.deepStrictEqual(yield* catalog.names("tool"), ["a", "b", "c", "grow"])
      yield* catalog.enable("tool", "b")
      yield* catalog.enable("resource", "one")
      yield* catalog.enable("template", "item")
      yield* catalog.enable("prompt", "p")
      assert.deepStrictEqual(yield* toolNames(client), ["a", "b", "c", "grow"])
      assert.strictEqual(yield* read(client, "x://one"), "1")
      assert.strictEqual(yield* read(client, "x://item/1"), "item 1")
      yield* client.request("prompts/get", { name: "p" })
    }))

  it.effect("are one by name, and one by URI: a resource replaces what has either", () =>
    Effect.gen(function*() {
      const server = yield* make
      const { catalog } = server
      const client = yield* connect(server)
      yield* catalog.addResource(Resource.make("one", "x://uno"), () => Effect.succeed("uno"))
      assert.deepStrictEqual(yield* uris(client), ["x://uno", "x://two"])
      yield* catalog.addResource(Resource.make("dos", "x://two"), () => Effect.succeed("dos"))
      assert.deepStrictEqual(yield* catalog.names("resource"), ["one", "dos"])
      assert.strictEqual(yield* read(client, "x://two"), "dos")
      yield* catalog.addResource(Resource.make("one", "x://two"), () => Effect.succeed("both"))
      assert.deepStrictEqual(yield* uris(client), ["x://two"])
      yield* catalog.addTemplate(ResourceTemplate.make("thing", "x://item/{id}"), () => Effect.succeed("thing"))
      assert.deepStrictEqual(yield* catalog.names("template"), ["thing"])
      assert.isTrue(yield* catalog.remove("resource", "one"))
      assert.deepStrictEqual(yield* uris(client), [])
    }))

  it.effect("of a kind that there was none of are declared from then on", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make(Empty)
      assert.deepStrictEqual(yield* server.capabilities, { logging: {} })
      const client = yield* connect(server)
      // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#error-handling
      for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
        assert.strictEqual((yield* client.error(method)).code, -32601, method)
      }
      const completion = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }
      assert.strictEqual((yield* client.error("completion/complete", completion)).code, -32601)
      yield* server.catalog.addTool(Tool.make("t"), () => Effect.void)
      yield* server.catalog.addPrompt(
        Prompt.make("p", { arguments: { a: Schema.String } }),
        () => Effect.succeed("p"),
        { a: () => Effect.succeed(["v"]) }
      )
      assert.deepStrictEqual(yield* server.capabilities, {
        logging: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        completions: {}
      })
      assert.deepStrictEqual((yield* client.request("completion/complete", completion))["completion"].values, ["v"])
      // Who was told so once goes on asking.
      yield* server.catalog.remove("tool", "t")
      assert.deepStrictEqual(yield* toolNames(client), [])
      assert.deepInclude(yield* server.capabilities, { tools: { listChanged: true } })
    }))
})

describe("change notices", () => {
  it.effect("of changes in a row are one a kind, to sessions and to subscriptions", () =>
    Effect.gen(function*() {
      const server = yield* make
      const session = yield* connect(server, { revision: handshake })
      const client = yield* connect(server)
      yield* listen(client, "s", all)
      yield* call(session, "grow")
      yield* client.find(({ method }) => method === "notifications/prompts/list_changed")
      yield* session.find(({ method }) => method === "notifications/prompts/list_changed")
      yield* Effect.all([session.flush, client.flush])
      assert.sameMembers(notices(session), ["tools/list_changed", "prompts/list_changed"])
      assert.sameMembers(notices(client), ["tools/list_changed", "prompts/list_changed"])
      // And the next change is told as well.
      const from = client.received.length
      yield* server.catalog.disable("tool", "a")
      yield* client.find(({ method }) => method === "notifications/tools/list_changed", from)
      // Nothing has changed by this.
      yield* server.catalog.disable("tool", "a")
      yield* server.catalog.remove("tool", "unknown")
      yield* client.flush
      yield* client.flush
      assert.deepStrictEqual(notices(client, from), ["tools/list_changed"])
    }))

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
  it.effect("are not sent to a session before it is initialized", () =>
    Effect.gen(function*() {
      const server = yield* make
      const session = yield* connect(server, { revision: handshake, initialized: false })
      yield* server.catalog.remove("tool", "a")
      yield* session.flush
      yield* session.flush
      assert.deepStrictEqual(notices(session), [])
      yield* session.notify("notifications/initialized")
      yield* session.flush
      yield* server.catalog.remove("tool", "b")
      yield* session.find(({ method }) => method === "notifications/tools/list_changed")
      // A second notice of readiness does not make the session hear twice.
      yield* session.notify("notifications/initialized")
      yield* session.flush
      const from = session.received.length
      yield* server.catalog.remove("tool", "c")
      yield* session.find(({ method }) => method === "notifications/tools/list_changed", from)
      yield* session.flush
      yield* session.flush
      assert.deepStrictEqual(notices(session, from), ["tools/list_changed"])
    }))

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation
  it.effect("are not sent to a session that was not told of the capability", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make(Empty)
      const session = yield* connect(server, { revision: handshake })
      yield* server.catalog.addTool(Tool.make("t"), () => Effect.void)
      yield* session.flush
      yield* session.flush
      assert.deepStrictEqual(notices(session), [])
      const later = yield* connect(server, { revision: handshake })
      yield* server.catalog.remove("tool", "t")
      yield* later.find(({ method }) => method === "notifications/tools/list_changed")
      assert.deepStrictEqual(notices(session), [])
    }))

  it.effect("of a resource go to those who subscribed to it, as long as they do", () =>
    Effect.gen(function*() {
      const server = yield* make
      const session = yield* connect(server, { revision: handshake })
      const client = yield* connect(server)
      yield* session.request("resources/subscribe", { uri: "x://one" })
      yield* listen(client, "s", { resourceSubscriptions: ["x://one", "x://two"] })
      const update = (uri: string) =>
        Effect.provideService(Changes.resourceUpdated(uri), Changes.Changes, server.changes)
      yield* update("x://two")
      yield* update("x://one")
      yield* update("x://other")
      yield* update("x://one")
      yield* session.find(({ method }) => method === "notifications/resources/updated")
      yield* Effect.all([session.flush, client.flush])
      assert.deepStrictEqual(notices(session), ["resources/updated x://one"])
      assert.sameMembers(notices(client), ["resources/updated x://one", "resources/updated x://two"])
      yield* session.request("resources/unsubscribe", { uri: "x://one" })
      const from = session.received.length
      yield* update("x://one")
      yield* session.flush
      yield* session.flush
      assert.deepStrictEqual(notices(session, from), [])
    }))
})

describe("sources", () => {
  const source = {
    list: Effect.succeed([{ uri: "s://a", name: "s-a" }, { uri: "x://one", name: "shadowed" }]),
    templates: Effect.succeed([{ uriTemplate: "s://t/{id}", name: "s-t" }, {
      uriTemplate: "x://item/{id}",
      name: "no"
    }]),
    read: (uri: string) => Effect.succeed(uri.startsWith("s://") ? Option.some(`source has ${uri}`) : Option.none())
  }

  it.effect("come after what is registered, which hides theirs, for as long as their scope is open", () =>
    Effect.gen(function*() {
      const server = yield* make
      const client = yield* connect(server)
      yield* listen(client, "s", all)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* server.catalog.addResourceSource(source)
        yield* server.catalog.addResourceSource({
          list: Effect.succeed([{ uri: "s://a", name: "again" }, { uri: "s2://b", name: "s2-b" }]),
          read: (uri) => Effect.succeed(uri.startsWith("s") ? Option.some(new Uint8Array([1])) : Option.none())
        })
        assert.deepStrictEqual(yield* uris(client), ["x://one", "x://two", "s://a", "s2://b"])
        assert.deepStrictEqual(yield* list(client, "resources/templates/list", "resourceTemplates", "name"), [
          "item",
          "s-t"
        ])
        assert.strictEqual(yield* read(client, "x://one"), "1")
        assert.strictEqual(yield* read(client, "x://item/7"), "item 7")
        assert.strictEqual(yield* read(client, "s://t/7"), "source has s://t/7")
        const { contents } = yield* client.request("resources/read", { uri: "s2://b" })
        assert.deepStrictEqual(contents, [{ uri: "s2://b", blob: "AQ==" }])
        assert.strictEqual((yield* client.error("resources/read", { uri: "u://nowhere" })).code, -32602)
        // What is disabled is not had from a source either.
        yield* server.catalog.disable("resource", "one")
        assert.strictEqual((yield* client.error("resources/read", { uri: "x://one" })).code, -32602)
        assert.notInclude(yield* uris(client), "x://one")
        yield* server.catalog.enable("resource", "one")
      }))
      const from = client.received.length
      yield* client.find(({ method }) => method === "notifications/resources/list_changed")
      assert.deepStrictEqual(yield* uris(client), ["x://one", "x://two"])
      assert.strictEqual((yield* client.error("resources/read", { uri: "s://a" })).code, -32602)
      assert.isAbove(from, 0)
    }))

  it.effect("of prompts come after the registered ones too, and can be completed by nobody", () =>
    Effect.gen(function*() {
      const server = yield* make
      const client = yield* connect(server)
      yield* server.catalog.addPrompt(
        Prompt.make("q", { arguments: { a: Schema.String } }),
        () => Effect.succeed("q"),
        { a: () => Effect.succeed(["v"]) }
      )
      yield* server.catalog.addPromptSource({
        list: Effect.succeed([{ name: "s" }, { name: "p", description: "hidden" }]),
        get: (name, args) =>
          Effect.succeed(name === "s" || name === "p" ? Option.some(`source: ${JSON.stringify(args)}`) : Option.none())
      })
      assert.deepStrictEqual(yield* list(client, "prompts/list", "prompts", "name"), ["p", "q", "s"])
      const get = (name: string) =>
        Effect.map(
          client.request("prompts/get", { name, arguments: { a: "1" } }),
          ({ messages }) => messages[0].content.text
        )
      assert.strictEqual(yield* get("p"), "p")
      assert.strictEqual(yield* get("s"), "source: {\"a\":\"1\"}")
      assert.strictEqual((yield* client.error("prompts/get", { name: "t" })).code, -32602)
      const complete = (name: string) => ({ ref: { type: "ref/prompt", name }, argument: { name: "a", value: "" } })
      assert.deepStrictEqual((yield* client.request("completion/complete", complete("s")))["completion"].values, [])
      assert.strictEqual((yield* client.error("completion/complete", complete("t"))).code, -32602)
    }))

  it.effect("may take their time, know the request, hold services and a scope, and are asked anew each time", () =>
    Effect.gen(function*() {
      class Database
        extends Context.Service<Database, { readonly rows: Ref.Ref<ReadonlyArray<string>> }>()("Database")
      {}
      const server = yield* make
      const client = yield* connect(server)
      const rows = yield* Ref.make<ReadonlyArray<string>>(["r1"])
      const released: Array<string> = []
      yield* Effect.provideService(
        server.catalog.addResourceSource({
          list: Effect.gen(function*() {
            const { rows } = yield* Database
            const { method } = yield* Invocation
            yield* Effect.addFinalizer(() => Effect.sync(() => released.push(method)))
            yield* Effect.yieldNow
            return (yield* Ref.get(rows)).map((name) => ({ name, uri: `db://${name}` }))
          }),
          read: (uri) =>
            Effect.gen(function*() {
              const { method } = yield* Invocation
              const found = (yield* Ref.get((yield* Database).rows)).some((name) => uri === `db://${name}`)
              return found ? Option.some(`${uri} by ${method}`) : Option.none()
            })
        }),
        Database,
        { rows }
      )
      assert.include(yield* uris(client), "db://r1")
      assert.deepStrictEqual(released, ["resources/list"])
      yield* Ref.set(rows, ["r2"])
      assert.include(yield* uris(client), "db://r2")
      assert.strictEqual(yield* read(client, "db://r2"), "db://r2 by resources/read")
      assert.strictEqual((yield* client.error("resources/read", { uri: "db://r1" })).code, -32602)
    }))

  it.effect("that fail make the request fail as they say, or say nothing where they died", () =>
    Effect.gen(function*() {
      const server = yield* make
      const client = yield* connect(server)
      yield* server.catalog.addResourceSource({
        list: Effect.fail(McpError.make(new McpError.PeerError({ code: -7, detail: "The source is down" }))),
        read: (uri) =>
          uri === "s://dies"
            ? Effect.die(new Error("secret"))
            : Effect.fail(McpError.make(new McpError.PeerError({ code: -7, detail: "The source is down" })))
      })
      assert.deepStrictEqual(yield* client.error("resources/list"), { code: -7, message: "The source is down" })
      assert.strictEqual((yield* client.error("resources/read", { uri: "s://x" })).code, -7)
      assert.deepStrictEqual(yield* client.error("resources/read", { uri: "s://dies" }), {
        code: -32603,
        message: "Internal error"
      })
      // What is registered does not need it.
      assert.strictEqual(yield* read(client, "x://one"), "1")
    }))
})
