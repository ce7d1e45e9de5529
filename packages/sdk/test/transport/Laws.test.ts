import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { asJson, awkward, Cuts, failure, Messages, numbered, numbers, sendAll, take } from "./support/frames.ts"
import { echoes } from "./support/pipes.ts"

const bytewise = [1]
const names = Object.keys(echoes(bytewise))

// A run of these costs a process or a socket.
const real = new Set(["a child process", "a TCP socket", "a Unix domain socket", "a WebSocket"])

describe("every transport", () => {
  for (const name of names) {
    describe(name, () => {
      it.effect.prop(
        "any messages, however the bytes are cut, arrive exactly and in order",
        { messages: Messages, cuts: Cuts },
        ({ cuts, messages }) =>
          Effect.scoped(Effect.gen(function*() {
            const connection = yield* echoes(cuts)[name]!
            const sender = yield* Effect.forkChild(sendAll(connection, messages))
            // What is shared keeps even what JSON has not, such as -0.
            const expected = name === "memory, shared" ? messages : messages.map(asJson)
            assert.deepStrictEqual(yield* take(connection, messages.length), expected)
            yield* Fiber.join(sender)
          })),
        { timeout: 30_000, arbitrary: { runs: real.has(name) ? 10 : 100 } }
      )

      it.live("texts that framing could trip over arrive exactly", () =>
        Effect.gen(function*() {
          const connection = yield* echoes(bytewise)[name]!
          const frames = awkward.map((text, n) => ({ ...numbered(n), params: { text } }))
          yield* sendAll(connection, frames)
          assert.deepStrictEqual(yield* take(connection, frames.length), frames)
        }))

      it.live("a message over 64 KiB and a small one arrive", () =>
        Effect.gen(function*() {
          const connection = yield* echoes([65_536])[name]!
          const sender = yield* Effect.forkChild(sendAll(connection, [numbered(1, 3_000_000), numbered(2)]))
          assert.deepStrictEqual(numbers(yield* take(connection, 2)), [1, 2])
          yield* Fiber.join(sender)
        }))

      it.live("many senders at once: everything arrives once, each sender's messages in order", () =>
        Effect.gen(function*() {
          const connection = yield* echoes([4096])[name]!
          const perSender = Array.from({ length: 50 }, (_, n) => n)
          const senders = Array.from({ length: 8 }, (_, n) => n)
          const sending = yield* Effect.forkChild(Effect.forEach(
            senders,
            (sender) => sendAll(connection, perSender.map((n) => numbered(sender * 100 + n, 1000))),
            { concurrency: "unbounded", discard: true }
          ))
          const got = numbers(yield* take(connection, 400)) as ReadonlyArray<number>
          for (const sender of senders) {
            assert.deepStrictEqual(
              got.filter((n) => Math.floor(n / 100) === sender),
              perSender.map((n) => sender * 100 + n)
            )
          }
          yield* Fiber.join(sending)
        }))

      it.live("closing this side ends incoming and refuses what is sent later", () =>
        Effect.gen(function*() {
          const connection = yield* Effect.scoped(Effect.gen(function*() {
            const connection = yield* echoes([4096])[name]!
            yield* connection.send(numbered(1))
            assert.deepStrictEqual(numbers(yield* take(connection, 1)), [1])
            return connection
          }))
          assert.strictEqual((yield* failure(connection.send(numbered(2))))._tag, "ConnectionClosed")
        }))
    })
  }

  it.live("a reader that waits is let go when its own side closes", () =>
    Effect.forEach(names, (name) =>
      Effect.gen(function*() {
        const reader = yield* Effect.scoped(Effect.gen(function*() {
          const connection = yield* echoes([4096])[name]!
          return yield* Effect.forkDetach(Stream.runCollect(connection.incoming), { startImmediately: true })
        }))
        assert.deepStrictEqual(yield* Fiber.join(reader), [], name)
      })))
})
