/** Keeps a session with the server: opens another one by a schedule when one has ended unexpectedly. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Agreement } from "../../era/Negotiate.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { Session } from "./session.ts"

/** How a client's connection stands. */
export type Status =
  | { readonly _tag: "Open"; readonly server: Agreement }
  /** It has ended unexpectedly and is being opened again. */
  | { readonly _tag: "Lost"; readonly error: McpError.McpError }
  /** It is closed for good; `error` says why, where nobody has asked for it. */
  | { readonly _tag: "Closed"; readonly error: McpError.McpError | undefined }

export interface Link {
  /** The session, where one is open at this moment. */
  readonly current: () => Session | undefined
  readonly isClosed: () => boolean
  /** The session; waits for it while it is being opened again. */
  readonly session: Effect.Effect<Session, McpError.McpError>
  /** Gives up a session and opens another at once. */
  readonly renew: (session: Session, error: McpError.McpError) => Effect.Effect<void>
  readonly status: SubscriptionRef.SubscriptionRef<Status>
  /** Closes for good. Harmless twice. */
  readonly close: Effect.Effect<void>
}

type State =
  | { readonly _tag: "Open"; readonly session: Session }
  | {
    readonly _tag: "Opening"
    /** The session that has ended. */
    readonly after: Session
    readonly opened: Deferred.Deferred<Session, McpError.McpError>
    /** Whether somebody is at it. */
    begun: boolean
  }
  | { readonly _tag: "Closed"; readonly error: McpError.McpError }

/** A session that has lived so long was no failure: what follows is not counted with what was before. */
const stable = Duration.minutes(1)

/** How long the calls on a session that the server has forgotten may take to hear of it. */
const farewell = Duration.seconds(2)

/** When to open again, where neither client nor transport say. Only a process can be started again and be as before. */
export const defaultRestart: Schedule.Schedule<unknown, McpError.McpError> = Schedule.exponential("100 millis", 3).pipe(
  Schedule.upTo({ times: 5 })
)

const closedHere = () => McpError.make(new McpError.ConnectionClosed({ detail: "The client is closed" }))

export const make = Effect.fnUntraced(function*(options: {
  /** Opens a session and gives it to `adopt`, which no interruption keeps from it. */
  readonly open: (adopt: (session: Session) => Effect.Effect<void>) => Effect.Effect<Session, McpError.McpError>
  readonly restart: Schedule.Schedule<unknown, McpError.McpError> | undefined
  /** Called whenever a session has ended, before anything else is done. */
  readonly onLost: () => void
}): Effect.fn.Return<Link, McpError.McpError, Scope.Scope> {
  const scope = yield* Scope.make()
  const beginning = closedHere()
  let state: State = { _tag: "Closed", error: beginning }
  const status = yield* SubscriptionRef.make<Status>({ _tag: "Closed", error: undefined })

  let step: ((input: McpError.McpError) => Pull.Pull<unknown, never, unknown>) | undefined
  let openedAt = 0

  /** Waits as the schedule says; `false` where it says no more. */
  const pause = (error: McpError.McpError): Effect.Effect<boolean> => {
    const { restart } = options
    if (restart === undefined) return Effect.succeed(false)
    const next = Effect.flatMap(
      step === undefined ? Schedule.toStepWithSleep(restart) : Effect.succeed(step),
      (current) => {
        step = current
        return current(error)
      }
    )
    return Pull.matchEffect(next, {
      onSuccess: () => Effect.succeed(true),
      onFailure: () => Effect.succeed(false),
      onDone: () => Effect.succeed(false)
    })
  }

  const adopt = (session: Session): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      const opening = state
      // Somebody has closed the client in the meantime.
      if (opening._tag === "Closed" && opening.error !== beginning) return session.close
      openedAt = clock.currentTimeMillisUnsafe()
      state = { _tag: "Open", session }
      session.onEnd(() => leave(session))
      return SubscriptionRef.set(status, { _tag: "Open", server: session.agreement }).pipe(
        Effect.andThen(Effect.forkIn(watch(session), scope)),
        Effect.andThen(opening._tag === "Opening" ? Deferred.succeed(opening.opened, session) : Effect.void),
        Effect.asVoid
      )
    })

  const watch = (session: Session): Effect.Effect<void> =>
    Effect.catch(Deferred.await(session.ended), (error) => lost(session, error, false))

  /** Who learns that its session is forgotten makes its call again: the other calls on it are to learn that too. */
  const leaving = (session: Session, { reason }: McpError.McpError): Effect.Effect<void> =>
    reason._tag === "SessionExpired" ? Effect.ensuring(Effect.sleep(farewell), session.close) : session.close

  /** Opens anew until it succeeds or the schedule ends. */
  const reopen = (error: McpError.McpError): Effect.Effect<Session, McpError.McpError> =>
    Effect.flatMap(pause(error), (again) => again ? Effect.catch(options.open(adopt), reopen) : Effect.fail(error))

  /** A session is of no more use: from now on calls wait for the next. */
  const leave = (session: Session): void => {
    if (state._tag !== "Open" || state.session !== session) return
    state = { _tag: "Opening", after: session, opened: Deferred.makeUnsafe(), begun: false }
    options.onLost()
  }

  /** Goes on after a session. `willing`: the old connection was given up, so nothing speaks against another at once. */
  const lost = (session: Session, error: McpError.McpError, willing: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      leave(session)
      if (state._tag !== "Opening" || state.after !== session || state.begun) return Effect.void
      state.begun = true
      const { opened } = state
      return Effect.clockWith((clock) => {
        if (clock.currentTimeMillisUnsafe() - openedAt >= Duration.toMillis(stable)) step = undefined
        return SubscriptionRef.set(status, { _tag: "Lost", error }).pipe(
          // What is left of the old connection ends on its own time.
          Effect.andThen(Effect.forkIn(leaving(session, error), scope, { startImmediately: true })),
          Effect.andThen(Effect.matchEffect(willing ? Effect.catch(options.open(adopt), reopen) : reopen(error), {
            onSuccess: () => Effect.void,
            onFailure: (failure) => {
              state = { _tag: "Closed", error: failure }
              return Effect.andThen(
                SubscriptionRef.set(status, { _tag: "Closed", error: failure }),
                Deferred.fail(opened, failure)
              )
            }
          })),
          Effect.asVoid
        )
      })
    })

  const close = Effect.suspend(() => {
    const before = state
    const error = closedHere()
    state = { _tag: "Closed", error }
    if (before._tag === "Closed") return Scope.close(scope, Exit.void)
    options.onLost()
    return Effect.andThen(
      before._tag === "Open" ? before.session.close : Deferred.fail(before.opened, error),
      Effect.andThen(
        SubscriptionRef.set(status, { _tag: "Closed", error: undefined }),
        Scope.close(scope, Exit.void)
      )
    )
  })
  yield* Effect.addFinalizer(() => close)

  yield* options.open(adopt)
  return {
    current: () => state._tag === "Open" ? state.session : undefined,
    isClosed: () => state._tag === "Closed",
    session: Effect.suspend(() => {
      switch (state._tag) {
        case "Open":
          return Effect.succeed(state.session)
        case "Opening":
          return Deferred.await(state.opened)
        case "Closed":
          return Effect.fail(state.error)
      }
    }),
    renew: (session, error) =>
      Effect.asVoid(Effect.forkIn(lost(session, error, true), scope, { startImmediately: true })),
    status,
    close
  }
})
