/** A response for platforms that want it as a value: whole, or as a stream of texts that somebody pulls. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Headers, HttpHandler, Incoming, Outgoing } from "../Exchange.ts"

/** Takes the pieces of a stream as they come. */
export interface Sink {
  /** `false`: the reader is behind; it calls `drained` once it has caught up. */
  readonly push: (chunk: string) => boolean
  readonly end: () => void
  readonly abort: () => void
}

export interface Platform<A> {
  readonly whole: (status: number, headers: Headers, body: string | undefined) => A
  /** `drained` tells that the reader has caught up, `gone` that it will read no more. */
  readonly streamed: (
    status: number,
    headers: Headers,
    reader: { readonly drained: () => void; readonly gone: () => void }
  ) => readonly [A, Sink]
}

/**
 * Runs a handler in a fiber of its own and completes with the response as soon as that begins. Interruption before then,
 * and a reader that is gone later, interrupt the fiber.
 */
export const respond = <A>(
  handler: HttpHandler,
  incoming: Incoming,
  platform: Platform<A>,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
): Effect.Effect<A> =>
  Effect.callback<A>((resume) => {
    let begun = false
    let isOver = false
    let sink: Sink | undefined
    let fiber: Fiber.Fiber<void> | undefined = undefined
    const begin = (response: A) => {
      begun = true
      resume(Effect.succeed(response))
    }
    /** Ends the stream one way or another, once. */
    const over = (how: "end" | "abort" | undefined) => {
      if (isOver) return
      isOver = true
      if (how !== undefined) sink?.[how]()
      if (how !== "end") fiber?.interruptUnsafe()
    }
    const outgoing: Outgoing = {
      send: (status, headers, body) => {
        if (!begun) begin(platform.whole(status, headers, body))
      },
      stream: (status, headers, onDrain) => {
        const [response, made] = platform.streamed(status, headers, { drained: onDrain, gone: () => over(undefined) })
        sink = made
        begin(response)
        return {
          write: (chunk) => isOver || made.push(chunk),
          end: () => over("end"),
          abort: () => over("abort")
        }
      }
    }
    fiber = fork(handler.handle(incoming, outgoing))
    fiber.addObserver(() => {
      // Interrupted by the server's end: nobody may wait on.
      if (!begun) begin(platform.whole(503, { "content-length": "0" }, undefined))
      else over("abort")
    })
    return Effect.sync(() => fiber.interruptUnsafe())
  })
