/**
 * How a declared failure of a tool travels: in the `_meta` of an error result, beside its text for models.
 *
 * Not as `structuredContent`: that must fit the tool's output schema, and clients check it even in errors.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as McpError from "../protocol/McpError.ts"
import type { CallToolResult } from "../protocol/Tools.ts"

/**
 * The key of the encoded failure in the `_meta` of a result with `isError`.
 *
 * @since 0.1.0
 * @category constants
 */
export const key = "io.github.effect-mcp/failure"

/**
 * The encoded failure in a result, where there is one.
 *
 * @since 0.1.0
 * @category decoding
 */
export const read = (result: CallToolResult): { readonly failure: unknown } | undefined => {
  const meta = result._meta
  return meta !== undefined && key in meta ? { failure: meta[key] } : undefined
}

/**
 * The text of a result: its text blocks, joined.
 *
 * @since 0.1.0
 * @category getters
 */
export const textOf = (result: CallToolResult): string =>
  result.content.flatMap((block) => block.type === "text" && Predicate.isString(block["text"]) ? [block["text"]] : [])
    .join("\n")

/**
 * An error result as an error with reason `ToolFailed`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toMcpError = (tool: string, result: CallToolResult): McpError.McpError =>
  McpError.make(new McpError.ToolFailed({ tool, detail: textOf(result), result }))
