/** Opens a session: connects, and asks the server until client and server agree on a revision. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Key } from "../../era/Modern.ts"
import * as Negotiate from "../../era/Negotiate.ts"
import { ClientCapabilities } from "../../protocol/Capabilities.ts"
import * as Codec from "../../protocol/Codec.ts"
import { Implementation } from "../../protocol/Implementation.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Revision from "../../protocol/Revision.ts"
import * as Lenient from "./lenient.ts"
import { type Config, connect, modernMeta, record, type Session, type SessionImpl, written } from "./session.ts"

/** What came of a question. */
type Heard =
  | { readonly _tag: "Discovered"; readonly versions: ReadonlyArray<string>; readonly facts: Negotiate.ServerFacts }
  | { readonly _tag: "Initialized"; readonly version: string; readonly facts: Negotiate.ServerFacts }
  | { readonly _tag: "Failed"; readonly error: McpError.McpError }

const heard = (effect: Effect.Effect<Heard, McpError.McpError>): Effect.Effect<Heard> =>
  Effect.catch(effect, (error) => Effect.succeed<Heard>({ _tag: "Failed", error }))

const noAnswer = (method: string, data: Params) =>
  Effect.fail(
    McpError.make(new McpError.InvalidPeerMessage({ detail: `What the server answered ${method} is no answer`, data }))
  )

const discover = (
  config: Config,
  session: Session,
  revision: Revision.Revision
): Effect.Effect<Heard, McpError.McpError> =>
  Effect.flatMap(
    session.peer.request("server/discover", { _meta: modernMeta(config, revision, undefined) }),
    (result) => {
      const versions = result["supportedVersions"]
      return Array.isArray(versions)
        ? Effect.succeed<Heard>({
          _tag: "Discovered",
          versions: versions.filter((version) => typeof version === "string"),
          facts: Lenient.opening(result, record(result["_meta"])?.[Key.serverInfo], revision)
        })
        : noAnswer("server/discover", result)
    }
  )

const initialize = (
  config: Config,
  session: Session,
  revision: Revision.Revision
): Effect.Effect<Heard, McpError.McpError> =>
  Effect.flatMap(
    session.peer.request("initialize", {
      protocolVersion: revision,
      capabilities: written(Codec.encode(ClientCapabilities, revision), config.capabilities),
      clientInfo: written(Codec.encode(Implementation, revision), config.info)
    }),
    (result) => {
      const version = result["protocolVersion"]
      return typeof version === "string"
        ? Effect.succeed<Heard>({
          _tag: "Initialized",
          version,
          facts: Lenient.opening(result, result["serverInfo"], revision)
        })
        : noAnswer("initialize", result)
    }
  )

/** Asks an open session of unproven agreement whether the server is of the modern era at all. */
export const isModernServer = (config: Config, session: Session): Effect.Effect<boolean> =>
  Effect.match(discover(config, session, session.agreement.revision), {
    onSuccess: () => true,
    onFailure: Negotiate.isModernError
  })

const silent = (timeout: Duration.Duration) =>
  McpError.make(
    new McpError.RequestTimeout({ method: "server/discover", millis: Duration.toMillis(timeout), maximum: false })
  )

/**
 * Opens a connection and negotiates, starting the server again where it has ended over the probe. What comes of it is
 * given to `prepare`, then to `adopt`, which no interruption keeps from it. Where any of that fails, nothing is left.
 */
export const open = (
  config: Config,
  mode: Negotiate.Mode,
  prepare: (session: Session) => Effect.Effect<void, McpError.McpError>,
  adopt: (session: Session) => Effect.Effect<void>
): Effect.Effect<Session, McpError.McpError> =>
  Effect.suspend(() => {
    let current: SessionImpl | undefined
    const hold = (session: SessionImpl) => {
      current = session
    }
    return Effect.onExit(
      Effect.tap(negotiate(config, mode, hold), prepare),
      (exit) => Exit.isSuccess(exit) ? adopt(exit.value) : current === undefined ? Effect.void : current.close
    )
  })

const negotiate = Effect.fnUntraced(function*(
  config: Config,
  mode: Negotiate.Mode,
  hold: (session: SessionImpl) => void
): Effect.fn.Return<Session, McpError.McpError> {
  let session = yield* connect(config, hold)
  let [state, action] = Negotiate.start(mode, config.speaks, config.transport.fallsBack)
  /** A probe that was not answered in time, but may be yet. */
  let late: Fiber.Fiber<Heard, McpError.McpError> | undefined
  while (true) {
    switch (action._tag) {
      case "Failed":
        return yield* Effect.fail(action.error)
      case "Agreed": {
        if (late !== undefined) yield* Effect.forkDetach(Fiber.interrupt(late), { startImmediately: true })
        session.agree(action.agreement, action.proven)
        if (!session.modern) yield* session.peer.notify("notifications/initialized")
        return session
      }
      case "Discover": {
        const probe = yield* Effect.forkDetach(discover(config, session, action.revision), { startImmediately: true })
        // Where there is nothing to fall back to, there is no hurry.
        const patience = state.speaks.some((each) => !Revision.isModern(each)) ? config.probeTimeout : config.timeout
        const answer = yield* Fiber.join(probe).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => {
              late = probe
              return Effect.fail(silent(patience))
            }
          }),
          heard,
          Effect.onInterrupt(() => Fiber.interrupt(probe))
        )
        ;[state, action] = answer._tag === "Failed"
          ? Negotiate.onProbeFailed(state, answer.error)
          : onAnswer(state, answer)
        break
      }
      case "Initialize": {
        if (action.reopen) {
          yield* session.close
          session = yield* connect(config, hold)
          late = undefined
        }
        const handshake = heard(initialize(config, session, action.revision))
        const answer = yield* late === undefined
          ? handshake
          : Effect.raceFirst(handshake, Effect.catch(Fiber.join(late), () => Effect.never))
        ;[state, action] = answer._tag === "Failed"
          ? Negotiate.onInitializeFailed(state, answer.error)
          : onAnswer(state, answer)
        break
      }
    }
  }
})

const onAnswer = (
  state: Negotiate.State,
  answer: Exclude<Heard, { readonly _tag: "Failed" }>
): readonly [Negotiate.State, Negotiate.Action] =>
  answer._tag === "Discovered"
    ? Negotiate.onDiscovered(state, answer.versions, answer.facts)
    : Negotiate.onInitialized(state, answer.version, answer.facts)
