/**
 * What all params and results share: `_meta` with its reserved keys, cursors, the type of a result and its cache hints.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ClientCapabilities } from "./Capabilities.ts"
import { Implementation } from "./Implementation.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import { LoggingLevel } from "./LoggingLevel.ts"
import { advisory, lenient, since, stampedSince } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * Names the progress notifications of one request: a string or an integer.
 *
 * @since 0.1.0
 * @category models
 */
export type ProgressToken = string | number

/**
 * The schema of `ProgressToken`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ProgressToken: Wire.Wire<ProgressToken> = Schema.Union([Schema.String, Wire.Integer])

/**
 * The id of a request, where it is spoken of in params and `_meta`.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestId = JsonRpc.RequestId

/**
 * The schema of `RequestId`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RequestId: Wire.Wire<RequestId> = Schema.Union([Schema.String, Wire.Integer])

/**
 * Metadata of any object: keys with a prefix such as `com.example/`, and the three keys of W3C Trace Context.
 *
 * @since 0.1.0
 * @category models
 */
export interface MetaObject {
  /** W3C `traceparent`. */
  readonly traceparent?: string
  /** W3C `tracestate`. */
  readonly tracestate?: string
  /** W3C `baggage`. */
  readonly baggage?: string
  readonly [key: string]: unknown
}

const text = Schema.String.pipe(Schema.optionalKey, advisory)
const trace = { traceparent: text, tracestate: text, baggage: text }

/**
 * The schema of `MetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MetaObject: Wire.Wire<MetaObject> = Wire.struct<MetaObject>("MetaObject", trace)

/**
 * Metadata of a request. From 2026-07-28 on it carries what the handshake carried before.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#requestmetaobject
 * @since 0.1.0
 * @category models
 */
export interface RequestMetaObject extends MetaObject {
  /** Asks for progress notifications under this token. */
  readonly progressToken?: ProgressToken
  /** The revision of this request. 2026-07-28, where it is required and stamped by the client. */
  readonly "io.modelcontextprotocol/protocolVersion"?: string
  /** Who asks. 2026-07-28. */
  readonly "io.modelcontextprotocol/clientInfo"?: Implementation
  /** What the client can do, for this request. 2026-07-28, where it is required and stamped by the client. */
  readonly "io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities
  /** Asks for log messages of this level and graver. 2026-07-28. */
  readonly "io.modelcontextprotocol/logLevel"?: LoggingLevel
}

/**
 * The schema of `RequestMetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RequestMetaObject: Wire.Wire<RequestMetaObject> = Wire.struct<RequestMetaObject>("RequestMetaObject", {
  ...trace,
  progressToken: ProgressToken.pipe(Schema.optionalKey),
  "io.modelcontextprotocol/protocolVersion": Schema.String.pipe(
    Schema.optionalKey,
    since("2026-07-28"),
    stampedSince("2026-07-28")
  ),
  "io.modelcontextprotocol/clientInfo": Implementation.pipe(Schema.optionalKey, since("2026-07-28")),
  "io.modelcontextprotocol/clientCapabilities": ClientCapabilities.pipe(
    Schema.optionalKey,
    since("2026-07-28"),
    stampedSince("2026-07-28")
  ),
  "io.modelcontextprotocol/logLevel": LoggingLevel.pipe(Schema.optionalKey, since("2026-07-28"))
})

/**
 * Metadata of a request that a server makes of a client.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerRequestMetaObject extends MetaObject {
  /** Asks for progress notifications under this token. Until 2025-11-25. */
  readonly progressToken?: ProgressToken
}

/**
 * The schema of `ServerRequestMetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ServerRequestMetaObject: Wire.Wire<ServerRequestMetaObject> = Wire.struct<ServerRequestMetaObject>(
  "ServerRequestMetaObject",
  { ...trace, progressToken: ProgressToken.pipe(Schema.optionalKey) }
)

/**
 * Metadata of a notification.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#notificationmetaobject
 * @since 0.1.0
 * @category models
 */
