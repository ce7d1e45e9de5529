// Whatever the everything-server writes at a revision is what the published JSON Schema of that revision says.
import { assert, describe, it } from "@effect/vitest"
import Ajv from "ajv"
import addFormats from "ajv-formats"
import Ajv2020 from "ajv/dist/2020.js"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { source } from "./support/commands.ts"
import { handshake, type Message, type RawProcess, request, spawn } from "./support/RawProcess.ts"

const folder = path.resolve(import.meta.dirname, "../../../../shared/spec")

/** Validators by the name of a definition. */
const definitions = (revision: string) => {
  const schema = JSON.parse(readFileSync(path.join(folder, revision, "schema.json"), "utf8"))
  const options = { strict: false, allErrors: true } as const
  const ajv = schema.$defs === undefined ? new Ajv.default(options) : new Ajv2020.default(options)
  addFormats.default(ajv)
  ajv.addSchema(schema, "mcp")
  const root = schema.$defs === undefined ? "definitions" : "$defs"
  return {
    has: (name: string) => schema[root][name] !== undefined,
    fits: (name: string, value: unknown) => {
      const validate = ajv.getSchema(`mcp#/${root}/${name}`)
      assert.isDefined(validate, name)
      assert.isTrue(
        validate!(value),
        `${JSON.stringify(value).slice(0, 400)} is no ${name}: ${ajv.errorsText(validate!.errors).slice(0, 600)}`
      )
    }
  }
}

const results: { readonly [method: string]: string } = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  ping: "EmptyResult",
  "logging/setLevel": "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "subscriptions/listen": "SubscriptionsListenResult"
}

const answers: { readonly [method: string]: object } = {
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "Paris" }, model: "test" },
  "roots/list": { roots: [{ uri: "file:///project" }] },
  "elicitation/create": { action: "decline" }
}

type Names = { readonly name: string }

/** Everything there is to ask for, given how to ask. */
const walk = (ask: (method: string, params?: object) => Effect.Effect<Message>) =>
  Effect.gen(function*() {
    const { tools } = (yield* ask("tools/list")).result
    const { prompts } = (yield* ask("prompts/list")).result
    const { resources } = (yield* ask("resources/list")).result
    yield* ask("resources/templates/list")
    for (const { name } of tools as ReadonlyArray<Names>) {
      const args: { readonly [tool: string]: object } = {
        test_sampling: { prompt: "?" },
        test_elicitation: { message: "?" },
        json_schema_2020_12_tool: { contactMethod: "phone", phone: "1" },
        test_x_mcp_header: { region: "us-west1" }
      }
      yield* ask("tools/call", { name, arguments: args[name] ?? {}, _meta: { progressToken: name } })
    }
    for (const prompt of prompts as ReadonlyArray<Names & { readonly arguments?: ReadonlyArray<Names> }>) {
      const args = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, "test://x"]))
      yield* ask("prompts/get", { name: prompt.name, arguments: args })
    }
    for (const { uri } of resources as ReadonlyArray<{ readonly uri: string }>) yield* ask("resources/read", { uri })
    yield* ask("resources/read", { uri: "test://template/1/data" })
    yield* ask("completion/complete", {
      ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
      argument: { name: "arg1", value: "p" }
    })
    // What is refused.
    yield* ask("resources/read", { uri: "test://nowhere" })
    yield* ask("tools/call", { name: "nobody", arguments: {} })
    yield* ask("tools/call", { name: "test_sampling", arguments: {} })
    yield* ask("tools/list", { cursor: "nowhere" })
    yield* ask("nothing/like/this")
  })

