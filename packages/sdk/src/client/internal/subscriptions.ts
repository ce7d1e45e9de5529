/** Subscriptions to changes: one stream whatever the era, taken up again when the connection has been lost. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Change } from "../../api/Changes.ts"
import type { Notification, Params, RequestId } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { SubscriptionFilter } from "../../protocol/Subscriptions.ts"
import * as EventBuffer from "./eventBuffer.ts"
import type { Hub } from "./hub.ts"
import type { Session } from "./session.ts"

export type Event =
  | Change
  | { readonly _tag: "Notification"; readonly notification: Notification }
  | { readonly _tag: "Lost"; readonly error: McpError.McpError }
  | { readonly _tag: "Resumed"; readonly honoured: SubscriptionFilter }

/** How a server ended a subscription: by its result, or by a cancel notice. */
export type End = "completed" | "cancelled"

export interface Subscription {
  readonly honoured: SubscriptionFilter
  readonly events: Stream.Stream<Event, McpError.McpError>
  readonly ended: Effect.Effect<End, McpError.McpError>
}

export interface Options {
  readonly own: boolean
  readonly resume: Schedule.Schedule<unknown, McpError.McpError> | undefined
}

/** How many events may wait for a reader before the oldest gives way. Equal changes wait as one. */
const capacity = 4096

export const changeOf = ({ method, params }: Notification): Change | undefined => {
  switch (method) {
    case "notifications/tools/list_changed":
      return { _tag: "Tools" }
    case "notifications/prompts/list_changed":
      return { _tag: "Prompts" }
    case "notifications/resources/list_changed":
      return { _tag: "Resources" }
    case "notifications/resources/updated": {
      const uri = params?.["uri"]
      return typeof uri === "string" ? { _tag: "Resource", uri } : undefined
    }
    default:
      return undefined
  }
}

const keyOf = (change: Change): string => change._tag === "Resource" ? `Resource ${change.uri}` : change._tag

/** One subscription on one session: what is honoured, and how it ends. */
interface Attempt {
  readonly honoured: SubscriptionFilter
  readonly end: Effect.Effect<End, McpError.McpError>
}

type Deliver = (notification: Notification) => void

// ---- modern

interface Call {
  readonly request: (
    session: Session,
    method: string,
    params: Params,
    onId: (id: RequestId) => void
  ) => Effect.Effect<Params, McpError.McpError>
  /** How long an acknowledgement may take. */
  readonly acknowledged: <A>(effect: Effect.Effect<A, McpError.McpError>) => Effect.Effect<A, McpError.McpError>
}

const listen = Effect.fnUntraced(function*(
  call: Call,
  session: Session,
  filter: SubscriptionFilter,
  deliver: Deliver,
  own: boolean
): Effect.fn.Return<Attempt, McpError.McpError, Scope.Scope> {
  const acknowledged = Deferred.makeUnsafe<SubscriptionFilter, McpError.McpError>()
  const ended = Deferred.makeUnsafe<End, McpError.McpError>()
  let id: RequestId | undefined
  const request = call.request(session, "subscriptions/listen", { notifications: filter }, (given) => {
    id = given
    session.sinks.set(given, {
      own,
      acknowledged: (params) => {
        const honoured = params["notifications"]
        Deferred.doneUnsafe(
          acknowledged,
          Effect.succeed(typeof honoured === "object" && honoured !== null ? honoured : {})
        )
      },
      notice: (notification) => {
        // A server that forgot to acknowledge has done so by now.
        Deferred.doneUnsafe(acknowledged, Effect.succeed(filter))
        deliver(notification)
      }
    })
  })
  yield* request.pipe(
    Effect.matchEffect({
      onSuccess: (result) => {
        Deferred.doneUnsafe(acknowledged, Effect.succeed({}))
        return Deferred.succeed(ended, result["cancelled"] === true ? "cancelled" : "completed")
      },
      onFailure: (error) => {
        Deferred.doneUnsafe(acknowledged, Effect.fail(error))
        return Deferred.fail(ended, error)
      }
    }),
    Effect.ensuring(Effect.sync(() => {
      if (id !== undefined) session.sinks.delete(id)
    })),
    Effect.forkScoped({ startImmediately: true })
  )
  return { honoured: yield* call.acknowledged(Deferred.await(acknowledged)), end: Deferred.await(ended) }
})

// ---- handshake era

/** Whether a change at a URI concerns a subscription: it is of the resource, or of a part of it. */
const concerns = (changed: string, uri: string): boolean => changed === uri || changed.startsWith(uri)

