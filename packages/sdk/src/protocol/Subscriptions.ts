/**
 * Subscriptions of 2026-07-28: one long request, whose notifications say what changed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  type NotificationParams,
  notificationParams,
  type RequestParams,
  requestParams,
  type Result,
  result,
  SubscriptionsListenResultMetaObject
} from "./Meta.ts"
import { since, stampedSince } from "./Projection.ts"
import * as Wire from "./Wire.ts"

const flag = Schema.Boolean.pipe(Schema.optionalKey)

/**
 * What a client wants to hear of.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter
 * @since 0.1.0
 * @category models
 */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  /** URIs of resources whose updates to hear of. */
  readonly resourceSubscriptions?: ReadonlyArray<string>
}

/**
 * The schema of `SubscriptionFilter`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscriptionFilter: Wire.Wire<SubscriptionFilter> = Wire.struct<SubscriptionFilter>("SubscriptionFilter", {
  toolsListChanged: flag,
  promptsListChanged: flag,
  resourcesListChanged: flag,
  resourceSubscriptions: Schema.Array(Schema.String).pipe(Schema.optionalKey)
}).pipe(since("2026-07-28"))

/**
 * The params of `subscriptions/listen`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionslistenrequestparams
 * @since 0.1.0
 * @category models
 */
export interface SubscriptionsListenRequestParams extends RequestParams {
  readonly notifications: SubscriptionFilter
}

/**
 * The schema of `SubscriptionsListenRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscriptionsListenRequestParams: Wire.Wire<SubscriptionsListenRequestParams> = Wire.struct<
  SubscriptionsListenRequestParams
>("SubscriptionsListenRequestParams", { ...requestParams, notifications: SubscriptionFilter }).pipe(since("2026-07-28"))

/**
 * The params of `notifications/subscriptions/acknowledged`: what of the wish the server grants.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionsacknowledgednotificationparams
 * @since 0.1.0
 * @category models
 */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  readonly notifications: SubscriptionFilter
}

/**
 * The schema of `SubscriptionsAcknowledgedNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscriptionsAcknowledgedNotificationParams: Wire.Wire<SubscriptionsAcknowledgedNotificationParams> = Wire
  .struct<SubscriptionsAcknowledgedNotificationParams>("SubscriptionsAcknowledgedNotificationParams", {
    ...notificationParams,
    notifications: SubscriptionFilter
  }).pipe(since("2026-07-28"))

/**
 * The result of `subscriptions/listen`: the server ended the subscription.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionslistenresult
 * @since 0.1.0
 * @category models
 */
export interface SubscriptionsListenResult extends Result {
  /** Stamped by the era with the id of the request. */
  readonly _meta?: SubscriptionsListenResultMetaObject
}

/**
 * The schema of `SubscriptionsListenResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscriptionsListenResult: Wire.Wire<SubscriptionsListenResult> = Wire.struct<SubscriptionsListenResult>(
  "SubscriptionsListenResult",
  { ...result, _meta: SubscriptionsListenResultMetaObject.pipe(Schema.optionalKey, stampedSince("2026-07-28")) }
).pipe(since("2026-07-28"))
