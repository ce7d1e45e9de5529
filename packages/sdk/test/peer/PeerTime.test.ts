import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Connection } from "../../src/peer/Connection.ts"
import * as Peer from "../../src/peer/Peer.ts"
import type * as McpError from "../../src/protocol/McpError.ts"
import { reasonOf } from "../transport/support/frames.ts"
import { byHand, cancelled, countingSleeps, handlers, ok, progressed, request, settle, until } from "./support/peers.ts"

/** A call under way, to which nobody answers. */
const call = Effect.fnUntraced(function*(peer: Peer.Peer, options?: Peer.RequestOptions) {
  const fiber = yield* Effect.forkChild(Effect.exit(peer.request("call", undefined, options)), {
    startImmediately: true
  })
  return {
    isOver: () => fiber.pollUnsafe() !== undefined,
    reason: Effect.map(Fiber.join(fiber), reasonOf)
  }
})

const timedOut = (reason: McpError.Reason) => {
  assert.strictEqual(reason._tag, "RequestTimeout")
  return reason as McpError.RequestTimeout
}

const adjust = (by: Duration.Input) => Effect.andThen(TestClock.adjust(by), settle)

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#timeouts
describe("time limits", () => {
  it.effect("are 60 seconds for a call, after which the other side is told", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const slow = yield* call(peer)
      const [{ id }] = yield* hand.frames(1)
      yield* adjust(59_999)
      assert.isFalse(slow.isOver())
      yield* adjust(1)
      const { maximum, method, millis } = timedOut(yield* slow.reason)
      assert.deepStrictEqual({ maximum, method, millis }, { maximum: false, method: "call", millis: 60_000 })
      const frames = yield* hand.frames(2)
      assert.deepStrictEqual(frames[1], { jsonrpc: "2.0", method: cancelled, params: { requestId: id } })
      // The answer comes too late: nobody is there, and nobody is told again.
      yield* hand.send({ jsonrpc: "2.0", id, result: {} })
      yield* hand.send(request("after"))
      yield* hand.frames(3)
      yield* adjust("1 hour")
      assert.strictEqual(hand.received.length, 3)
    }))

  it.effect("are those of the peer, or those of the call", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand({}, { timeout: "5 seconds" })
      const ofPeer = yield* call(peer)
      const ofCall = yield* call(peer, { timeout: "2 seconds" })
      yield* adjust("2 seconds")
      assert.strictEqual(timedOut(yield* ofCall.reason).millis, 2000)
      assert.isFalse(ofPeer.isOver())
      yield* adjust("3 seconds")
      assert.strictEqual(timedOut(yield* ofPeer.reason).millis, 5000)
    }))

  it.effect("hold for a shorter call that is made later", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand()
      const long = yield* call(peer)
      yield* adjust("10 seconds")
      const short = yield* call(peer, { timeout: "1 second" })
      const middle = yield* call(peer, { timeout: "20 seconds" })
      yield* adjust("1 second")
      assert.isTrue(short.isOver())
      yield* adjust("18 seconds")
      assert.isFalse(middle.isOver())
      yield* adjust("1 second")
      assert.isTrue(middle.isOver())
      yield* adjust("29 seconds")
      assert.isFalse(long.isOver())
      yield* adjust("1 second")
      assert.isTrue(long.isOver())
    }))

  const message = (id: unknown) => ({ jsonrpc: "2.0", method: progressed, params: { progressToken: id } })

  it.effect("begin anew with each message for the call, and end at 10 minutes whatever comes", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const slow = yield* call(peer)
      const [{ id }] = yield* hand.frames(1)
      for (let seconds = 50; seconds < 600; seconds += 50) {
        yield* adjust("50 seconds")
        assert.isFalse(slow.isOver(), `${seconds} s`)
        yield* hand.send(message(id))
        yield* settle
      }
      yield* adjust("49 seconds")
      assert.isFalse(slow.isOver())
      yield* adjust("1 second")
      const { maximum, millis } = timedOut(yield* slow.reason)
      assert.deepStrictEqual({ maximum, millis }, { maximum: true, millis: 600_000 })
      assert.strictEqual((yield* hand.frames(2))[1].method, cancelled)
    }))

  it.effect("do not begin anew where the call does not want that", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const slow = yield* call(peer, { resetTimeout: false })
      const [{ id }] = yield* hand.frames(1)
      yield* adjust("50 seconds")
      yield* hand.send(message(id))
      yield* settle
      yield* adjust("10 seconds")
      assert.isFalse(timedOut(yield* slow.reason).maximum)
    }))

  it.effect("have a maximum of their own, which may be the shorter one", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand()
      const slow = yield* call(peer, { timeout: "60 seconds", maximumTimeout: "3 seconds" })
      yield* adjust("3 seconds")
      const { maximum, millis } = timedOut(yield* slow.reason)
      assert.deepStrictEqual({ maximum, millis }, { maximum: true, millis: 3000 })
    }))

  it.effect("may be longer than a platform's timer: 2^31 ms is no limit, nor the default maximum", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand()
      const millis = 2 ** 31 + 5000
      const slow = yield* call(peer, { timeout: millis })
      yield* adjust(2 ** 31 - 1)
      yield* adjust(5000)
      assert.isFalse(slow.isOver())
      yield* adjust(1)
      assert.strictEqual(timedOut(yield* slow.reason).millis, millis)
    }))

  it.effect("may be none", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const slow = yield* call(peer, { timeout: Infinity })
      yield* adjust("1000 days")
      assert.isFalse(slow.isOver())
      const [{ id }] = yield* hand.frames(1)
      yield* hand.send({ jsonrpc: "2.0", id, result: {} })
      yield* until("it is answered", slow.isOver)
    }))

  it.effect("of many calls strike each at its own time, whatever their order", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand()
      const limits = [9, 3, 7, 1, 8, 2, 6, 4, 5, 10]
      const calls = yield* Effect.forEach(limits, (seconds) => call(peer, { timeout: seconds * 1000 }))
      for (let now = 1; now <= 10; now++) {
        yield* adjust("1 second")
        assert.deepStrictEqual(
          limits.filter((_, i) => calls[i]!.isOver()).sort((a, b) => a - b),
          Array.from({ length: now }, (_, i) => i + 1)
        )
      }
    }))

  it.effect("strike also while the call has not even left, and then the other side hears nothing of it", () =>
    Effect.gen(function*() {
      const open = yield* Latch.make(false)
      const sent: Array<unknown> = []
      const stalled: Connection = {
        incoming: Stream.never,
        send: (frame) => Effect.andThen(open.await, Effect.sync(() => void sent.push(frame)))
      }
      const peer = yield* Peer.make(stalled, handlers())
      const slow = yield* call(peer)
      const interrupted = yield* Effect.forkChild(peer.request("interrupted", undefined), { startImmediately: true })
      yield* Fiber.interrupt(interrupted)
      yield* adjust("60 seconds")
      timedOut(yield* slow.reason)
      yield* open.open
      yield* settle
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("a call made by whoever hears of a timeout has a limit like any other", () =>
    Effect.gen(function*() {
      const [peer] = yield* byHand()
      const again = yield* Effect.forkChild(
        Effect.exit(Effect.catch(peer.request("first", undefined, { timeout: 1000 }), () =>
          peer.request("second", undefined, { timeout: 500 }))),
        { startImmediately: true }
      )
      const long = yield* call(peer)
      yield* adjust(1000)
      yield* adjust(499)
      assert.isUndefined(again.pollUnsafe())
      yield* adjust(1)
      assert.strictEqual(timedOut(reasonOf(yield* Fiber.join(again))).method, "second")
      yield* adjust(58_499)
      assert.isFalse(long.isOver())
      yield* adjust(1)
      assert.isTrue(long.isOver())
    }))

  it.effect("leave at most one timer behind, and none once the peer is closed", () =>
    countingSleeps((sleeping) =>
      Effect.gen(function*() {
        yield* Effect.scoped(Effect.gen(function*() {
          const [peer] = yield* byHand()
          const calls = yield* Effect.forEach([5, 4, 3, 2, 1], (seconds) => call(peer, { timeout: seconds * 1000 }))
          assert.strictEqual(sleeping(), 1)
          yield* adjust("5 seconds")
          assert.isTrue(calls.every(({ isOver }) => isOver()))
          assert.strictEqual(sleeping(), 0)
          yield* call(peer)
          assert.strictEqual(sleeping(), 1)
        }))
        yield* settle
        assert.strictEqual(sleeping(), 0)
      })
    ))

  it.effect("bound the wait for handlers after the other side has closed", () =>
    Effect.gen(function*() {
      let interrupted = false
      const [peer, hand] = yield* byHand({
        onRequest: (asked) =>
          asked.method === "slow"
            ? Effect.onInterrupt(Effect.never, () =>
              Effect.sync(() => {
                interrupted = true
              }))
            : Effect.succeed(ok(asked))
      }, { drainTimeout: "4 seconds" })
      yield* hand.send(request(1, "slow"))
      yield* hand.send(request(2))
      yield* hand.close
      yield* hand.frames(1)
      yield* adjust(3999)
      assert.isFalse(peer.isDone())
      yield* adjust(1)
      yield* until("it is done", () => peer.isDone())
      // The handler belongs to the scope, and ends with it.
      assert.isFalse(interrupted)
    }))
})
