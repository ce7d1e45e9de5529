/** What a server asks: the same handlers answer a request of the handshake era and an input request of the modern one. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type * as McpClient from "../../src/client/McpClient.ts"
import type { ElicitResult } from "../../src/protocol/Elicitation.ts"
import type { ErrorObject, Params, Response } from "../../src/protocol/JsonRpc.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Scripted from "../utils/ScriptedServer.ts"
import { connect, eras, pair } from "./support.ts"

/** What came of a question: an answer, an error as the server of the handshake era saw it, or a call that failed. */
type Outcome =
  | { readonly _tag: "Answer"; readonly answer: unknown }
  | { readonly _tag: "Error"; readonly error: ErrorObject }
  | { readonly _tag: "Failed"; readonly reason: McpError.Reason }

/** A server that asks in the middle of a call, as its era does. */
const asking = (era: string, method: string, params: Params | undefined): Scripted.Script => ({
  era,
  on: {
    "tools/call": (turn) =>
      era === "modern"
        ? turn.params["inputResponses"] === undefined
          ? {
            resultType: "input_required",
            inputRequests: { k: { method, ...(params === undefined ? {} : { params }) } }
          }
          : { content: [], structuredContent: { result: (turn.params["inputResponses"] as Params)["k"] } }
        : Effect.map(turn.ask("q", method, params), (response: Response) => ({
          content: [],
          structuredContent: "result" in response ? { result: response.result } : { error: response.error }
        }))
  }
})

const ask = Effect.fnUntraced(function*(
  era: string,
  method: string,
  params: Params | undefined,
  options: Partial<McpClient.Options>
): Effect.fn.Return<Outcome, never, Scope.Scope> {
  const { client } = yield* Effect.orDie(pair(asking(era, method, params), options))
  return yield* Effect.match(client.callTool("ask"), {
    onSuccess: ({ structuredContent }): Outcome => {
      const { error, result } = structuredContent as { error?: ErrorObject; result?: unknown }
      return error === undefined ? { _tag: "Answer", answer: result } : { _tag: "Error", error }
    },
    onFailure: ({ reason }): Outcome => ({ _tag: "Failed", reason })
  })
})

const form = (properties: Params, required: ReadonlyArray<string> = []) => ({
  message: "who?",
  requestedSchema: { type: "object", properties, required }
})

const elicitation = "elicitation/create"

