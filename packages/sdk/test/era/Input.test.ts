import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import * as Input from "../../src/era/Input.ts"
import { InputRequired } from "../../src/era/Invocation.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import type * as McpError from "../../src/protocol/McpError.ts"
import {
  asks,
  asksOnce,
  asksTwice,
  elicit,
  ends,
  engine,
  everything,
  fails,
  type Handler,
  isAsked,
  keyOf,
  next,
  question,
  round,
  type RoundOptions,
  ways,
  yes
} from "./support/rounds.ts"

// https://modelcontextprotocol.io/specification/2026-07-28/schema#inputresponserequestparams
describe("split", () => {
  it("takes apart what is asked and what is answered, and does not look into the answers", () => {
    const params = { name: "a", arguments: {} }
    assert.strictEqual(Result.getOrThrow(Input.split(params)).params, params)
    const inputResponses = { a: 1 }
    assert.deepStrictEqual(
      Input.split({ ...params, inputResponses, requestState: "s" }),
      Result.succeed({ params, responses: inputResponses, requestState: "s" })
    )
    assert.deepStrictEqual(
      Input.split({ ...params, inputResponses: null, requestState: null }),
      Result.succeed({ params, responses: undefined, requestState: undefined })
    )
  })

  it("refuses what is neither", () => {
    for (const bad of [{ inputResponses: [] }, { inputResponses: "a" }, { requestState: 1 }, { requestState: {} }]) {
      assert.isTrue(Result.isFailure(Input.split({ name: "a", ...bad })), JSON.stringify(bad))
    }
  })
})

describe("a request that does not ask", () => {
  it.effect("ends as its handler ends", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      for (const capabilities of [{}, everything]) {
        assert.deepStrictEqual(yield* ends(inputs, () => Effect.succeed({ a: 1 }), { capabilities }), { a: 1 })
        const died = yield* Effect.exit(inputs.run(round({ capabilities }), () => Effect.die("oh")))
        assert.isTrue(Exit.hasDies(died))
        const thrown = yield* Effect.exit(inputs.run(round({ capabilities }), () => {
          throw new Error("oh")
        }))
        assert.isTrue(Exit.hasDies(thrown))
        assert.strictEqual(yield* inputs.running, 0)
        const result = yield* inputs.run(round({ capabilities }), () => Effect.as(Effect.yieldNow, { b: 1 }))
        assert.isFalse(isAsked(result))
      }
    }))
})