export interface NotificationMetaObject extends MetaObject {
  /** The id of the `subscriptions/listen` request that this notification answers to. 2026-07-28. */
  readonly "io.modelcontextprotocol/subscriptionId"?: RequestId
}

/**
 * The schema of `NotificationMetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NotificationMetaObject: Wire.Wire<NotificationMetaObject> = Wire.struct<NotificationMetaObject>(
  "NotificationMetaObject",
  {
    ...trace,
    "io.modelcontextprotocol/subscriptionId": RequestId.pipe(Schema.optionalKey, since("2026-07-28"))
  }
)

/**
 * Metadata of a result.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resultmetaobject
 * @since 0.1.0
 * @category models
 */
export interface ResultMetaObject extends MetaObject {
  /** Who answers. 2026-07-28. */
  readonly "io.modelcontextprotocol/serverInfo"?: Implementation
}

const resultMeta = {
  ...trace,
  "io.modelcontextprotocol/serverInfo": Implementation.pipe(Schema.optionalKey, since("2026-07-28"), advisory)
}

/**
 * The schema of `ResultMetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResultMetaObject: Wire.Wire<ResultMetaObject> = Wire.struct<ResultMetaObject>(
  "ResultMetaObject",
  resultMeta
)

/**
 * Metadata of the result of `subscriptions/listen`. 2026-07-28.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionslistenresultmetaobject
 * @since 0.1.0
 * @category models
 */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** The id of the request that this is the result of. Stamped by the era. */
  readonly "io.modelcontextprotocol/subscriptionId"?: RequestId
}

/**
 * The schema of `SubscriptionsListenResultMetaObject`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscriptionsListenResultMetaObject: Wire.Wire<SubscriptionsListenResultMetaObject> = Wire.struct<
  SubscriptionsListenResultMetaObject
>("SubscriptionsListenResultMetaObject", {
  ...resultMeta,
  "io.modelcontextprotocol/subscriptionId": RequestId.pipe(
    Schema.optionalKey,
    since("2026-07-28"),
    stampedSince("2026-07-28")
  )
}).pipe(since("2026-07-28"))

// ---------------------------------------------------------------------------------------------------------------
// Params
// ---------------------------------------------------------------------------------------------------------------

/**
 * The params of any request that a client makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestParams {
  /** Required from 2026-07-28 on, and stamped by the client. */
  readonly _meta?: RequestMetaObject
}

/**
 * The fields of `RequestParams`. At 2026-07-28 `_meta` is required; before, it is optional.
 *
 * @since 0.1.0
 * @category fields
 */
export const requestParams: Wire.Fields<RequestParams> = {
  _meta: RequestMetaObject.pipe(Schema.optionalKey, stampedSince("2026-07-28"))
}

/**
 * The schema of `RequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RequestParams: Wire.Wire<RequestParams> = Wire.struct<RequestParams>("RequestParams", requestParams)

/**
 * The params of any request that a server makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerRequestParams {
  readonly _meta?: ServerRequestMetaObject
}

/**
 * The fields of `ServerRequestParams`.
 *
 * @since 0.1.0
 * @category fields
 */
export const serverRequestParams: Wire.Fields<ServerRequestParams> = {
  _meta: ServerRequestMetaObject.pipe(Schema.optionalKey)
}

/**
 * The params of any notification.
 *
 * @since 0.1.0
 * @category models
 */
export interface NotificationParams {
  readonly _meta?: NotificationMetaObject
}

/**
 * The fields of `NotificationParams`.
 *
 * @since 0.1.0
 * @category fields
 */
export const notificationParams: Wire.Fields<NotificationParams> = {
  _meta: NotificationMetaObject.pipe(Schema.optionalKey)
}

/**
 * The schema of `NotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NotificationParams: Wire.Wire<NotificationParams> = Wire.struct<NotificationParams>(
  "NotificationParams",
  notificationParams
)

/**
 * Where the next page begins: opaque, given back as it came.
 *
 * @since 0.1.0
 * @category models
 */
