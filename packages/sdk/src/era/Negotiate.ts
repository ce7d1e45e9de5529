/**
 * How a client finds out which revision to speak with a server, as a pure step from what happened to what to do.
 *
 * A pipe is probed with `server/discover`. Whoever answers it is of the modern era, and so is whoever refuses it with an
 * error that only the modern era has. All else, silence and exit included, means the handshake era: `initialize`. Another
 * transport says itself which failures mean that.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 * @since 0.1.0
 */
import type { ServerCapabilities } from "../protocol/Capabilities.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"

/**
 * What a server says of itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerFacts {
  /** `undefined` where the server was not asked, or has said nothing that can be read. */
  readonly capabilities?: ServerCapabilities | undefined
  readonly serverInfo?: Implementation | undefined
  /** How to use the server, for the model. */
  readonly instructions?: string | undefined
}

/**
 * What client and server have agreed on, and what the server said of itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Agreement extends ServerFacts {
  readonly revision: Revision.Revision
}

/**
 * How to find the revision.
 *
 * - `"auto"`: the server is asked.
 * - a revision: that one and no other. A modern one never sends `initialize`; one of the handshake era never probes.
 * - an `Agreement` of before: a modern one is taken at its word and costs no round trip, one of the handshake era saves
 *   the probe. Where it turns out wrong, the server is asked.
 *
 * @since 0.1.0
 * @category models
 */
export type Mode = "auto" | Revision.Revision | Agreement

/**
 * What to do next.
 *
 * @since 0.1.0
 * @category models
 */
export type Action =
  | { readonly _tag: "Discover"; readonly revision: Revision.Revision }
  /** `reopen`: on a new connection, because the old one has ended. */
  | { readonly _tag: "Initialize"; readonly revision: Revision.Revision; readonly reopen: boolean }
  /** `proven`: whether the server itself has said so in this negotiation. */
  | { readonly _tag: "Agreed"; readonly agreement: Agreement; readonly proven: boolean }
  | { readonly _tag: "Failed"; readonly error: McpError.McpError }

/**
 * Where a negotiation stands.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** The revisions that may be agreed on, oldest first. */
  readonly speaks: ReadonlyArray<Revision.Revision>
  readonly probes: number
  readonly handshakes: number
  readonly reopened: boolean
  /** What the transport makes of a failed probe; `undefined` on a pipe. */
  readonly fallsBack: ((error: McpError.McpError) => boolean) | undefined
}

/** How often a server is asked in one way before it is given up. */
const maxProbes = 3
const maxHandshakes = 2

/**
 * Begins a negotiation. `speaks` are the revisions that the client is willing to speak. `fallsBack` tells of a failed
 * probe whether it means the handshake era; without it the connection is a pipe.
 *
 * @since 0.1.0
 * @category transitions
 */
export const start = (
  mode: Mode,
  speaks: ReadonlyArray<Revision.Revision>,
  fallsBack?: (error: McpError.McpError) => boolean
): readonly [State, Action] => {
  const known = speaks.filter(Revision.isRevision)
  const allowed = Revision.all.filter((revision) =>
    typeof mode !== "string" || mode === "auto"
      ? known.includes(revision)
      : revision === mode
  )
  const state: State = { speaks: allowed, probes: 0, handshakes: 0, reopened: false, fallsBack }
  if (typeof mode !== "string" && allowed.includes(mode.revision)) {
    return Revision.isModern(mode.revision)
      ? [state, { _tag: "Agreed", agreement: mode, proven: false }]
      : initialize(state, mode.revision)
  }
  return open(state)
}

/**
 * The server answered the probe.
 *
 * @since 0.1.0
 * @category transitions
 */
export const onDiscovered = (
  state: State,
  supportedVersions: ReadonlyArray<string>,
  facts: ServerFacts
): readonly [State, Action] => {
  const revision = select(state, supportedVersions)
  if (revision === undefined) return [state, noneInCommon(state, supportedVersions)]
  if (!Revision.isModern(revision)) return initialize(state, revision)
  return [state, { _tag: "Agreed", proven: true, agreement: { ...facts, revision } }]
}

/**
 * The probe failed: an error, silence, the end of the connection, an answer that is none.
 *
 * @since 0.1.0
 * @category transitions
 */
export const onProbeFailed = (state: State, error: McpError.McpError): readonly [State, Action] => {
  const { reason } = error
  if (isModernError(error)) {
    return reason._tag === "UnsupportedProtocolVersion"
      ? onSupported(state, reason.supported, error)
      : failed(state, refused(error))
  }
  if (state.fallsBack !== undefined) {
    if (!state.fallsBack(error)) return failed(state, error)
  } else if (reason._tag === "SpawnError") {
    return failed(state, error)
  } else if (reason._tag === "ConnectionClosed" || reason._tag === "TransportError") {
    const revision = latestHandshake(state)
    return revision === undefined || state.reopened
      ? failed(state, error)
      : initialize({ ...state, reopened: true }, revision, true)
  }
  const revision = latestHandshake(state)
  return revision === undefined
    ? failed(
      state,
      McpError.make(
        new McpError.NegotiationFailed({
          detail:
            `The server does not answer server/discover (${error.message}), so it is of the handshake era; this ` +
            `client speaks ${state.speaks.join(", ")} only`,
          cause: error
        })
      )
    )
    : initialize(state, revision)
}

