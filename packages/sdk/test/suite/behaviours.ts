/**
 * What every server does, whatever the revision and the pipe: one text, run over all of them.
 *
 * The client here is frames and nothing else. All that a server sends it is held against the published schemas.
 */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Connection } from "../../src/peer/Connection.ts"
import type { McpError } from "../../src/protocol/McpError.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as RawClient from "../utils/rawClient.ts"

type Json = RawClient.Json

class Client extends Context.Service<Client, RawClient.RawClient>()("test/suite/Client") {}

const names = (items: ReadonlyArray<Json>) => items.map(({ name }) => name)

const text = ({ content }: Json): string => content[0].text

/** The events inside the server, asked of itself. */
const events = (client: RawClient.RawClient): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(client.request("tools/call", { name: "events" }), (result) => JSON.parse(text(result)))

/** Asks again until something has happened inside the server. */
const happened = (client: RawClient.RawClient, event: string): Effect.Effect<void> =>
  Effect.flatMap(events(client), (all) => all.includes(event) ? Effect.void : happened(client, event))

/** All pages of a list. */
const listAll = (client: RawClient.RawClient, method: string, key: string) =>
  Effect.gen(function*() {
    const pages: Array<ReadonlyArray<Json>> = []
    let cursor: string | undefined
    do {
      const page: Json = yield* client.request(method, cursor === undefined ? {} : { cursor })
      pages.push(page[key])
      cursor = page["nextCursor"]
    } while (cursor !== undefined)
    return pages
  })

