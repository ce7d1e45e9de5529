/**
 * Sampling: a server asks the client's model.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { AudioContent, ContentBlock, ImageContent, meta, Role, TextContent, UnknownContent } from "./Content.ts"
import { MetaObject, type ServerRequestParams, serverRequestParams } from "./Meta.ts"
import { since } from "./Projection.ts"
import { structuredContent } from "./StructuredContent.ts"
import { Tool } from "./ToolDefinition.ts"
import * as Wire from "./Wire.ts"

const fraction = Wire.Fraction.pipe(Schema.optionalKey)
const optionalString = Schema.String.pipe(Schema.optionalKey)

/**
 * A model's wish to use a tool. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolusecontent
 * @since 0.1.0
 * @category models
 */
export interface ToolUseContent {
  readonly type: "tool_use"
  /** What the result refers to. */
  readonly id: string
  readonly name: string
  readonly input: Wire.JsonObject
  readonly _meta?: MetaObject
}

/**
 * The schema of `ToolUseContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolUseContent: Wire.Wire<ToolUseContent> = Wire.struct<ToolUseContent>("ToolUseContent", {
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Wire.JsonObject,
  _meta: meta
}).pipe(since("2025-11-25"))

/**
 * What a tool gave that a model used. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolresultcontent
 * @since 0.1.0
 * @category models
 */
export interface ToolResultContent {
  readonly type: "tool_result"
  /** The `id` of the use. */
  readonly toolUseId: string
  readonly content: ReadonlyArray<ContentBlock>
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: MetaObject
}

/**
 * The schema of `ToolResultContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolResultContent: Wire.Wire<ToolResultContent> = Wire.struct<ToolResultContent>("ToolResultContent", {
  type: Schema.Literal("tool_result"),
  toolUseId: Schema.String,
  content: Schema.Array(ContentBlock),
  structuredContent,
  isError: Schema.Boolean.pipe(Schema.optionalKey),
  _meta: meta
}).pipe(since("2025-11-25"))

/**
 * One block of content of a message to or from a model.
 *
 * @since 0.1.0
 * @category models
 */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent
  | UnknownContent

/**
 * The schema of `SamplingMessageContentBlock`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SamplingMessageContentBlock: Wire.Wire<SamplingMessageContentBlock> = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ToolUseContent,
  ToolResultContent,
  UnknownContent
])

/**
 * The content of a message to or from a model: one block, or from 2025-11-25 on several.
 *
 * @since 0.1.0
 * @category models
 */
export type SamplingContent = SamplingMessageContentBlock | ReadonlyArray<SamplingMessageContentBlock>

/**
 * The schema of `SamplingContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SamplingContent: Wire.Wire<SamplingContent> = Schema.Union([
  SamplingMessageContentBlock,
  Schema.Array(SamplingMessageContentBlock).pipe(since("2025-11-25"))
])

/**
 * A message to or from a model.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingmessage
 * @since 0.1.0
 * @category models
 */
export interface SamplingMessage {
  readonly role: Role
  readonly content: SamplingContent
  /** Since 2025-11-25. */
  readonly _meta?: MetaObject
}

/**
 * The schema of `SamplingMessage`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SamplingMessage: Wire.Wire<SamplingMessage> = Wire.struct<SamplingMessage>("SamplingMessage", {
  role: Role,
  content: SamplingContent,
  _meta: MetaObject.pipe(Schema.optionalKey, since("2025-11-25"))
})

/**
 * A model by a part of its name.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelHint {
  readonly name?: string
}

/**
 * The schema of `ModelHint`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ModelHint: Wire.Wire<ModelHint> = Wire.struct<ModelHint>("ModelHint", { name: optionalString })

/**
 * Which model the server would like. Priorities go from 0 to 1.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#modelpreferences
 * @since 0.1.0
 * @category models
 */
export interface ModelPreferences {
  /** In the order of preference. */
  readonly hints?: ReadonlyArray<ModelHint>
  readonly costPriority?: number
  readonly speedPriority?: number
  readonly intelligencePriority?: number
}

