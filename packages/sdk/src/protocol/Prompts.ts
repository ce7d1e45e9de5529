/**
 * Prompts: lists of them, and their messages.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ContentBlock, meta, Role } from "./Content.ts"
import { type Icon, icons, title } from "./Implementation.ts"
import { inputResponseParams, type InputResponseRequestParams } from "./Input.ts"
import { type ListResult, listResult, type MetaObject, type Result, result } from "./Meta.ts"
import * as Wire from "./Wire.ts"

const optionalString = Schema.String.pipe(Schema.optionalKey)

/**
 * An argument that a prompt takes: always a string.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptArgument {
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
  readonly description?: string
  /** Default: false. */
  readonly required?: boolean
}

/**
 * The schema of `PromptArgument`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PromptArgument: Wire.Wire<PromptArgument> = Wire.struct<PromptArgument>("PromptArgument", {
  name: Schema.String,
  title,
  description: optionalString,
  required: Schema.Boolean.pipe(Schema.optionalKey)
})

/**
 * A prompt that a server offers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#prompt
 * @since 0.1.0
 * @category models
 */
export interface Prompt {
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
  readonly description?: string
  readonly arguments?: ReadonlyArray<PromptArgument>
  /** Since 2025-11-25. */
  readonly icons?: ReadonlyArray<Icon>
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject
}

/**
 * The schema of `Prompt`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Prompt: Wire.Wire<Prompt> = Wire.struct<Prompt>("Prompt", {
  name: Schema.String,
  title,
  description: optionalString,
  arguments: Schema.Array(PromptArgument).pipe(Schema.optionalKey),
  icons,
  _meta: meta
})

/**
 * The result of `prompts/list`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#listpromptsresult
 * @since 0.1.0
 * @category models
 */
export interface ListPromptsResult extends ListResult {
  readonly prompts: ReadonlyArray<Prompt>
}

/**
 * The schema of `ListPromptsResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListPromptsResult: Wire.Wire<ListPromptsResult> = Wire.struct<ListPromptsResult>("ListPromptsResult", {
  ...listResult,
  prompts: Schema.Array(Prompt)
})

/**
 * The params of `prompts/get`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#getpromptrequestparams
 * @since 0.1.0
 * @category models
 */
export interface GetPromptRequestParams extends InputResponseRequestParams {
  readonly name: string
  readonly arguments?: { readonly [name: string]: string }
}

/**
 * The schema of `GetPromptRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const GetPromptRequestParams: Wire.Wire<GetPromptRequestParams> = Wire.struct<GetPromptRequestParams>(
  "GetPromptRequestParams",
  {
    ...inputResponseParams,
    name: Schema.String,
    arguments: Schema.Record(Schema.String, Schema.String).pipe(Schema.optionalKey)
  }
)

/**
 * One message of a prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptMessage {
  readonly role: Role
  readonly content: ContentBlock
}

/**
 * The schema of `PromptMessage`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PromptMessage: Wire.Wire<PromptMessage> = Wire.struct<PromptMessage>("PromptMessage", {
  role: Role,
  content: ContentBlock
})

/**
 * The result of `prompts/get`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#getpromptresult
 * @since 0.1.0
 * @category models
 */
export interface GetPromptResult extends Result {
  readonly description?: string
  readonly messages: ReadonlyArray<PromptMessage>
}

/**
 * The schema of `GetPromptResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const GetPromptResult: Wire.Wire<GetPromptResult> = Wire.struct<GetPromptResult>("GetPromptResult", {
  ...result,
  description: optionalString,
  messages: Schema.Array(PromptMessage)
})