describe("a form", () => {
  it.effect("reaches the handler as it was sent, and its answer the server", () =>
    Effect.gen(function*() {
      const properties = {
        s: { type: "string", title: "S", minLength: 1, maxLength: 9, format: "email" },
        n: { type: "number", minimum: 0.5 },
        b: { type: "boolean" },
        e: { type: "string", enum: ["r", "g"] },
        o: { type: "string", oneOf: [{ const: "#f00", title: "Red" }] },
        l: { type: "array", minItems: 1, items: { type: "string", enum: ["x", "y"] } },
        t: { type: "array", items: { anyOf: [{ const: "1", title: "One" }] } },
        legacy: { type: "string", enum: ["a"], enumNames: ["A"] }
      }
      const content = { s: "u@v.w", n: 1.5, b: true, e: "g", o: "#f00", l: ["y"], t: ["1"], legacy: "a" }
      for (const era of eras) {
        const seen: Array<unknown> = []
        const outcome = yield* ask(era, elicitation, form(properties), {
          elicit: ({ message, requestedSchema }) =>
            Effect.sync(() => {
              seen.push(message, requestedSchema.properties)
              return { action: "accept", content }
            })
        })
        assert.deepStrictEqual(seen, ["who?", properties])
        assert.deepStrictEqual(outcome, { _tag: "Answer", answer: { action: "accept", content } })
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
  it.effect("is completed by its defaults", () =>
    Effect.gen(function*() {
      const properties = {
        s: { type: "string", default: "dflt" },
        z: { type: "integer", default: 0 },
        b: { type: "boolean", default: false },
        given: { type: "string", default: "no" },
        none: { type: "string" }
      }
      for (const era of eras) {
        const outcome = yield* ask(era, elicitation, form(properties, ["s"]), {
          elicit: () => Effect.succeed({ action: "accept", content: { given: "yes" } })
        })
        assert.deepStrictEqual(outcome, {
          _tag: "Answer",
          answer: { action: "accept", content: { s: "dflt", z: 0, b: false, given: "yes" } }
        })
      }
    }))

  it.effect("declined or cancelled is a value, and nobody looks at its content", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        for (const action of ["decline", "cancel"] as const) {
          const outcome = yield* ask(era, elicitation, form({ n: { type: "integer" } }, ["n"]), {
            elicit: () => Effect.succeed<ElicitResult>({ action, content: { n: "wrong" } })
          })
          assert.deepStrictEqual(outcome, { _tag: "Answer", answer: { action } })
        }
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-security
  it.effect("is not answered by what does not fit it", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<readonly [Params, NonNullable<ElicitResult["content"]>, ReadonlyArray<string>?]> = [
        [{ age: { type: "integer" } }, { age: "old" }],
        [{ age: { type: "integer" } }, { age: 1.5 }],
        [{ name: { type: "string" } }, {}, ["name"]],
        [{ n: { type: "number", minimum: 18 } }, { n: 3 }],
        [{ n: { type: "number", maximum: 18 } }, { n: 30 }],
        [{ c: { type: "string", enum: ["r"] } }, { c: "q" }],
        [{ c: { type: "string", oneOf: [{ const: "r", title: "R" }] } }, { c: "R" }],
        [{ s: { type: "string", maxLength: 2 } }, { s: "abc" }],
        [{ s: { type: "string", minLength: 2 } }, { s: "🙂" }],
        [{ b: { type: "boolean" } }, { b: "yes" }],
        [{ l: { type: "array", items: { type: "string", enum: ["x"] } } }, { l: ["y"] }],
        [{ l: { type: "array", minItems: 1, items: { type: "string", enum: ["x"] } } }, { l: [] }],
        [{ e: { type: "string", format: "email" } }, { e: "nobody" }],
        [{ u: { type: "string", format: "uri" } }, { u: "no uri" }],
        [{ d: { type: "string", format: "date" } }, { d: "2025-02-30" }],
        [{ d: { type: "string", format: "date-time" } }, { d: "2025-02-03 noon" }]
      ]
      for (const era of eras) {
        for (const [properties, content, required] of wrong) {
          const outcome = yield* ask(era, elicitation, form(properties, required), {
            elicit: () => Effect.succeed({ action: "accept", content })
          })
          assert.strictEqual(outcome._tag, era === "modern" ? "Failed" : "Error", JSON.stringify(content))
        }
      }
    }))

  it.effect("takes every date and time that there is", () =>
    Effect.gen(function*() {
      const properties = {
        d: { type: "string", format: "date" },
        t: { type: "string", format: "date-time" },
        u: { type: "string", format: "uri" },
        e: { type: "string", format: "email" }
      }
      const content = { d: "2024-02-29", t: "2024-12-31T23:59:60.5+01:00", u: "urn:x:ü", e: "é@bücher.example" }
      const outcome = yield* ask("2025-11-25", elicitation, form(properties), {
        elicit: () => Effect.succeed({ action: "accept", content })
      })
      assert.deepStrictEqual(outcome, { _tag: "Answer", answer: { action: "accept", content } })
    }))

  it.effect("whose handler goes away is cancelled", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const outcome = yield* ask(era, elicitation, form({}), { elicit: () => Effect.interrupt })
        assert.deepStrictEqual(outcome, { _tag: "Answer", answer: { action: "cancel" } })
      }
    }))
})

