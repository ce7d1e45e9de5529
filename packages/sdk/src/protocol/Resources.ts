/**
 * Resources: lists of them and of their templates, reading, subscribing, changes.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { type Annotations, annotations, meta, Resource, ResourceContents } from "./Content.ts"
import { type Icon, icons, title } from "./Implementation.ts"
import { inputResponseParams, type InputResponseRequestParams } from "./Input.ts"
import {
  type CacheableResult,
  cacheableResult,
  type ListResult,
  listResult,
  type MetaObject,
  type NotificationParams,
  notificationParams,
  type RequestParams,
  requestParams
} from "./Meta.ts"
import { until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

export { BlobResourceContents, Resource, ResourceContents, TextResourceContents } from "./Content.ts"

const optionalString = Schema.String.pipe(Schema.optionalKey)

/**
 * Resources that a server can read, by the template of their URIs.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplate
 * @since 0.1.0
 * @category models
 */
export interface ResourceTemplate {
  /** An RFC 6570 template. */
  readonly uriTemplate: string
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
  readonly description?: string
  /** The type of all its resources, where they have the same. */
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** Since 2025-11-25. */
  readonly icons?: ReadonlyArray<Icon>
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject
}

/**
 * The schema of `ResourceTemplate`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceTemplate: Wire.Wire<ResourceTemplate> = Wire.struct<ResourceTemplate>("ResourceTemplate", {
  uriTemplate: Wire.UriTemplate,
  name: Schema.String,
  title,
  description: optionalString,
  mimeType: optionalString,
  annotations,
  icons,
  _meta: meta
})

/**
 * The result of `resources/list`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#listresourcesresult
 * @since 0.1.0
 * @category models
 */
export interface ListResourcesResult extends ListResult {
  readonly resources: ReadonlyArray<Resource>
}

/**
 * The schema of `ListResourcesResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListResourcesResult: Wire.Wire<ListResourcesResult> = Wire.struct<ListResourcesResult>(
  "ListResourcesResult",
  { ...listResult, resources: Schema.Array(Resource) }
)

/**
 * The result of `resources/templates/list`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#listresourcetemplatesresult
 * @since 0.1.0
 * @category models
 */
export interface ListResourceTemplatesResult extends ListResult {
  readonly resourceTemplates: ReadonlyArray<ResourceTemplate>
}

/**
 * The schema of `ListResourceTemplatesResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListResourceTemplatesResult: Wire.Wire<ListResourceTemplatesResult> = Wire.struct<
  ListResourceTemplatesResult
>("ListResourceTemplatesResult", { ...listResult, resourceTemplates: Schema.Array(ResourceTemplate) })

/**
 * The params of a request about one resource.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceRequestParams extends RequestParams {
  readonly uri: string
}

/**
 * The schema of `ResourceRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceRequestParams: Wire.Wire<ResourceRequestParams> = Wire.struct<ResourceRequestParams>(
  "ResourceRequestParams",
  { ...requestParams, uri: Wire.Uri }
)

/**
 * The params of `resources/read`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourcerequestparams
 * @since 0.1.0
 * @category models
 */
export interface ReadResourceRequestParams extends InputResponseRequestParams {
  readonly uri: string
}

/**
 * The schema of `ReadResourceRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReadResourceRequestParams: Wire.Wire<ReadResourceRequestParams> = Wire.struct<ReadResourceRequestParams>(
  "ReadResourceRequestParams",
  { ...inputResponseParams, uri: Wire.Uri }
)

/**
 * The result of `resources/read`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourceresult
 * @since 0.1.0
 * @category models
 */
export interface ReadResourceResult extends CacheableResult {
  readonly contents: ReadonlyArray<ResourceContents>
}

/**
 * The schema of `ReadResourceResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReadResourceResult: Wire.Wire<ReadResourceResult> = Wire.struct<ReadResourceResult>("ReadResourceResult", {
  ...cacheableResult,
  contents: Schema.Array(ResourceContents)
})

/**
 * The params of `resources/subscribe`. Until 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#subscriberequestparams
 * @since 0.1.0
 * @category models
 */
export interface SubscribeRequestParams extends ResourceRequestParams {}

/**
 * The schema of `SubscribeRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubscribeRequestParams: Wire.Wire<SubscribeRequestParams> = Wire.struct<SubscribeRequestParams>(
  "SubscribeRequestParams",
  { ...requestParams, uri: Wire.Uri }
).pipe(until("2025-11-25"))

/**
 * The params of `resources/unsubscribe`. Until 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#unsubscriberequestparams
 * @since 0.1.0
 * @category models
 */
export interface UnsubscribeRequestParams extends ResourceRequestParams {}

/**
 * The schema of `UnsubscribeRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UnsubscribeRequestParams: Wire.Wire<UnsubscribeRequestParams> = Wire.struct<UnsubscribeRequestParams>(
  "UnsubscribeRequestParams",
  { ...requestParams, uri: Wire.Uri }
).pipe(until("2025-11-25"))

/**
 * The params of `notifications/resources/updated`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resourceupdatednotificationparams
 * @since 0.1.0
 * @category models
 */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /** Of the resource, or of a part of the one that was subscribed to. */
  readonly uri: string
}

/**
 * The schema of `ResourceUpdatedNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceUpdatedNotificationParams: Wire.Wire<ResourceUpdatedNotificationParams> = Wire.struct<
  ResourceUpdatedNotificationParams
>("ResourceUpdatedNotificationParams", { ...notificationParams, uri: Wire.Uri })