const lists = [
  ["tools/list", "tools"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
  ["prompts/list", "prompts"]
] as const

export const behaviours = (
  pipe: string,
  open: Effect.Effect<Connection, McpError, Scope.Scope>
) => {
  for (const revision of Revision.all) {
    const since = (other: Revision.Revision) => Revision.atLeast(revision, other)
    const isModern = Revision.isModern(revision)
    const connected = Layer.effect(
      Client,
      Effect.flatMap(Effect.orDie(open), (connection) => RawClient.make(connection, { revision }))
    )

    layer(connected, { excludeTestServices: true })(`${revision} over ${pipe}`, (it) => {
      // ---- opening

      // https://modelcontextprotocol.io/specification/2026-07-28/server/discover
      // https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
      it.effect("says who it is and what it can do", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const opening = isModern
            ? yield* client.request("server/discover")
            : client.received.find((frame) => "result" in frame && "protocolVersion" in frame["result"])!["result"]
          if (isModern) {
            assert.deepStrictEqual(opening["supportedVersions"], [...Revision.all])
            assert.deepStrictEqual(opening["_meta"]["io.modelcontextprotocol/serverInfo"], {
              name: "suite",
              version: "1.2.3",
              title: "The suite"
            })
          } else {
            assert.strictEqual(opening["protocolVersion"], revision)
            assert.deepStrictEqual(opening["serverInfo"], {
              name: "suite",
              version: "1.2.3",
              ...(since("2025-06-18") ? { title: "The suite" } : {})
            })
          }
          assert.strictEqual(opening["instructions"], "Call anything.")
          assert.deepStrictEqual(opening["capabilities"], {
            logging: {},
            tools: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            prompts: { listChanged: true },
            ...(since("2025-03-26") ? { completions: {} } : {})
          })
        }))

      // ---- lists

      // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
      for (const [method, key] of lists) {
        it.effect(`${method} gives everything once, in the order of the contract, page by page`, () =>
          Effect.gen(function*() {
            const client = yield* Client
            const pages = yield* listAll(client, method, key)
            assert.deepStrictEqual(pages.slice(0, -1).map((page) => page.length), pages.slice(1).map(() => 2))
            assert.deepStrictEqual(yield* listAll(client, method, key), pages)
            assert.deepStrictEqual(
              names(pages.flat()),
              {
                tools: [
                  "text",
                  "block",
                  "blocks",
                  "nothing",
                  "whole",
                  "sum",
                  "count",
                  "told",
                  "divide",
                  "area",
                  "break",
                  "refuse",
                  "progress",
                  "log",
                  "slow",
                  "whoami",
                  "events"
                ],
                resources: ["text", "bytes", "several", "gone"],
                resourceTemplates: ["item", "path"],
                prompts: ["greet", "talk"]
              }[key]
            )
          }))

        it.effect(`${method} refuses a cursor that it never gave`, () =>
          Effect.gen(function*() {
            const client = yield* Client
            const foreign =
              (yield* client.request(method === "tools/list" ? "resources/list" : "tools/list"))["nextCursor"]
            assert.isString(foreign)
            for (const cursor of ["", "2", "bm90LWEtY3Vyc29y", "💥", foreign, `${foreign}A`]) {
              assert.strictEqual((yield* client.error(method, { cursor })).code, -32602, cursor)
            }
            assert.strictEqual((yield* client.error(method, { cursor: 5 })).code, -32602)
          }))
      }

      it.effect("describes its features with what the revision knows of them", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const tools = (yield* listAll(client, "tools/list", "tools")).flat()
          const sum = tools.find(({ name }) => name === "sum")!
          assert.deepInclude(sum["inputSchema"], { type: "object", required: ["a", "b"] })
          assert.deepStrictEqual(
            [sum["title"], sum["annotations"], sum["_meta"], sum["outputSchema"]?.properties.sum.type],
            [
              since("2025-06-18") ? "Sum" : undefined,
              since("2025-03-26") ? { readOnlyHint: true } : undefined,
              since("2025-06-18") ? { "example.com/key": 1 } : undefined,
              since("2025-06-18") ? "integer" : undefined
            ]
          )
          // https://modelcontextprotocol.io/specification/2025-06-18/server/tools#output-schema: objects only
          const count = tools.find(({ name }) => name === "count")!["outputSchema"]
          if (isModern) assert.strictEqual(count.type, "integer")
          else if (since("2025-06-18")) {
            assert.strictEqual(count.type, "object")
            assert.deepStrictEqual(Object.values<Json>(count.properties).map(({ type }) => type), ["integer"])
          } else assert.isUndefined(count)
          // A tool that answers with content has no output schema.
          assert.isUndefined(tools.find(({ name }) => name === "text")!["outputSchema"])
          const [prompt] = yield* listAll(client, "prompts/list", "prompts")
          assert.deepStrictEqual(prompt![0]!["arguments"], [
            { name: "name", description: "Whom to greet", required: true },
            { name: "times", required: false }
          ])
          const [template] = yield* listAll(client, "resources/templates/list", "resourceTemplates")
          assert.deepStrictEqual(template![0], {
            name: "item",
            uriTemplate: "suite://item/{id}",
            mimeType: "application/json"
          })
        }))

      // ---- tools: https://modelcontextprotocol.io/specification/2026-07-28/server/tools

      const call = (client: RawClient.RawClient, name: string, args?: Json, options?: RawClient.RequestOptions) =>
        client.request("tools/call", args === undefined ? { name } : { name, arguments: args }, options)

      it.effect("calls tools that answer with content of every form", () =>
        Effect.gen(function*() {
          const client = yield* Client
          assert.deepStrictEqual((yield* call(client, "text"))["content"], [{ type: "text", text: "plain" }])
          assert.deepStrictEqual((yield* call(client, "block", {}))["content"], [
            { type: "image", data: "AQID", mimeType: "image/png" }
          ])
          assert.deepStrictEqual((yield* call(client, "blocks"))["content"], [
            { type: "text", text: "first" },
            { type: "text", text: "second", annotations: { audience: ["user"] } }
          ])
          assert.deepStrictEqual((yield* call(client, "nothing"))["content"], [])
          const whole = yield* call(client, "whole")
          assert.deepInclude(whole, { content: [{ type: "text", text: "whole" }], isError: true })
          assert.strictEqual(whole["_meta"].own, 1)
        }))

      it.effect("calls tools that answer with structured content, which its text mirrors", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const sum = yield* call(client, "sum", { a: 1, b: 2 })
          assert.deepStrictEqual(sum["content"], [{ type: "text", text: "{\"sum\":3}" }])
          assert.deepStrictEqual(sum["structuredContent"], since("2025-06-18") ? { sum: 3 } : undefined)
          assert.isFalse(sum["isError"] ?? false)
          const count = yield* call(client, "count", { words: ["a", "b"] })
          assert.deepStrictEqual(count["content"], [{ type: "text", text: "2" }])
          // Before 2026-07-28 structured content is an object: others are wrapped.
          if (isModern) assert.strictEqual(count["structuredContent"], 2)
          else if (since("2025-06-18")) assert.deepStrictEqual(Object.values(count["structuredContent"]), [2])
          else assert.isFalse("structuredContent" in count)
          const told = yield* call(client, "told")
          // Where only text can carry the value, it comes after the words.
          assert.deepStrictEqual(told["content"], [
            { type: "text", text: "in words" },
            ...(since("2025-06-18") ? [] : [{ type: "text", text: "{\"n\":1}" }])
          ])
          assert.deepStrictEqual(told["structuredContent"], since("2025-06-18") ? { n: 1 } : undefined)
          assert.strictEqual(told["_meta"].own, 1)
        }))

      // https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
      it.effect("tells of a declared failure in a result, for the model and for the program", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const failed = yield* call(client, "divide", { dividend: 7, divisor: 0 })
          assert.isTrue(failed["isError"])
          assert.deepStrictEqual(failed["content"], [{ type: "text", text: "7 cannot be divided by zero" }])
          assert.isFalse("structuredContent" in failed)
          assert.deepInclude(Object.values<Json>(failed["_meta"]).find((value) => value?.["_tag"] !== undefined), {
            _tag: "DivisionByZero",
            dividend: 7
          })
        }))

      for (const how of ["die", "throw", "fail", "interrupt", "answer otherwise"]) {
        it.effect(`says nothing of what went wrong inside (${how}), but writes it to its own log`, () =>
          Effect.gen(function*() {
            const client = yield* Client
            const error = yield* client.error("tools/call", { name: "break", arguments: { how } })
            assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
            const logged = (yield* events(client)).filter((event) => event.startsWith("Error: "))
            assert.isTrue(
              logged.some((event) =>
                event.includes(
                  how === "interrupt"
                    ? "interrupted itself"
                    : how === "answer otherwise"
                    ? "failed inside"
                    : `secret of ${how}`
                )
              ),
              logged.join("\n")
            )
          }))
      }

      it.effect("passes on a protocol error of a handler as it is", () =>
        Effect.gen(function*() {
          const client = yield* Client
          assert.deepStrictEqual(yield* client.error("tools/call", { name: "refuse" }), {
            code: -1,
            message: "No",
            data: { why: "so" }
          })
        }))

      it.effect("tells what is wrong with arguments: where, what was expected, what was there", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const cases: ReadonlyArray<readonly [string, Json | undefined, ReadonlyArray<RegExp>]> = [
            ["sum", { a: 1, b: "two" }, [/\bb\b/, /integer|number/, /"two"/]],
            ["sum", { a: 1.5, b: 2 }, [/\ba\b/, /integer/, /1\.5/]],
            ["sum", { a: 1 }, [/\bb\b/, /missing/]],
            ["sum", undefined, [/\ba\b/, /missing/, /\bb\b/]],
            ["count", { words: ["a", 2] }, [/words\[1\]/, /string/, /\b2\b/]],
            ["area", { shape: { _tag: "circle", radius: "r" } }, [/shape\.radius/, /number/, /"r"/]],
            ["area", { shape: { _tag: "blob" } }, [/shape\._tag/, /circle.*square/, /"blob"/]]
          ]
          for (const [name, args, expected] of cases) {
            const params = args === undefined ? { name } : { name, arguments: args }
            let message: string
            if (since("2025-11-25")) {
              const result = yield* client.request("tools/call", params)
              assert.isTrue(result["isError"])
              message = text(result)
            } else {
              const error = yield* client.error("tools/call", params)
              assert.strictEqual(error["code"], -32602)
              message = error["message"]
            }
            for (const pattern of expected) assert.match(message, pattern)
          }
        }))

      it.effect("refuses calls of what is not there, and calls that are none", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (
            const params of [
              { name: "unknown" },
              { name: "__proto__" },
              { name: "constructor" },
              { name: "" },
              { name: 5 },
              {},
              { name: "sum", arguments: "a=1" }
            ]
          ) {
            assert.strictEqual((yield* client.error("tools/call", params)).code, -32602, JSON.stringify(params))
          }
        }))

      // ---- resources: https://modelcontextprotocol.io/specification/2026-07-28/server/resources

      const read = (client: RawClient.RawClient, uri: string) =>
        Effect.map(client.request("resources/read", { uri }), ({ contents }) => contents)

      it.effect("reads text, bytes, several contents, and what templates stand for", () =>
        Effect.gen(function*() {
          const client = yield* Client
          assert.deepStrictEqual(yield* read(client, "suite://text"), [
            { uri: "suite://text", mimeType: "text/plain", text: "plain" }
          ])
          assert.deepStrictEqual(yield* read(client, "suite://bytes"), [
            { uri: "suite://bytes", mimeType: "image/png", blob: "AQID" }
          ])
          assert.deepStrictEqual(yield* read(client, "suite://several"), [
            { uri: "suite://several/1", text: "one" },
            { uri: "suite://several/2", mimeType: "x/y", blob: "AQID" }
          ])
          const [item] = yield* read(client, "suite://item/41")
          assert.deepInclude(item, { uri: "suite://item/41", mimeType: "application/json" })
          assert.deepStrictEqual(JSON.parse(item.text), { id: 42, uri: "suite://item/41" })
          const [path] = yield* read(client, "suite://path/a/b%20c/%C3%A9")
          assert.strictEqual(path.text, "a/b c/é")
        }))

      it.effect("answers for a resource that is not there as the revision says", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (const uri of ["suite://unknown", "suite://gone", "other://text", "suite://item/", ""]) {
            const error = yield* client.error("resources/read", { uri })
            assert.strictEqual(error["code"], isModern ? -32602 : -32002, uri)
            assert.deepStrictEqual(error["data"], { uri })
          }
          // A variable that is not what its Schema says.
          const { code, data, message } = yield* client.error("resources/read", { uri: "suite://item/x" })
          assert.deepStrictEqual([code, data], [-32602, { uri: "suite://item/x" }])
          assert.match(message, /\bid\b.*"x"/)
          for (const params of [{}, { uri: 5 }]) {
            assert.strictEqual((yield* client.error("resources/read", params)).code, -32602)
          }
        }))

      // ---- prompts: https://modelcontextprotocol.io/specification/2026-07-28/server/prompts

      it.effect("gets prompts, with their arguments decoded", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const get = (params: Json) => client.request("prompts/get", params)
          const greeting = yield* get({ name: "greet", arguments: { name: "Ada", times: "3" } })
          assert.deepInclude(greeting, {
            description: "Greets someone",
            messages: [{ role: "user", content: { type: "text", text: "Greet Ada 3 times." } }]
          })
          assert.strictEqual(
            (yield* get({ name: "greet", arguments: { name: "Ada" } }))["messages"][0].content.text,
            "Greet Ada."
          )
          assert.deepStrictEqual((yield* get({ name: "talk" }))["messages"].map(({ role }: Json) => role), [
            "user",
            "assistant"
          ])
        }))

      it.effect("refuses prompts that are not there, and arguments that do not fit", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const cases: ReadonlyArray<readonly [Json, RegExp]> = [
            [{ name: "unknown" }, /unknown/],
            [{ name: "greet" }, /name/],
            [{ name: "greet", arguments: {} }, /name/],
            [{ name: "greet", arguments: { name: 5 } }, /name/],
            [{ name: "greet", arguments: { name: "Ada", times: "often" } }, /times.*"often"/],
            [{}, /name/]
          ]
          for (const [params, pattern] of cases) {
            const { code, message } = yield* client.error("prompts/get", params)
            assert.strictEqual(code, -32602, JSON.stringify(params))
            assert.match(message, pattern)
          }
        }))

      // ---- completions: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion

      it.effect("completes arguments of prompts and variables of templates", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const complete = (ref: Json, name: string, value: string, context?: Json) =>
            Effect.map(
              client.request("completion/complete", {
                ref,
                argument: { name, value },
                ...(context === undefined ? {} : { context: { arguments: context } })
              }),
              ({ completion }) => completion
            )
          const greet = { type: "ref/prompt", name: "greet" }
          assert.deepStrictEqual(yield* complete(greet, "name", "A"), {
            values: ["Ada", "Alan"],
            total: 2,
            hasMore: false
          })
          if (since("2025-06-18")) {
            const known = yield* complete(greet, "name", "", { title: "Countess" })
            assert.deepStrictEqual(known.values, ["Ada", "Alan", "Countess"])
          }
          // No more than 100 values at a time.
          const path = { type: "ref/resource", uri: "suite://path/{+path}" }
          const many = yield* complete(path, "path", "")
          assert.deepStrictEqual([many.values.length, many.values[99], many.total, many.hasMore], [
            100,
            "word99",
            250,
            true
          ])
          const item = yield* complete({ type: "ref/resource", uri: "suite://item/{id}" }, "id", "")
          assert.deepStrictEqual([item.values.length, item.total, item.hasMore], [100, 1000, true])
          // What nobody completes has no completions.
          for (
            const [ref, name] of [
              [greet, "times"],
              [greet, "__proto__"],
              [{ type: "ref/prompt", name: "talk" }, "x"],
              [{ type: "ref/resource", uri: "suite://text" }, "x"]
            ] as const
          ) {
            assert.deepStrictEqual((yield* complete(ref, name, "")).values, [])
          }
        }))

      it.effect("refuses to complete what is not there", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (
            const params of [
              { ref: { type: "ref/prompt", name: "unknown" }, argument: { name: "a", value: "" } },
              { ref: { type: "ref/resource", uri: "suite://unknown/{a}" }, argument: { name: "a", value: "" } },
              { ref: { type: "ref/other", name: "greet" }, argument: { name: "name", value: "" } },
              { ref: { type: "ref/prompt", name: "greet" } },
              { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: 5 } }
            ]
          ) {
            assert.strictEqual(
              (yield* client.error("completion/complete", params)).code,
              -32602,
              JSON.stringify(params)
            )
          }
        }))

      // ---- progress: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress

      it.effect("reports progress before its answer, in order, growing, to whom has asked for it", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (const token of ["p", 0]) {
            const from = client.received.length
            yield* call(client, "progress", { steps: [1, 2.5, 2.5, 2, 9] }, { progressToken: token })
            const frames = client.received.slice(from)
            assert.deepStrictEqual(
              frames.slice(0, -1).map(({ method, params }) => [method, params]),
              [1, 2.5, 9].map((progress) => [
                "notifications/progress",
                {
                  progressToken: token,
                  progress,
                  total: 10,
                  ...(since("2025-03-26") ? { message: `step ${progress}` } : {})
                }
              ])
            )
            assert.isTrue("result" in frames.at(-1)!)
          }
          const from = client.received.length
          yield* call(client, "progress", { steps: [1, 2] })
          assert.strictEqual(client.received.length, from + 1)
        }))

      if (isModern) {
        it.effect("refuses a progress token that is none", () =>
          Effect.gen(function*() {
            const client = yield* Client
            for (const progressToken of [true, 1.5, null, {}]) {
              const params = { name: "progress", arguments: { steps: [1] } }
              const error = yield* client.error("tools/call", params, { meta: { progressToken } })
              assert.strictEqual(error["code"], -32602)
            }
          }))
      }

      // ---- logging: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging

      const thresholds = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
      const logged = [
        { level: "debug", data: "at debug" },
        { level: "info", data: { at: "info" } },
        { level: "warning", logger: "suite", data: { message: "at warning", request: 7 } },
        { level: "error", data: ["at error", { name: "Error", message: "told" }] },
        { level: "critical", data: ["at critical", "twice"] }
      ]

      it.effect("sends the log messages of a call to the client, from the level on that it wants", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (const threshold of thresholds) {
            yield* client.setLevel(threshold)
            const from = client.received.length
            yield* call(client, "log", {}, isModern ? { logLevel: threshold } : {})
            const frames = client.received.slice(from)
            assert.deepStrictEqual(
              frames.slice(0, -1).map(({ method, params }) => [method, params]),
              logged.filter(({ level }) => thresholds.indexOf(level) >= thresholds.indexOf(threshold)).map((params) => [
                "notifications/message",
                params
              ]),
              threshold
            )
            assert.isTrue("result" in frames.at(-1)!)
          }
        }))

      it.effect("writes the same messages to its own log, whatever the client wants", () =>
        Effect.gen(function*() {
          const client = yield* Client
          // Debug is below the level of the server's own log, and a client does not lower it.
          const ofLog = (all: ReadonlyArray<string>) =>
            all.filter((event) => /^\w+: (at (debug|warning|error|critical)|{"at":"info"})/.test(event))
          const before = ofLog(yield* events(client)).length
          yield* client.setLevel("debug")
          yield* call(client, "log", {}, isModern ? { logLevel: "debug" } : {})
          assert.deepStrictEqual(ofLog(yield* events(client)).slice(before), [
            "Info: {\"at\":\"info\"}",
            "Warn: at warning",
            "Error: at error told",
            "Fatal: at critical twice"
          ])
          yield* client.setLevel("emergency")
        }))

      if (isModern) {
        it.effect("is silent without a level, and refuses one that is none", () =>
          Effect.gen(function*() {
            const client = yield* Client
            yield* call(client, "log", {}, { logLevel: "debug" })
            const from = client.received.length
            yield* call(client, "log")
            assert.strictEqual(client.received.length, from + 1)
            const error = yield* client.error("tools/call", { name: "log" }, { logLevel: "loud" })
            assert.strictEqual(error["code"], -32602)
          }))
      } else {
        it.effect("refuses a level that is none", () =>
          Effect.gen(function*() {
            const client = yield* Client
            for (const params of [{ level: "loud" }, {}, { level: 3 }]) {
              assert.strictEqual((yield* client.error("logging/setLevel", params)).code, -32602)
            }
          }))

        it.effect("answers a ping", () =>
          Effect.gen(function*() {
            const client = yield* Client
            assert.deepStrictEqual(yield* client.request("ping"), {})
          }))

        it.effect("takes subscriptions to a resource, and takes them back", () =>
          Effect.gen(function*() {
            const client = yield* Client
            assert.deepStrictEqual(yield* client.request("resources/subscribe", { uri: "suite://text" }), {})
            assert.deepStrictEqual(yield* client.request("resources/unsubscribe", { uri: "suite://text" }), {})
            assert.strictEqual((yield* client.error("resources/subscribe", {})).code, -32602)
          }))
      }

      // ---- cancellation: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation

      it.effect("stops what is cancelled, and does not answer it", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const before = (yield* events(client)).filter((event) => event === "slow was interrupted").length
          const request = client.make("tools/call", { name: "slow" }, { id: `slow ${pipe} ${before}` })
          yield* client.send(request)
          // Another request is answered meanwhile.
          yield* call(client, "text")
          yield* client.notify("notifications/cancelled", { requestId: request["id"], reason: "No more need" })
          yield* happened(client, "slow was interrupted")
          yield* client.flush
          assert.isUndefined(client.received.find((frame) => frame["id"] === request["id"]))
        }))

      // ---- what is not of the protocol

      it.effect("answers requests of its own, and takes notifications of its own", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const { echoed } = yield* client.request("example.com/echo", { text: "é漢😀" })
          assert.strictEqual(echoed, "é漢😀")
          const error = yield* client.error("example.com/echo", { text: 5 })
          assert.strictEqual(error["code"], -32602)
          assert.match(error["message"], /text.*string.*5/)
          const where = `${pipe} ${revision}`
          yield* client.notify("example.com/poke", { where: 5 })
          yield* client.notify("example.com/poke", { where })
          yield* happened(client, `poked ${where}`)
        }))

      it.effect("does not know other methods, nor those of other revisions or of clients", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const unknown = [
            "unknown",
            "",
            "constructor",
            "__proto__",
            "sampling/createMessage",
            "roots/list",
            "elicitation/create",
            "notifications/initialized",
            ...(isModern
              ? ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "initialize"]
              : ["server/discover", "subscriptions/listen"])
          ]
          for (const method of unknown) {
            assert.strictEqual((yield* client.error(method)).code, -32601, method)
          }
        }))

      it.effect("passes over notifications that it does not know, or cannot read", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const from = client.received.length
          for (const method of ["unknown", "notifications/unknown", "notifications/roots/list_changed", "tools/list"]) {
            yield* client.notify(method, { any: "thing" })
          }
          yield* client.notify("notifications/progress", { progressToken: 99, progress: 1 })
          yield* client.notify("notifications/progress", {})
          yield* client.notify("notifications/cancelled", { requestId: {} })
          yield* client.flush
          assert.strictEqual(client.received.length, from + 1)
        }))

      // ---- what a handler knows

      it.effect("tells handlers of the request that they answer", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const options = { id: `who ${pipe}`, progressToken: "token", meta: { "example.com/trace": "t" } }
          const facts = JSON.parse(text(yield* call(client, "whoami", {}, options)))
          assert.deepInclude(facts, {
            method: "tools/call",
            revision,
            requestId: options.id,
            progressToken: "token",
            client: { info: RawClient.clientInfo, capabilities: {} }
          })
          assert.deepInclude(facts.meta, { progressToken: "token", "example.com/trace": "t" })
          assert.isTrue(
            ["memory", "streams", "socket", "websocket", "stdio"].includes(facts.transport),
            facts.transport
          )
        }))

      // ---- frames

      it.effect("keeps the ids of requests as they are", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (const id of [0, "", -7, "7", "constructor"]) {
            const message = client.make("tools/call", { name: "text" }, { id })
            const from = client.received.length
            yield* client.send(message)
            const answer = yield* client.find((frame) => "result" in frame || "error" in frame, from)
            assert.strictEqual(answer["id"], id)
          }
        }))

      it.effect("carries any text", () =>
        Effect.gen(function*() {
          const client = yield* Client
          for (const value of ["é 漢 😀", "\u2028\u2029\u0085", "\n\r\u0000\"\\", "x".repeat(200_000)]) {
            const { echoed } = yield* client.request("example.com/echo", { text: value })
            assert.strictEqual(echoed, value)
          }
        }))

      it.effect("answers what is no message, and goes on", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const cases: ReadonlyArray<readonly [unknown, number]> = [
            [5, -32600],
            [{ jsonrpc: "2.0", id: null, method: "tools/list" }, -32600],
            [{ jsonrpc: "2.0", id: 1.5, method: "tools/list" }, -32600],
            [[], -32600]
          ]
          for (const [frame, code] of cases) {
            const from = client.received.length
            yield* client.send(frame)
            const answer = yield* client.find((answer) => "error" in answer, from)
            assert.strictEqual(answer["error"].code, code)
            assert.isUndefined(answer["id"])
          }
          yield* call(client, "text")
        }))

      // https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
      it.effect("takes batches in the one revision that has them", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const from = client.received.length
          const batch = [
            client.make("tools/call", { name: "sum", arguments: { a: 1, b: 2 } }, { id: `a ${pipe}` }),
            client.make("tools/list", {}, { id: `b ${pipe}` })
          ]
          yield* client.send(batch)
          const answer = yield* client.find(() => true, from)
          if (revision === "2025-03-26") {
            assert.sameMembers(
              (answer as unknown as ReadonlyArray<Json>).map(({ id }) => id),
              batch.map(({ id }) => id)
            )
          } else {
            assert.strictEqual(answer["error"].code, -32600)
            assert.isUndefined(answer["id"])
          }
        }))

      it.effect("answers many requests at a time, each once", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const results = yield* Effect.forEach(
            Array.from({ length: 200 }, (_, n) => n),
            (n) => Effect.map(call(client, "sum", { a: n, b: 1 }), (result) => text(result)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(results, results.map((_, n) => JSON.stringify({ sum: n + 1 })))
        }))
    })
  }
}