describe("what is declared", () => {
  // https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#error-handling
  it.effect("decides what is asked: another mode is refused, an unknown method is not found", () =>
    Effect.gen(function*() {
      const url = { mode: "url", url: "https://x.invalid/", elicitationId: "1", message: "go" }
      const never = () => Effect.die("asked all the same")
      const cases: ReadonlyArray<readonly [string, Params | undefined, Partial<McpClient.Options>, number]> = [
        [elicitation, url, { elicit: never }, -32602],
        [elicitation, { mode: "form", ...form({}) }, { elicitUrl: never }, -32602],
        [elicitation, form({}), {}, -32601],
        [elicitation, { message: "m", requestedSchema: 5 }, { elicit: never }, -32602],
        ["sampling/createMessage", { messages: [], maxTokens: 1 }, {}, -32601],
        ["sampling/createMessage", { maxTokens: 1 }, { sample: never }, -32602],
        ["roots/list", undefined, {}, -32601],
        ["tools/list", undefined, {}, -32601],
        ["foo/bar", undefined, { roots: [] }, -32601]
      ]
      for (const [method, params, options, code] of cases) {
        const old = yield* ask("2025-11-25", method, params, options)
        assert.isTrue(old._tag === "Error" && old.error.code === code, `${method}: ${JSON.stringify(old)}`)
        const modern = yield* ask("modern", method, params, options)
        assert.isTrue(modern._tag === "Failed" && modern.reason._tag === "InvalidPeerMessage", method)
      }
    }))

  it.effect("follows from the handlers", () =>
    Effect.gen(function*() {
      const declared = Effect.fnUntraced(function*(options: Partial<McpClient.Options>) {
        const { client, server } = yield* pair({}, options)
        yield* client.callTool("echo")
        const meta = server.received("tools/call")[0]!.params["_meta"] as Params
        const old = yield* pair({ era: "2025-11-25" }, options)
        return [
          meta["io.modelcontextprotocol/clientCapabilities"],
          old.server.received("initialize")[0]!.params["capabilities"]
        ]
      })
      const nothing = () => Effect.die("not asked")
      assert.deepStrictEqual(yield* declared({}), [{}, {}])
      assert.deepStrictEqual(yield* declared({ elicit: nothing, elicitUrl: nothing }), [
        { elicitation: { form: {}, url: {} } },
        { elicitation: { form: {}, url: {} } }
      ])
      assert.deepStrictEqual(yield* declared({ sample: nothing, sampling: { tools: true } }), [
        { sampling: { tools: {} } },
        { sampling: { tools: {} } }
      ])
      // A change of roots is told in the handshake era only.
      assert.deepStrictEqual(yield* declared({ roots: [], rootsChanges: Stream.never }), [
        { roots: {} },
        { roots: { listChanged: true } }
      ])
      assert.deepStrictEqual(yield* declared({ extensions: { "com.example/x": { a: 1 } } }), [
        { extensions: { "com.example/x": { a: 1 } } },
        { extensions: { "com.example/x": { a: 1 } } }
      ])
    }))
})

describe("sampling", () => {
  const sample = "sampling/createMessage"
  const question = { role: "user", content: { type: "text", text: "q" } }
  const answer = {
    role: "assistant",
    model: "m",
    stopReason: "toolUse",
    content: [{ type: "tool_use", id: "c1", name: "w", input: { a: [1] } }, { type: "text", text: "and" }]
  } as const
  const tools = [{ name: "w", inputSchema: { type: "object" } }]

  it.effect("with tools needs their capability", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        for (const extra of [{ tools }, { toolChoice: { mode: "auto" } }]) {
          const params = { messages: [question], maxTokens: 9, ...extra }
          const refused = yield* ask(era, sample, params, { sample: () => Effect.die("asked") })
          assert.notStrictEqual(refused._tag, "Answer")
          const outcome = yield* ask(era, sample, params, {
            sample: () => Effect.succeed(answer),
            sampling: { tools: true }
          })
          assert.deepStrictEqual(outcome, { _tag: "Answer", answer })
        }
      }
    }))

  // https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
  it.effect("refuses results of tools that are mixed with other content", () =>
    Effect.gen(function*() {
      const messages = [
        question,
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "w", input: {} }] },
        {
          role: "user",
          content: [{ type: "text", text: "here" }, { type: "tool_result", toolUseId: "c1", content: [] }]
        }
      ]
      const outcome = yield* ask("2025-11-25", sample, { messages, maxTokens: 9, tools }, {
        sample: () => Effect.die("asked"),
        sampling: { tools: true }
      })
      assert.isTrue(outcome._tag === "Error" && outcome.error.code === -32602)
    }))

  it.effect("that the user rejects is -1, and no defect tells more than that it is one", () =>
    Effect.gen(function*() {
      const params = { messages: [question], maxTokens: 9 }
      const rejected = Effect.fail(
        McpError.make(new McpError.PeerError({ code: -1, detail: "User rejected sampling request" }))
      )
      const old = yield* ask("2025-11-25", sample, params, { sample: () => rejected })
      assert.deepStrictEqual(old, { _tag: "Error", error: { code: -1, message: "User rejected sampling request" } })
      const modern = yield* ask("modern", sample, params, { sample: () => rejected })
      assert.isTrue(modern._tag === "Failed" && modern.reason._tag === "InputNotGiven")
      const died = yield* ask("2025-11-25", sample, params, { sample: () => Effect.die(new Error("the secret")) })
      assert.deepStrictEqual(died, { _tag: "Error", error: { code: -32603, message: "Internal error" } })
    }))
})

