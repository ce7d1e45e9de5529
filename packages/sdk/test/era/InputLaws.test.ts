import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { answer, handler, Program, type Runs } from "./support/programs.ts"
import { asks, converse, engine, type Manner, question, type Transcript } from "./support/rounds.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))

const questions = ({ rounds }: Transcript, manner: Manner) =>
  // One by one, the others are asked again and again.
  manner === "one by one" ? [...new Set(rounds.flat())].sort() : rounds.flat().sort()

/** How many rounds the requests of a law have taken. */
const lengths: Array<number> = []

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
describe("a handler that is kept and one that is run again", () => {
  it.effect.prop(
    "give the same result and ask the same questions, on one instance or on several, however the client answers",
    { program: Program, seed: Seed, manner: Schema.Literals(["at once", "one by one", "out of order"]) },
    ({ manner, program, seed }) =>
      Effect.scoped(Effect.gen(function*() {
        const many = { maxRounds: 1000 }
        const converseOn = (engines: Parameters<typeof converse>[0], between?: Effect.Effect<void>) =>
          converse(engines, handler(program), answer(seed), { manner, ...(between === undefined ? {} : { between }) })
        const keeping = yield* engine(many)
        const expected = yield* converseOn([keeping])
        assert.strictEqual(yield* keeping.running, 0)
        lengths.push(expected.rounds.length)

        const never = yield* converseOn([yield* engine({ ...many, inputTimeout: Duration.zero })])

        const small = yield* engine({ ...many, maxKept: 1 })
        const evict = asks(small, (it) => Effect.as(it.ask("elicitation/create", question("another request")), {}))
        const evicted = yield* converseOn([small], Effect.orDie(Effect.asVoid(evict)))

        const several = yield* converseOn([yield* engine(many), yield* engine(many), yield* engine(many)])

        for (const other of [never, evicted, several]) {
          assert.deepStrictEqual(other.exit, expected.exit)
          assert.deepStrictEqual(questions(other, manner), questions(expected, manner))
        }
      })),
    { timeout: 120_000, arbitrary: { runs: 200 } }
  )

  it("was much", () => {
    assert.isAbove(lengths.filter((rounds) => rounds > 2).length, 30)
  })

  it.effect.prop(
    "run what is to be run once once, however the rounds go",
    { program: Program, seed: Seed, inputTimeout: Schema.Literals([0, 600]) },
    ({ inputTimeout, program, seed }) =>
      Effect.scoped(Effect.gen(function*() {
        const runs: Runs = new Map()
        const engines = [yield* engine({ inputTimeout: Duration.seconds(inputTimeout) })]
        yield* converse(engines, handler(program, runs), answer(seed))
        for (const [path, count] of runs) {
          // One that asks is not at its end when it asks, so a replay has to go through it again.
          if (!asksWithin(program, path)) assert.strictEqual(count, 1, path)
        }
      })),
    { arbitrary: { runs: 200 } }
  )
})

/** Whether the `once` at a path asks, or fails, within. */
const asksWithin = (program: Program, path: string): boolean => {
  let at: any = program
  for (const step of path.split("/").slice(1)) {
    at = step === "once" || step === "attempt" ? at.of : /^\d+$/.test(step) ? at.of[Number(step)] : at[step]
  }
  return /"_":"(?:ask|named|roots|fail)"/.test(JSON.stringify(at))
}
