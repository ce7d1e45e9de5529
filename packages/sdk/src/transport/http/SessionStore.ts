/**
 * What outlives a process of a handshake-era session, so that a restarted or another instance can go on with it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Established } from "../../peer/ServerTransport.ts"

/**
 * What is kept of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredSession extends Established {
  /** Whose session it is; `undefined` where nobody was authenticated. */
  readonly subject: string | undefined
}

/**
 * Keeps sessions by their ids. Running sessions live in the server; it asks the store for an id that it does not know.
 *
 * What is kept is the handshake: subscriptions, the log level and requests under way end with the process.
 *
 * @since 0.1.0
 * @category services
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Keeps a session; after `timeToLive` without another `save` it may be forgotten. */
  readonly save: (id: string, session: StoredSession, timeToLive: Duration.Duration) => Effect.Effect<void>
  readonly load: (id: string) => Effect.Effect<Option.Option<StoredSession>>
  readonly remove: (id: string) => Effect.Effect<void>
}>()("@effect-mcp/sdk/transport/http/SessionStore") {}

/**
 * Keeps nothing: a session lives and ends with the process. The default.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: SessionStore["Service"] = {
  save: () => Effect.void,
  load: () => Effect.succeed(Option.none()),
  remove: () => Effect.void
}

/**
 * Keeps sessions in the memory of the process, for as long as the layer lives: several servers in one process, or one
 * that is built anew, share them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => {
  const sessions = new Map<string, StoredSession>()
  return {
    save: (id, session) =>
      Effect.sync(() => {
        sessions.set(id, session)
      }),
    load: (id) => Effect.sync(() => Option.fromNullishOr(sessions.get(id))),
    remove: (id) =>
      Effect.sync(() => {
        sessions.delete(id)
      })
  }
})
