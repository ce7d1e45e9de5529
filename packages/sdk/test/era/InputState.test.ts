import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as InputState from "../../src/era/InputState.ts"

const state = (more?: Partial<InputState.State>): InputState.State => ({
  round: 1,
  expires: 60_000,
  kept: undefined,
  asked: {},
  byHand: false,
  answers: {},
  once: {},
  received: undefined,
  ...more
})

const Memory = Schema.Record(Schema.String, Schema.Json)
const Position = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const refusal = (opened: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(opened)) return "it was accepted"
  const error = opened.cause.reasons[0]
  return error?._tag === "Fail" ? (error.error as { reason: { _tag: string } }).reason._tag : "it died"
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
describe("a sealed state", () => {
  it.effect.prop(
    "comes out as it went in",
    { memory: Memory, binding: Schema.String },
    ({ binding, memory }) =>
      Effect.gen(function*() {
        const sealer = yield* InputState.make([])
        const once = { "__proto__x": { value: memory, asked: ["a"] } }
        const sealed = state({ answers: memory, once, received: { state: memory, responses: memory } })
        const opened = yield* Effect.flatMap(sealer.seal(sealed, binding), (text) => sealer.open(text, binding))
        assert.deepStrictEqual(asJson(opened), asJson(sealed))
      })
  )

  it.effect.prop(
    "is refused when a bit of it is flipped, wherever",
    { memory: Memory, at: Position, bit: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 })) },
    ({ at, bit, memory }) =>
      Effect.gen(function*() {
        const sealer = yield* InputState.make([])
        const bytes = Result.getOrThrow(Base64Url.decode(yield* sealer.seal(state({ answers: memory }), "b")))
        bytes[Math.min(bytes.length - 1, Math.floor(at * bytes.length))]! ^= 1 << bit
        assert.strictEqual(refusal(yield* Effect.exit(sealer.open(Base64Url.encode(bytes), "b"))), "InvalidParams")
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect.prop(
    "is refused when its text is changed: a character, cut short, made longer, two ends exchanged",
    { memory: Memory, at: Position, character: Schema.String, how: Schema.Literals(["set", "cut", "add", "swap"]) },
    ({ at, character, how, memory }) =>
      Effect.gen(function*() {
        const sealer = yield* InputState.make([])
        const text = yield* sealer.seal(state({ answers: memory }), "b")
        const index = Math.min(text.length - 1, Math.floor(at * text.length))
        const changed = how === "set"
          ? `${text.slice(0, index)}${character}${text.slice(index + 1)}`
          : how === "cut"
          ? text.slice(0, index)
          : how === "add"
          ? `${text.slice(0, index)}${character || "A"}${text.slice(index)}`
          : `${text.slice(index)}${text.slice(0, index)}`
        if (changed === text) return
        assert.strictEqual(refusal(yield* Effect.exit(sealer.open(changed, "b"))), "InvalidParams")
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect("has one text: bits that the encoding ignores are not", () =>
    Effect.gen(function*() {
      const sealer = yield* InputState.make([])
      for (const pad of ["", "a", "ab"]) {
        const text = yield* sealer.seal(state({ received: { state: pad, responses: {} } }), "b")
        const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split("")
        for (const character of [...last, "=", "==", "\n", " "]) {
          for (const changed of [`${text.slice(0, -1)}${character}`, `${text}${character}`]) {
            if (changed === text) continue
            assert.strictEqual(refusal(yield* Effect.exit(sealer.open(changed, "b"))), "InvalidParams", character)
          }
        }
      }
    }))

  it.effect.prop(
    "is good for its own binding only",
    [Schema.String, Schema.String],
    ([one, other]) =>
      Effect.gen(function*() {
        const sealer = yield* InputState.make([])
        const text = yield* sealer.seal(state(), JSON.stringify(one))
        assert.strictEqual(
          refusal(yield* Effect.exit(sealer.open(text, JSON.stringify(other)))),
          one === other ? "it was accepted" : "InvalidParams"
        )
      })
  )

  it.effect("lapses", () =>
    Effect.gen(function*() {
      const sealer = yield* InputState.make([])
      const text = yield* sealer.seal(state({ expires: 60_000 }), "b")
      yield* TestClock.setTime(59_999)
      assert.strictEqual(refusal(yield* Effect.exit(sealer.open(text, "b"))), "it was accepted")
      yield* TestClock.setTime(60_000)
      assert.strictEqual(refusal(yield* Effect.exit(sealer.open(text, "b"))), "InvalidParams")
    }))

  it.effect("says nothing of what is in it, and never the same twice", () =>
    Effect.gen(function*() {
      const sealer = yield* InputState.make([])
      const secret = state({ received: { state: "the secret", responses: {} } })
      const [one, two] = [yield* sealer.seal(secret, "b"), yield* sealer.seal(secret, "b")]
      assert.notStrictEqual(one, two)
      const bytes = new TextDecoder("latin1").decode(Result.getOrThrow(Base64Url.decode(one)))
      assert.notInclude(bytes, "secret")
      assert.notInclude(bytes, "round")
    }))

  it.effect("is refused unread where it is too long, and never made so long", () =>
    Effect.gen(function*() {
      const sealer = yield* InputState.make([])
      assert.strictEqual(
        refusal(yield* Effect.exit(sealer.open("A".repeat(InputState.maxLength + 1), "b"))),
        "InvalidParams"
      )
      const large = state({ received: { state: "x".repeat(InputState.maxLength), responses: {} } })
      assert.strictEqual(refusal(yield* Effect.exit(sealer.seal(large, "b"))), "InternalError")
    }))

  it.effect("of texts that are none is refused, short ones too", () =>
    Effect.gen(function*() {
      const sealer = yield* InputState.make([])
      for (const text of ["", "A", "AA", "AAAA", "A".repeat(16), "A".repeat(38), "ä", "\0", "null", "{}"]) {
        assert.strictEqual(refusal(yield* Effect.exit(sealer.open(text, "b"))), "InvalidParams", JSON.stringify(text))
      }
    }))
})

describe("keys", () => {
  const old = Redacted.make("the old secret of this server")
  const young = Redacted.make(new TextEncoder().encode("the young secret of this server"))

  it.effect("of one text or of the same bytes agree; several instances share states", () =>
    Effect.gen(function*() {
      const one = yield* InputState.make([old])
      const two = yield* InputState.make([Redacted.make(new TextEncoder().encode(Redacted.value(old)))])
      assert.strictEqual((yield* two.open(yield* one.seal(state({ round: 7 }), "b"), "b")).round, 7)
    }))

  it.effect("rotate: the first seals, all open", () =>
    Effect.gen(function*() {
      const before = yield* InputState.make([old])
      const during = yield* InputState.make([young, old])
      const after = yield* InputState.make([young])
      const fromBefore = yield* before.seal(state(), "b")
      const fromDuring = yield* during.seal(state(), "b")
      yield* during.open(fromBefore, "b")
      yield* during.open(fromDuring, "b")
      yield* after.open(fromDuring, "b")
      assert.strictEqual(refusal(yield* Effect.exit(after.open(fromBefore, "b"))), "InvalidParams")
      assert.strictEqual(refusal(yield* Effect.exit(before.open(fromDuring, "b"))), "InvalidParams")
    }))

  it.effect("are random where none is given", () =>
    Effect.gen(function*() {
      const [one, two] = [yield* InputState.make([]), yield* InputState.make([])]
      assert.strictEqual(refusal(yield* Effect.exit(two.open(yield* one.seal(state(), "b"), "b"))), "InvalidParams")
    }))

  it.effect("that can be guessed are a defect at the start, not at the first question", () =>
    Effect.gen(function*() {
      for (const key of [Redacted.make("too short"), Redacted.make(new Uint8Array(15))]) {
        const made = yield* Effect.exit(InputState.make([old, key]))
        assert.isTrue(Exit.hasDies(made))
      }
    }))
})
