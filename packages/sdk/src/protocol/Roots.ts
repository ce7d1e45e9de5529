/**
 * Roots: where on the client's side a server may work.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta } from "./Content.ts"
import { type MetaObject, type Result, result, type ServerRequestParams, serverRequestParams } from "./Meta.ts"
import { until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * A directory or file that a server may work on.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#root
 * @since 0.1.0
 * @category models
 */
export interface Root {
  /** A `file://` URI, for now. */
  readonly uri: string
  readonly name?: string
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject
}

/**
 * The schema of `Root`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Root: Wire.Wire<Root> = Wire.struct<Root>("Root", {
  uri: Wire.FileUri,
  name: Schema.String.pipe(Schema.optionalKey),
  _meta: meta
})

/**
 * The params of `roots/list`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListRootsRequestParams extends ServerRequestParams {}

/**
 * The schema of `ListRootsRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRootsRequestParams: Wire.Wire<ListRootsRequestParams> = Wire.struct<ListRootsRequestParams>(
  "ListRootsRequestParams",
  serverRequestParams
)

/**
 * Asks a client for its roots: a request until 2025-11-25, an input request since.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListRootsRequest {
  readonly method: "roots/list"
  readonly params?: ListRootsRequestParams
}

/**
 * The schema of `ListRootsRequest`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRootsRequest: Wire.Wire<ListRootsRequest> = Wire.struct<ListRootsRequest>("ListRootsRequest", {
  method: Schema.Literal("roots/list"),
  params: ListRootsRequestParams.pipe(Schema.optionalKey)
})

/**
 * A client's roots.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#listrootsresult
 * @since 0.1.0
 * @category models
 */
export interface ListRootsResult extends Omit<Result, "resultType"> {
  readonly roots: ReadonlyArray<Root>
}

/**
 * The schema of `ListRootsResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRootsResult: Wire.Wire<ListRootsResult> = Wire.struct<ListRootsResult>("ListRootsResult", {
  _meta: result._meta.pipe(until("2025-11-25")),
  roots: Schema.Array(Root)
})
