import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import {
  asks,
  asksOnce,
  asksTwice,
  elicit,
  ends,
  engine,
  fails,
  type Handler,
  keyOf,
  next,
  noKeeping,
  question,
  round,
  type RoundOptions,
  yes
} from "./support/rounds.ts"

describe("a state", () => {
  const bound = [
    ["principal", { subject: "ada" }, { subject: "eve" }],
    ["absent principal", { subject: "ada" }, {}],
    ["method", {}, { method: "prompts/get" }],
    ["name", { params: { name: "a" } }, { params: { name: "b" } }],
    ["uri", { params: { uri: "file:///a" } }, { params: { uri: "file:///b" } }],
    ["arguments", { params: { name: "a", arguments: { x: 1 } } }, { params: { name: "a", arguments: { x: 2 } } }],
    ["an argument more", { params: { name: "a", arguments: {} } }, { params: { name: "a", arguments: { x: 1 } } }],
    [
      "an argument that is a list of pairs",
      { params: { name: "a", arguments: { x: { a: 1 } } } },
      { params: { name: "a", arguments: { x: [["a", 1]] } } }
    ]
  ] as const

  for (const [what, mine, other] of bound) {
    it.effect(`is good for its ${what} only`, () =>
      Effect.gen(function*() {
        const inputs = yield* engine()
        const asked = yield* asks(inputs, asksOnce, mine)
        const answers = { [keyOf(asked)]: yes(1) }
        const reason = yield* fails(inputs, asksOnce, next(asked, answers, other))
        assert.strictEqual(reason._tag, "InvalidParams")
        // The handler was not disturbed.
        assert.strictEqual(yield* inputs.kept, 1)
        assert.deepStrictEqual(yield* ends(inputs, asksOnce, next(asked, answers, mine)), { n: 1 })
      }))
  }

  it.effect.prop(
    "is good for the same arguments in any order of members, and for no other",
    { one: Schema.Record(Schema.String, Schema.Json), other: Schema.Record(Schema.String, Schema.Json) },
    ({ one, other }) =>
      Effect.scoped(Effect.gen(function*() {
        const inputs = yield* engine()
        const args = (args: unknown): RoundOptions => ({ params: { name: "a", arguments: args } })
        const asked = yield* asks(inputs, asksOnce, args(one))
        const answers = { [keyOf(asked)]: yes(1) }
        const turned = Object.fromEntries(Object.entries(one).toReversed())
        if (JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other))) {
          yield* fails(inputs, asksOnce, next(asked, answers, args(other)))
        }
        yield* ends(inputs, asksOnce, next(asked, answers, args(turned)))
      }))
  )

  it.effect("lapses with the handler that is kept for it", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      const asked = yield* asks(inputs, asksOnce)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* inputs.kept, 0)
      assert.strictEqual(
        (yield* fails(inputs, asksOnce, next(asked, { [keyOf(asked)]: yes(1) })))._tag,
        "InvalidParams"
      )
    }))

  it.effect("lapses after ten minutes where no handlers are kept", () =>
    Effect.gen(function*() {
      const inputs = yield* engine(noKeeping)
      const asked = yield* asks(inputs, asksOnce)
      yield* TestClock.adjust("599 seconds")
      yield* ends(inputs, asksOnce, next(asked, { [keyOf(asked)]: yes(1) }))
      yield* TestClock.adjust("1 second")
      yield* fails(inputs, asksOnce, next(asked, { [keyOf(asked)]: yes(1) }))
    }))

  it.effect("of one instance never wakes a handler of another", () =>
    Effect.gen(function*() {
      const [here, there] = [yield* engine(), yield* engine()]
      const mine: Handler = (it) => Effect.map(elicit(it, "How many?"), (n) => ({ mine: n }))
      const theirs: Handler = (it) => Effect.map(elicit(it, "How many?"), (n) => ({ theirs: n }))
      const asked = yield* asks(here, mine)
      // It waits there under what would be the same number, for another caller.
      yield* asks(there, theirs, { subject: "somebody else" })
      assert.deepStrictEqual(yield* ends(there, mine, next(asked, { [keyOf(asked)]: yes(1) })), { mine: 1 })
      assert.strictEqual(yield* there.kept, 1)
    }))

  it.effect("of a handler that has changed since is asked anew where the old answer does not fit", () =>
    Effect.gen(function*() {
      const inputs = yield* engine(noKeeping)
      const version = (unit: number): Handler => (it) =>
        Effect.gen(function*() {
          const one = yield* it.ask("elicitation/create", question("one"), {
            key: "one",
            check: (answer) => (answer["content"] as any).n >= unit ? undefined : "too small"
          })
          return { one: (one["content"] as any).n, two: yield* elicit(it, "two", { key: "two" }) }
        })
      const one = yield* asks(inputs, version(0))
      const two = yield* asks(inputs, version(0), next(one, { one: yes(5) }))
      const three = yield* asks(inputs, version(100), next(two, { two: yes(2) }))
      assert.deepStrictEqual(Object.keys(three.inputRequests!), ["one"])
      assert.deepStrictEqual(yield* ends(inputs, version(100), next(three, { one: yes(100) })), { one: 100, two: 2 })
    }))

  it.effect("of arguments that are nested beyond measure is an error, not a defect", () =>
    Effect.gen(function*() {
      const inputs = yield* engine()
      let deep: unknown = 1
      for (let n = 0; n < 100_000; n++) deep = [deep]
      const params = { name: "a", arguments: { deep } }
      assert.match((yield* fails(inputs, asksOnce, { params })).message, /nested too deeply/)
      const asked = yield* asks(inputs, asksOnce)
      yield* fails(inputs, asksOnce, next(asked, {}, { params }))
      const answer = { [keyOf(asked)]: { ...yes(1), _meta: { deep } } }
      const one = yield* asks(inputs, asksTwice)
      const retry = round(next(one, { [keyOf(one)]: answer[keyOf(asked)] }))
      assert.isFalse(Exit.hasDies(yield* Effect.exit(inputs.run(retry, asksTwice))))
    }))
})

const sorted = (u: unknown): unknown =>
  Array.isArray(u)
    ? u.map(sorted)
    : typeof u === "object" && u !== null
    ? Object.entries(u).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => ["entry", key, sorted(value)])
    : u
