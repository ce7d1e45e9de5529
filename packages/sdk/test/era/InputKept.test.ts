import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import type { Invocation } from "../../src/era/Invocation.ts"
import {
  asks,
  asksOnce,
  elicit,
  ends,
  engine,
  fails,
  finalizers,
  type Handler,
  keyOf,
  next,
  noKeeping,
  question,
  round,
  type Sent,
  yes
} from "./support/rounds.ts"

describe("kept handlers", () => {
  /** A handler that asks, and counts how often it begins and cleans up. */
  const counting = () => {
    const counts = { begun: 0, released: 0 }
    const handler: Handler = (it) =>
      Effect.scoped(Effect.gen(function*() {
        yield* Effect.acquireRelease(Effect.sync(() => counts.begun++), () => Effect.sync(() => counts.released++))
        return { n: yield* elicit(it, "n") }
      }))
    return { counts, handler }
  }

  it.effect("run once; their finalizers run when they end, and no timer is left", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const inputs = yield* Effect.provideService(engine(), Scope.Scope, scope)
      const before = finalizers(scope)
      const { counts, handler } = counting()
      const asked = yield* asks(inputs, handler)
      assert.deepStrictEqual(counts, { begun: 1, released: 0 })
      assert.strictEqual(yield* inputs.kept, 1)
      yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) }))
      assert.deepStrictEqual(counts, { begun: 1, released: 1 })
      assert.strictEqual(yield* inputs.kept, 0)
      yield* Effect.yieldNow
      assert.strictEqual(finalizers(scope), before)
      yield* Scope.close(scope, Exit.void)
    }))

  it.effect("are given up, oldest first, where there are too many in all", () =>
    Effect.gen(function*() {
      const inputs = yield* engine({ maxKept: 2 })
      const all = [counting(), counting(), counting()]
      for (const { handler } of all) yield* asks(inputs, handler)
      assert.deepStrictEqual(all.map(({ counts }) => counts.released), [1, 0, 0])
      assert.strictEqual(yield* inputs.kept, 2)
      assert.strictEqual(yield* inputs.running, 2)
    }))

  it.effect("do not become younger by bad answers", () =>
    Effect.gen(function*() {
      const inputs = yield* engine({ maxKept: 2 })
      const picky: Handler = (it) => it.ask("elicitation/create", question("?"), { check: () => "not good enough" })
      const asked = yield* asks(inputs, picky)
      yield* TestClock.adjust("1 second")
      const young = counting()
      yield* asks(inputs, young.handler)
      yield* fails(inputs, picky, next(asked, { [keyOf(asked)]: yes(1) }))
      yield* asks(inputs, asksOnce)
      assert.strictEqual(young.counts.released, 0)
    }))

  it.effect("are given up, oldest first, where one principal has too many; others keep theirs", () =>
    Effect.gen(function*() {
      const inputs = yield* engine({ maxKeptPerPrincipal: 2 })
      const of = (subject?: string) => ({ ...counting(), subject })
      const all = [of("eve"), of("ada"), of(), of("eve"), of(), of(), of("eve"), of("ada")]
      for (const { handler, subject } of all) yield* asks(inputs, handler, { subject })
      assert.deepStrictEqual(all.map(({ counts }) => counts.released), [1, 0, 0, 0, 0, 0, 0, 0])
    }))

  it.effect("are none where none may be", () =>
    Effect.gen(function*() {
      for (const options of [{ maxKept: 0 }, { maxKeptPerPrincipal: 0 }, noKeeping]) {
        const inputs = yield* engine(options)
        const { counts, handler } = counting()
        const asked = yield* asks(inputs, handler)
        assert.strictEqual(yield* inputs.running, 0)
        yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) }))
        assert.deepStrictEqual(counts, { begun: 2, released: 2 })
      }
    }))

  it.effect("do not hold up the round that makes them give way", () =>
    Effect.gen(function*() {
      const inputs = yield* engine({ maxKept: 1 })
      const slow = yield* Deferred.make<void>()
      const handler: Handler = (it) => Effect.ensuring(asksOnce(it), Deferred.await(slow))
      yield* asks(inputs, handler)
      yield* asks(inputs, asksOnce)
      assert.strictEqual(yield* inputs.running, 2)
      yield* Deferred.succeed(slow, undefined)
      yield* Effect.yieldNow
      assert.strictEqual(yield* inputs.running, 1)
    }))

  it.effect("are given up when their time is over, which bad answers do not put off", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      let released = 0
      const handler: Handler = (it) =>
        Effect.onExit(
          it.ask("elicitation/create", question("?"), { check: () => "never good enough" }),
          () => Effect.sync(() => released++)
        )
      const asked = yield* asks(inputs, handler)
      for (let minute = 0; minute < 9; minute++) {
        yield* TestClock.adjust("1 minute")
        for (const bad of ["no answer", yes(1)]) yield* fails(inputs, handler, next(asked, { [keyOf(asked)]: bad }))
      }
      assert.strictEqual(yield* inputs.kept, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(released, 1)
      assert.strictEqual(yield* inputs.kept, 0)
      assert.strictEqual(yield* inputs.running, 0)
    }))

  it.effect("are given up when a later round is cancelled; the state is good for another try", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const counts = { begun: 0, released: 0 }
      let awake = yield* Deferred.make<void>()
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          counts.begun++
          const n = yield* elicit(it, "n")
          yield* Deferred.succeed(awake, undefined)
          yield* Effect.sleep("1 second")
          return { n }
        }).pipe(Effect.ensuring(Effect.sync(() => counts.released++)))
      const asked = yield* asks(inputs, handler)
      const retry = round(next(asked, { [keyOf(asked)]: yes(1) }))
      const fiber = yield* Effect.forkChild(inputs.run(retry, handler), { startImmediately: true })
      yield* Deferred.await(awake)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(counts, { begun: 1, released: 1 })
      assert.strictEqual(yield* inputs.running, 0)
      awake = yield* Deferred.make<void>()
      const again = yield* Effect.forkChild(inputs.run(retry, handler), { startImmediately: true })
      yield* Deferred.await(awake)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(again), { n: 1 })
      assert.deepStrictEqual(counts, { begun: 2, released: 2 })
    }))

  it.effect("and those at work are interrupted when the server closes, which waits for them", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const inputs = yield* Effect.provideService(engine(), Scope.Scope, scope)
      const { counts, handler } = counting()
      yield* asks(inputs, handler)
      yield* asks(inputs, handler)
      const never: Handler = () => Effect.never
      const fiber = yield* Effect.forkChild(Effect.exit(inputs.run(round(), never)), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(counts, { begun: 2, released: 2 })
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.join(fiber)))
      assert.strictEqual(yield* inputs.running, 0)
      // A round that comes after the end keeps nothing.
      yield* asks(inputs, handler)
      assert.deepStrictEqual(counts, { begun: 3, released: 3 })
    }))

  it.effect("end between rounds too; the retry gets their result", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const handler: Handler = (it) =>
        Effect.map(Effect.raceFirst(elicit(it, "n"), Effect.as(Effect.sleep("1 second"), "nobody")), (n) => ({ n }))
      const asked = yield* asks(inputs, handler)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) })), { n: "nobody" })
    }))

  it.effect("answer one of two retries with one state; the other one runs the handler again", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const { counts, handler } = counting()
      const asked = yield* asks(inputs, handler)
      const retry = ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) }))
      assert.deepStrictEqual(yield* Effect.all([retry, retry], { concurrency: 2 }), [{ n: 1 }, { n: 1 }])
      assert.deepStrictEqual(counts, { begun: 2, released: 2 })
      // A retry after the end is a replay, too.
      assert.deepStrictEqual(yield* retry, { n: 1 })
      assert.deepStrictEqual(counts, { begun: 3, released: 3 })
      assert.strictEqual(yield* inputs.running, 0)
    }))

  it.effect("that cannot be interrupted where they ask are ended by their question", () =>
    Effect.gen(function*() {
      for (const options of [{}, noKeeping]) {
        const scope = yield* Scope.make()
        const inputs = yield* Effect.provideService(engine(options), Scope.Scope, scope)
        let released = 0
        const handler: Handler = (it) =>
          Effect.scoped(Effect.gen(function*() {
            yield* Effect.acquireRelease(Effect.void, () => Effect.sync(() => released++))
            return { n: yield* Effect.acquireRelease(elicit(it, "n"), () => Effect.void) }
          }))
        const asked = yield* asks(inputs, handler)
        assert.deepStrictEqual(yield* ends(inputs, handler, next(asked, { [keyOf(asked)]: yes(1) })), { n: 1 })
        released = 0
        yield* asks(inputs, handler)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(released, 1)
      }
    }))

  it.effect("leave no question behind: whoever asks on after the end is refused", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const late = yield* Deferred.make<string>()
      const waiting = yield* Deferred.make<string>()
      const tell = (to: Deferred.Deferred<string>, ask: Effect.Effect<unknown, any>) =>
        Effect.forkDetach(
          Effect.andThen(
            Effect.match(ask, { onFailure: ({ reason }) => `${reason._tag}`, onSuccess: () => "answered" }),
            (outcome) => Deferred.succeed(to, outcome)
          ),
          { startImmediately: true }
        )
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          yield* tell(waiting, elicit(it, "by the way"))
          yield* tell(late, Effect.andThen(Effect.sleep("1 second"), elicit(it, "later")))
          return {}
        })
      yield* ends(inputs, handler)
      assert.strictEqual(yield* Deferred.await(waiting), "Cancelled")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Deferred.await(late), "Cancelled")
    }))
})

