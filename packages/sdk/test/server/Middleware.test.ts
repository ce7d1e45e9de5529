import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Changes from "../../src/api/Changes.ts"
import * as Custom from "../../src/api/Custom.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Resource from "../../src/api/Resource.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import type { Principal } from "../../src/peer/ServerTransport.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as Middleware from "../../src/server/Middleware.ts"
import { connect, handshake, text, toolNames } from "./support/connect.ts"

const User = Context.Reference<string>("test/User", { defaultValue: () => "nobody" })

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [
    Tool.make("open", { parameters: { n: Schema.optionalKey(Schema.Int) } }),
    Tool.make("secret", { parameters: { n: Schema.optionalKey(Schema.Int) } }),
    Tool.make("user")
  ],
  resources: [
    Resource.make("open", "x://open"),
    Resource.make("secret", "x://secret"),
    ResourceTemplate.make("open-item", "x://open/{id}"),
    ResourceTemplate.make("secret-item", "x://secret/{id}")
  ],
  prompts: [
    Prompt.make("open", { arguments: { a: Schema.String } }),
    Prompt.make("secret", { arguments: { a: Schema.String } })
  ]
}) {}

const handlers = Api.toLayer({
  tools: {
    open: ({ n }) => Effect.succeed(`open ${n}`),
    secret: ({ n }) => Effect.succeed(`secret ${n}`),
    user: () => Effect.service(User)
  },
  resources: {
    open: () => Effect.succeed("open"),
    secret: () => Effect.succeed("secret"),
    "open-item": () => Effect.succeed("open"),
    "secret-item": () => Effect.succeed("secret")
  },
  prompts: { open: () => Effect.succeed("open"), secret: () => Effect.succeed("secret") },
  completions: {
    prompts: { open: { a: () => Effect.succeed(["v"]) }, secret: { a: () => Effect.succeed(["v"]) } },
    resources: { "open-item": { id: () => Effect.succeed(["v"]) }, "secret-item": { id: () => Effect.succeed(["v"]) } }
  }
})

const make = (...middleware: ReadonlyArray<Middleware.Middleware>) =>
  Effect.provide(McpServer.make(Api, { middleware }), handlers)

/** Notes what passes, on the way in and on the way out. */
const noting = (name: string, notes: Array<string>): Middleware.Middleware => (next) => (method, params, invocation) =>
  Effect.suspend(() => {
    notes.push(`${name} > ${method}`)
    return Effect.ensuring(
      next(method, params, invocation),
      Effect.sync(() => notes.push(`${name} < ${method}`))
    )
  })

