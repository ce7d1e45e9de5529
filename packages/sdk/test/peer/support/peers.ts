/**
 * Peers that are connected to each other, or to a hand that sends and reads frames, with all that they sent.
 */
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Connection } from "../../../src/peer/Connection.ts"
import * as Peer from "../../../src/peer/Peer.ts"
import type * as JsonRpc from "../../../src/protocol/JsonRpc.ts"
import * as Memory from "../../../src/transport/Memory.ts"
import * as StreamConnection from "../../../src/transport/StreamConnection.ts"
import * as BytePipe from "../../transport/support/bytePipe.ts"

export type Pair = Effect.Effect<readonly [Connection, Connection], never, Scope.Scope>

/** Frames as they are, and frames as bytes that come a few at a time. */
export const pairs: { readonly [name: string]: Pair } = {
  memory: Memory.pair,
  "a byte pipe": Effect.gen(function*() {
    const there = yield* BytePipe.make([7, 1, 64])
    const back = yield* BytePipe.make([7, 1, 64])
    return [
      yield* StreamConnection.fromStreams({ incoming: back.readable, outgoing: there.write }),
      yield* StreamConnection.fromStreams({ incoming: there.readable, outgoing: back.write })
    ] as const
  })
}

/** Lets fibers run until a condition holds. Fails the test where it never does. */
export const until = Effect.fnUntraced(function*(what: string, holds: () => boolean) {
  for (let turn = 0; turn < 2000; turn++) {
    if (holds()) return
    yield* Effect.yieldNow
  }
  assert.fail(`It never came to pass that ${what}`)
})

/** Lets every fiber run until it waits for something else than a turn. */
export const settle = Effect.repeat(Effect.yieldNow, { times: 60 })

export const cancelled = "notifications/cancelled"
export const progressed = "notifications/progress"

/** Handlers with the notices of the protocol: what is cancelled is interrupted, what is progress is delivered. */
export const handlers = (own: Partial<Peer.Handlers<never>> = {}): Peer.Handlers<never> => ({
  onRequest: (request) =>
    Effect.succeed({ jsonrpc: "2.0", id: request.id, result: { method: request.method, ...request.params } }),
  cancelNotice: (requestId, method) =>
    method === "initialize" ? undefined : { jsonrpc: "2.0", method: cancelled, params: { requestId } },
  answersInvalid: true,
  acceptsBatch: () => true,
  ...own,
  onNotification: (notification, peer) => {
    const { method, params } = notification
    if (method === cancelled) return void peer.cancel(params?.["requestId"] as JsonRpc.RequestId)
    if (method === progressed) {
      return void peer.deliver(params?.["progressToken"] as JsonRpc.RequestId, notification)
    }
    return own.onNotification?.(notification, peer)
  }
})

export const ok = (request: JsonRpc.Request, result: JsonRpc.Params = {}): JsonRpc.Response => ({
  jsonrpc: "2.0",
  id: request.id,
  result
})

/** A connection that keeps what is sent over it. */
export const tapped = (connection: Connection) => {
  const sent: Array<any> = []
  return {
    sent,
    connection: {
      incoming: connection.incoming,
      send: (frame, options) =>
        Effect.suspend(() => {
          sent.push(frame)
          return connection.send(frame, options)
        })
    } satisfies Connection
  }
}

export interface Running extends Peer.Peer {
  /** All frames that this side sent, in order. */
  readonly sent: ReadonlyArray<any>
  /** Whether reading has ended and all is answered. */
  readonly isDone: () => boolean
}

/** A peer that reads. */
export const start = Effect.fnUntraced(function*(
  connection: Connection,
  own?: Partial<Peer.Handlers<never>>,
  options?: Peer.Options
): Effect.fn.Return<Running, never, Scope.Scope> {
  const { connection: tappedConnection, sent } = tapped(connection)
  const peer = yield* Peer.make(tappedConnection, handlers(own), options)
  let done = false
  yield* Effect.forkScoped(
    Effect.onExit(peer.run, () =>
      Effect.sync(() => {
        done = true
      })),
    { startImmediately: true }
  )
  return { ...peer, sent, isDone: () => done }
})

/** The other side as a hand: it sends what the test says, and keeps what comes. */
export interface Hand {
  /** Sends a value as it is, whether or not it is a message. */
  readonly send: (value: unknown) => Effect.Effect<void>
  readonly received: ReadonlyArray<any>
  /** Waits for so many frames in all. */
  readonly frames: (count: number) => Effect.Effect<ReadonlyArray<any>>
  /** Closes the hand's side. */
  readonly close: Effect.Effect<void>
}

export const byHand = Effect.fnUntraced(function*(
  own?: Partial<Peer.Handlers<never>>,
  options?: Peer.Options
): Effect.fn.Return<readonly [Running, Hand], never, Scope.Scope> {
  const there = yield* BytePipe.make()
  const back = yield* BytePipe.make()
  const connection = yield* StreamConnection.fromStreams({ incoming: there.readable, outgoing: back.write })
  const peer = yield* start(connection, own, options)
  const received: Array<any> = []
  yield* Effect.forkScoped(
    Stream.runForEach(
      StreamConnection.messages(back.readable, undefined, () => assert.fail("the pipe broke")),
      (frame) =>
        Effect.sync(() => {
          received.push(frame)
        })
    ),
    { startImmediately: true }
  )
  return [peer, {
    send: (value) =>
      Effect.sync(() => there.feed(typeof value === "string" ? `${value}\n` : `${JSON.stringify(value)}\n`)),
    received,
    frames: (count) =>
      Effect.as(until(`${count} frames came: ${JSON.stringify(received)}`, () => received.length >= count), received),
    close: there.end
  }]
})

export const request = (id: unknown, method = "m", params?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

/** Runs a test with a clock that counts who sleeps on it. */
export const countingSleeps = <A, E, R>(test: (sleeping: () => number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    let sleeping = 0
    const counting: Clock.Clock = Object.assign(Object.create(clock), {
      sleep: (duration: Duration.Duration) =>
        Effect.acquireUseRelease(
          Effect.sync(() => sleeping++),
          () => clock.sleep(duration),
          () => Effect.sync(() => sleeping--)
        )
    })
    return yield* Effect.provideService(test(() => sleeping), Clock.Clock, counting)
  })

/** Runs a test that can ask how many fibers live within it. */
export const countingFibers = <A, E, R>(test: (alive: () => number) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let alive = 0
    const metrics: Metric.FiberRuntimeMetricsService = {
      recordFiberStart: () => {
        alive++
      },
      recordFiberEnd: () => {
        alive--
      }
    }
    return Effect.provideService(test(() => alive), Metric.FiberRuntimeMetrics, metrics)
  })
