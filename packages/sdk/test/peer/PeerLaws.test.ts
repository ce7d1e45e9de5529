import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type { Params, RequestId } from "../../src/protocol/JsonRpc.ts"
import { byHand, ok, pairs, progressed, request, settle, start, until } from "./support/peers.ts"

const sides = ["left", "right"] as const

/** Calls of both sides, and the order in which they are answered. */
const Calls = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    side: Schema.Literals(sides),
    rank: Schema.Int,
    fails: Schema.Boolean,
    payload: Schema.Json
  })).check(Schema.isBetweenLength(1, 12))
)

/** Ids of every kind that a peer may choose. */
const Ids = Arbitrary.schema(
  Schema.UniqueArray(Schema.Union([
    Schema.Literals([
      0,
      "",
      -1,
      "0",
      "-1",
      "00",
      "1",
      1,
      "1e3",
      1000,
      " 1",
      "null",
      "true",
      "__proto__",
      "constructor"
    ]),
    Schema.Int,
    Schema.String
  ])).check(Schema.isBetweenLength(1, 12))
)

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

describe("peers", () => {
  for (const [name, pair] of Object.entries(pairs)) {
    describe(`over ${name}`, () => {
      it.effect.prop(
        "any calls both ways, answered in any order: each gets its own answer",
        { calls: Calls },
        ({ calls }) =>
          Effect.scoped(Effect.gen(function*() {
            const gates = calls.map(() => Deferred.makeUnsafe<void>())
            const onRequest = (asked: { readonly id: RequestId; readonly params?: Params }) => {
              const index = asked.params?.["index"] as number
              return Effect.as(
                Deferred.await(gates[index]!),
                calls[index]!.fails
                  ? { jsonrpc: "2.0", id: asked.id, error: { code: -32000 - index, message: `no ${index}` } } as const
                  : { jsonrpc: "2.0", id: asked.id, result: { index, payload: asked.params?.["payload"] } } as const
              )
            }
            const [one, other] = yield* pair
            const peers = { left: yield* start(one, { onRequest }), right: yield* start(other, { onRequest }) }
            const running = yield* Effect.forEach(calls, ({ payload, side }, index) =>
              Effect.forkChild(Effect.exit(peers[side].request("call", { index, payload })), {
                startImmediately: true
              }))
            const order = calls.map((call, index) => ({ ...call, index })).sort((a, b) =>
              a.rank - b.rank
            )
            for (const { index } of order) {
              yield* Deferred.succeed(gates[index]!, undefined)
              if (index % 2 === 0) yield* Effect.yieldNow
            }
            const exits = yield* Effect.forEach(running, Fiber.join)
            exits.forEach((exit, index) => {
              const call = calls[index]!
              if (call.fails) {
                assert.strictEqual(exit._tag, "Failure")
                assert.include(String(exit._tag === "Failure" && exit.cause.reasons[0]), `no ${index}`)
              } else {
                assert.deepStrictEqual(exit._tag === "Success" && exit.value, asJson({ index, payload: call.payload }))
              }
            })
          }))
      )

      it.effect.prop(
        "messages for a call come in order and before its answer, however slow the listener is",
        { turns: Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })))) },
        ({ turns }) =>
          Effect.scoped(Effect.gen(function*() {
            const [one, other] = yield* pair
            yield* start(other, {
              onRequest: (asked, peer) =>
                Effect.as(
                  Effect.forEach(turns, (_, n) =>
                    peer.notify(progressed, { progressToken: asked.params?.["token"], n }), { discard: true }).pipe(
                      Effect.orDie
                    ),
                  ok(asked, { done: true })
                )
            })
            const peer = yield* start(one)
            const heard: Array<unknown> = []
            const answer = yield* peer.request("call", (id) => ({ token: id }), {
              onMessage: ({ params }) =>
                Effect.andThen(
                  Effect.repeat(Effect.yieldNow, { times: turns[params?.["n"] as number]! }),
                  Effect.sync(() =>
                    heard.push(params?.["n"])
                  )
                )
            })
            assert.deepStrictEqual(answer, { done: true })
            assert.deepStrictEqual(heard, turns.map((_, n) => n))
          }))
      )
    })
  }

  // https://modelcontextprotocol.io/specification/2026-07-28/basic#responses
  it.effect.prop(
    "an answer carries the id of its request, as it came",
    { ids: Ids },
    ({ ids }) =>
      Effect.scoped(Effect.gen(function*() {
        const [, hand] = yield* byHand()
        for (const id of ids) yield* hand.send(request(id, "m", { of: id }))
        const answers = yield* hand.frames(ids.length)
        assert.deepStrictEqual(
          answers,
          ids.map((id) => ({
            jsonrpc: "2.0",
            id: Object.is(id, -0) ? 0 : id,
            result: { method: "m", of: Object.is(id, -0) ? 0 : id }
          }))
        )
      }))
  )

  it.effect.prop(
    "notifications are handled one after the other in their order, and hold up no call",
    { turns: Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })))) },
    ({ turns }) =>
      Effect.scoped(Effect.gen(function*() {
        const begun: Array<number> = []
        const ended: Array<number> = []
        const gate = yield* Deferred.make<void>()
        const [, hand] = yield* byHand({
          onNotification: ({ params }) => {
            const n = params?.["n"] as number
            return Effect.sync(() => begun.push(n)).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(Effect.repeat(Effect.yieldNow, { times: turns[n]! })),
              Effect.andThen(Effect.sync(() => ended.push(n)))
            )
          }
        })
        for (const n of turns.keys()) yield* hand.send({ jsonrpc: "2.0", method: "n", params: { n } })
        // Nobody is done with the first notification, and yet a call is answered.
        yield* hand.send(request(1))
        yield* hand.frames(1)
        assert.deepStrictEqual(begun, turns.length === 0 ? [] : [0])
        yield* Deferred.succeed(gate, undefined)
        yield* until("all are handled", () => ended.length === turns.length)
        assert.deepStrictEqual(begun, [...turns.keys()])
        assert.deepStrictEqual(ended, [...turns.keys()])
      }))
  )

  it.effect.prop(
    "answers that nobody waits for, in any form and number, do no harm",
    {
      stray: Arbitrary.schema(Schema.Array(Schema.Union([
        Schema.Struct({
          jsonrpc: Schema.Literal("2.0"),
          id: Schema.NullOr(Schema.Union([Schema.Int, Schema.String])),
          result: Schema.Struct({})
        }),
        Schema.Struct({ jsonrpc: Schema.Literal("2.0"), id: Schema.Json, result: Schema.Json }),
        Schema.Struct({ jsonrpc: Schema.Literal("2.0"), id: Schema.optionalKey(Schema.Json), error: Schema.Json }),
        Schema.Struct({ id: Schema.Literal(99), result: Schema.Struct({}), error: Schema.Struct({}) })
      ])))
    },
    ({ stray }) =>
      Effect.scoped(Effect.gen(function*() {
        const [peer, hand] = yield* byHand()
        const calling = yield* Effect.forkChild(peer.request("call", undefined), { startImmediately: true })
        const [sent] = yield* hand.frames(1)
        // Those that would answer the call are not stray.
        const others = stray.filter(({ id }) => id !== sent.id && id !== String(sent.id))
        for (const frame of others) yield* hand.send(frame)
        yield* hand.send({ jsonrpc: "2.0", id: sent.id, result: { right: true } })
        for (const frame of [...others, { jsonrpc: "2.0", id: sent.id, result: { right: false } }]) {
          yield* hand.send(frame)
        }
        assert.deepStrictEqual(yield* Fiber.join(calling), { right: true })
        yield* hand.send(request("after"))
        yield* until("the request after them is answered", () => hand.received.some((frame) => frame.id === "after"))
        // None of them was answered: an error for an error could go on for ever.
        assert.strictEqual(hand.received.length, 2)
        yield* settle
      }))
  )
})