describe("middleware", () => {
  it.effect("wraps the dispatcher, the first one outermost", () =>
    Effect.gen(function*() {
      const notes: Array<string> = []
      const client = yield* connect(yield* make(noting("a", notes), noting("b", notes)))
      yield* client.request("tools/list")
      assert.deepStrictEqual(notes, ["a > tools/list", "b > tools/list", "b < tools/list", "a < tools/list"])
    }))

  it.effect("sees every request of a session after its opening, and every notification that is not the engine's", () =>
    Effect.gen(function*() {
      const notes: Array<string> = []
      const server = yield* make(noting("", notes))
      yield* server.catalog.addRequest(
        Custom.request("own/request", { params: Custom.Anything, result: Custom.Anything }),
        () => Effect.succeed({})
      )
      const heard: Array<unknown> = []
      yield* server.catalog.addNotification(
        Custom.notification("own/notice", { params: Custom.Anything }),
        (params) => Effect.sync(() => void heard.push(params))
      )
      const client = yield* connect(server, { revision: handshake })
      notes.length = 0
      const requests: ReadonlyArray<readonly [string, object?]> = [
        ["ping"],
        ["logging/setLevel", { level: "error" }],
        ["resources/subscribe", { uri: "x://open" }],
        ["resources/unsubscribe", { uri: "x://open" }],
        ["tools/list"],
        ["tools/call", { name: "open" }],
        ["own/request", {}]
      ]
      for (const [method, params] of requests) yield* client.request(method, params)
      const notices = ["notifications/roots/list_changed", "own/notice", "unknown/notice"]
      for (const method of notices) yield* client.notify(method, { of: method })
      yield* client.request("ping")
      assert.deepStrictEqual(
        notes.filter((note) => note.startsWith(" >")),
        [...requests.map(([method]) => method), ...notices, "ping"].map((method) => ` > ${method}`)
      )
      assert.deepStrictEqual(heard, [{ of: "own/notice" }])
    }))

  it.effect("may answer, refuse, change params and results, and provide", () =>
    Effect.gen(function*() {
      const refused = McpError.make(new McpError.PeerError({ code: -9, detail: "Not today" }))
      const server = yield* make(
        (next) => (method, params, invocation) => {
          if (method === "prompts/list") return Effect.fail(refused)
          if (method === "prompts/get") return Effect.succeed({ messages: [] })
          return Effect.provideService(next(method, params, invocation), User, "somebody")
        },
        (next) => (method, params, invocation) =>
          method === "tools/call" && params["name"] === "alias"
            ? Effect.map(
              next(method, { ...params, name: "open", arguments: { n: 7 } }, invocation),
              (result) => ({ ...result, _meta: { by: "alias" } })
            )
            : next(method, params, invocation)
      )
      const client = yield* connect(server)
      assert.strictEqual((yield* client.error("prompts/list")).code, -9)
      assert.deepStrictEqual((yield* client.request("prompts/get", { name: "any" }))["messages"], [])
      const aliased = yield* client.request("tools/call", { name: "alias" })
      assert.strictEqual(text(aliased), "open 7")
      assert.strictEqual(aliased["_meta"].by, "alias")
      assert.strictEqual(text(yield* client.request("tools/call", { name: "user" })), "somebody")
    }))

  it.effect("that refuses a request of the session leaves the session as it was", () =>
    Effect.gen(function*() {
      const server = yield* make((next) => (method, params, invocation) =>
        method === "resources/subscribe" || method === "logging/setLevel"
          ? Effect.fail(McpError.make(new McpError.InvalidRequest({ detail: "Not allowed" })))
          : next(method, params, invocation)
      )
      const client = yield* connect(server, { revision: handshake })
      assert.strictEqual((yield* client.error("resources/subscribe", { uri: "x://open" })).code, -32600)
      assert.strictEqual((yield* client.error("logging/setLevel", { level: "debug" })).code, -32600)
      yield* Effect.provideService(Changes.resourceUpdated("x://open"), Changes.Changes, server.changes)
      yield* client.flush
      yield* client.flush
      assert.deepStrictEqual(client.notifications("notifications/resources/updated"), [])
    }))

  it.effect("that throws makes an internal error, or loses a notification, and nothing else", () =>
    Effect.gen(function*() {
      const server = yield* make((next) => (method, params, invocation) => {
        if (method === "prompts/list" || method === "boom") throw new Error("secret")
        return next(method, params, invocation)
      })
      const client = yield* connect(server)
      assert.deepStrictEqual(yield* client.error("prompts/list"), { code: -32603, message: "Internal error" })
      yield* client.notify("boom")
      assert.deepStrictEqual(yield* toolNames(client), ["open", "secret", "user"])
    }))

  it.effect("may be built by an effect, with what it needs", () =>
    Effect.gen(function*() {
      const notes: Array<string> = []
      const server = yield* McpServer.make(Api, {
        middleware: Effect.map(Effect.service(User), (user) => [noting(user, notes)])
      }).pipe(Effect.provide(handlers), Effect.provideService(User, "ada"))
      const client = yield* connect(server)
      yield* client.request("tools/list")
      assert.deepStrictEqual(notes, ["ada > tools/list", "ada < tools/list"])
    }))

  it.effect("around one tool, or several, sees raw arguments and results of those alone", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const server = yield* make(
        Middleware.tool("open", (next, name) => (args, invocation) =>
          Effect.suspend(() => {
            seen.push([name, args])
            return next({ n: 3, ...args }, invocation)
          })),
        Middleware.tool(["secret", "user"], () => () =>
          Effect.succeed({ content: [{ type: "text", text: "never called" }], isError: true }))
      )
      const client = yield* connect(server)
      const call = (name: string, args?: object) =>
        client.request("tools/call", args === undefined ? { name } : { name, arguments: args })
      assert.strictEqual(text(yield* call("open")), "open 3")
      assert.strictEqual(text(yield* call("open", { n: 4 })), "open 4")
      // It is not for the middleware to say what arguments are.
      assert.isTrue((yield* call("open", { n: "x" }))["isError"])
      for (const name of ["secret", "user"]) {
        assert.deepInclude(yield* call(name), { isError: true })
      }
      yield* client.request("tools/list")
      assert.deepStrictEqual(seen, [["open", {}], ["open", { n: 4 }], ["open", { n: "x" }]])
    }))
})

