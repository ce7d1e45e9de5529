/**
 * A pull that can be ended or replaced from outside while somebody waits on it.
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import type { McpError } from "../../protocol/McpError.ts"

type Messages = Pull.Pull<NonEmptyReadonlyArray<unknown>, McpError>

/**
 * Guards the one pull of a connection's `incoming`.
 *
 * Each pull runs in a fiber of its own, which costs little where a pull brings a whole chunk; a race with a signal
 * would cost two fibers and more.
 *
 * @since 0.1.0
 * @category models
 */
export class Gate {
  #change: ((pull: Messages) => Messages) | undefined = undefined
  #restart: (() => void) | undefined = undefined

  /** The pull behind the gate. */
  guard(pull: Messages): Messages {
    const guarded: Messages = Effect.withFiber((fiber) => {
      const inner = Effect.runForkWith(fiber.context)(this.#change === undefined ? pull : this.#change(pull))
      const exit = inner.pollUnsafe()
      if (exit !== undefined) return exit
      return Effect.callback((resume) => {
        const done = (effect: Messages) => {
          this.#restart = undefined
          resume(effect)
        }
        const forget = inner.addObserver(done)
        this.#restart = () => {
          forget()
          inner.interruptUnsafe()
          done(guarded)
        }
        return Effect.suspend(() => {
          this.#restart = undefined
          return Fiber.interrupt(inner)
        })
      })
    })
    return guarded
  }

  /** From now on pulls are what `change` makes of them, also the one that waits. */
  replace(change: (pull: Messages) => Messages): void {
    this.#change = change
    this.#restart?.()
  }
}