const subscribe = Effect.fnUntraced(function*(
  call: Call,
  session: Session,
  hub: Hub,
  filter: SubscriptionFilter,
  deliver: Deliver
): Effect.fn.Return<Attempt, McpError.McpError, Scope.Scope> {
  const capabilities = session.agreement.capabilities ?? {}
  const once = (method: string, uri: string) => call.request(session, method, { uri }, () => {})
  const uris: Array<string> = []
  const wanted = capabilities.resources?.subscribe === true ? [...new Set(filter.resourceSubscriptions)] : []
  const stop = hub.listen((notification) => {
    const change = changeOf(notification)
    switch (change?._tag) {
      case "Tools":
        return filter.toolsListChanged === true ? deliver(notification) : undefined
      case "Prompts":
        return filter.promptsListChanged === true ? deliver(notification) : undefined
      case "Resources":
        return filter.resourcesListChanged === true ? deliver(notification) : undefined
      case "Resource":
        return uris.some((uri) => concerns(change.uri, uri)) ? deliver(notification) : undefined
    }
  })
  yield* Effect.addFinalizer(() => {
    stop()
    const last = uris.filter((uri) => {
      const others = (session.subscribed.get(uri) ?? 1) - 1
      if (others > 0) session.subscribed.set(uri, others)
      else session.subscribed.delete(uri)
      return others <= 0
    })
    // Nobody waits for the answers: they come, or the session ends.
    return Effect.forEach(
      last,
      (uri) => Effect.forkDetach(Effect.ignore(once("resources/unsubscribe", uri)), { startImmediately: true }),
      { discard: true }
    )
  })
  yield* Effect.forEach(wanted, (uri) => {
    const others = session.subscribed.get(uri) ?? 0
    session.subscribed.set(uri, others + 1)
    uris.push(uri)
    return others > 0 ? Effect.void : Effect.catch(once("resources/subscribe", uri), (error) => {
      if (McpError.isLocal(error)) return Effect.fail(error)
      // The server does not know it, or does not watch it: it is not honoured.
      uris.splice(uris.indexOf(uri), 1)
      session.subscribed.delete(uri)
      return Effect.void
    })
  }, { concurrency: 16, discard: true })
  return {
    honoured: {
      ...(filter.toolsListChanged === true && capabilities.tools?.listChanged === true
        ? { toolsListChanged: true }
        : {}),
      ...(filter.promptsListChanged === true && capabilities.prompts?.listChanged === true
        ? { promptsListChanged: true }
        : {}),
      ...(filter.resourcesListChanged === true && capabilities.resources?.listChanged === true
        ? { resourcesListChanged: true }
        : {}),
      ...(uris.length > 0 ? { resourceSubscriptions: [...uris] } : {})
    },
    end: Deferred.await(session.ended)
  }
})

// ---- both

/**
 * Subscribes, and stays subscribed while the scope is open. The first attempt fails as it fails; later ones are made by
 * the schedule.
 */
export const make = (dependencies: {
  readonly call: Call
  readonly hub: Hub
  readonly session: Effect.Effect<Session, McpError.McpError>
  /** Whether the client is closed for good, so that there is nothing to take up again. */
  readonly isClosed: () => boolean
}) =>
  Effect.fnUntraced(function*(
    filter: SubscriptionFilter,
    options: Options
  ): Effect.fn.Return<Subscription, McpError.McpError, Scope.Scope> {
    const { call, hub } = dependencies
    const buffer = EventBuffer.make<Event, McpError.McpError>(capacity)
    const deliver: Deliver = (notification) => {
      const change = changeOf(notification)
      if (change === undefined) buffer.offer({ _tag: "Notification", notification })
      else buffer.offer(change, keyOf(change))
    }
    /** Each attempt has a scope of its own: what is left of a lost one is cleared away before the next. */
    const attempt: Effect.Effect<readonly [Attempt, Scope.Closeable], McpError.McpError> = Effect.flatMap(
      Scope.make(),
      (scope) =>
        Effect.flatMap(dependencies.session, (session) =>
          session.modern
            ? listen(call, session, filter, deliver, options.own)
            : subscribe(call, session, hub, filter, deliver)).pipe(
            Scope.provide(scope),
            Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, Exit.void)),
            Effect.map((made) => [made, scope] as const)
          )
    )
    let held: Scope.Closeable | undefined
    const acquire = Effect.uninterruptibleMask((restore) =>
      Effect.map(restore(attempt), ([made, scope]) => {
        held = scope
        return made
      })
    )
    const release = Effect.suspend(() => {
      const scope = held
      held = undefined
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })
    yield* Effect.addFinalizer(() => release)

    const first = yield* acquire
    const ended = Deferred.makeUnsafe<End, McpError.McpError>()
    const { resume } = options

    /** Tries until an attempt succeeds; fails with the last error where the schedule says no more. */
    const again = (
      step: (input: McpError.McpError) => Pull.Pull<unknown, never, unknown>,
      error: McpError.McpError
    ): Effect.Effect<Attempt, McpError.McpError> =>
      Pull.matchEffect(step(error), {
        onSuccess: () =>
          Effect.catch(acquire, (next) => dependencies.isClosed() ? Effect.fail(next) : again(step, next)),
        onFailure: () => Effect.fail(error),
        onDone: () => Effect.fail(error)
      })

    const follow = (current: Attempt): Effect.Effect<End, McpError.McpError> =>
      Effect.catch(current.end, (error) => {
        if (resume === undefined || dependencies.isClosed()) return Effect.fail(error)
        buffer.offer({ _tag: "Lost", error })
        return Effect.flatMap(
          Effect.andThen(release, Effect.flatMap(Schedule.toStepWithSleep(resume), (step) => again(step, error))),
          (next) => {
            buffer.offer({ _tag: "Resumed", honoured: next.honoured })
            return follow(next)
          }
        )
      })

    yield* Effect.forkScoped(
      Effect.matchEffect(follow(first), {
        onSuccess: (end) => {
          buffer.end()
          return Deferred.succeed(ended, end)
        },
        onFailure: (error) => {
          buffer.fail(error)
          return Deferred.fail(ended, error)
        }
      })
    )
    return { honoured: first.honoured, events: buffer.stream, ended: Deferred.await(ended) }
  })
