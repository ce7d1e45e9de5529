/** A prompt as a server runs it: its listing, and getting it from raw arguments to messages. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import * as JsonSchemas from "../../api/JsonSchemas.ts"
import * as Prompt from "../../api/Prompt.ts"
import { InputRequired, type Invocation } from "../../era/Invocation.ts"
import type { ContentBlock } from "../../protocol/Content.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { GetPromptResult, Prompt as PromptListing, PromptArgument } from "../../protocol/Prompts.ts"
import * as CallContext from "./callContext.ts"
import type { Completers, Handler } from "./registry.ts"

export interface PromptEntry {
  readonly kind: "prompt"
  readonly name: string
  readonly listing: PromptListing
  readonly get: (
    args: { readonly [name: string]: string } | undefined,
    invocation: Invocation["Service"]
  ) => Effect.Effect<GetPromptResult | InputRequired, McpError.McpError>
  readonly completers: Completers | undefined
  enabled: boolean
}

/** The answer of a handler or a source as a result. */
export const toResult = (answer: Prompt.Answer, description: string | undefined): GetPromptResult => {
  const common = description === undefined ? {} : { description }
  if (typeof answer === "string") {
    return { ...common, messages: [{ role: "user", content: { type: "text", text: answer } }] }
  }
  if (Array.isArray(answer)) return { ...common, messages: answer }
  return "messages" in answer && Array.isArray(answer.messages)
    ? answer as GetPromptResult
    : { ...common, messages: [{ role: "user", content: answer as ContentBlock }] }
}

const argumentOf = (name: string, schema: Prompt.ArgumentSchema): PromptArgument => {
  const { description, title } = (SchemaAST.resolve(schema.ast) ?? {}) as {
    readonly description?: string
    readonly title?: string
  }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    required: !SchemaAST.isOptional(schema.ast)
  }
}

export const make = (
  prompt: Prompt.AnyWithSchemas,
  { handler, services }: Handler,
  completers: Completers | undefined
): PromptEntry => {
  const decode = JsonSchemas.decoder(Prompt.argumentsSchema(prompt), { excess: "ignore" })
  const args = Object.entries(prompt.arguments).map(([name, schema]) => argumentOf(name, schema))
  return {
    kind: "prompt",
    name: prompt.name,
    enabled: true,
    completers,
    listing: {
      name: prompt.name,
      ...(prompt.title === undefined ? {} : { title: prompt.title }),
      ...(prompt.description === undefined ? {} : { description: prompt.description }),
      ...(prompt.icons === undefined ? {} : { icons: prompt.icons }),
      ...(prompt.meta === undefined ? {} : { _meta: prompt.meta }),
      ...(args.length === 0 ? {} : { arguments: args })
    },
    get: (raw, invocation) => {
      const decoded = decode(raw ?? {})
      if (Result.isFailure(decoded)) {
        const detail = `Invalid arguments for the prompt ${prompt.name}: ${JsonSchemas.formatIssue(decoded.failure)}`
        return Effect.fail(McpError.make(new McpError.InvalidParams({ detail })))
      }
      return Effect.map(
        CallContext.provide(
          handler(decoded.success) as Effect.Effect<Prompt.Answer | InputRequired, McpError.McpError>,
          services,
          invocation
        ),
        (answer) => answer instanceof InputRequired ? answer : toResult(answer, prompt.description)
      )
    }
  }
}
