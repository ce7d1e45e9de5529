/**
 * A client of a contract: a function for each tool, resource and prompt.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import type { GetPromptResult } from "../protocol/Prompts.ts"
import type { ReadResourceResult } from "../protocol/Resources.ts"
import * as Revision from "../protocol/Revision.ts"
import type { CallToolResult } from "../protocol/Tools.ts"
import * as UriTemplate from "../protocol/UriTemplate.ts"
import type { Caller, CallOptions } from "./Caller.ts"
import * as JsonSchemas from "./JsonSchemas.ts"
import type { Any as AnyApi } from "./McpApi.ts"
import * as Prompt from "./Prompt.ts"
import type * as Resource from "./Resource.ts"
import * as ResourceTemplate from "./ResourceTemplate.ts"
import type * as Tool from "./Tool.ts"
import * as ToolFailure from "./ToolFailure.ts"

/** Parameters that are all optional may be left out. */
type Call<P, A, E> = {} extends P ? (parameters?: P, options?: CallOptions) => Effect.Effect<A, E>
  : (parameters: P, options?: CallOptions) => Effect.Effect<A, E>

/** A function that reads a resource, and one that follows it. */
type Read<V> = Call<V, ReadResourceResult, McpError.McpError> & {
  /** The resource as it is now, and again after each change. */
  readonly changes: {} extends V ? (variables?: V) => Stream.Stream<ReadResourceResult, McpError.McpError>
    : (variables: V) => Stream.Stream<ReadResourceResult, McpError.McpError>
}

/**
 * A client with a function for each feature of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface TypedClient<
  Tools extends Tool.Any,
  Resources extends Resource.Any | ResourceTemplate.Any,
  Prompts extends Prompt.Any
> {
  /**
   * Calls a tool. Fails with its declared failures, decoded, or with `McpError`: reason `ToolFailed` where the tool
   * answers with an error that it does not declare. A tool without a success schema gives its whole result.
   */
  readonly tools: {
    readonly [T in Tools as T["name"]]: Call<Tool.Parameters<T>, Tool.Success<T>, Tool.Failure<T> | McpError.McpError>
  }
  /** Reads a resource; `resources.city.changes({ name })` follows it. */
  readonly resources: {
    readonly [R in Resources as R["name"]]: R extends Resource.Any ? Read<{}> : Read<ResourceTemplate.Variables<R>>
  }
  /** Gets a prompt. */
  readonly prompts: {
    readonly [P in Prompts as P["name"]]: Call<Prompt.Arguments<P>, GetPromptResult, McpError.McpError>
  }
  /** The client itself, for all that the contract does not say. */
  readonly caller: Caller["Service"]
}

const invalidArguments = (method: string, detail: string) =>
  McpError.make(new McpError.InvalidArguments({ method, detail }))
const invalidPeer = (detail: string, data?: unknown) => McpError.make(new McpError.InvalidPeerMessage({ detail, data }))

// ---- tools