describe("a url", () => {
  it.effect("reaches the handler, and its answer has no content", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const params = { mode: "url", url: "https://x.invalid/a?b=c", elicitationId: "e", message: "go" }
        const seen: Array<string> = []
        const outcome = yield* ask(era, elicitation, params, {
          elicitUrl: ({ url }) => Effect.sync(() => (seen.push(url), { action: "accept", content: { a: 1 } }))
        })
        assert.deepStrictEqual(seen, [params.url])
        assert.deepStrictEqual(outcome, { _tag: "Answer", answer: { action: "accept" } })
      }
    }))
})

describe("roots", () => {
  it.effect("are told, and so are their changes where the revision has such a notice", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const changes = yield* Queue.unbounded<void>()
        let roots = [{ uri: "file:///old" }]
        const server = yield* Scripted.make(asking(era, "roots/list", undefined))
        const client = yield* connect(server, {
          roots: Effect.sync(() => roots),
          rootsChanges: Stream.fromQueue(changes)
        })
        roots = [{ uri: "file:///new" }]
        yield* Queue.offer(changes, undefined)
        const { structuredContent } = yield* client.callTool("ask")
        assert.deepStrictEqual(structuredContent, { result: { roots } })
        assert.lengthOf(server.received("notifications/roots/list_changed"), era === "modern" ? 0 : 1)
      }
    }))
})

describe("requests of the handshake era", () => {
  it.effect("ping is answered at any time, even before the handshake is over", () =>
    Effect.gen(function*() {
      const early = yield* Deferred.make<Response>()
      const { client } = yield* pair({
        era: "2025-11-25",
        on: {
          initialize: (turn) =>
            Effect.gen(function*() {
              yield* Deferred.succeed(early, yield* turn.ask("early", "ping"))
              return {
                protocolVersion: "2025-11-25",
                capabilities: { tools: {} },
                serverInfo: { name: "s", version: "1" }
              }
            }),
          "tools/call": (turn) =>
            Effect.gen(function*() {
              const asked = yield* Effect.forkScoped(turn.ask("slow", elicitation, form({})))
              yield* Effect.yieldNow
              const pong = yield* turn.ask("busy", "ping")
              asked.interruptUnsafe()
              return { content: [], structuredContent: { pong } }
            })
        }
      }, { elicit: () => Effect.never })
      assert.deepStrictEqual((yield* Deferred.await(early)) as unknown, { jsonrpc: "2.0", id: "early", result: {} })
      const { structuredContent } = yield* client.callTool("echo")
      assert.deepStrictEqual(structuredContent, { pong: { jsonrpc: "2.0", id: "busy", result: {} } })
    }))

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#behavior-requirements
  it.effect("that are cancelled stop their handler and are not answered", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const { client, server } = yield* pair({
        era: "2025-11-25",
        on: {
          "tools/call": (turn) =>
            Effect.gen(function*() {
              yield* turn.line.send({ jsonrpc: "2.0", id: "s", method: elicitation, params: form({}) })
              yield* Deferred.await(begun)
              yield* turn.notify("notifications/cancelled", { requestId: "s" })
              yield* Deferred.await(stopped)
              return Scripted.text("done")
            })
        }
      }, {
        elicit: () =>
          Effect.andThen(
            Deferred.succeed(begun, undefined),
            Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
          )
      })
      yield* client.callTool("echo")
      yield* client.ping()
      assert.isTrue(server.all().every((message) => "method" in message))
    }))

  it.effect("do not let the call time out in the middle of which they are answered", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { client } = yield* pair(asking("2025-11-25", elicitation, form({})), {
        elicit: () =>
          Effect.andThen(
            Deferred.succeed(begun, undefined),
            Effect.delay(Effect.succeed<ElicitResult>({ action: "decline" }), "5 minutes")
          )
      })
      const call = yield* Effect.forkChild(client.callTool("ask"))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual((yield* Fiber.join(call)).structuredContent, { result: { action: "decline" } })
    }))

  it.effect("are given up where there is no answer in time", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { client } = yield* pair(asking("2025-11-25", elicitation, form({})), {
        elicit: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        inputTimeout: "3 minutes"
      })
      const call = yield* Effect.forkChild(client.callTool("ask"))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("3 minutes")
      assert.deepInclude((yield* Fiber.join(call)).structuredContent, {
        error: { code: -32603, message: "No answer in time" }
      })
    }))
})
