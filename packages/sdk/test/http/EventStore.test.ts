import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as EventStore from "../../src/transport/http/EventStore.ts"

describe("a store in memory", () => {
  const Streams = Schema.Array(Schema.Literals(["1", "2", "3"]))

  it.effect.prop(
    "gives back what came after a place, of that stream and that session alone",
    [Streams, Schema.Int],
    ([streams, place]) =>
      Effect.gen(function*() {
        const store = EventStore.makeMemory()
        const sequences: Record<string, number> = {}
        for (const stream of streams) {
          const sequence = sequences[stream] = (sequences[stream] ?? 0) + 1
          yield* store.append("a", { stream, sequence, data: `${stream}:${sequence}` })
          yield* store.append("b", { stream, sequence, data: "secret" })
        }
        for (const stream of ["1", "2", "3"]) {
          const all = Array.from({ length: sequences[stream] ?? 0 }, (_, index) => `${stream}:${index + 1}`)
          const after = Math.abs(place % 5)
          assert.deepStrictEqual((yield* store.after("a", stream, after)).map(({ data }) => data), all.slice(after))
        }
        assert.deepStrictEqual(yield* store.after("c", "1", 0), [])
        yield* store.drop("a")
        assert.deepStrictEqual(yield* store.after("a", "1", 0), [])
      })
  )

  it.effect("is bounded by events, and by characters but for the latest event", () =>
    Effect.gen(function*() {
      const few = EventStore.makeMemory({ maxStreamEvents: 2 })
      const small = EventStore.makeMemory({ maxStreamCharacters: 10 })
      for (let sequence = 1; sequence <= 5; sequence++) {
        yield* few.append("s", { stream: "1", sequence, data: "x" })
        yield* small.append("s", { stream: "1", sequence, data: "x".repeat(sequence === 5 ? 50 : 4) })
      }
      assert.deepStrictEqual((yield* few.after("s", "1", 0)).map(({ sequence }) => sequence), [4, 5])
      assert.deepStrictEqual((yield* small.after("s", "1", 0)).map(({ sequence }) => sequence), [5])
    }))
})
