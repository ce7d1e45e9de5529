import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Elicit from "../../src/api/Elicit.ts"
import * as Input from "../../src/api/Input.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { textOf } from "../support/answeringPeer.ts"
import { call, serve } from "../support/askingServer.ts"

class Orders extends Context.Service<Orders, { readonly create: Effect.Effect<Date> }>()("Orders") {}

class SoldOut extends Data.TaggedError("SoldOut")<{ readonly item: string }> {}

const withForms = ["2025-06-18", "2025-11-25", "2026-07-28"] as const

describe("once", () => {
  it.effect("gives what the effect gave, through its Schema, with the effect's own services", () =>
    Effect.forEach(withForms, (revision) =>
      Effect.gen(function*() {
        for (const inputTimeout of [0, 600_000]) {
          let made = 0
          const asking = Effect.gen(function*() {
            const order = Input.once("order", Schema.Date, Effect.flatMap(Orders, (orders) => orders.create))
            const first = yield* order
            yield* Elicit.form("?", { a: Schema.String })
            const again = yield* order
            return `${first.toISOString()} ${again.toISOString()}`
          }).pipe(Effect.provideService(Orders, { create: Effect.sync(() => new Date(made++)) }))
          const peer = yield* serve(asking, {
            revision,
            server: { inputTimeout },
            answer: () => ({ result: { action: "accept", content: { a: "b" } } })
          })
          const epoch = "1970-01-01T00:00:00.000Z"
          assert.strictEqual(textOf(yield* call(peer)), `${epoch} ${epoch}`)
          assert.strictEqual(made, 1)
        }
      })))

  it.effect("fails as the effect fails, and then tries again", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        let tries = 0
        const order = Input.once(
          "order",
          Schema.Int,
          Effect.suspend(() => ++tries < 3 ? Effect.fail(new SoldOut({ item: "tea" })) : Effect.succeed(tries))
        )
        const asking = Effect.gen(function*() {
          const failure = yield* Effect.flip(order).pipe(Effect.orDie)
          const second = yield* Effect.catchTag(order, "SoldOut", ({ item }) => Effect.succeed(item))
          return `${failure._tag} ${second} ${yield* Effect.orDie(order)} ${yield* Effect.orDie(order)}`
        })
        const peer = yield* serve(asking, { revision })
        assert.strictEqual(textOf(yield* call(peer)), "SoldOut tea 3 3")
      })))

  it.effect("of a value that its Schema refuses is a defect that names the key", () =>
    Effect.gen(function*() {
      let defect: unknown
      const asking = Input.once("order", Schema.Int, Effect.succeed(1.5)).pipe(
        Effect.tapDefect((cause) => Effect.sync(() => defect = cause)),
        Effect.as("done")
      )
      const peer = yield* serve(asking, { revision: "2026-07-28" })
      assert.strictEqual(textOf(yield* call(peer)), "error -32603: Internal error")
      assert.match(String(defect), /Input\.once\("order"\): .*integer/)
    }))
})

describe("required and received", () => {
  it.effect("take turns at every revision", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        const asking = Effect.gen(function*() {
          const received = yield* Input.received
          if (received === undefined) {
            return Input.required({ requests: { here: { method: "roots/list" } }, state: { step: 1 } })
          }
          return JSON.stringify(received)
        })
        const peer = yield* serve(asking, { revision, answer: () => ({ result: { roots: [] } }) })
        assert.strictEqual(
          textOf(yield* call(peer)),
          JSON.stringify({ state: { step: 1 }, responses: { here: { roots: [] } } })
        )
      })))
})
