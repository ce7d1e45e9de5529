/**
 * How a conversation opens, goes on and breaks off: `initialize`, `server/discover`, cancelling and progress.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
import { Implementation } from "./Implementation.ts"
import {
  type CacheableResult,
  cacheableResult,
  type NotificationParams,
  notificationParams,
  ProgressToken,
  RequestId,
  type RequestParams,
  requestParams,
  type Result,
  result
} from "./Meta.ts"
import { requiredSince, requiredUntil, since, until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

export { Icon, Implementation } from "./Implementation.ts"

/**
 * The params of `initialize`. Until 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#initializerequestparams
 * @since 0.1.0
 * @category models
 */
export interface InitializeRequestParams extends RequestParams {
  /** The newest revision that the client speaks. */
  readonly protocolVersion: string
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation
}

/**
 * The schema of `InitializeRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InitializeRequestParams: Wire.Wire<InitializeRequestParams> = Wire.struct<InitializeRequestParams>(
  "InitializeRequestParams",
  {
    ...requestParams,
    protocolVersion: Schema.String,
    capabilities: ClientCapabilities,
    clientInfo: Implementation
  }
).pipe(until("2025-11-25"))

/**
 * The result of `initialize`. Until 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#initializeresult
 * @since 0.1.0
 * @category models
 */
export interface InitializeResult extends Result {
  /** The revision to speak: the client's, or the newest of the server. */
  readonly protocolVersion: string
  readonly capabilities: ServerCapabilities
  readonly serverInfo: Implementation
  /** How to use the server, for the model. */
  readonly instructions?: string
}

/**
 * The schema of `InitializeResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InitializeResult: Wire.Wire<InitializeResult> = Wire.struct<InitializeResult>("InitializeResult", {
  ...result,
  protocolVersion: Schema.String,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: Schema.String.pipe(Schema.optionalKey)
}).pipe(until("2025-11-25"))

/**
 * The result of `server/discover`. 2026-07-28.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#discoverresult
 * @since 0.1.0
 * @category models
 */
export interface DiscoverResult extends CacheableResult {
  /** The revisions that the server speaks. */
  readonly supportedVersions: ReadonlyArray<string>
  readonly capabilities: ServerCapabilities
  /** How to use the server, for the model. */
  readonly instructions?: string
}

/**
 * The schema of `DiscoverResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DiscoverResult: Wire.Wire<DiscoverResult> = Wire.struct<DiscoverResult>("DiscoverResult", {
  ...cacheableResult,
  supportedVersions: Schema.Array(Schema.String),
  capabilities: ServerCapabilities,
  instructions: Schema.String.pipe(Schema.optionalKey)
}).pipe(since("2026-07-28"))

/**
 * The params of `notifications/cancelled`: whoever made a request no longer wants its answer.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#cancellednotificationparams
 * @since 0.1.0
 * @category models
 */
export interface CancelledNotificationParams extends NotificationParams {
  /** Required but at 2025-11-25, where tasks are cancelled otherwise. */
  readonly requestId?: RequestId
  /** For logs or the user. */
  readonly reason?: string
}

/**
 * The schema of `CancelledNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CancelledNotificationParams: Wire.Wire<CancelledNotificationParams> = Wire.struct<
  CancelledNotificationParams
>("CancelledNotificationParams", {
  ...notificationParams,
  requestId: RequestId.pipe(Schema.optionalKey, requiredUntil("2025-06-18"), requiredSince("2026-07-28")),
  reason: Schema.String.pipe(Schema.optionalKey)
})

/**
 * The params of `notifications/progress`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#progressnotificationparams
 * @since 0.1.0
 * @category models
 */
export interface ProgressNotificationParams extends NotificationParams {
  /** As the request gave it. */
  readonly progressToken: ProgressToken
  /** Grows with every notification. */
  readonly progress: number
  readonly total?: number
  /** Since 2025-03-26. */
  readonly message?: string
}

/**
 * The schema of `ProgressNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProgressNotificationParams: Wire.Wire<ProgressNotificationParams> = Wire.struct<
  ProgressNotificationParams
>("ProgressNotificationParams", {
  ...notificationParams,
  progressToken: ProgressToken,
  progress: Wire.Number,
  total: Wire.Number.pipe(Schema.optionalKey),
  message: Schema.String.pipe(Schema.optionalKey, since("2025-03-26"))
})