describe("a round", () => {
  for (const [way, options] of ways) {
    describe(`of a handler that is ${way}`, () => {
      it.effect("asks what is asked side by side at once, however deep it lies", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const all = <A>(...of: ReadonlyArray<Effect.Effect<A, any>>) => Effect.all(of, { concurrency: "unbounded" })
          const handler: Handler = (it) =>
            Effect.map(
              all<unknown>(
                elicit(it, "a"),
                all<unknown>(
                  elicit(it, "b"),
                  all<unknown>(elicit(it, "c"), Effect.andThen(Effect.yieldNow, elicit(it, "d")))
                ),
                Effect.andThen(Effect.promise(() => Promise.resolve()), elicit(it, "e")),
                Effect.flatMap(Effect.forkChild(elicit(it, "f")), Fiber.join)
              ),
              (values) => ({ values })
            )
          const asked = yield* asks(inputs, handler)
          const messages = Object.values(asked.inputRequests!).map(({ params }) => params.message).sort()
          assert.deepStrictEqual(messages, ["a", "b", "c", "d", "e", "f"])
        }))

      it.effect("asks again for what a retry leaves out, and for nothing else", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const handler: Handler = (it) =>
            Effect.map(
              Effect.all([elicit(it, "a", { key: "a" }), elicit(it, "b", { key: "b" })], { concurrency: "unbounded" }),
              (values) => ({ values })
            )
          const one = yield* asks(inputs, handler)
          assert.deepStrictEqual(Object.keys(one.inputRequests!), ["a", "b"])
          const two = yield* asks(inputs, handler, next(one, { b: yes(2) }))
          assert.deepStrictEqual(two.inputRequests, { a: one.inputRequests!["a"]! })
          const three = yield* asks(inputs, handler, next(two))
          assert.deepStrictEqual(three.inputRequests, two.inputRequests)
          assert.deepStrictEqual(yield* ends(inputs, handler, next(three, { a: yes(1) })), { values: [1, 2] })
          assert.strictEqual(yield* inputs.running, 0)
        }))

      it.effect("passes over answers that nobody has asked for, whatever they are", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const asked = yield* asks(inputs, asksTwice)
          const hostile = JSON.parse(`{"__proto__": {"action": "accept"}, "constructor": 1, "x": [], "toString": null}`)
          const more = { ...hostile, [keyOf(asked)]: yes(1) }
          const two = yield* asks(inputs, asksTwice, next(asked, more))
          assert.strictEqual(two.inputRequests![keyOf(two)]!.params.message, "two")
          // Nor is an answer changed that has been given.
          const three = { [keyOf(asked)]: yes(9), [keyOf(two)]: yes(2) }
          assert.deepStrictEqual(yield* ends(inputs, asksTwice, next(two, three)), { sum: [1, 2] })
        }))

      it.effect("does not take the answer to a question that is yet to come", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const handler: Handler = (it) =>
            Effect.gen(function*() {
              yield* elicit(it, "first", { key: "first" })
              return { agreed: yield* elicit(it, "Delete everything?", { key: "second" }) }
            })
          const one = yield* asks(inputs, handler)
          const two = yield* asks(inputs, handler, next(one, { first: yes(1), second: yes(1) }))
          assert.deepStrictEqual(Object.keys(two.inputRequests!), ["second"])
        }))

      it.effect("takes the same question twice for two, and keys given twice as well", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          for (const ask of [{}, { key: "k" }, { key: "k-2" }]) {
            const handler: Handler = (it) =>
              Effect.map(
                Effect.all([elicit(it, "n", ask), elicit(it, "n", ask), elicit(it, "n", { key: "k-2" })], {
                  concurrency: "unbounded"
                }),
                (values) => ({ values })
              )
            const asked = yield* asks(inputs, handler)
            const keys = Object.keys(asked.inputRequests!)
            assert.strictEqual(new Set(keys).size, 3)
            const answers = Object.fromEntries(keys.map((key, n) => [key, yes(n)]))
            assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, answers)), { values: [0, 1, 2] })
          }
        }))

      it.effect("asks under any key, those that objects have of their own too", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const names = ["__proto__", "constructor", "toString", "", "hasOwnProperty"]
          const handler: Handler = (it) =>
            Effect.map(
              Effect.forEach(names, (key) => elicit(it, key, { key }), { concurrency: "unbounded" }),
              (values) => ({ values })
            )
          const asked = yield* asks(inputs, handler)
          assert.deepStrictEqual(Object.keys(asked.inputRequests!), names)
          const answers = Object.fromEntries(names.map((key, n) => [key, yes(n)]))
          const some = Object.fromEntries(Object.entries(answers).slice(0, 2))
          const left = yield* asks(inputs, handler, next(asked, some))
          assert.deepStrictEqual(Object.keys(left.inputRequests!), names.slice(2))
          assert.deepStrictEqual(yield* ends(inputs, handler, next(left, answers)), { values: [0, 1, 2, 3, 4] })
        }))

      // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#error-handling
      it.effect("refuses what is no answer, and takes a better one", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const asked = yield* asks(inputs, asksOnce)
          for (const bad of [null, 1, [], {}, { action: "maybe" }, { action: "accept", content: { n: { deep: 1 } } }]) {
            const reason = yield* fails(inputs, asksOnce, next(asked, { [keyOf(asked)]: bad }))
            assert.strictEqual(reason._tag, "InvalidParams", JSON.stringify(bad))
            assert.match(reason.message, /No answer to elicitation\/create/)
          }
          assert.deepStrictEqual(yield* ends(inputs, asksOnce, next(asked, { [keyOf(asked)]: yes(3) })), { n: 3 })
        }))

      it.effect("refuses what the asker cannot use, and does not tell the handler", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          let heard = 0
          const handler: Handler = (it) =>
            it.ask("elicitation/create", question("?"), {
              check: (answer) => answer["action"] === "accept" ? undefined : "it has to be accepted"
            }).pipe(
              Effect.tapError(() => Effect.sync(() => heard++)),
              Effect.as({ done: true })
            )
          const asked = yield* asks(inputs, handler)
          const reason = yield* fails(inputs, handler, next(asked, { [keyOf(asked)]: { action: "decline" } }))
          assert.deepInclude(reason, { _tag: "InvalidParams", detail: "it has to be accepted" })
          assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) })), { done: true })
          assert.strictEqual(heard, 0)
          assert.strictEqual(yield* inputs.running, 0)
        }))

      it.effect("ends after so many questions", () =>
        Effect.gen(function*() {
          const inputs = yield* engine({ ...options, maxRounds: 3 })
          let released = 0
          const handler: Handler = (it) =>
            Effect.onExit(
              Effect.forEach(Array.from({ length: 9 }, (_, n) => n), (n) => elicit(it, `${n}`)),
              () => Effect.sync(() => released++)
            ).pipe(Effect.as({}))
          let asked = yield* asks(inputs, handler)
          for (let n = 0; n < 2; n++) asked = yield* asks(inputs, handler, next(asked, { [keyOf(asked)]: yes(n) }))
          released = 0
          const reason = yield* fails(inputs, handler, next(asked, { [keyOf(asked)]: yes(2) }))
          assert.match(reason.message, /asked for input 3 times/)
          assert.strictEqual(released, 1)
          assert.strictEqual(yield* inputs.running, 0)
        }))

      it.effect("that nobody answers within the time that its asker gives lets the asker go on", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const handler: Handler = (it) =>
            Effect.gen(function*() {
              const one = yield* Effect.catch(elicit(it, "one", { timeout: "1 minute" }), ({ reason }) =>
                Effect.succeed(reason._tag))
              return { one, two: yield* elicit(it, "two") }
            })
          const one = yield* asks(inputs, handler)
          yield* TestClock.adjust("61 seconds")
          // Too late: the answer is passed over, and the handler has gone on.
          const two = yield* asks(inputs, handler, next(one, { [keyOf(one)]: yes(1) }))
          assert.strictEqual(two.inputRequests![keyOf(two)]!.params.message, "two")
          assert.deepStrictEqual(
            yield* ends(inputs, handler, next(two, { [keyOf(one)]: yes(1), [keyOf(two)]: yes(2) })),
            { one: "RequestTimeout", two: 2 }
          )
        }))

      it.effect("that is asked again has the time that is left, not all of it anew", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const handler: Handler = (it) =>
            Effect.match(it.ask("elicitation/create", question("one"), { timeout: "1 minute" }), {
              onFailure: ({ reason }): Params => ({ reason: reason._tag }),
              onSuccess: () => ({})
            })
          const one = yield* asks(inputs, handler)
          yield* TestClock.adjust("40 seconds")
          const two = yield* asks(inputs, handler, next(one))
          yield* TestClock.adjust("20 seconds")
          assert.deepStrictEqual(yield* ends(inputs, handler, next(two)), { reason: "RequestTimeout" })
        }))

      it.effect("without a state is answered by key, as is a handler that asks by hand", () =>
        Effect.gen(function*() {
          const inputs = yield* engine(options)
          const handler: Handler = (it) => Effect.map(elicit(it, "name", { key: "user_name" }), (n) => ({ n }))
          yield* asks(inputs, handler)
          assert.deepStrictEqual(yield* ends(inputs, handler, { responses: { user_name: yes(4) } }), { n: 4 })
          const again = yield* asks(inputs, handler, { responses: { wrong: yes(4) } })
          assert.deepStrictEqual(Object.keys(again.inputRequests!), ["user_name"])
          const byHand: Handler = (it) => Effect.succeed({ received: it.received ?? "nothing" })
          assert.deepStrictEqual(yield* ends(inputs, byHand, { responses: { a: 1 } }), {
            received: { state: undefined, responses: { a: 1 } }
          })
          assert.deepStrictEqual(yield* ends(inputs, byHand), { received: "nothing" })
        }))
    })
  }
})

