import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import { ServerTransport } from "../../src/peer/ServerTransport.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { echo, failure, numbered, numbers, take } from "./support/frames.ts"
import { pipe } from "./support/pipes.ts"

const passings: ReadonlyArray<Memory.Passing> = ["copy", "text", "share"]

// Lets every fiber run until it waits for something else than a turn.
const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("Memory", () => {
  for (const passing of passings) {
    it.effect(`${passing}: send waits when so many messages lie unread`, () =>
      Effect.gen(function*() {
        const [left, right] = yield* Memory.pairWith({ passing, capacity: 4 })
        let sent = 0
        const sender = yield* Effect.forkChild(Effect.forEach(
          Array.from({ length: 20 }, (_, n) => n),
          (n) => Effect.tap(left.send(numbered(n)), () => Effect.sync(() => sent++)),
          { discard: true }
        ))
        yield* settle
        assert.strictEqual(sent, 4)
        assert.deepStrictEqual(numbers(yield* take(right, 20)), Array.from({ length: 20 }, (_, n) => n))
        yield* Fiber.join(sender)
      }))
  }

  it.effect("copies what it passes by default", () =>
    Effect.gen(function*() {
      const [left, right] = yield* Memory.pair
      const list = [1]
      yield* left.send({ jsonrpc: "2.0", method: "m", params: { list } })
      list.push(2)
      assert.deepStrictEqual(yield* take(right, 1), [{ jsonrpc: "2.0", method: "m", params: { list: [1] } }])
    }))

  it.effect("refuses what has no JSON", () =>
    Effect.gen(function*() {
      const [left] = yield* Memory.pair
      const reason = yield* failure(left.send({ ...numbered(1), params: { big: 1n } }))
      assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
    }))

  it.effect("closing the scope ends both sides, after what was sent", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const [left, right] = yield* Scope.provide(Memory.pairWith({ capacity: 2 }), scope)
      yield* left.send(numbered(1))
      yield* left.send(numbered(2))
      const waiting = yield* Effect.forkChild(failure(left.send(numbered(3))), { startImmediately: true })
      const reader = yield* Effect.forkChild(Stream.runCollect(left.incoming), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ConnectionClosed")
      assert.deepStrictEqual(yield* Fiber.join(reader), [])
      assert.strictEqual((yield* failure(right.send(numbered(4))))._tag, "ConnectionClosed")
    }))

  // Both sides answer at once, so a hand-over that never leaves the current turn would starve this test's timer.
  it.live("two peers that answer each other without end let timers fire", () =>
    Effect.gen(function*() {
      const [left, right] = yield* Memory.pair
      yield* left.send(numbered(1))
      yield* Effect.raceFirst(Effect.all([echo(left), echo(right)], { concurrency: 2 }), Effect.sleep("1 millis"))
    }))

  describe("layer", () => {
    const transports = Effect.map(Layer.build(Memory.layer), (context) => ({
      client: Context.get(context, ClientTransport),
      server: Context.get(context, ServerTransport)
    }))

    it.effect("each connection that is opened arrives at the server, once it serves", () =>
      Effect.gen(function*() {
        const { client, server } = yield* transports
        const opening = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
          const connection = yield* client.open
          yield* connection.send(numbered(7))
          return yield* take(connection, 1)
        })))
        yield* settle
        const facts: Array<string | undefined> = []
        let ended = 0
        yield* Effect.forkChild(server.serve(pipe({
          connect: (connection, fact) => {
            facts.push(fact?.transport)
            return Effect.ensuring(echo(connection), Effect.sync(() => ended++))
          }
        })))
        assert.deepStrictEqual(numbers(yield* Fiber.join(opening)), [7])
        yield* settle
        assert.deepStrictEqual(facts, ["memory"])
        // The client's scope is closed, so the server's connection has ended.
        assert.strictEqual(ended, 1)
      }))

    it.effect("a server that stops ends its connections", () =>
      Effect.gen(function*() {
        const { client, server } = yield* transports
        const serving = yield* Effect.forkChild(server.serve(pipe({ connect: echo })))
        const connection = yield* client.open
        yield* Fiber.interrupt(serving)
        assert.deepStrictEqual(yield* Stream.runCollect(connection.incoming), [])
        assert.strictEqual((yield* failure(connection.send(numbered(1))))._tag, "ConnectionClosed")
      }))
  })
})
