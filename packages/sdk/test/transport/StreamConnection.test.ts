import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as StreamConnection from "../../src/transport/StreamConnection.ts"
import * as BytePipe from "./support/bytePipe.ts"
import { failure, numbered, numbers, reasonOf, take } from "./support/frames.ts"

const KiB = 1024

const connect = Effect.fnUntraced(function*(options?: StreamConnection.Options) {
  const incoming = yield* BytePipe.make()
  const outgoing = yield* BytePipe.make()
  const scope = yield* Scope.make()
  const connection = yield* StreamConnection.fromStreams(
    { incoming: incoming.readable, outgoing: outgoing.write },
    options
  ).pipe(Scope.provide(scope))
  return { connection, incoming, outgoing, scope, close: Scope.close(scope, Exit.void) }
})

// Lets every fiber run until it waits for something else than a turn.
const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("StreamConnection", () => {
  it.effect("joins the messages of one tick into one write", () =>
    Effect.gen(function*() {
      const { close, connection, outgoing } = yield* connect()
      yield* Effect.forEach([1, 2, 3], (n) => connection.send(numbered(n)), { discard: true })
      yield* settle
      yield* connection.send(numbered(4))
      yield* close
      assert.deepStrictEqual(
        outgoing.writes.map((text) => numbers(text.trimEnd().split("\n").map((line) => JSON.parse(line)))),
        [[1, 2, 3], [4]]
      )
    }))

  it.effect("delivers one array for each array of chunks, not one for each message", () =>
    Effect.gen(function*() {
      const { connection, incoming } = yield* connect()
      incoming.feed("1\n2\n3\n")
      yield* incoming.end
      const arrays: Array<ReadonlyArray<unknown>> = []
      yield* Stream.runForEachArray(connection.incoming, (array) => Effect.sync(() => arrays.push(array)))
      assert.deepStrictEqual(arrays, [[1, 2, 3]])
    }))

  it.effect("writes into a sink as into a function", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const written: Array<string> = []
      const connection = yield* StreamConnection.fromStreams({
        incoming: Stream.never,
        outgoing: Sink.forEach((bytes: Uint8Array) => Effect.sync(() => written.push(new TextDecoder().decode(bytes))))
      }).pipe(Scope.provide(scope))
      yield* connection.send(numbered(1))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(numbers(written.map((text) => JSON.parse(text))), [1])
    }))

  describe("backpressure", () => {
    it.effect("takes in 1 MiB for a reader that does not read, then lets send wait, then goes on in order", () =>
      Effect.gen(function*() {
        const { connection, incoming, outgoing } = yield* connect()
        yield* outgoing.reading.close
        let sent = 0
        const sender = yield* Effect.forkChild(Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          (n) => Effect.tap(connection.send(numbered(n, 64 * KiB)), () => Effect.sync(() => sent++)),
          { discard: true }
        ))
        yield* settle
        // What the write that waits holds, and a mark full of what is queued behind it.
        assert.isAtMost(sent, 34)
        assert.isAtLeast(sent, 16)

        // The other direction goes on.
        incoming.feed("1\n")
        assert.deepStrictEqual(yield* take(connection, 1), [1])

        yield* outgoing.reading.open
        yield* Fiber.join(sender)
        yield* settle
        assert.deepStrictEqual(
          numbers(outgoing.writes.join("").trimEnd().split("\n").map((line) => JSON.parse(line))),
          Array.from({ length: 100 }, (_, n) => n)
        )
      }))

    it.effect("takes a message back whose send was interrupted while it waited", () =>
      Effect.gen(function*() {
        const { connection, close, outgoing } = yield* connect({ highWaterMark: 1 })
        yield* outgoing.reading.close
        yield* connection.send(numbered(1))
        yield* settle
        yield* connection.send(numbered(2))
        const third = yield* Effect.forkChild(connection.send(numbered(3)), { startImmediately: true })
        const fourth = yield* Effect.forkChild(connection.send(numbered(4)), { startImmediately: true })
        yield* Fiber.interrupt(third)
        yield* outgoing.reading.open
        yield* Fiber.join(fourth)
        yield* close
        assert.deepStrictEqual(
          numbers(outgoing.writes.join("").trimEnd().split("\n").map((line) => JSON.parse(line))),
          [1, 2, 4]
        )
      }))

    it.effect("takes in one message of any size", () =>
      Effect.gen(function*() {
        const { close, connection, outgoing } = yield* connect({ highWaterMark: "1 KiB" })
        yield* connection.send(numbered(1, 3 * KiB * KiB))
        yield* close
        assert.isAbove(outgoing.writes.join("").length, 3 * KiB * KiB)
      }))
  })

  describe("the end", () => {
    it.effect("incoming ends where the other side ends, and send still works", () =>
      Effect.gen(function*() {
        const { close, connection, incoming, outgoing } = yield* connect()
        incoming.feed("1\n2")
        yield* incoming.end
        assert.deepStrictEqual(yield* Stream.runCollect(connection.incoming), [1, 2])
        yield* connection.send(numbered(3))
        yield* close
        assert.strictEqual(outgoing.writes.length, 1)
      }))

    it.effect("incoming fails with ConnectionClosed where reading fails, after what has arrived", () =>
      Effect.gen(function*() {
        const { connection, incoming } = yield* connect()
        incoming.feed("1\n")
        const got: Array<unknown> = []
        const reader = yield* Effect.forkChild(
          Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push(value)))
        )
        yield* settle
        yield* incoming.breakReading("reset")
        const reason = reasonOf(yield* Fiber.await(reader))
        assert.deepStrictEqual(got, [1])
        assert.strictEqual(reason._tag, "ConnectionClosed")
      }))

    it.effect("a frame over the limit ends incoming with InvalidPeerMessage, after what came before", () =>
      Effect.gen(function*() {
        const { connection, incoming } = yield* connect({ maxFrameBytes: "10 B" })
        incoming.feed("1\n" + "x".repeat(11))
        const got: Array<unknown> = []
        const reason = yield* failure(
          Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push(value)))
        )
        assert.deepStrictEqual(got, [1])
        assert.strictEqual(reason._tag, "InvalidPeerMessage")
        assert.include(reason.message, "10 bytes")
      }))

    it.effect("a failing write ends the connection: incoming says maybe sent, senders hear surely not sent", () =>
      Effect.gen(function*() {
        const { connection, incoming, outgoing } = yield* connect({ highWaterMark: 1 })
        const reader = yield* Effect.forkChild(Stream.runCollect(connection.incoming), { startImmediately: true })
        yield* outgoing.reading.close
        yield* connection.send(numbered(1))
        yield* settle
        yield* connection.send(numbered(2))
        const waiting = yield* Effect.forkChild(connection.send(numbered(3)), { startImmediately: true })
        outgoing.breakWriting("EPIPE")

        const ofReader = reasonOf(yield* Fiber.await(reader))
        assert.isTrue(ofReader._tag === "TransportError" && ofReader.sent === "maybe")
        for (const exit of [yield* Fiber.await(waiting), yield* Effect.exit(connection.send(numbered(4)))]) {
          const reason = reasonOf(exit)
          assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
        }
        yield* incoming.end
      }))

    it.effect("what has arrived before a failing write is still delivered", () =>
      Effect.gen(function*() {
        const { connection, incoming, outgoing } = yield* connect()
        outgoing.breakWriting("EPIPE")
        yield* connection.send(numbered(1))
        incoming.feed("1\n2\n")
        yield* settle
        const got: Array<unknown> = []
        const reason = yield* failure(
          Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push(value)))
        )
        assert.deepStrictEqual(got, [1, 2])
        assert.strictEqual(reason._tag, "TransportError")
      }))

    it.effect("a sink that ends early ends the connection", () =>
      Effect.gen(function*() {
        const connection = yield* StreamConnection.fromStreams({ incoming: Stream.never, outgoing: Sink.take(1) })
        yield* connection.send(numbered(1))
        const reason = yield* failure(Stream.runDrain(connection.incoming))
        assert.strictEqual(reason._tag, "ConnectionClosed")
        assert.strictEqual((yield* failure(connection.send(numbered(2))))._tag, "ConnectionClosed")
      }))

    it.effect("a defect of the writing side is a reason as well", () =>
      Effect.gen(function*() {
        const connection = yield* StreamConnection.fromStreams({
          incoming: Stream.never,
          outgoing: () => Effect.die(new Error("out of order"))
        })
        yield* connection.send(numbered(1))
        assert.strictEqual((yield* failure(Stream.runDrain(connection.incoming)))._tag, "TransportError")
      }))

    it.effect("refuses what has no JSON, and goes on", () =>
      Effect.gen(function*() {
        const { close, connection, outgoing } = yield* connect()
        const reason = yield* failure(connection.send({ ...numbered(1), params: { big: 1n } }))
        assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
        yield* connection.send(numbered(2))
        yield* close
        assert.strictEqual(outgoing.writes.length, 1)
      }))
  })

  describe("closing the scope", () => {
    it.effect("writes what is queued, ends incoming and refuses what comes later", () =>
      Effect.gen(function*() {
        const { close, connection, outgoing } = yield* connect()
        const reader = yield* Effect.forkChild(Stream.runCollect(connection.incoming), { startImmediately: true })
        yield* connection.send(numbered(1))
        yield* close
        assert.deepStrictEqual(yield* Fiber.join(reader), [])
        assert.strictEqual(outgoing.writes.length, 1)
        assert.strictEqual((yield* failure(connection.send(numbered(2))))._tag, "ConnectionClosed")
        assert.deepStrictEqual(yield* Stream.runCollect(connection.incoming), [])
      }))

    it.effect("waits flushTimeout at most for a reader that does not read", () =>
      Effect.gen(function*() {
        const { close, connection, outgoing } = yield* connect({ highWaterMark: 1, flushTimeout: "3 seconds" })
        yield* outgoing.reading.close
        yield* connection.send(numbered(1))
        yield* settle
        yield* connection.send(numbered(2))
        const waiting = yield* Effect.forkChild(connection.send(numbered(3)), { startImmediately: true })
        const closing = yield* Effect.forkChild(close, { startImmediately: true })
        yield* settle
        assert.strictEqual(reasonOf(yield* Fiber.await(waiting))._tag, "ConnectionClosed")
        yield* TestClock.adjust("2999 millis")
        assert.isUndefined(closing.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(closing)
        assert.deepStrictEqual(outgoing.writes, [])
      }))

    it.effect("writes what is queued also where its user is interrupted", () =>
      Effect.gen(function*() {
        const incoming = yield* BytePipe.make()
        const outgoing = yield* BytePipe.make()
        yield* outgoing.reading.close
        const user = yield* Effect.forkChild(
          Effect.scoped(Effect.gen(function*() {
            const connection = yield* StreamConnection.fromStreams({
              incoming: incoming.readable,
              outgoing: outgoing.write
            })
            yield* connection.send(numbered(1))
            yield* Stream.runDrain(connection.incoming)
          })),
          { startImmediately: true }
        )
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(user), { startImmediately: true })
        yield* settle
        assert.isUndefined(interrupting.pollUnsafe())
        yield* outgoing.reading.open
        yield* Fiber.join(interrupting)
        assert.strictEqual(outgoing.writes.length, 1)
      }))
  })
})
