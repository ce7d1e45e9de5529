/**
 * The handshake era: a session opened by `initialize`, as a pure step from state and message to a decision.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 * @since 0.1.0
 */
import type { Established } from "../peer/ServerTransport.ts"
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import type { LoggingLevel } from "../protocol/LoggingLevel.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"

/**
 * Where a session stands. `initialized` tells whether the client has sent its notice: before it the server sends
 * nothing of its own accord.
 *
 * @since 0.1.0
 * @category models
 */
export type State = { readonly _tag: "New" } | Open

/**
 * An open session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Open {
  readonly _tag: "Open"
  readonly initialized: boolean
  readonly revision: Revision.Revision
  readonly clientInfo: Implementation
  readonly capabilities: ClientCapabilities
  readonly logLevel: LoggingLevel | undefined
  /** The URIs whose updates the client wants to hear of. */
  readonly subscriptions: ReadonlySet<string>
}

/**
 * What to do with a request.
 *
 * @since 0.1.0
 * @category models
 */
export type Decision =
  /** Answer the handshake at this revision. */
  | { readonly _tag: "Handshake"; readonly revision: Revision.Revision }
  /** The state says all: answer with an empty result. */
  | { readonly _tag: "Done" }
  /** Let the dispatcher answer. */
  | { readonly _tag: "Dispatch"; readonly session: Open }
  | { readonly _tag: "Refuse"; readonly error: McpError.McpError }

/**
 * The state of a session that has not begun.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial: State = { _tag: "New" }

/**
 * The state of a session whose handshake was made before, on another connection.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resume = (established: Established): State => ({
  _tag: "Open",
  initialized: true,
  revision: established.revision,
  clientInfo: established.clientInfo as unknown as Implementation,
  capabilities: established.capabilities as ClientCapabilities,
  logLevel: undefined,
  subscriptions: new Set()
})

/**
 * The revision to answer a handshake with: the one that was asked for where it is spoken, else the newest of its era.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 * @since 0.1.0
 * @category negotiation
 */
export const negotiate = (
  requested: string,
  supported: ReadonlyArray<Revision.Revision>
): Revision.Revision | undefined => {
  const spoken = supported.filter((revision) => !Revision.isModern(revision))
  return spoken.find((revision) => revision === requested) ?? spoken.at(-1)
}

/**
 * One step of a session for a request whose parameters are decoded.
 *
 * @since 0.1.0
 * @category transitions
 */
export const onRequest = (
  state: State,
  method: string,
  params: Params,
  supported: ReadonlyArray<Revision.Revision>
): readonly [State, Decision] => {
  if (method === "initialize") {
    if (state._tag === "Open") {
      return [state, refuse("This session is already initialized; open another connection for a new one")]
    }
    const requested = String(params["protocolVersion"])
    const revision = negotiate(requested, supported)
    if (revision === undefined) {
      const error = McpError.make(new McpError.UnsupportedProtocolVersion({ supported, requested }))
      return [state, { _tag: "Refuse", error }]
    }
    return [
      {
        _tag: "Open",
        initialized: false,
        revision,
        clientInfo: params["clientInfo"] as Implementation,
        capabilities: params["capabilities"] as ClientCapabilities,
        logLevel: undefined,
        subscriptions: new Set()
      },
      { _tag: "Handshake", revision }
    ]
  }
  if (state._tag === "New") {
    return method === "ping" ? [state, { _tag: "Done" }] : [state, refuse("Begin with initialize")]
  }
  switch (method) {
    case "ping":
      return [state, { _tag: "Done" }]
    case "logging/setLevel":
      return [{ ...state, logLevel: params["level"] as LoggingLevel }, { _tag: "Done" }]
    case "resources/subscribe":
      return [
        { ...state, subscriptions: new Set([...state.subscriptions, String(params["uri"])]) },
        { _tag: "Done" }
      ]
    case "resources/unsubscribe": {
      const subscriptions = new Set(state.subscriptions)
      subscriptions.delete(String(params["uri"]))
      return [{ ...state, subscriptions }, { _tag: "Done" }]
    }
    default:
      return [state, { _tag: "Dispatch", session: state }]
  }
}

/**
 * One step of a session for a notification.
 *
 * @since 0.1.0
 * @category transitions
 */
export const onNotification = (state: State, method: string): State =>
  state._tag === "Open" && method === "notifications/initialized" ? { ...state, initialized: true } : state

const refuse = (detail: string): Decision => ({
  _tag: "Refuse",
  error: McpError.make(new McpError.InvalidRequest({ detail }))
})
