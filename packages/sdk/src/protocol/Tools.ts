/**
 * Tools: what `tools/list` gives, what `tools/call` takes and gives.
 *
 * The tasks that 2025-11-25 had in its core are not modelled here: their members (`task` in params, a `task` in place
 * of a result) survive as unknown fields, and the `tasks` extension of 2026-07-28 is built on top.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ContentBlock } from "./Content.ts"
import { inputResponseParams, type InputResponseRequestParams } from "./Input.ts"
import { type ListResult, listResult, type Result, result } from "./Meta.ts"
import { absentAs } from "./Projection.ts"
import { structuredContent } from "./StructuredContent.ts"
import { Tool } from "./ToolDefinition.ts"
import * as Wire from "./Wire.ts"

export { InputSchema, OutputSchema, Tool, ToolAnnotations, ToolExecution } from "./ToolDefinition.ts"

/**
 * The result of `tools/list`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#listtoolsresult
 * @since 0.1.0
 * @category models
 */
export interface ListToolsResult extends ListResult {
  readonly tools: ReadonlyArray<Tool>
}

/**
 * The schema of `ListToolsResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListToolsResult: Wire.Wire<ListToolsResult> = Wire.struct<ListToolsResult>("ListToolsResult", {
  ...listResult,
  tools: Schema.Array(Tool)
})

/**
 * The params of `tools/call`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolrequestparams
 * @since 0.1.0
 * @category models
 */
export interface CallToolRequestParams extends InputResponseRequestParams {
  readonly name: string
  readonly arguments?: Wire.JsonObject
}

/**
 * The schema of `CallToolRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CallToolRequestParams: Wire.Wire<CallToolRequestParams> = Wire.struct<CallToolRequestParams>(
  "CallToolRequestParams",
  { ...inputResponseParams, name: Schema.String, arguments: Wire.JsonObject.pipe(Schema.optionalKey) }
)

/**
 * The result of `tools/call`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult
 * @since 0.1.0
 * @category models
 */
export interface CallToolResult extends Result {
  readonly content: ReadonlyArray<ContentBlock>
  /** Since 2025-06-18: an object until 2025-11-25, any JSON value since. */
  readonly structuredContent?: unknown
  /** Whether the tool failed, which the content then explains to the model. */
  readonly isError?: boolean
}

/**
 * The schema of `CallToolResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CallToolResult: Wire.Wire<CallToolResult> = Wire.struct<CallToolResult>("CallToolResult", {
  ...result,
  content: Schema.Array(ContentBlock).pipe(absentAs([])),
  structuredContent,
  isError: Schema.Boolean.pipe(Schema.optionalKey)
})
