/**
 * What each request knows: its revision, its client, what the client can do, and the ways back to it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Principal } from "../peer/ServerTransport.ts"
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import type { InputRequest } from "../protocol/Input.ts"
import type { Params, RequestId } from "../protocol/JsonRpc.ts"
import type { LoggingLevel } from "../protocol/LoggingLevel.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { Revision } from "../protocol/Revision.ts"

/**
 * The kinds of features that a server offers.
 *
 * @since 0.1.0
 * @category models
 */
export type FeatureKind = "tool" | "resource" | "template" | "prompt"

/**
 * How a client is asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskOptions {
  /**
   * The key of the question among those of its request, from 2026-07-28 on. Default: made of the question itself. Two
   * that are the same word for word, asked side by side, may get each other's answers in a replay: give those keys.
   */
  readonly key?: string | undefined
  /** How long to wait for the answer: the server's `inputTimeout`, and from 2026-07-28 on no longer than that. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * How a client is asked, with what its answer has to fit beyond its method: says what is wrong with an answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckedAskOptions extends AskOptions {
  readonly check?: ((answer: Params) => string | undefined) | undefined
}

/**
 * Answers to questions that were asked by hand, and the state that was remembered with them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Received {
  readonly state: unknown
  readonly responses: { readonly [key: string]: unknown }
}

/**
 * What a handler answers with that asks for input by hand: questions by key, and a state to be remembered. It is run
 * again when the answers are there, and finds them in `Invocation.received`.
 *
 * @since 0.1.0
 * @category models
 */
export class InputRequired {
  readonly requests: { readonly [key: string]: InputRequest }
  readonly state: unknown
  constructor(requests: { readonly [key: string]: InputRequest }, state: unknown) {
    this.requests = requests
    this.state = state
  }
}

/**
 * The request that is being answered. Handlers ask for it like for any service: `yield* Invocation`.
 *
 * @since 0.1.0
 * @category services
 */
export class Invocation extends Context.Service<Invocation, {
  readonly method: string
  readonly revision: Revision
  /** The id of the request; `undefined` in a notification. */
  readonly requestId: RequestId | undefined
  /** The `_meta` of the request, as it came. */
  readonly meta: { readonly [key: string]: unknown }
  readonly client: {
    /** What the client says of itself; nobody has verified it. */
    readonly info: Implementation | undefined
    readonly capabilities: ClientCapabilities
  }
  /** Who calls, where the transport has verified it. */
  readonly principal: Principal | undefined
  /** The handshake-era session, where the transport has a name for it. */
  readonly sessionId: string | undefined
  /** The kind of transport: `"stdio"`, `"socket"`, `"memory"`, … */
  readonly transport: string
  /** The token of a caller who wants to hear of progress. */
  readonly progressToken: RequestId | undefined
  /** The least severe log message that the client wants; `undefined` for none. */
  readonly logLevel: LoggingLevel | undefined
  /** Which features this caller may see and use; `undefined` for all. Middleware sets it. */
  readonly visible: ((kind: FeatureKind, name: string) => boolean) | undefined
  /** Sends a notification on this request's own stream, before its answer. Never fails: a lost client ends the call. */
  readonly notify: (method: string, params: Params) => Effect.Effect<void>
  /**
   * Asks the client: a reverse request or an input request, as the era wants. The answer has the method's shape. Fails
   * with `MissingClientCapability` where the client has not declared what the question needs, with
   * `CapabilityNotSupported` where its revision cannot say it or the request must not ask, with `RequestTimeout`, and in
   * the handshake era with `ClientRefused`.
   */
  readonly ask: (method: string, params: Params, options?: CheckedAskOptions) => Effect.Effect<Params, McpError>
  /** Runs an effect whose result survives the rounds of this request, under a key: see `Input.once`. */
  readonly once: (key: string, effect: Effect.Effect<unknown, McpError>) => Effect.Effect<unknown, McpError>
  /** What came back for the `InputRequired` that the handler answered with last. */
  readonly received: Received | undefined
}>()("@effect-mcp/sdk/Invocation") {}

/**
 * Answers a request of any method, and takes notifications, whose result is dropped. The core of a server: middleware
 * is a function on it.
 *
 * @since 0.1.0
 * @category models
 */
export type Dispatch = (
  method: string,
  params: Params,
  invocation: Invocation["Service"]
) => Effect.Effect<Params | InputRequired, McpError>