describe("visibility", () => {
  const admin: Principal = { subject: "ada", admin: true }
  const isAdmin = Middleware.visibility(({ principal }) =>
    Effect.succeed((_, name) => !name.startsWith("secret") || principal?.["admin"] === true)
  )

  const everything = Effect.fnUntraced(function*(principal?: Principal, ...more: ReadonlyArray<Middleware.Middleware>) {
    const server = yield* make(isAdmin, ...more)
    yield* server.catalog.addResourceSource({
      list: Effect.succeed([{ name: "open-s", uri: "s://open" }, { name: "secret-s", uri: "s://secret" }]),
      templates: Effect.succeed([
        { name: "open-t", uriTemplate: "s://open/{id}" },
        { name: "secret-t", uriTemplate: "s://secret/{id}" }
      ]),
      read: (uri) => Effect.succeed(uri.startsWith("s://") ? Option.some(uri) : Option.none())
    })
    yield* server.catalog.addPromptSource({
      list: Effect.succeed([{ name: "open-s" }, { name: "secret-s" }]),
      get: (name) => Effect.succeed(Option.some(name))
    })
    const client = yield* connect(server, { facts: { transport: "memory", principal } })
    const names = (method: string, key: string) =>
      Effect.map(client.request(method), (result): Array<string> => result[key].map(({ name }: any) => name))
    return { server, client, names }
  })

  /** The code of the error, or "ok". */
  const outcome = (answer: { readonly [key: string]: any }) => answer["error"]?.code ?? "ok"

  for (const [who, principal] of [["who may not see it", undefined], ["who may see it", admin]] as const) {
    it.effect(`lists, calls, reads, gets and completes agree, for one ${who}`, () =>
      Effect.gen(function*() {
        const { client, names } = yield* everything(principal)
        const visible = (all: ReadonlyArray<string>) =>
          all.filter((name) => principal !== undefined || !name.startsWith("secret"))
        assert.deepStrictEqual(yield* names("tools/list", "tools"), visible(["open", "secret", "user"]))
        assert.deepStrictEqual(
          yield* names("resources/list", "resources"),
          visible(["open", "secret", "open-s", "secret-s"])
        )
        assert.deepStrictEqual(
          yield* names("resources/templates/list", "resourceTemplates"),
          visible(["open-item", "secret-item", "open-t", "secret-t"])
        )
        assert.deepStrictEqual(
          yield* names("prompts/list", "prompts"),
          visible(["open", "secret", "open-s", "secret-s"])
        )

        const secret = principal === undefined ? -32602 : "ok"
        const argument = { name: "a", value: "" }
        const cases: ReadonlyArray<readonly [string, object, unknown]> = [
          ["tools/call", { name: "open" }, "ok"],
          ["tools/call", { name: "secret" }, secret],
          ["resources/read", { uri: "x://open" }, "ok"],
          ["resources/read", { uri: "x://secret" }, secret],
          ["resources/read", { uri: "x://open/1" }, "ok"],
          ["resources/read", { uri: "x://secret/1" }, secret],
          ["resources/read", { uri: "s://open" }, "ok"],
          ["resources/read", { uri: "s://secret" }, secret],
          ["resources/read", { uri: "s://open/1" }, "ok"],
          ["resources/read", { uri: "s://secret/1" }, secret],
          ["prompts/get", { name: "open", arguments: { a: "" } }, "ok"],
          ["prompts/get", { name: "secret", arguments: { a: "" } }, secret],
          ["prompts/get", { name: "open-s" }, "ok"],
          ["prompts/get", { name: "secret-s" }, secret],
          ["completion/complete", { ref: { type: "ref/prompt", name: "open" }, argument }, "ok"],
          ["completion/complete", { ref: { type: "ref/prompt", name: "secret" }, argument }, secret],
          ["completion/complete", { ref: { type: "ref/prompt", name: "secret-s" }, argument }, secret],
          ["completion/complete", { ref: { type: "ref/resource", uri: "x://open/{id}" }, argument }, "ok"],
          ["completion/complete", { ref: { type: "ref/resource", uri: "x://secret/{id}" }, argument }, secret],
          ["completion/complete", { ref: { type: "ref/resource", uri: "s://secret/{id}" }, argument }, secret],
          ["completion/complete", { ref: { type: "ref/resource", uri: "x://open" }, argument }, "ok"],
          ["completion/complete", { ref: { type: "ref/resource", uri: "x://secret" }, argument }, secret]
        ]
        for (const [method, params, expected] of cases) {
          assert.strictEqual(outcome(yield* client.ask(method, params)), expected, JSON.stringify([method, params]))
        }
      }))
  }

  it.effect("what is hidden is unknown: the error is the one of what is not there", () =>
    Effect.gen(function*() {
      const { client } = yield* everything()
      const same = Effect.fnUntraced(function*(method: string, hidden: object, absent: object, from: RegExp) {
        const a = yield* client.error(method, hidden)
        const b = yield* client.error(method, absent)
        assert.strictEqual(JSON.stringify(a).replace(from, ""), JSON.stringify(b).replace(from, ""))
      })
      yield* same("tools/call", { name: "secret" }, { name: "absent" }, /secret|absent/g)
      yield* same("prompts/get", { name: "secret-x" }, { name: "secret-y" }, /secret-[xy]/g)
      yield* same("prompts/get", { name: "secret" }, { name: "secret-y" }, /secret(-y)?/g)
    }))

  it.effect("two in a row show what both show", () =>
    Effect.gen(function*() {
      const { names } = yield* everything(
        admin,
        Middleware.visibility(() => Effect.succeed((kind, name) => kind !== "tool" || name !== "open"))
      )
      assert.deepStrictEqual(yield* names("tools/list", "tools"), ["secret", "user"])
    }))

  it.effect("holds for subscriptions too", () =>
    Effect.gen(function*() {
      const { client, server } = yield* everything()
      yield* client.send(client.make("subscriptions/listen", {
        notifications: { resourceSubscriptions: ["x://open", "x://secret"] }
      }))
      const { params } = yield* client.find(({ method }) => method === "notifications/subscriptions/acknowledged")
      assert.deepStrictEqual(params.notifications, { resourceSubscriptions: ["x://open"] })
      const session = yield* connect(server, { revision: handshake })
      assert.strictEqual((yield* session.error("resources/subscribe", { uri: "x://secret" })).code, -32002)
      yield* session.request("resources/subscribe", { uri: "x://open" })
    }))
})
