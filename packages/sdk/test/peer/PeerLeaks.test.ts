import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type * as Peer from "../../src/peer/Peer.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import * as Memory from "../../src/transport/Memory.ts"
import {
  cancelled,
  countingFibers,
  countingSleeps,
  ok,
  progressed,
  type Running,
  settle,
  start
} from "./support/peers.ts"

const Side = Schema.Literals(["left", "right"])
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))

/** What may happen to two peers, in any order. */
const Step = Schema.Union([
  Schema.TaggedStruct("Call", {
    side: Side,
    handler: Schema.Literals(["answer", "fail", "die", "never", "gate", "progress", "call back", "linger"]),
    listener: Schema.Literals(["none", "quick", "never", "die"]),
    timeout: Schema.Literals([5, 50, 70_000, "none"])
  }),
  Schema.TaggedStruct("Interrupt", { index: Index }),
  Schema.TaggedStruct("OpenGates", {}),
  Schema.TaggedStruct("Notify", { side: Side, handler: Schema.Literals(["answer", "die", "never", "gate"]) }),
  Schema.TaggedStruct("Raw", {
    side: Side,
    value: Schema.Union([
      Schema.Json,
      Schema.Struct({ jsonrpc: Schema.Literal("2.0"), id: Index, result: Schema.Struct({}) }),
      Schema.Struct({
        jsonrpc: Schema.Literal("2.0"),
        id: Index,
        method: Schema.Literals(["answer", "never", "gate"])
      }),
      Schema.Array(Schema.Struct({
        jsonrpc: Schema.Literal("2.0"),
        id: Index,
        method: Schema.Literals(["answer", "never", "gate"])
      })),
      Schema.Struct({
        jsonrpc: Schema.Literal("2.0"),
        method: Schema.Literals([cancelled, progressed]),
        params: Schema.Struct({ requestId: Index, progressToken: Index })
      })
    ])
  }),
  Schema.TaggedStruct("Wait", { millis: Schema.Literals([1, 10, 100, 61_000, 600_000]) }),
  Schema.TaggedStruct("Turn", { turns: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })) })
])

const Story = Arbitrary.schema(Schema.Struct({
  steps: Schema.Array(Step).check(Schema.isBetweenLength(1, 25)),
  capacity: Schema.Literals([1, 3, 1024]),
  end: Schema.Literals(["left first", "right first", "the pipe first"])
}))

const isAnswer = (frame: any) => frame?.id !== undefined && !("method" in frame)
const isRequest = (frame: any) => frame?.id !== undefined && "method" in frame

const silent = Logger.layer([])