describe("a client", () => {
  const asking: { readonly [what: string]: readonly [method: string, params: object, required: object] } = {
    "a form": ["elicitation/create", question("?"), { elicitation: { form: {} } }],
    "a page": ["elicitation/create", { mode: "url", message: "?", url: "https://a.b" }, { elicitation: { url: {} } }],
    "a model": ["sampling/createMessage", { messages: [], maxTokens: 1 }, { sampling: {} }],
    "a model with tools": [
      "sampling/createMessage",
      { messages: [], maxTokens: 1, tools: [] },
      { sampling: { tools: {} } }
    ],
    "a model with results of tools": [
      "sampling/createMessage",
      {
        messages: [{ role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [] }] }],
        maxTokens: 1
      },
      { sampling: { tools: {} } }
    ],
    roots: ["roots/list", {}, { roots: {} }]
  }

  const declared: ReadonlyArray<readonly [RoundOptions["capabilities"] & {}, ReadonlyArray<string>]> = [
    [{}, []],
    [{ elicitation: {} }, ["a form"]],
    [{ elicitation: { form: {} } }, ["a form"]],
    [{ elicitation: { url: {} } }, ["a page"]],
    [{ elicitation: { form: {}, url: {} } }, ["a form", "a page"]],
    [{ sampling: {} }, ["a model"]],
    [{ sampling: { tools: {} } }, ["a model", "a model with tools", "a model with results of tools"]],
    [{ sampling: { context: {} }, roots: {} }, ["a model", "roots"]],
    [everything, Object.keys(asking)]
  ]

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
  it.effect("is never asked for what it has not declared, by whatever road", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      for (const [capabilities, can] of declared) {
        for (const [what, [method, params, required]] of Object.entries(asking)) {
          const handler: Handler = (it) => it.ask(method, params as {})
          const byHand: Handler = () => Effect.succeed(new InputRequired({ k: { method, params } as any }, 1))
          for (const road of [handler, byHand]) {
            if (can.includes(what)) {
              yield* asks(inputs, road, { capabilities })
            } else {
              const reason = yield* fails(inputs, road, { capabilities })
              assert.strictEqual(reason._tag, "MissingClientCapability", what)
              assert.deepStrictEqual((reason as McpError.MissingClientCapability).requiredCapabilities, required, what)
            }
          }
        }
      }
    }))

  it.effect("that takes back what it has declared is not asked again", () =>
    Effect.gen(function*() {
      for (const [way, options] of ways) {
        const inputs = yield* engine(options)
        const asked = yield* asks(inputs, asksTwice)
        const less = next(asked, {}, { capabilities: { roots: {} } })
        assert.strictEqual((yield* fails(inputs, asksTwice, less))._tag, "MissingClientCapability", way)
        const answered = next(asked, { [keyOf(asked)]: yes(1) }, { capabilities: { roots: {} } })
        assert.strictEqual((yield* fails(inputs, asksTwice, answered))._tag, "MissingClientCapability", way)
        assert.strictEqual(yield* inputs.running, 0)
      }
    }))

  it.effect("cannot be asked by any other method, or what the revision cannot say", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      for (
        const [method, params] of [
          ["tools/call", { name: "a" }],
          ["ping", {}],
          ["no/such", {}],
          ["sampling/createMessage", { messages: [] }],
          ["elicitation/create", { mode: "form", message: 1, requestedSchema: {} }]
        ] as const
      ) {
        const byHand: Handler = () => Effect.succeed(new InputRequired({ k: { method, params } as any }, 1))
        for (const road of [((it) => it.ask(method, params)) as Handler, byHand]) {
          assert.strictEqual((yield* fails(inputs, road))._tag, "CapabilityNotSupported", method)
        }
      }
    }))
})
