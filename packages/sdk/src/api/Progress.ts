/**
 * Progress: reported by a handler, heard by a caller.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Invocation } from "../era/Invocation.ts"
import * as Revision from "../protocol/Revision.ts"

/**
 * How far a call has come. `progress` grows with each report; `total` is what it is to reach, where that is known.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  /** A few words for people. Since 2025-03-26. */
  readonly message?: string | undefined
}

/** How far each call has come, because progress has to grow. */
const reported = new WeakMap<Invocation["Service"], number>()

/**
 * Tells the caller how far the call has come. Does nothing where the caller did not ask, nor for a report that is no
 * further than the one before: the protocol wants progress to grow.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow
 * @since 0.1.0
 * @category reporting
 */
export const report = ({ message, progress, total }: Progress): Effect.Effect<void, never, Invocation> =>
  Effect.flatMap(Invocation, (invocation) => {
    const { progressToken, revision } = invocation
    const last = reported.get(invocation)
    if (progressToken === undefined || !Number.isFinite(progress) || (last !== undefined && progress <= last)) {
      return Effect.void
    }
    reported.set(invocation, progress)
    return invocation.notify("notifications/progress", {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined || !Revision.atLeast(revision, "2025-03-26") ? {} : { message })
    })
  })

/**
 * What a client does with the progress of the calls that it makes. Default: it does not ask for any.
 *
 * @since 0.1.0
 * @category references
 */
export const Listener = Context.Reference<((progress: Progress) => Effect.Effect<void>) | undefined>(
  "@effect-mcp/sdk/Progress/Listener",
  { defaultValue: () => undefined }
)

/**
 * Hears the progress of the calls that an effect makes. The listener runs before the call returns, one report at a
 * time; while it is slower than the server, the oldest of more than 1,024 reports are dropped.
 *
 * @example
 * ```ts
 * tools.forecast({ city: "Oslo", days: 7 }).pipe(
 *   Progress.onProgress(({ progress, total }) => Console.log(`${progress} of ${total}`)))
 * ```
 *
 * @since 0.1.0
 * @category listening
 */
export const onProgress =
  (listener: (progress: Progress) => Effect.Effect<void>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.provideService(call, Listener, listener)

/**
 * One thing that a call has to tell: progress on the way, its value at the end.
 *
 * @since 0.1.0
 * @category models
 */
export type Event<A> =
  | ({ readonly _tag: "Progress" } & Progress)
  | { readonly _tag: "Done"; readonly value: A }

/**
 * A call as a stream: its progress, then its value. It fails as the call fails; closing it cancels the call.
 *
 * @since 0.1.0
 * @category listening
 */
export const stream = <A, E, R>(call: Effect.Effect<A, E, R>): Stream.Stream<Event<A>, E, R> =>
  Stream.callback<Event<A>, E, R>((queue) =>
    call.pipe(
      onProgress((progress) => Effect.asVoid(Queue.offer(queue, { _tag: "Progress", ...progress }))),
      Effect.flatMap((value) => Queue.offer(queue, { _tag: "Done", value })),
      Effect.matchCauseEffect({
        onFailure: (cause) => Queue.failCause(queue, cause),
        onSuccess: () => Queue.end(queue as Queue.Queue<Event<A>, E | Cause.Done>)
      })
    )
  )
