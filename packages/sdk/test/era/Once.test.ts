import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as McpError from "../../src/protocol/McpError.ts"
import {
  asks,
  elicit,
  ends,
  engine,
  type Handler,
  keyOf,
  next,
  noKeeping,
  rest,
  round,
  ways,
  yes
} from "./support/rounds.ts"

const no = (n: number) => McpError.make(new McpError.InternalError({ detail: `${n}` }))

describe("what is run once", () => {
  it.effect("is run once when the handler is kept, when it is run again, and by two at once", () =>
    Effect.gen(function*() {
      for (const [, options] of ways) {
        const inputs = yield* engine(options)
        const counts = { plain: 0, once: 0, twice: 0 }
        const handler: Handler = (it) =>
          Effect.gen(function*() {
            counts.plain++
            yield* it.once("once", Effect.sync(() => ++counts.once))
            const n = yield* elicit(it, "n")
            const slow = Effect.andThen(Effect.yieldNow, Effect.sync(() => ++counts.twice))
            const both = yield* Effect.all([it.once("twice", slow), it.once("twice", slow)], { concurrency: 2 })
            yield* elicit(it, "m")
            return { n, both }
          })
        const one = yield* asks(inputs, handler)
        const two = yield* asks(inputs, handler, next(one, { [keyOf(one)]: yes(1) }))
        assert.deepStrictEqual(yield* ends(inputs, handler, next(two, { [keyOf(two)]: yes(1) })), {
          n: 1,
          both: [1, 1]
        })
        assert.deepStrictEqual(counts, { plain: options === noKeeping ? 3 : 1, once: 1, twice: 1 })
      }
    }))

  it.effect("is not remembered where it fails, and let run to its end where its handler is not kept", () =>
    Effect.gen(function*() {
      const inputs = yield* engine(noKeeping)
      const counts = { failing: 0, slow: 0 }
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          const failing = it.once("failing", Effect.sync(() => ++counts.failing)).pipe(
            Effect.flatMap(() => it.once("no", Effect.suspend(() => Effect.fail(no(++counts.failing)))))
          )
          yield* Effect.ignore(failing)
          const slow = it.once("slow", Effect.andThen(Effect.sleep("5 seconds"), Effect.sync(() => ++counts.slow)))
          const [n] = yield* Effect.all([elicit(it, "n"), slow], { concurrency: 2 })
          return { n }
        })
      const fiber = yield* Effect.forkChild(asks(inputs, handler), { startImmediately: true })
      yield* rest
      yield* TestClock.adjust("5 seconds")
      const asked = yield* Fiber.join(fiber)
      yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) }))
      assert.deepStrictEqual(counts, { failing: 3, slow: 1 })
    }))

  it.effect("holds up a question for some seconds only", () =>
    Effect.gen(function*() {
      const inputs = yield* engine(noKeeping)
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          const answered = yield* Deferred.make<void>()
          // It waits for an answer that only comes with the next round.
          const waits = it.once("waits", Deferred.await(answered))
          const [n] = yield* Effect.all([Effect.tap(elicit(it, "n"), Deferred.succeed(answered, undefined)), waits], {
            concurrency: 2
          })
          return { n }
        })
      const fiber = yield* Effect.forkChild(asks(inputs, handler), { startImmediately: true })
      yield* rest
      yield* TestClock.adjust("10 seconds")
      const asked = yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) })), { n: 1 })
    }))

  it.effect("may ask, and its question is spent with it", () =>
    Effect.gen(function*() {
      for (const [, options] of ways) {
        const inputs = yield* engine(options)
        const handler: Handler = (it) =>
          Effect.gen(function*() {
            const asked = yield* it.once("asked", elicit(it, "n", { key: "n" }))
            return { asked, again: yield* elicit(it, "n", { key: "n" }) }
          })
        const one = yield* asks(inputs, handler)
        const two = yield* asks(inputs, handler, next(one, { n: yes(1) }))
        const key = keyOf(two)
        assert.deepStrictEqual(yield* ends(inputs, handler, next(two, { [key]: yes(2) })), { asked: 1, again: 2 })
      }
    }))

  it.effect("cannot wait for itself", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const handler: Handler = (it) => Effect.as(it.once("a", it.once("b", it.once("a", Effect.void))), {})
      assert.isTrue(Exit.hasDies(yield* Effect.exit(inputs.run(round(), handler))))
    }))
})