/** Holds every message of a process against the schema; `methods` tells what an id was asked. */
const check = (process: RawProcess, revision: string, methods: ReadonlyMap<unknown, string>) => {
  const { fits, has } = definitions(revision)
  for (const message of process.messages) {
    if (message.method !== undefined) {
      fits(message.id === undefined ? "JSONRPCNotification" : "JSONRPCRequest", message)
      fits(message.id === undefined ? "ServerNotification" : "ServerRequest", message)
    } else if (message.error !== undefined) {
      fits(has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError", message)
    } else {
      fits(has("JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse", message)
      const name = results[methods.get(message.id) ?? ""]
      assert.isDefined(name, JSON.stringify(message).slice(0, 200))
      fits(message.result.resultType === "input_required" ? "InputRequiredResult" : name!, message.result)
    }
  }
}

const start = spawn(source("src/everything-stdio.ts"))

describe("published schemas", () => {
  if (!existsSync(folder)) {
    it("are not beside this project: there is nothing to hold the messages against", () => {})
    return
  }

  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it.live(`fit everything that is written at ${revision}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start
        const methods = new Map<unknown, string>()
        const ask = (method: string, params?: object) =>
          Effect.tap(server.ask(method, params), ({ id }) => Effect.sync(() => methods.set(id, method)))
        const opened = yield* handshake(server, revision, {
          sampling: {},
          roots: { listChanged: true },
          ...(revision >= "2025-06-18" ? { elicitation: {} } : {})
        })
        methods.set(opened.id, "initialize")
        const answered = new Set<unknown>()
        yield* server.find(({ id, method }) => id !== undefined && method !== undefined && !answered.has(id)).pipe(
          Effect.flatMap(({ id, method }) => {
            answered.add(id)
            return server.send({ jsonrpc: "2.0", id, result: answers[method!] })
          }),
          Effect.forever,
          Effect.forkScoped
        )
        yield* ask("ping")
        yield* ask("logging/setLevel", { level: "debug" })
        yield* ask("resources/subscribe", { uri: "test://watched-resource" })
        yield* walk(ask)
        yield* ask("resources/unsubscribe", { uri: "test://watched-resource" })
        check(server, revision, methods)
        assert.isNotEmpty(answered)
        assert.includeMembers(server.messages.flatMap(({ id, method }) => id === undefined ? [method] : []), [
          "notifications/progress",
          "notifications/message",
          "notifications/tools/list_changed",
          "notifications/prompts/list_changed",
          "notifications/resources/updated"
        ])
      })), 60_000)
  }

  it.live("fit everything that is written at 2026-07-28", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start
      const methods = new Map<unknown, string>()
      let ids = 0
      const capabilities = {
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, sampling: {}, roots: {} }
      }
      const once = (method: string, params: object = {}) => {
        const id = `m${ids++}`
        methods.set(id, method)
        const meta = "_meta" in params ? params._meta as object : {}
        return Effect.andThen(
          server.send(request(id, method, params, {
            ...meta,
            ...capabilities,
            "io.modelcontextprotocol/logLevel": "debug"
          })),
          server.answer(id)
        )
      }
      /** Answers what is asked back, round by round. */
      const ask = (method: string, params: object = {}): Effect.Effect<Message> =>
        Effect.flatMap(once(method, params), (message) =>
          message.result?.resultType === "input_required"
            ? ask(method, {
              ...params,
              requestState: message.result.requestState,
              inputResponses: Object.fromEntries(
                Object.entries<{ readonly method: string }>(message.result.inputRequests).map(([key, { method }]) => [
                  key,
                  answers[method]
                ])
              )
            })
            : Effect.succeed(message))
      methods.set("listen", "subscriptions/listen")
      yield* server.send(request("listen", "subscriptions/listen", {
        notifications: {
          toolsListChanged: true,
          promptsListChanged: true,
          resourceSubscriptions: ["test://watched-resource"]
        }
      }))
      yield* ask("server/discover")
      yield* walk(ask)
      // The end of the input ends the subscription too, in order.
      yield* server.end()
      yield* server.exit
      check(server, "2026-07-28", methods)
      assert.includeMembers(server.messages.flatMap(({ id, method }) => id === undefined ? [method] : []), [
        "notifications/progress",
        "notifications/message",
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/updated"
      ])
      assert.isDefined(server.messages.find(({ id }) => id === "listen")?.result)
    })), 60_000)
})
