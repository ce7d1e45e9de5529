/** Hands the server's notifications to whoever listens, in order; a slow listener loses the oldest, never the newest. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Notification } from "../../protocol/JsonRpc.ts"
import * as EventBuffer from "./eventBuffer.ts"

export interface Hub {
  readonly publish: (notification: Notification) => void
  /** Calls the listener, which returns at once, until the returned function is called. */
  readonly listen: (listener: (notification: Notification) => void) => () => void
  readonly stream: Stream.Stream<Notification>
  /** Ends all streams. */
  readonly end: () => void
}

/** How many notifications may wait for one stream. */
const capacity = 4096

export const make = (): Hub => {
  const listeners = new Set<(notification: Notification) => void>()
  const buffers = new Set<EventBuffer.EventBuffer<Notification, never>>()
  let ended = false
  const listen: Hub["listen"] = (listener) => {
    const own = (notification: Notification) => listener(notification)
    listeners.add(own)
    return () => {
      listeners.delete(own)
    }
  }
  return {
    publish: (notification) => {
      for (const listener of [...listeners]) listener(notification)
    },
    listen,
    stream: Stream.unwrap(Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const buffer = EventBuffer.make<Notification>(capacity)
          if (ended) buffer.end()
          buffers.add(buffer)
          const stop = listen((notification) => buffer.offer(notification))
          return { buffer, stop }
        }),
        ({ buffer, stop }) =>
          Effect.sync(() => {
            stop()
            buffers.delete(buffer)
          })
      ),
      ({ buffer }) => buffer.stream
    )),
    end: () => {
      ended = true
      for (const buffer of buffers) buffer.end()
    }
  }
}