describe("two peers", () => {
  it.effect.prop(
    "whatever happens: every call ends, each request has at most one answer, and nothing is left",
    { story: Story },
    ({ story }) =>
      countingFibers((alive) =>
        countingSleeps((sleeping) =>
          Effect.gen(function*() {
            const before = alive()
            let inHandlers = 0
            let gate = Deferred.makeUnsafe<void>()
            const tracked = <A>(effect: Effect.Effect<A>) =>
              Effect.acquireUseRelease(
                Effect.sync(() => inHandlers++),
                () => effect,
                () => Effect.andThen(Effect.yieldNow, Effect.sync(() => inHandlers--))
              )
            const act = (kind: string, peer: Peer.Peer, params: Params | undefined): Effect.Effect<unknown> => {
              switch (kind) {
                case "die":
                  return Effect.die(new Error("died"))
                case "never":
                  return Effect.never
                case "gate":
                  return Deferred.await(gate)
                case "linger":
                  return Effect.uninterruptible(Effect.repeat(Effect.yieldNow, { times: 5 }))
                case "call back":
                  return Effect.exit(peer.request("gate", undefined, { timeout: 10 }))
                case "progress":
                  return Effect.repeat(
                    Effect.andThen(
                      Effect.ignore(peer.notify(progressed, { progressToken: params?.["token"] })),
                      Effect.yieldNow
                    ),
                    { times: 5 }
                  )
                default:
                  return Effect.void
              }
            }
            const own: Partial<Peer.Handlers<never>> = {
              onRequest: (asked, peer) =>
                tracked(act(asked.method, peer, asked.params)).pipe(
                  Effect.as(
                    asked.method === "fail"
                      ? { jsonrpc: "2.0", id: asked.id, error: { code: 1, message: "no" } }
                      : ok(asked)
                  )
                ),
              onNotification: ({ method, params }, peer) => Effect.asVoid(tracked(act(method, peer, params)))
            }
            const pipe = yield* Scope.make()
            const [one, other] = yield* Scope.provide(Memory.pairWith({ capacity: story.capacity }), pipe)
            const scopes = { left: yield* Scope.make(), right: yield* Scope.make() }
            const peers: { readonly left: Running; readonly right: Running } = {
              left: yield* Scope.provide(start(one, own), scopes.left),
              right: yield* Scope.provide(start(other, own), scopes.right)
            }
            const raw = { left: one, right: other }
            const rawSent: { readonly [S in "left" | "right"]: Array<any> } = { left: [], right: [] }
            const calls: Array<Fiber.Fiber<Exit.Exit<unknown, unknown>>> = []
            const aside: Array<Fiber.Fiber<unknown, unknown>> = []
            const listeners = {
              none: undefined,
              quick: () => tracked(Effect.void),
              never: () => tracked(Effect.never),
              die: () => tracked(Effect.die("no listener"))
            }

            for (const step of story.steps) {
              switch (step._tag) {
                case "Call":
                  calls.push(
                    yield* Effect.forkDetach(
                      Effect.exit(peers[step.side].request(step.handler, (token) => ({ token }), {
                        timeout: step.timeout === "none" ? Infinity : step.timeout,
                        onMessage: listeners[step.listener]
                      })),
                      { startImmediately: true }
                    )
                  )
                  break
                case "Interrupt": {
                  const call = calls[step.index % calls.length]
                  if (call !== undefined) yield* Fiber.interrupt(call)
                  break
                }
                case "OpenGates":
                  yield* Deferred.succeed(gate, undefined)
                  gate = Deferred.makeUnsafe<void>()
                  break
                case "Notify":
                  aside.push(yield* Effect.forkDetach(Effect.ignore(peers[step.side].notify(step.handler))))
                  break
                case "Raw":
                  rawSent[step.side].push(step.value)
                  aside.push(yield* Effect.forkDetach(Effect.ignore(raw[step.side].send(step.value as never))))
                  break
                case "Wait":
                  yield* TestClock.adjust(step.millis)
                  break
                case "Turn":
                  yield* Effect.repeat(Effect.yieldNow, { times: step.turns })
              }
            }

            const order = story.end === "the pipe first"
              ? [pipe, scopes.left, scopes.right]
              : story.end === "left first"
              ? [scopes.left, scopes.right, pipe]
              : [scopes.right, scopes.left, pipe]
            for (const scope of order) yield* Scope.close(scope, Exit.void)

            for (const call of [...calls, ...aside]) yield* Fiber.await(call)
            yield* settle
            assert.strictEqual(inHandlers, 0, "handlers and listeners")
            assert.strictEqual(sleeping(), 0, "timers")
            assert.strictEqual(alive() - before, 0, "fibers")
            for (const [side, otherSide] of [["left", "right"], ["right", "left"]] as const) {
              const { sent } = peers[side]
              for (let id = 0; id <= calls.length + 10; id++) {
                assert.isFalse(peers[side].deliver(id, { jsonrpc: "2.0", method: "late" }), "calls that wait")
                assert.isFalse(peers[side].isAnswering(id), "requests in flight")
              }
              for (const { id } of sent.flat().filter(isAnswer)) {
                const asked = [...peers[otherSide].sent, ...rawSent[otherSide].flat()].filter((frame) =>
                  isRequest(frame) && frame.id === id
                )
                const answers = sent.flat().filter((frame) => isAnswer(frame) && frame.id === id)
                assert.isAtMost(answers.length, asked.length, "one answer a request")
              }
              const ids = sent.filter((frame) => "method" in frame && "id" in frame).map((frame) => frame.id)
              assert.strictEqual(new Set(ids).size, ids.length, "ids of one's own")
              const notices = sent.filter((frame) => frame.method === cancelled).map((frame) => frame.params.requestId)
              assert.strictEqual(new Set(notices).size, notices.length, "one notice a call")
              for (const id of notices) assert.include(ids, id, "only what was asked is cancelled")
            }
          }).pipe(Effect.provide(silent))
        )
      ),
    { arbitrary: { runs: 300 }, timeout: 120_000 }
  )

  it.effect("a peer that has nothing to do runs one fiber, the reader", () =>
    countingFibers((alive) =>
      Effect.scoped(Effect.gen(function*() {
        const [one, other] = yield* Memory.pair
        const before = alive()
        const client = yield* start(one)
        yield* start(other)
        for (let n = 0; n < 20; n++) yield* client.request("m", undefined, { timeout: Infinity })
        yield* other.send({ jsonrpc: "2.0", method: "n" })
        yield* settle
        assert.strictEqual(alive() - before, 2)
      }))
    ))
})
