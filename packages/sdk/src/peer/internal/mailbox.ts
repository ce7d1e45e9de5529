/** A bounded mailbox whose messages are handled one at a time, by a fiber that lives only while there are some. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

export interface Options<A> {
  readonly capacity: number
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly handle: (message: A) => Effect.Effect<void>
  /** Called whenever nothing is left to handle; with a failure where handling a message died or was stopped. */
  readonly onIdle: (exit: Exit.Exit<void>) => void
}

export interface Mailbox<A> {
  /** Never makes the sender wait: when full, the oldest is dropped. */
  readonly offer: (message: A) => void
  readonly isIdle: () => boolean
  /** Drops what waits and interrupts what is being handled: gives the fiber of that, where there is one. */
  readonly stop: () => Fiber.Fiber<void> | undefined
}

export const make = <A>({ capacity, fork, handle, onIdle }: Options<A>): Mailbox<A> => {
  const waiting: Array<A> = []
  let busy = false
  let fiber: Fiber.Fiber<void> | undefined

  const handleAll = Effect.whileLoop({
    while: () => waiting.length > 0,
    body: () => handle(waiting.shift()!),
    step: () => {}
  })

  return {
    offer: (message) => {
      if (waiting.length >= capacity) waiting.shift()
      waiting.push(message)
      if (busy) return
      busy = true
      const started = fork(handleAll)
      started.addObserver((exit) => {
        if (exit._tag === "Failure") waiting.length = 0
        busy = false
        fiber = undefined
        onIdle(exit)
      })
      if (busy) fiber = started
    },
    isIdle: () => !busy,
    stop: () => {
      waiting.length = 0
      const stopped = fiber
      stopped?.interruptUnsafe()
      return stopped
    }
  }
}
