/** A tool as a server runs it: its listing, and its call from raw arguments to a result. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchemas from "../../api/JsonSchemas.ts"
import * as Tool from "../../api/Tool.ts"
import * as ToolFailure from "../../api/ToolFailure.ts"
import { InputRequired, type Invocation } from "../../era/Invocation.ts"
import type { ContentBlock } from "../../protocol/Content.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { CallToolResult, Tool as ToolListing } from "../../protocol/Tools.ts"
import * as CallContext from "./callContext.ts"
import type { Handler } from "./registry.ts"

export interface ToolEntry {
  readonly kind: "tool"
  readonly name: string
  readonly listing: (revision: Revision.Revision) => ToolListing
  readonly call: (
    args: unknown,
    invocation: Invocation["Service"]
  ) => Effect.Effect<CallToolResult | InputRequired, McpError.McpError>
  enabled: boolean
}

const contentOf = (item: string | ContentBlock): ContentBlock =>
  typeof item === "string" ? { type: "text", text: item } : item

const isResult = (answer: object): answer is CallToolResult => "content" in answer && Array.isArray(answer.content)

/** The answer of a tool without a success schema as a result. */
const contentResult = (answer: Tool.ContentAnswer): CallToolResult => {
  if (answer === undefined) return { content: [] }
  if (typeof answer === "string") return { content: [contentOf(answer)] }
  if (Array.isArray(answer)) return { content: answer.map(contentOf) }
  return isResult(answer) ? answer : { content: [answer as ContentBlock] }
}

const structuredResult = (
  encoded: unknown,
  answer: Tool.Answer<unknown> | undefined,
  wrap: boolean,
  revision: Revision.Revision
): CallToolResult => {
  const own = answer?.content?.map(contentOf)
  // Models read its text. So do revisions that know no structured content: there it comes after content of one's own.
  const mirror = own === undefined || !Revision.atLeast(revision, "2025-06-18")
    ? [contentOf(JSON.stringify(encoded) ?? "null")]
    : []
  return {
    content: [...own ?? [], ...mirror],
    structuredContent: wrap ? JsonSchemas.wrap(encoded) : encoded,
    ...(answer?.meta === undefined ? {} : { _meta: answer.meta })
  }
}

const failureText = (failure: unknown, encoded: unknown): string => {
  const message = Predicate.isError(failure) ? failure.message : ""
  return message === "" ? JSON.stringify(encoded) ?? String(failure) : message
}

export const make = (tool: Tool.AnyWithSchemas, { handler, services }: Handler): ToolEntry => {
  const decode = JsonSchemas.decoder(tool.parameters)
  const encodeFailure = JsonSchemas.encoder(tool.failure)
  const contentOnly = tool.success === Schema.Void
  const encodeSuccess = JsonSchemas.encoder(tool.success)
  const output = contentOnly ? undefined : JsonSchemas.outputSchema(tool.success)
  const wraps = (revision: Revision.Revision) =>
    output !== undefined && !output.isObject && !Revision.isModern(revision)

  const base: ToolListing = {
    name: tool.name,
    inputSchema: (tool.inputSchema ?? JsonSchemas.inputSchema(tool.parameters)) as ToolListing["inputSchema"],
    ...(tool.title === undefined ? {} : { title: tool.title }),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
    ...(tool.icons === undefined ? {} : { icons: tool.icons }),
    ...(tool.meta === undefined ? {} : { _meta: tool.meta })
  }
  const outputSchema = tool.outputSchema ?? output?.schema
  const modern = outputSchema === undefined ? base : { ...base, outputSchema }
  const wrapped = outputSchema === undefined || output?.isObject !== false
    ? modern
    : { ...base, outputSchema: JsonSchemas.wrapSchema(outputSchema) }

  const badArguments = (detail: string, revision: Revision.Revision) => {
    const text = `Invalid arguments for ${tool.name}: ${detail}`
    // From 2025-11-25 on a model is to read it and try again: SEP-1303.
    return Revision.atLeast(revision, "2025-11-25")
      ? Effect.succeed<CallToolResult>({ content: [{ type: "text", text }], isError: true })
      : Effect.fail(McpError.make(new McpError.InvalidParams({ detail: text })))
  }

  const succeed = (
    answer: unknown,
    revision: Revision.Revision
  ): Effect.Effect<CallToolResult | InputRequired, McpError.McpError> => {
    if (answer instanceof InputRequired) return Effect.succeed(answer)
    if (contentOnly) return Effect.succeed(contentResult(answer as Tool.ContentAnswer))
    const own = answer instanceof Tool.Answer ? answer : undefined
    const encoded = encodeSuccess(own === undefined ? answer : own.structured)
    return Result.isSuccess(encoded)
      ? Effect.succeed(structuredResult(encoded.success, own, wraps(revision), revision))
      : Effect.die(
        new Error(`The handler of ${tool.name} broke its contract: ${JsonSchemas.formatIssue(encoded.failure)}`)
      )
  }

  const fail = (failure: unknown): Effect.Effect<CallToolResult, McpError.McpError> => {
    if (failure instanceof McpError.McpError) return Effect.fail(failure)
    const encoded = encodeFailure(failure)
    return Result.isSuccess(encoded)
      ? Effect.succeed({
        content: [{ type: "text", text: failureText(failure, encoded.success) }],
        isError: true,
        _meta: { [ToolFailure.key]: encoded.success }
      })
      : Effect.die(failure)
  }

  return {
    kind: "tool",
    name: tool.name,
    enabled: true,
    listing: (revision) => Revision.isModern(revision) ? modern : wrapped,
    call: (args, invocation) => {
      const decoded = decode((args ?? {}) as Params)
      if (Result.isFailure(decoded)) {
        return badArguments(JsonSchemas.formatIssue(decoded.failure, "arguments"), invocation.revision)
      }
      return Effect.matchEffect(
        CallContext.provide(handler(decoded.success), services, invocation),
        { onFailure: fail, onSuccess: (answer) => succeed(answer, invocation.revision) }
      )
    }
  }
}
