/** Time limits of many calls watched by one timer, because a timer a call costs more than the call. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

export interface Entry {
  readonly timeout: number
  readonly maximum: number
  /** Whether a message for the call starts its time anew. */
  readonly resets: boolean
  deadline: number
  readonly hardDeadline: number
}

export interface Deadlines<A extends Entry> {
  readonly watch: (entry: A) => void
  readonly touch: (entry: A) => void
  /** Starts the time of all entries anew: what they waited for was this side. */
  readonly renew: () => void
  readonly stop: () => void
}

/** The longest that a timer of the platform sleeps without overflow; longer waits are cut and taken up again. */
const longest = 2 ** 31 - 1

export const make = <A extends Entry>(
  clock: Clock.Clock,
  fork: <E>(effect: Effect.Effect<void, E>) => Fiber.Fiber<void, E>,
  entries: ReadonlyMap<unknown, A>,
  /** Takes the entry out, where it is not gone by then. */
  onExpired: (entry: A, maximum: boolean) => void,
  /** Whether time stands still, but for the hard limit. */
  isHeld: () => boolean
): Deadlines<A> => {
  let sleeping: Fiber.Fiber<void> | undefined
  let wakesAt = Infinity

  const sleepUntil = (time: number) => {
    wakesAt = time
    sleeping = fork(
      Effect.andThen(
        Effect.sleep(Math.max(0, Math.min(time - clock.currentTimeMillisUnsafe(), longest))),
        Effect.sync(wake)
      )
    )
  }

  const renew = () => {
    const now = clock.currentTimeMillisUnsafe()
    for (const entry of entries.values()) entry.deadline = Math.max(entry.deadline, now + entry.timeout)
  }

  const wake = () => {
    sleeping = undefined
    wakesAt = Infinity
    const now = clock.currentTimeMillisUnsafe()
    const expired: Array<A> = []
    if (isHeld()) renew()
    let next = Infinity
    for (const entry of entries.values()) {
      const due = Math.min(entry.deadline, entry.hardDeadline)
      if (due <= now) expired.push(entry)
      else next = Math.min(next, due)
    }
    if (next !== Infinity) sleepUntil(next)
    // Last, because whoever hears of it may go on at once, with another call or the end of all.
    for (const entry of expired) onExpired(entry, entry.hardDeadline < entry.deadline)
  }

  return {
    watch: (entry) => {
      const due = Math.min(entry.deadline, entry.hardDeadline)
      if (due >= wakesAt || due === Infinity) return
      sleeping?.interruptUnsafe()
      sleepUntil(due)
    },
    touch: (entry) => {
      if (entry.resets) entry.deadline = clock.currentTimeMillisUnsafe() + entry.timeout
    },
    renew,
    stop: () => {
      sleeping?.interruptUnsafe()
      wakesAt = -Infinity
    }
  }
}
