/**
 * A bounded, ordered hand-over from many senders to one reader: what lies between `send` and a pipe.
 *
 * It is no queue of Effect's because the reader takes all that is there in one step, senders pay nothing while there
 * is room, and a sender that was interrupted while it waited takes its item back.
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type { SchedulerDispatcher } from "effect/Scheduler"
import * as McpError from "../../protocol/McpError.ts"

interface Waiting<A> {
  readonly item: A
  readonly size: number
  readonly resume: (effect: Effect.Effect<void, McpError.McpError>) => void
}

const wakesBeforeYield = 64

/**
 * The hand-over. Its state is plain and changed in one synchronous step at a time.
 *
 * @since 0.1.0
 * @category models
 */
export class Outbox<A> {
  readonly #highWaterMark: number
  #items: Array<A> = []
  #size = 0
  readonly #waiting = new Set<Waiting<A>>()
  #reader: ((effect: Pull.Pull<NonEmptyReadonlyArray<A>>) => void) | undefined = undefined
  #dispatcher: SchedulerDispatcher | undefined = undefined
  #wakeScheduled = false
  #wakes = 0
  #refusal: McpError.McpError | undefined = undefined

  /** `highWaterMark` is how much may lie here before senders wait, in the unit of the sizes given to `offer`. */
  constructor(highWaterMark: number) {
    this.#highWaterMark = highWaterMark
  }

  /** Completes when the item is taken in. Fails where it surely never will be. */
  offer(item: A, size: number): Effect.Effect<void, McpError.McpError> {
    if (this.#refusal !== undefined) return Effect.fail(this.#refusal)
    if (this.#size < this.#highWaterMark && this.#waiting.size === 0) {
      this.#put(item, size)
      return Effect.void
    }
    return Effect.callback((resume) => {
      const waiting: Waiting<A> = { item, size, resume }
      this.#waiting.add(waiting)
      return Effect.sync(() => {
        this.#waiting.delete(waiting)
      })
    })
  }

  /** Takes all that is there, or waits for the first item. Done once closed and empty. One reader at a time. */
  readonly pull: Pull.Pull<NonEmptyReadonlyArray<A>> = Effect.withFiber((fiber) => {
    if (this.#items.length > 0) return Effect.succeed(this.#take())
    if (this.#refusal !== undefined) return Cause.done()
    return Effect.callback((resume) => {
      this.#dispatcher = fiber.currentDispatcher
      this.#reader = resume
      return Effect.sync(() => {
        this.#reader = undefined
      })
    })
  })

  /** Takes in nothing more. What is there is still read, then the reader is done. */
  close(refusal: McpError.McpError): void {
    if (this.#refusal !== undefined) return
    this.#refusal = refusal
    const failed = Effect.fail(refusal)
    const waiting = Array.from(this.#waiting)
    this.#waiting.clear()
    for (const { resume } of waiting) resume(failed)
    this.#scheduleWake()
  }

  /** Closes, and drops what is there: nobody will read it. */
  abandon(refusal: McpError.McpError): void {
    this.#items = []
    this.#size = 0
    this.close(refusal)
  }

  #put(item: A, size: number) {
    this.#items.push(item)
    this.#size += size
    this.#scheduleWake()
  }

  #take(): NonEmptyReadonlyArray<A> {
    const items = this.#items
    this.#items = []
    this.#size = 0
    for (const waiting of this.#waiting) {
      if (this.#size >= this.#highWaterMark) break
      this.#waiting.delete(waiting)
      this.#put(waiting.item, waiting.size)
      waiting.resume(Effect.void)
    }
    return items as unknown as NonEmptyReadonlyArray<A>
  }

  // The reader is woken once per tick, so that what is sent in one tick is read in one step. A microtask is the
  // soonest, but two peers in one process that answer each other by microtasks alone would never let a timer fire.
  #scheduleWake() {
    if (this.#reader === undefined || this.#wakeScheduled) return
    this.#wakeScheduled = true
    this.#wakes = (this.#wakes + 1) % wakesBeforeYield
    if (this.#wakes === 0 && this.#dispatcher !== undefined) this.#dispatcher.scheduleTask(this.#wake, 0)
    else queueMicrotask(this.#wake)
  }

  readonly #wake = () => {
    this.#wakeScheduled = false
    const reader = this.#reader
    if (reader === undefined) return
    if (this.#items.length > 0) {
      this.#reader = undefined
      reader(Effect.succeed(this.#take()))
    } else if (this.#refusal !== undefined) {
      this.#reader = undefined
      reader(Cause.done())
    }
  }
}

/**
 * The refusal of a connection that was closed.
 *
 * @since 0.1.0
 * @category errors
 */
export const closed = (detail?: string, cause?: unknown): McpError.McpError =>
  McpError.make(
    new McpError.ConnectionClosed({
      ...(detail === undefined ? {} : { detail }),
      ...(cause === undefined ? {} : { cause })
    })
  )
