/**
 * Completion: what may follow, for an argument of a prompt or a variable of a resource template.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { title } from "./Implementation.ts"
import { type RequestParams, requestParams, type Result, result } from "./Meta.ts"
import { lenient, since } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * Names a prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptReference {
  readonly type: "ref/prompt"
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
}

/**
 * The schema of `PromptReference`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PromptReference: Wire.Wire<PromptReference> = Wire.struct<PromptReference>("PromptReference", {
  type: Schema.Literal("ref/prompt"),
  name: Schema.String,
  title
})

/**
 * Names a resource or a resource template; `ResourceReference` until 2025-03-26.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceTemplateReference {
  readonly type: "ref/resource"
  /** A URI or an RFC 6570 template. */
  readonly uri: string
}

/**
 * The schema of `ResourceTemplateReference`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceTemplateReference: Wire.Wire<ResourceTemplateReference> = Wire.struct<ResourceTemplateReference>(
  "ResourceTemplateReference",
  { type: Schema.Literal("ref/resource"), uri: Wire.UriTemplate }
)

/**
 * The params of `completion/complete`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#completerequestparams
 * @since 0.1.0
 * @category models
 */
export interface CompleteRequestParams extends RequestParams {
  readonly ref: PromptReference | ResourceTemplateReference
  /** The argument to complete, with what there is of its value. */
  readonly argument: { readonly name: string; readonly value: string }
  /** What is known already. Since 2025-06-18. */
  readonly context?: { readonly arguments?: { readonly [name: string]: string } }
}

/**
 * The schema of `CompleteRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CompleteRequestParams: Wire.Wire<CompleteRequestParams> = Wire.struct<CompleteRequestParams>(
  "CompleteRequestParams",
  {
    ...requestParams,
    ref: Schema.Union([PromptReference, ResourceTemplateReference]),
    argument: Wire.struct<CompleteRequestParams["argument"]>("CompletionArgument", {
      name: Schema.String,
      value: Schema.String
    }),
    context: Wire.struct<NonNullable<CompleteRequestParams["context"]>>("CompletionContext", {
      arguments: Schema.Record(Schema.String, Schema.String).pipe(Schema.optionalKey)
    }).pipe(Schema.optionalKey, since("2025-06-18"))
  }
)

/**
 * What may follow.
 *
 * @since 0.1.0
 * @category models
 */
export interface Completion {
  /** At most 100. */
  readonly values: ReadonlyArray<string>
  /** How many there are in all, which may be more. */
  readonly total?: number
  /** Whether there are more, even where their number is not known. */
  readonly hasMore?: boolean
}

/**
 * The result of `completion/complete`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#completeresult
 * @since 0.1.0
 * @category models
 */
export interface CompleteResult extends Result {
  readonly completion: Completion
}

/**
 * The schema of `CompleteResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CompleteResult: Wire.Wire<CompleteResult> = Wire.struct<CompleteResult>("CompleteResult", {
  ...result,
  completion: Wire.struct<Completion>("Completion", {
    values: Schema.Array(Schema.String).check(Schema.isMaxLength(100)).pipe(lenient),
    total: Wire.Integer.pipe(Schema.optionalKey),
    hasMore: Schema.Boolean.pipe(Schema.optionalKey)
  })
})
