/**
 * Whoever can call a server: what a typed client is built on.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Params } from "../protocol/JsonRpc.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { ReadResourceResult } from "../protocol/Resources.ts"
import type { Revision } from "../protocol/Revision.ts"

/**
 * How one call is made.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallOptions {
  /** How long to wait for an answer. Default: that of the client, 60 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** The most that the call may take, whatever progress comes. Default: that of the client, 10 minutes. */
  readonly maximumTimeout?: Duration.Input | undefined
  /** Whether progress starts the timeout anew. Default: true, but false for a `timeout` given with the call. */
  readonly resetTimeoutOnProgress?: boolean | undefined
  /** Additional `_meta` of the request. */
  readonly meta?: { readonly [key: string]: unknown } | undefined
  /** Whether to ask the server even where the client still has a fresh result. Default: false. */
  readonly refresh?: boolean | undefined
}

/**
 * Calls a method of a server by name: parameters and result are those of the canonical model.
 *
 * @since 0.1.0
 * @category services
 */
export class Caller extends Context.Service<Caller, {
  /** The revision that client and server have agreed on; negotiates where that has not happened yet. */
  readonly revision: Effect.Effect<Revision, McpError>
  readonly call: (method: string, params: Params, options?: CallOptions) => Effect.Effect<Params, McpError>
  /**
   * A resource as it is now, and again after each change. Fails with `CapabilityNotSupported` where the server does not
   * watch it.
   */
  readonly resourceChanges: (uri: string) => Stream.Stream<ReadResourceResult, McpError>
}>()("@effect-mcp/sdk/Caller") {}