/**
 * The server answered the handshake.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 * @since 0.1.0
 * @category transitions
 */
export const onInitialized = (
  state: State,
  protocolVersion: string,
  facts: ServerFacts
): readonly [State, Action] => {
  const revision = protocolVersion
  if (!Revision.isRevision(revision) || Revision.isModern(revision) || !state.speaks.includes(revision)) {
    return [state, noneInCommon(state, [revision])]
  }
  return [state, { _tag: "Agreed", proven: true, agreement: { ...facts, revision } }]
}

/**
 * The handshake failed. A server that names the revisions it supports is taken at its word.
 *
 * @since 0.1.0
 * @category transitions
 */
export const onInitializeFailed = (state: State, error: McpError.McpError): readonly [State, Action] => {
  if (McpError.isLocal(error)) return failed(state, error)
  const supported = supportedBy(error)
  if (supported.length > 0) return onSupported(state, supported, error)
  // It was taken for one of the handshake era without being asked.
  const modern = latestModern(state)
  return state.probes === 0 && modern !== undefined ? discover(state, modern) : failed(state, refused(error))
}

/**
 * Whether an error can only come from a server of the modern era.
 *
 * @since 0.1.0
 * @category guards
 */
export const isModernError = ({ reason }: McpError.McpError): boolean =>
  reason._tag === "HeaderMismatch" || reason._tag === "MissingClientCapability" ||
  // Without the list it is no error of the modern era, whatever its code.
  (reason._tag === "UnsupportedProtocolVersion" && reason.supported.length > 0)

/**
 * The newest revision that client and server both speak.
 *
 * @since 0.1.0
 * @category negotiation
 */
export const select = (
  state: Pick<State, "speaks">,
  supported: ReadonlyArray<string>
): Revision.Revision | undefined => state.speaks.findLast((revision) => supported.includes(revision))

const onSupported = (
  state: State,
  supported: ReadonlyArray<string>,
  error: McpError.McpError
): readonly [State, Action] => {
  const revision = select(state, supported)
  if (revision === undefined) return [state, noneInCommon(state, supported, error)]
  return Revision.isModern(revision)
    ? state.probes < maxProbes ? discover(state, revision) : failed(state, refused(error))
    : state.handshakes < maxHandshakes
    ? initialize(state, revision)
    : failed(state, refused(error))
}

const open = (state: State): readonly [State, Action] => {
  const modern = latestModern(state)
  if (modern !== undefined) return discover(state, modern)
  const handshake = latestHandshake(state)
  return handshake === undefined
    ? failed(state, McpError.make(new McpError.NegotiationFailed({ detail: "There is no revision to speak" })))
    : initialize(state, handshake)
}

const discover = (state: State, revision: Revision.Revision): readonly [State, Action] => [
  { ...state, probes: state.probes + 1 },
  { _tag: "Discover", revision }
]

const initialize = (state: State, revision: Revision.Revision, reopen = false): readonly [State, Action] => [
  { ...state, handshakes: state.handshakes + 1 },
  { _tag: "Initialize", revision, reopen }
]

const failed = (state: State, error: McpError.McpError): readonly [State, Action] => [state, { _tag: "Failed", error }]

const latestModern = (state: State) => state.speaks.findLast((revision) => Revision.isModern(revision))

const latestHandshake = (state: State) => state.speaks.findLast((revision) => !Revision.isModern(revision))

const supportedBy = ({ reason }: McpError.McpError): ReadonlyArray<string> => {
  if (reason._tag === "UnsupportedProtocolVersion") return reason.supported
  const data = "data" in reason ? reason.data : undefined
  const supported = typeof data === "object" && data !== null && "supported" in data ? data.supported : undefined
  return Array.isArray(supported) ? supported.filter((name) => typeof name === "string") : []
}

const noneInCommon = (state: State, supported: ReadonlyArray<string>, cause?: McpError.McpError): Action => ({
  _tag: "Failed",
  error: McpError.make(
    new McpError.NegotiationFailed({
      detail: `The server speaks ${supported.map((name) => JSON.stringify(name)).join(", ")}; this client speaks ${
        state.speaks.join(", ")
      }`,
      supported,
      ...(cause === undefined ? {} : { cause })
    })
  )
})

const refused = (cause: McpError.McpError): McpError.McpError =>
  McpError.make(new McpError.NegotiationFailed({ detail: `The server refused to open: ${cause.message}`, cause }))