export type Cursor = string

/**
 * The schema of `Cursor`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Cursor: Wire.Wire<Cursor> = Schema.String

/**
 * The params of a request for a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface PaginatedRequestParams extends RequestParams {
  readonly cursor?: Cursor
}

/**
 * The schema of `PaginatedRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaginatedRequestParams: Wire.Wire<PaginatedRequestParams> = Wire.struct<PaginatedRequestParams>(
  "PaginatedRequestParams",
  { ...requestParams, cursor: Cursor.pipe(Schema.optionalKey) }
)

// ---------------------------------------------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------------------------------------------

/**
 * How to read a result: `complete` it is what was asked for, `input_required` it asks back. 2026-07-28; an absent
 * one means `complete`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resulttype
 * @since 0.1.0
 * @category models
 */
export type ResultType = "complete" | "input_required" | (string & {})

/**
 * The schema of `ResultType`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResultType: Wire.Wire<ResultType> = Schema.String

/**
 * What all results share.
 *
 * @since 0.1.0
 * @category models
 */
export interface Result {
  readonly _meta?: ResultMetaObject
  /** Stamped by the era at 2026-07-28, unknown before. */
  readonly resultType?: ResultType
}

const resultType = ResultType.pipe(Schema.optionalKey, since("2026-07-28"), stampedSince("2026-07-28"))

/**
 * The fields of `Result`.
 *
 * @since 0.1.0
 * @category fields
 */
export const result: Wire.Fields<Result> = { _meta: ResultMetaObject.pipe(Schema.optionalKey), resultType }

/**
 * The schema of `Result`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result: Wire.Wire<Result> = Wire.struct<Result>("Result", result)

/**
 * A result that says nothing but that it was done.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmptyResult extends Result {}

/**
 * The schema of `EmptyResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EmptyResult: Wire.Wire<EmptyResult> = Wire.struct<EmptyResult>("EmptyResult", result)

/**
 * A result that may be kept for a while. 2026-07-28.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#cacheableresult
 * @since 0.1.0
 * @category models
 */
export interface CacheableResult extends Result {
  /** How long the result stays fresh, in milliseconds; 0 is not at all. Stamped by the era. */
  readonly ttlMs?: number
  /** Whether a cache may share the result between users. Stamped by the era. */
  readonly cacheScope?: "public" | "private"
}

/**
 * The fields of `CacheableResult`.
 *
 * @since 0.1.0
 * @category fields
 */
export const cacheableResult: Wire.Fields<CacheableResult> = {
  ...result,
  ttlMs: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
    lenient,
    Schema.optionalKey,
    since("2026-07-28"),
    stampedSince("2026-07-28"),
    advisory
  ),
  cacheScope: Schema.Literals(["public", "private"]).pipe(
    Schema.optionalKey,
    since("2026-07-28"),
    stampedSince("2026-07-28"),
    advisory
  )
}

/**
 * The schema of `CacheableResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CacheableResult: Wire.Wire<CacheableResult> = Wire.struct<CacheableResult>(
  "CacheableResult",
  cacheableResult
)

/**
 * One page of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface PaginatedResult extends Result {
  /** Where the next page begins; absent on the last. */
  readonly nextCursor?: Cursor
}

const nextCursor = Cursor.pipe(Schema.optionalKey)

/**
 * The schema of `PaginatedResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PaginatedResult: Wire.Wire<PaginatedResult> = Wire.struct<PaginatedResult>("PaginatedResult", {
  ...result,
  nextCursor
})

/**
 * One page of a list that may be kept for a while.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListResult extends PaginatedResult, CacheableResult {}

/**
 * The fields of `ListResult`.
 *
 * @since 0.1.0
 * @category fields
 */
export const listResult: Wire.Fields<ListResult> = { ...cacheableResult, nextCursor }
