/** Open streams: a bound on readers that stall, and comments that keep quiet ones open, by one timer for all. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type { Headers, Outgoing, Writer } from "../Exchange.ts"
import * as Sse from "../Sse.ts"

/** More than this many characters are never held for a reader that does not read. */
const maxHeld = 16 * 1024 * 1024

export interface Live {
  /**
   * Writes at once; the effect waits while the reader does not read, within bounds. A stream that is closed takes no
   * more.
   */
  readonly put: (chunk: string) => Effect.Effect<void>
  readonly isOpen: () => boolean
  /** Writes the last piece and ends the stream. */
  readonly end: (chunk?: string) => void
  readonly abort: () => void
  /** Called once, when the stream has closed from this side. */
  onClose: (() => void) | undefined
}

interface Entry extends Live {
  readonly tick: (now: number) => void
}

export interface Options {
  readonly clock: Clock.Clock
  /** Milliseconds; 0 for no comments. */
  readonly keepAlive: number
  /** Milliseconds that a reader may not read. */
  readonly stallTimeout: number
}

export interface Lives {
  readonly open: (outgoing: Outgoing, headers: Headers) => Live
  /** Looks after the open streams, for ever. */
  readonly watch: Effect.Effect<never>
  readonly count: () => number
}

export const make = ({ clock, keepAlive, stallTimeout }: Options): Lives => {
  const entries = new Set<Entry>()

  const open = (outgoing: Outgoing, headers: Headers): Live => {
    let isOpen = true
    let quiet = false
    let fullSince: number | undefined
    let held = 0
    let room: Latch.Latch | undefined

    const onDrain = () => {
      fullSince = undefined
      held = 0
      room?.openUnsafe()
    }
    const writer: Writer = outgoing.stream(200, headers, onDrain)
    const close = () => {
      isOpen = false
      entries.delete(entry)
      room?.openUnsafe()
      entry.onClose?.()
    }
    const abort = () => {
      if (!isOpen) return
      close()
      writer.abort()
    }
    const put = (chunk: string) => {
      quiet = false
      if (!writer.write(chunk) && fullSince === undefined) {
        fullSince = clock.currentTimeMillisUnsafe()
        room ??= Latch.makeUnsafe(false)
        room.closeUnsafe()
      }
    }
    const awaitRoom = Effect.suspend(() =>
      Effect.map(Effect.timeoutOption(room!.await, stallTimeout), (waited) => {
        if (Option.isNone(waited)) abort()
      })
    )
    const entry: Entry = {
      put: (chunk) => {
        if (!isOpen) return Effect.void
        if (fullSince !== undefined) {
          held += chunk.length
          if (held > maxHeld) {
            abort()
            return Effect.void
          }
        }
        put(chunk)
        return fullSince === undefined ? Effect.void : awaitRoom
      },
      isOpen: () => isOpen,
      end: (chunk) => {
        if (!isOpen) return
        if (chunk !== undefined) writer.write(chunk)
        // Whoever hears of the close may take the response for broken off if it has no end yet.
        writer.end()
        close()
      },
      abort,
      tick: (now) => {
        if (fullSince !== undefined) {
          if (now - fullSince >= stallTimeout) abort()
        } else if (quiet) put(Sse.comment)
        quiet = true
      },
      onClose: undefined
    }
    entries.add(entry)
    return entry
  }

  // A stream is quiet for at least half the interval, and never for more than the whole, before it gets a comment.
  const tick = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    for (const entry of entries) entry.tick(now)
  })

  return {
    open,
    watch: keepAlive > 0 ? Effect.forever(Effect.delay(tick, keepAlive / 2)) : Effect.never,
    count: () => entries.size
  }
}
