/**
 * What changed on a server, published to whoever listens.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/**
 * Something changed: a list, or what stands at a URI.
 *
 * @since 0.1.0
 * @category models
 */
export type Change =
  | { readonly _tag: "Tools" }
  | { readonly _tag: "Prompts" }
  | { readonly _tag: "Resources" }
  | { readonly _tag: "Resource"; readonly uri: string }

/**
 * Publishes changes. The default reaches the listeners of one server in one process; provide another implementation
 * to span several.
 *
 * @since 0.1.0
 * @category services
 */
export class Changes extends Context.Service<Changes, {
  readonly publish: (change: Change) => Effect.Effect<void>
  /** Calls the listener for each change while the scope is open. The listener returns at once. */
  readonly subscribe: (listener: (change: Change) => void) => Effect.Effect<void, never, Scope.Scope>
}>()("@effect-mcp/sdk/Changes") {}

/**
 * Makes the in-process implementation.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Changes["Service"]> = Effect.sync(() => {
  const listeners = new Set<(change: Change) => void>()
  return Changes.of({
    publish: (change) =>
      Effect.sync(() => {
        for (const listener of [...listeners]) listener(change)
      }),
    subscribe: (listener) =>
      // A wrapper of its own, so that one function subscribed twice is called twice.
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => {
          const own = (change: Change) => listener(change)
          listeners.add(own)
          return own
        }),
        (own) => Effect.sync(() => listeners.delete(own))
      ))
  })
})

/**
 * The in-process implementation, to be shared by servers that are meant to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Changes> = Layer.effect(Changes, make)

/**
 * Tells that what stands at a URI has changed, to those who subscribed to it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 * @since 0.1.0
 * @category publishing
 */
export const resourceUpdated = (uri: string): Effect.Effect<void, never, Changes> =>
  Effect.flatMap(Changes, (changes) => changes.publish({ _tag: "Resource", uri }))