describe("what a handler sends", () => {
  const progress = (it: Invocation["Service"], progress: number) =>
    it.progressToken === undefined
      ? Effect.void
      : it.notify("notifications/progress", { progressToken: it.progressToken, progress })

  it.effect("goes to the stream of the round it is sent in, with its token, and nowhere between rounds", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      for (const seen of [(it: Invocation["Service"]) => it, (it: Invocation["Service"]) => ({ ...it })]) {
        const handler: Handler = (invocation) =>
          Effect.gen(function*() {
            // Middleware copies the invocation.
            const it = seen(invocation)
            yield* progress(it, 1)
            yield* Effect.forkChild(Effect.andThen(Effect.sleep("1 second"), progress(it, 2)))
            yield* elicit(it, "n")
            yield* progress(it, 3)
            yield* elicit(it, "m")
            yield* progress(it, 4)
            return {}
          })
        const streams: [Array<Sent>, Array<Sent>, Array<Sent>] = [[], [], []]
        const one = yield* asks(inputs, handler, { stream: streams[0], progressToken: "one" })
        yield* TestClock.adjust("1 second")
        const two = yield* asks(
          inputs,
          handler,
          next(one, { [keyOf(one)]: yes(1) }, { stream: streams[1], progressToken: "two" })
        )
        // The last round does not want to know.
        yield* ends(inputs, handler, next(two, { [keyOf(two)]: yes(1) }, { stream: streams[2] }))
        assert.deepStrictEqual(streams.map((stream) => stream.map(({ params }) => params)), [
          [{ progressToken: "one", progress: 1 }],
          [{ progressToken: "two", progress: 3 }],
          []
        ])
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
  it.effect("is logged where the round asks for it, from the level that it asks for on", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const log = (it: Invocation["Service"], data: string) =>
        Effect.forEach(["info", "error"], (level) => it.notify("notifications/message", { level, data }))
      const handler: Handler = (it) =>
        Effect.gen(function*() {
          yield* log(it, "one")
          yield* elicit(it, "n")
          yield* log(it, "two")
          yield* elicit(it, "m")
          yield* log(it, "three")
          return {}
        })
      const stream: Array<Sent> = []
      const one = yield* asks(inputs, handler, { stream, logLevel: "debug" })
      const two = yield* asks(inputs, handler, next(one, { [keyOf(one)]: yes(1) }, { stream, logLevel: "warning" }))
      yield* ends(inputs, handler, next(two, { [keyOf(two)]: yes(1) }, { stream }))
      assert.deepStrictEqual(stream.map(({ params }) => `${params["data"]} ${params["level"]}`), [
        "one info",
        "one error",
        "two error"
      ])
    }))
})
