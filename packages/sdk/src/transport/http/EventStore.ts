/**
 * What was sent on the streams of handshake-era sessions, kept so that a client that lost its connection can resume.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * A message as it was sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredEvent {
  /** The stream of the session. */
  readonly stream: string
  /** Its place in the stream, from 1 on without gaps. */
  readonly sequence: number
  /** The JSON text. */
  readonly data: string
}

/**
 * Keeps events. The server gives them their ids, so a store needs no order of its own.
 *
 * @since 0.1.0
 * @category services
 */
export class EventStore extends Context.Service<EventStore, {
  /** Keeps an event of a session. */
  readonly append: (session: string, event: StoredEvent) => Effect.Effect<void>
  /** The events of one stream after a place in it, in order; those that are no longer kept are left out. */
  readonly after: (session: string, stream: string, sequence: number) => Effect.Effect<ReadonlyArray<StoredEvent>>
  /** Forgets a session. */
  readonly drop: (session: string) => Effect.Effect<void>
}>()("@effect-mcp/sdk/transport/http/EventStore") {}

/**
 * Bounds of a store in memory.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Events kept for one session; the oldest give way. Default: 1,024. */
  readonly maxStreamEvents?: number | undefined
  /** Characters kept for one session, though always the latest event. Default: 4,194,304. */
  readonly maxStreamCharacters?: number | undefined
}

interface Kept {
  readonly events: Array<StoredEvent>
  characters: number
}

/**
 * A store in the memory of the process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory = (options?: Options): EventStore["Service"] => {
  const maxEvents = options?.maxStreamEvents ?? 1024
  const maxCharacters = options?.maxStreamCharacters ?? 4 * 1024 * 1024
  const sessions = new Map<string, Kept>()

  const trim = (kept: Kept) => {
    let count = 0
    while (
      kept.events.length - count > maxEvents ||
      (kept.characters > maxCharacters && kept.events.length - count > 1)
    ) {
      kept.characters -= kept.events[count]!.data.length
      count++
    }
    if (count > 0) kept.events.splice(0, count)
  }

  return {
    append: (session, event) =>
      Effect.sync(() => {
        let kept = sessions.get(session)
        if (kept === undefined) sessions.set(session, kept = { events: [], characters: 0 })
        kept.events.push(event)
        kept.characters += event.data.length
        trim(kept)
      }),
    after: (session, stream, sequence) =>
      Effect.sync(() =>
        sessions.get(session)?.events.filter((event) => event.stream === stream && event.sequence > sequence)
          .toSorted((a, b) => a.sequence - b.sequence) ?? []
      ),
    drop: (session) =>
      Effect.sync(() => {
        sessions.delete(session)
      })
  }
}

/**
 * A store in the memory of the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (options?: Options): Layer.Layer<EventStore> =>
  Layer.sync(EventStore, () => makeMemory(options))