const structuredOf = (result: CallToolResult, isObject: boolean, revision: Revision.Revision): unknown => {
  const { structuredContent } = result
  if (structuredContent !== undefined) {
    return isObject || Revision.isModern(revision) || !Predicate.isObject(structuredContent)
      ? structuredContent
      : JsonSchemas.unwrap(structuredContent)
  }
  // Revisions without structured content carry it as text, the last one where there are several.
  const text = result.content.findLast((block) => block.type === "text")?.["text"]
  if (typeof text !== "string") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toolFunction = (tool: Tool.AnyWithSchemas, caller: Caller["Service"]) => {
  const encode = JsonSchemas.encoder(tool.parameters)
  // A server may grow its answers.
  const decodeFailure = JsonSchemas.decoder(tool.failure, { excess: "ignore" })
  const decodeSuccess = JsonSchemas.decoder(tool.success, { excess: "ignore" })
  const contentOnly = tool.success === Schema.Void
  const isObject = !contentOnly && JsonSchemas.isObjectSchema(tool.success)
  return Effect.fnUntraced(function*(parameters: unknown, options?: CallOptions) {
    const args = encode(parameters ?? {})
    if (Result.isFailure(args)) {
      return yield* Effect.fail(
        invalidArguments("tools/call", `Arguments of ${tool.name}: ${JsonSchemas.formatIssue(args.failure)}`)
      )
    }
    const result = (yield* caller.call(
      "tools/call",
      { name: tool.name, arguments: args.success as Params },
      options
    )) as unknown as CallToolResult
    if (result.isError === true) {
      const encoded = ToolFailure.read(result)
      const failure = encoded === undefined ? undefined : decodeFailure(encoded.failure)
      if (failure !== undefined && Result.isSuccess(failure)) return yield* Effect.fail(failure.success)
      if (!contentOnly) return yield* Effect.fail(ToolFailure.toMcpError(tool.name, result))
      return result
    }
    if (contentOnly) return result
    const structured = structuredOf(result, isObject, yield* caller.revision)
    const success = decodeSuccess(structured)
    return Result.isSuccess(success) ? success.success : yield* Effect.fail(invalidPeer(
      `The result of ${tool.name} is not what the contract says: ${JsonSchemas.formatIssue(success.failure)}`,
      structured
    ))
  })
}

// ---- resources

/** The URI of a template with its variables, or what is wrong with them. */
const uriOf = (template: ResourceTemplate.AnyWithSchemas) => {
  const parsed = Result.getOrThrow(UriTemplate.parse(template.uriTemplate))
  return (variables: { readonly [name: string]: unknown } | undefined): Result.Result<string, McpError.McpError> => {
    const values: Record<string, UriTemplate.Value> = {}
    for (const [name, value] of Object.entries(variables ?? {})) {
      const schema = template.variables[name]
      const encoded = schema === undefined ? Result.succeed(value) : Schema.encodeUnknownResult(schema)(value)
      if (Result.isFailure(encoded)) {
        const detail = `Variable ${name} of ${template.name}: ${JsonSchemas.formatIssue(encoded.failure)}`
        return Result.fail(invalidArguments("resources/read", detail))
      }
      values[name] = encoded.success as UriTemplate.Value
    }
    return Result.succeed(UriTemplate.expand(parsed, values))
  }
}

const resourceFunction = (
  resource: Resource.Any | ResourceTemplate.Any,
  caller: Caller["Service"]
): Read<{ readonly [name: string]: unknown }> => {
  const find = ResourceTemplate.isResourceTemplate(resource)
    ? uriOf(resource)
    : () => Result.succeed((resource as Resource.Any).uri)
  return Object.assign(
    (variables?: { readonly [name: string]: unknown }, options?: CallOptions) =>
      Effect.suspend(() => {
        const uri = find(variables)
        return Result.isSuccess(uri)
          ? caller.call("resources/read", { uri: uri.success }, options) as Effect.Effect<
            Params & ReadResourceResult,
            McpError.McpError
          >
          : Effect.fail(uri.failure)
      }),
    {
      changes: (variables?: { readonly [name: string]: unknown }) =>
        Stream.suspend(() => {
          const uri = find(variables)
          return Result.isSuccess(uri) ? caller.resourceChanges(uri.success) : Stream.fail(uri.failure)
        })
    }
  )
}

// ---- prompts

const promptFunction = (prompt: Prompt.AnyWithSchemas, caller: Caller["Service"]) => {
  const encode = Schema.encodeUnknownResult(Prompt.argumentsSchema(prompt))
  return (args: unknown, options?: CallOptions) =>
    Effect.suspend(() => {
      const encoded = encode(args ?? {})
      return Result.isFailure(encoded)
        ? Effect.fail(
          invalidArguments("prompts/get", `Arguments of ${prompt.name}: ${JsonSchemas.formatIssue(encoded.failure)}`)
        )
        : caller.call("prompts/get", { name: prompt.name, arguments: encoded.success }, options)
    })
}

const record = <A extends { readonly name: string }>(features: ReadonlyArray<A>, f: (feature: A) => unknown) =>
  Object.fromEntries(features.map((feature) => [feature.name, f(feature)]))

/**
 * Makes the typed client of a contract on a client at hand.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (api: AnyApi, caller: Caller["Service"]): TypedClient<any, any, any> => ({
  tools: record(api.tools, (tool) => toolFunction(tool as Tool.AnyWithSchemas, caller)) as any,
  resources: record(api.resources, (resource) => resourceFunction(resource, caller)) as any,
  prompts: record(api.prompts, (prompt) => promptFunction(prompt as Prompt.AnyWithSchemas, caller)) as any,
  caller
})
