import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as Elicit from "../../src/api/Elicit.ts"
import * as Input from "../../src/api/Input.ts"
import * as Roots from "../../src/api/Roots.ts"
import * as Sample from "../../src/api/Sample.ts"
import type * as Revision from "../../src/protocol/Revision.ts"
import { until } from "../peer/support/peers.ts"
import * as AnsweringPeer from "../support/answeringPeer.ts"
import { type Asking, call, serve } from "../support/askingServer.ts"

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const satisfies ReadonlyArray<
  Revision.Revision
>

const sample = Effect.map(Sample.message({ messages: "?", maxTokens: 1 }), (answer) => Sample.text(answer))
const form = Elicit.form("?", { n: Schema.Finite })

const cancels = (peer: AnsweringPeer.AnsweringPeer) =>
  peer.notices.filter(({ method }) => method === "notifications/cancelled").length

describe("an error that a client answers with", () => {
  const rejected = { error: { code: -1, message: "User rejected sampling request" } } as const

  // https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
  it.effect("is a reason that a handler can catch", () =>
    Effect.forEach(revisions, (revision) =>
      Effect.gen(function*() {
        for (const error of [rejected, { error: { code: -32601, message: "No such method", data: { a: 1 } } }]) {
          const caught = sample.pipe(
            Effect.catchReason("McpError", "ClientRefused", ({ code, detail, method }) =>
              Effect.succeed(`${method} ${code} ${detail}`))
          )
          const peer = yield* serve(caught, {
            revision,
            answer: () =>
              error
          })
          assert.strictEqual(
            AnsweringPeer.textOf(yield* call(peer)),
            `sampling/createMessage ${error.error.code} ${error.error.message}`
          )
        }
      })))

  it.effect("is an error of the call where nobody catches it, and never taken for one about the call", () =>
    Effect.forEach(revisions, (revision) =>
      Effect.gen(function*() {
        for (
          const [code, becomes] of [[-1, -1], [7, 7], [-32601, -32603], [-32602, -32603], [-32042, -32603]] as const
        ) {
          const peer = yield* serve(sample, { revision, answer: () => ({ error: { code, message: "no" } }) })
          const outcome = yield* call(peer)
          assert.deepStrictEqual((outcome as any).error, {
            code: becomes,
            message: "The client answered sampling/createMessage with an error: no"
          })
        }
      })))
})

describe("a question that is a request", () => {
  it.effect("is cancelled when nobody answers in the time of the server, or in its own", () =>
    Effect.gen(function*() {
      const timeouts = [[undefined, 600_000], ["1 minute", 60_000], ["20 minutes", 1_200_000]] as const
      for (const [timeout, millis] of timeouts) {
        const asking = Roots.listWith({ timeout }).pipe(
          Effect.as("answered"),
          Effect.catchReason("McpError", "RequestTimeout", (reason) => Effect.succeed(`${reason.millis} ms`))
        )
        const peer = yield* serve(asking, { revision: "2025-11-25", answer: () => "silence" })
        const id = yield* peer.begin("tools/call", { name: "ask" })
        yield* until("the question is there", () => peer.questions.length === 1)
        yield* TestClock.adjust(millis - 1)
        assert.strictEqual(cancels(peer), 0)
        yield* TestClock.adjust(1)
        assert.strictEqual(AnsweringPeer.textOf(yield* peer.outcome(id)), `${millis} ms`)
        yield* until("the cancellation is there", () => cancels(peer) === 1)
      }
    }))

  it.effect("has the time that the server is given for answers", () =>
    Effect.gen(function*() {
      const peer = yield* serve(Effect.as(Roots.list, "answered"), {
        revision: "2025-11-25",
        answer: () => "silence",
        server: { inputTimeout: "30 seconds" }
      })
      const id = yield* peer.begin("tools/call", { name: "ask" })
      yield* until("the question is there", () => peer.questions.length === 1)
      yield* TestClock.adjust("30 seconds")
      // What timed out here is not the client's business.
      assert.strictEqual(AnsweringPeer.textOf(yield* peer.outcome(id)), "error -32603: Internal error")
    }))

  it.effect("is cancelled with its asker", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<string>()
      const asking = Effect.raceFirst(Effect.as(Roots.list, "answered"), Deferred.await(answered))
      const peer = yield* serve(asking, { revision: "2025-06-18", answer: () => "silence" })
      const id = yield* peer.begin("tools/call", { name: "ask" })
      yield* until("the question is there", () => peer.questions.length === 1)
      yield* Deferred.succeed(answered, "by another")
      assert.strictEqual(AnsweringPeer.textOf(yield* peer.outcome(id)), "by another")
      yield* until("the cancellation is there", () => cancels(peer) === 1)
    }))

  it.effect("is cancelled with the call in the middle of which it is asked", () =>
    Effect.gen(function*() {
      let released = 0
      const asking = Effect.as(Effect.ensuring(Roots.list, Effect.sync(() => released++)), "answered")
      const peer = yield* serve(asking, { revision: "2025-03-26", answer: () => "silence" })
      const id = yield* peer.begin("tools/call", { name: "ask" })
      yield* until("the question is there", () => peer.questions.length === 1)
      yield* peer.notify("notifications/cancelled", { requestId: id })
      yield* until("the cancellation is there", () => cancels(peer) === 1)
      assert.strictEqual(released, 1)
    }))

  it.effect("may be one of many at a time", () =>
    Effect.gen(function*() {
      const asking = Effect.map(
        Effect.forEach([1, 2, 3, 4], (n) => Sample.message({ messages: `${n}`, maxTokens: 1 }), {
          concurrency: "unbounded"
        }),
        (answers) => answers.map((answer) => Sample.text(answer)).join()
      )
      const peer = yield* serve(asking, {
        revision: "2024-11-05",
        answer: ({ params }) => ({
          result: { role: "assistant", model: "m", content: { ...params["messages"][0].content, annotations: {} } }
        })
      })
      assert.strictEqual(AnsweringPeer.textOf(yield* call(peer)), "1,2,3,4")
      assert.strictEqual(peer.questions.length, 4)
    }))

  it.effect("that gets no answer, or one that does not fit, fails; asking again is the handler's", () =>
    Effect.gen(function*() {
      const answers = [{ action: "maybe" }, { action: "accept", content: {} }, { action: "accept", content: { n: 1 } }]
      const asking: Asking = Effect.map(
        form.pipe(
          Effect.catchReason("McpError", "InvalidParams", () => form),
          Effect.catchReason("McpError", "InvalidParams", () => form)
        ),
        (answer) => JSON.stringify(answer)
      )
      for (const handler of [asking, Effect.as(form, "answered")]) {
        let n = 0
        const peer = yield* serve(handler, {
          revision: "2025-06-18",
          answer: () => ({ result: answers[n++] })
        })
        assert.match(
          AnsweringPeer.textOf(yield* call(peer)),
          handler === asking ? /"content":{"n":1}/ : /^error -32602: No answer to elicitation\/create/
        )
      }
    }))

  it.effect("is asked in the middle of any request", () =>
    Effect.gen(function*() {
      const complete = Effect.asVoid(Roots.list)
      const peer = yield* serve(Effect.void, {
        revision: "2025-11-25",
        complete,
        answer: () => ({ result: { roots: [] } })
      })
      const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }
      const outcome = yield* peer.request("completion/complete", params)
      assert.deepStrictEqual((outcome as any).result.completion.values, ["completed"])
      assert.strictEqual(peer.questions.length, 1)
    }))
})

