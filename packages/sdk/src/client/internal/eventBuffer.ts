/** Events that wait for one reader: bounded, the same change only once, never in the way of whoever offers. */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export interface EventBuffer<A, E> {
  /** Events with the same key are one while they wait. When full, the oldest gives way. */
  readonly offer: (event: A, key?: string) => void
  /** Lets the reader end after what waits. */
  readonly end: () => void
  /** Lets the reader fail after what waits. */
  readonly fail: (error: E) => void
  /** To be run once. */
  readonly stream: Stream.Stream<A, E>
}

export const make = <A, E = never>(capacity: number): EventBuffer<A, E> => {
  let waiting: Array<{ readonly event: A; readonly key: string | undefined }> = []
  const keys = new Set<string>()
  let outcome: Effect.Effect<never, E | Cause.Done> | undefined
  let wake: (() => void) | undefined

  const wakeUp = () => {
    const resume = wake
    wake = undefined
    resume?.()
  }
  const settle = (effect: Effect.Effect<never, E | Cause.Done>) => {
    outcome ??= effect
    wakeUp()
  }
  const take = (): Effect.Effect<Arr.NonEmptyReadonlyArray<A>, E | Cause.Done> => {
    if (waiting.length > 0) {
      const taken = waiting.map(({ event }) => event) as unknown as Arr.NonEmptyReadonlyArray<A>
      waiting = []
      keys.clear()
      return Effect.succeed(taken)
    }
    return outcome ?? Effect.flatMap(arrival, () => Effect.suspend(take))
  }
  const arrival = Effect.callback<void>((resume) => {
    if (waiting.length > 0 || outcome !== undefined) return resume(Effect.void)
    wake = () => resume(Effect.void)
  })

  return {
    offer: (event, key) => {
      if (outcome !== undefined || (key !== undefined && keys.has(key))) return
      if (waiting.length >= capacity) {
        const dropped = waiting.shift()
        if (dropped?.key !== undefined) keys.delete(dropped.key)
      }
      if (key !== undefined) keys.add(key)
      waiting.push({ event, key })
      wakeUp()
    },
    end: () => settle(Cause.done()),
    fail: (error) => settle(Effect.fail(error)),
    stream: Stream.fromPull(Effect.succeed(Effect.suspend(take)))
  }
}
