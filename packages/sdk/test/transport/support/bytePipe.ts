/**
 * A pipe of bytes in memory, with the faults that a test wants.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { cut } from "./frames.ts"

/** The two ends of a one-way pipe. */
export interface BytePipe {
  readonly readable: Stream.Stream<Uint8Array, string>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, string>
  /** Puts bytes in without a writer. */
  readonly feed: (text: string) => void
  readonly end: Effect.Effect<void>
  /** Breaks the reading side. */
  readonly breakReading: (error: string) => Effect.Effect<void>
  /** Breaks the writing side. */
  readonly breakWriting: (error: string) => void
  /** A writer waits while this is closed: nobody reads. */
  readonly reading: Latch.Latch
  /** Each write, as text. */
  readonly writes: Array<string>
}

/** Makes a pipe that delivers in chunks of these sizes. */
export const make = (cuts: ReadonlyArray<number> = [65_536]): Effect.Effect<BytePipe> =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<Uint8Array, string | Cause.Done>()
    const reading = yield* Latch.make(true)
    const writes: Array<string> = []
    let broken: string | undefined
    const text = new TextDecoder()
    return {
      readable: Stream.fromQueue(queue),
      write: (bytes) =>
        Effect.suspend(() => broken === undefined ? reading.await : Effect.fail(broken)).pipe(
          Effect.andThen(Effect.suspend(() => {
            if (broken !== undefined) return Effect.fail(broken)
            writes.push(text.decode(bytes))
            return Effect.asVoid(Queue.offerAll(queue, cut(bytes, cuts)))
          }))
        ),
      feed: (fed) => {
        Queue.offerAllUnsafe(queue, cut(new TextEncoder().encode(fed), cuts))
      },
      end: Effect.asVoid(Queue.end(queue)),
      breakReading: (error) => Effect.asVoid(Queue.fail(queue, error)),
      breakWriting: (error) => {
        broken = error
        Effect.runFork(reading.open)
      },
      reading,
      writes
    }
  })