describe("asking by hand", () => {
  const requests = { a: { method: "roots/list" }, b: { method: "roots/list" } } as const

  it.effect("is bounded", () =>
    Effect.gen(function*() {
      const peer = yield* serve(Effect.sync(() => Input.required({ requests })), {
        revision: "2025-06-18",
        answer: () => ({ result: { roots: [] } }),
        server: { maxInputRounds: 3 }
      })
      assert.match(AnsweringPeer.textOf(yield* call(peer)), /error -32602: .*asked for input 3 times/)
      assert.strictEqual(peer.questions.length, 6)
    }))

  it.effect("fails with what the client says no to", () =>
    Effect.gen(function*() {
      const peer = yield* serve(Effect.sync(() => Input.required({ requests })), { revision: "2025-06-18" })
      assert.match(
        AnsweringPeer.textOf(yield* call(peer)),
        /error -32603: The client answered roots\/list with an error/
      )
    }))
})

describe("a client that has not declared", () => {
  const questions: { readonly [what: string]: readonly [Asking, object] } = {
    "a form": [Effect.as(form, ""), { elicitation: { form: {} } }],
    "a page": [Effect.as(Elicit.url("?", "https://a.b"), ""), { elicitation: { url: {} } }],
    "a model": [sample, { sampling: {} }],
    "tools for its model": [
      Effect.as(Sample.message({ messages: "?", maxTokens: 1, tools: [] }), ""),
      { sampling: { tools: {} } }
    ],
    roots: [Effect.as(Roots.list, ""), { roots: {} }]
  }

  it.effect("is not asked, by whatever road; the call fails with what it would need", () =>
    Effect.forEach([...revisions, "2026-07-28"] as const, (revision) =>
      Effect.gen(function*() {
        for (const [what, [asking, requiredCapabilities]] of Object.entries(questions)) {
          const peer = yield* serve(asking, { revision, capabilities: {}, complete: asking })
          const outcome = (yield* call(peer)) as any
          assert.strictEqual(outcome.error.code, revision === "2026-07-28" ? -32021 : -32600, what)
          assert.deepStrictEqual(outcome.error.data, { requiredCapabilities }, what)
          const completion = (yield* peer.request("completion/complete", {
            ref: { type: "ref/prompt", name: "p" },
            argument: { name: "a", value: "" }
          })) as any
          assert.deepStrictEqual(completion.error, outcome.error, what)
          assert.deepStrictEqual(peer.questions, [])
        }
      })))

  it.effect("a mode or tools where no revision knows them is not believed to have them", () =>
    Effect.gen(function*() {
      for (const revision of ["2025-06-18", "2025-03-26"] as const) {
        const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } }
        for (const what of ["a page", "tools for its model"]) {
          const peer = yield* serve(questions[what]![0], { revision, capabilities })
          assert.match(AnsweringPeer.textOf(yield* call(peer)), /error -32600/, what)
          assert.deepStrictEqual(peer.questions, [])
        }
      }
    }))
})

describe("a request that must not ask", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests
  it.effect("fails at once, with a reason that tells the handler", () =>
    Effect.gen(function*() {
      const told = yield* Deferred.make<string>()
      const complete = Effect.tapError(
        Effect.asVoid(Roots.list),
        ({ reason }) => Deferred.succeed(told, `${reason._tag}: ${reason.message}`)
      )
      const peer = yield* serve(Effect.void, { revision: "2026-07-28", complete })
      const outcome = yield* peer.request("completion/complete", {
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "a", value: "" }
      })
      // It is the server's mistake, and its log's business.
      assert.deepStrictEqual((outcome as any).error, { code: -32603, message: "Internal error" })
      assert.strictEqual(
        yield* Deferred.await(told),
        "CapabilityNotSupported: completion/complete cannot ask its client: at 2026-07-28 only tools/call, prompts/get " +
          "and resources/read can"
      )
    }))
})