/**
 * The schema of `ModelPreferences`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ModelPreferences: Wire.Wire<ModelPreferences> = Wire.struct<ModelPreferences>("ModelPreferences", {
  hints: Schema.Array(ModelHint).pipe(Schema.optionalKey),
  costPriority: fraction,
  speedPriority: fraction,
  intelligencePriority: fraction
})

/**
 * Whether the model may, must or must not use a tool. Since 2025-11-25.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolChoice {
  /** Default: auto. */
  readonly mode?: "auto" | "required" | "none"
}

/**
 * The schema of `ToolChoice`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolChoice: Wire.Wire<ToolChoice> = Wire.struct<ToolChoice>("ToolChoice", {
  mode: Schema.Literals(["auto", "required", "none"]).pipe(Schema.optionalKey)
})

/**
 * The params of `sampling/createMessage`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessagerequestparams
 * @since 0.1.0
 * @category models
 */
export interface CreateMessageRequestParams extends ServerRequestParams {
  readonly messages: ReadonlyArray<SamplingMessage>
  readonly modelPreferences?: ModelPreferences
  readonly systemPrompt?: string
  /** Context of MCP servers to add. Default: none. Deprecated but for `none`. */
  readonly includeContext?: "none" | "thisServer" | "allServers"
  readonly temperature?: number
  readonly maxTokens: number
  readonly stopSequences?: ReadonlyArray<string>
  /** For the model's provider, as it says. */
  readonly metadata?: Wire.JsonObject
  /** Tools that the model may use; the server runs them. Since 2025-11-25. */
  readonly tools?: ReadonlyArray<Tool>
  /** Since 2025-11-25. */
  readonly toolChoice?: ToolChoice
}

/**
 * The schema of `CreateMessageRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateMessageRequestParams: Wire.Wire<CreateMessageRequestParams> = Wire.struct<
  CreateMessageRequestParams
>("CreateMessageRequestParams", {
  ...serverRequestParams,
  messages: Schema.Array(SamplingMessage),
  modelPreferences: ModelPreferences.pipe(Schema.optionalKey),
  systemPrompt: optionalString,
  includeContext: Schema.Literals(["none", "thisServer", "allServers"]).pipe(Schema.optionalKey),
  temperature: Wire.Number.pipe(Schema.optionalKey),
  maxTokens: Wire.Integer,
  stopSequences: Schema.Array(Schema.String).pipe(Schema.optionalKey),
  metadata: Wire.JsonObject.pipe(Schema.optionalKey),
  tools: Schema.Array(Tool).pipe(Schema.optionalKey, since("2025-11-25")),
  toolChoice: ToolChoice.pipe(Schema.optionalKey, since("2025-11-25"))
})

/**
 * Asks a client's model: a request until 2025-11-25, an input request since.
 *
 * @since 0.1.0
 * @category models
 */
export interface CreateMessageRequest {
  readonly method: "sampling/createMessage"
  readonly params: CreateMessageRequestParams
}

/**
 * The schema of `CreateMessageRequest`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateMessageRequest: Wire.Wire<CreateMessageRequest> = Wire.struct<CreateMessageRequest>(
  "CreateMessageRequest",
  { method: Schema.Literal("sampling/createMessage"), params: CreateMessageRequestParams }
)

/**
 * What the model said.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageresult
 * @since 0.1.0
 * @category models
 */
export interface CreateMessageResult {
  readonly role: Role
  readonly content: SamplingContent
  /** The model that was used. */
  readonly model: string
  /** Why the model stopped; `toolUse` since 2025-11-25. */
  readonly stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {})
  readonly _meta?: MetaObject
}

/**
 * The schema of `CreateMessageResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreateMessageResult: Wire.Wire<CreateMessageResult> = Wire.struct<CreateMessageResult>(
  "CreateMessageResult",
  {
    role: Role,
    content: SamplingContent,
    model: Schema.String,
    stopReason: optionalString,
    _meta: Schema.optionalKey(MetaObject)
  }
)
