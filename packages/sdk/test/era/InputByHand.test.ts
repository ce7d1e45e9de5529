import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { InputRequired } from "../../src/era/Invocation.ts"
import {
  asks,
  elicit,
  ends,
  engine,
  everything,
  fails,
  type Handler,
  keyOf,
  next,
  question,
  ways,
  yes
} from "./support/rounds.ts"

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#core-types
describe("asking by hand", () => {
  const requests = { a: { method: "roots/list" }, b: { method: "elicitation/create", params: question("b") } } as any

  it.effect("gives the handler what it remembered and what came back, as far as it was asked for", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const handler: Handler = (it) =>
        Effect.succeed(it.received === undefined ? new InputRequired(requests, { step: 1 }) : { received: it.received })
      const asked = yield* asks(inputs, handler)
      assert.deepStrictEqual(Object.keys(asked.inputRequests!), ["a", "b"])
      assert.strictEqual(yield* inputs.running, 0)
      const answers = { a: { roots: [] }, b: yes(1), c: 1 }
      const { a, b } = answers
      assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, answers)), {
        received: { state: { step: 1 }, responses: { a, b } }
      })
      assert.deepStrictEqual(yield* ends(inputs, handler, next(asked)), {
        received: { state: { step: 1 }, responses: {} }
      })
      assert.strictEqual((yield* fails(inputs, handler, next(asked, { a: { roots: 1 } })))._tag, "InvalidParams")
    }))

  it.effect("may ask for nothing, even of a client that can be asked nothing", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      let effects = 0
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          yield* it.once("effect", Effect.sync(() => ++effects))
          const state = (it.received?.state ?? 0) as number
          return state < 3 ? new InputRequired({}, state + 1) : { state }
        })
      for (const capabilities of [{}, everything]) {
        effects = 0
        let asked = yield* asks(inputs, handler, { capabilities })
        for (let n = 0; n < 2; n++) {
          assert.isUndefined(asked.inputRequests)
          asked = yield* asks(inputs, handler, next(asked, undefined, { capabilities }))
        }
        assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, undefined, { capabilities })), { state: 3 })
        assert.strictEqual(effects, 1)
      }
    }))

  it.effect("goes with asking", () =>
    Effect.gen(function*() {
      for (const [, options] of ways) {
        const inputs = yield* engine(options)
        const handler: Handler = (it) =>
          Effect.gen(function*() {
            const first = yield* elicit(it, "first")
            if (it.received === undefined) return new InputRequired(requests, { first })
            const last = yield* elicit(it, "last")
            return { first, last, received: it.received }
          })
        const one = yield* asks(inputs, handler)
        const two = yield* asks(inputs, handler, next(one, { [keyOf(one)]: yes(1) }))
        assert.deepStrictEqual(Object.keys(two.inputRequests!), ["a", "b"])
        const three = yield* asks(inputs, handler, next(two, { a: { roots: [] }, b: yes(2) }))
        assert.strictEqual(three.inputRequests![keyOf(three)]!.params.message, "last")
        assert.deepStrictEqual(yield* ends(inputs, handler, next(three, { [keyOf(three)]: yes(3) })), {
          first: 1,
          last: 3,
          received: { state: { first: 1 }, responses: { a: { roots: [] }, b: yes(2) } }
        })
      }
    }))

  it.effect("ends after so many rounds", () =>
    Effect.gen(function*() {
      const inputs = yield* engine({ maxRounds: 2 })
      const handler: Handler = () => Effect.succeed(new InputRequired(requests, undefined))
      const one = yield* asks(inputs, handler)
      const two = yield* asks(inputs, handler, next(one))
      assert.match((yield* fails(inputs, handler, next(two))).message, /asked for input 2 times/)
    }))

  it.effect("gives answers as their method has them, where a client is newer than this server too", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const params = { messages: [], maxTokens: 1 }
      const handler: Handler = (it) =>
        Effect.succeed(
          it.received === undefined
            ? new InputRequired({ a: { method: "sampling/createMessage", params } }, undefined)
            : { content: (it.received.responses["a"] as any).content }
        )
      const asked = yield* asks(inputs, handler)
      const block = { type: "video", url: "https://a.example" }
      const answer = { role: "assistant", model: "m", content: block }
      assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, { a: answer })), {
        content: { type: "unknown", block }
      })
    }))
})
