/**
 * A tool as a contract: its name, what it takes, what it gives, how it may fail.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { InputRequired } from "../era/Invocation.ts"
import type { ContentBlock } from "../protocol/Content.ts"
import type { Icon } from "../protocol/Implementation.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { CallToolResult, ToolAnnotations } from "../protocol/Tools.ts"

const TypeId = "~@effect-mcp/sdk/Tool"

/**
 * Any tool. It names no schema, so that an array of tools written inline keeps what each `make` inferred.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any extends Pipeable {
  readonly [TypeId]: typeof TypeId
  readonly kind: "tool"
  readonly name: string
}

/**
 * A schema that needs no services: what the parameters, the success and the failure of a tool are made of.
 *
 * @since 0.1.0
 * @category models
 */
export type SchemaLike = Schema.ConstraintCodec<unknown, unknown, never, never>

/**
 * What a tool says of itself besides its schemas.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  /** What the tool does, for a model. */
  readonly description?: string | undefined
  /** A name for people. */
  readonly title?: string | undefined
  /** Hints on the tool's behaviour: read-only, destructive, idempotent, open world. */
  readonly annotations?: ToolAnnotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  /** The `_meta` of the listing. */
  readonly meta?: { readonly [key: string]: unknown } | undefined
  /** The JSON Schema to advertise in place of the one that is made of `parameters`. */
  readonly inputSchema?: { readonly [key: string]: unknown } | undefined
  /** The JSON Schema to advertise in place of the one that is made of `success`. */
  readonly outputSchema?: { readonly [key: string]: unknown } | undefined
}

/**
 * A tool of a contract. `success` is `Schema.Void` where the tool answers with content only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool<
  out Name extends string,
  out Parameters extends Schema.Constraint,
  out Success extends Schema.Constraint,
  out Failure extends Schema.Constraint
> extends Any, Metadata {
  readonly name: Name
  readonly parameters: Parameters
  readonly success: Success
  readonly failure: Failure
}

/**
 * A tool with its schemas, whatever they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnyWithSchemas extends Any, Metadata {
  readonly parameters: SchemaLike
  readonly success: SchemaLike
  readonly failure: SchemaLike
}

/**
 * What a tool without a `success` schema may answer: nothing, text, one or several content blocks, or a whole result.
 *
 * @since 0.1.0
 * @category models
 */
export type ContentAnswer =
  | void
  | string
  | ContentBlock
  | ReadonlyArray<string | ContentBlock>
  | CallToolResult

/**
 * A structured answer with content of the handler's own making beside it, in place of the JSON text that mirrors it.
 *
 * @since 0.1.0
 * @category models
 */
export class Answer<out A> {
  readonly structured: A
  readonly content: ReadonlyArray<string | ContentBlock> | undefined
  readonly meta: { readonly [key: string]: unknown } | undefined
  constructor(
    structured: A,
    content: ReadonlyArray<string | ContentBlock> | undefined,
    meta: { readonly [key: string]: unknown } | undefined
  ) {
    this.structured = structured
    this.content = content
    this.meta = meta
  }
}

/**
 * Answers with a structured value and content of one's own, or a `_meta`.
 *
 * @example
 * ```ts
 * Tool.answer({ highs: [21] }, { content: ["Warm in Oslo"] })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const answer = <A>(structured: A, options?: {
  readonly content?: ReadonlyArray<string | ContentBlock> | undefined
  readonly meta?: { readonly [key: string]: unknown } | undefined
}): Answer<A> => new Answer(structured, options?.content, options?.meta)

/**
 * The name of a tool.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Name<T> = T extends Any ? T["name"] : never

/**
 * What a tool takes, decoded.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Parameters<T> = T extends Tool<string, infer P, Schema.Constraint, Schema.Constraint> ? P["Type"] : never

/**
 * What a call of a tool gives: the decoded success, or the result as it came where the tool declares none.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Success<T> = T extends Tool<string, Schema.Constraint, infer S, Schema.Constraint>
  ? [S] extends [typeof Schema.Void] ? CallToolResult : S["Type"]
  : never

/**
 * How a call of a tool may fail by its own word, decoded.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Failure<T> = T extends Tool<string, Schema.Constraint, Schema.Constraint, infer F> ? F["Type"] : never

/**
 * What the handler of a tool may answer.
 *
 * @since 0.1.0
 * @category type-level
 */
export type HandlerAnswer<T> = T extends Tool<string, Schema.Constraint, infer S, Schema.Constraint>
  ? [S] extends [typeof Schema.Void] ? ContentAnswer | InputRequired : S["Type"] | Answer<S["Type"]> | InputRequired
  : never

/**
 * The handler of a tool: from decoded parameters to an answer, or a declared failure. An `McpError` becomes the
 * JSON-RPC error of its reason.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Handler<T, R = any> = (
  parameters: Parameters<T>
) => Effect.Effect<HandlerAnswer<T>, Failure<T> | McpError, R>

type Fields = { readonly [key: string]: SchemaLike }

/**
 * What `make` takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<
  P extends SchemaLike | Schema.Struct.Fields,
  S extends SchemaLike,
  F extends SchemaLike
> extends Metadata {
  /** The fields of the arguments, or a Schema whose encoded side is an object. Default: no arguments. */
  readonly parameters?: P | undefined
  /** The structured answer. Default: none, the tool answers with content. */
  readonly success?: S | undefined
  /** The failures that callers can catch. Default: none. */
  readonly failure?: F | undefined
}

const Proto = {
  [TypeId]: TypeId,
  kind: "tool",
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Whether a value is a tool of a contract.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTool = (u: unknown): u is AnyWithSchemas => Predicate.hasProperty(u, TypeId)

/**
 * Declares a tool.
 *
 * @example
 * ```ts
 * const forecast = Tool.make("forecast", {
 *   description: "Daily highs for a city",
 *   parameters: { city: Schema.String, days: Schema.Int },
 *   success: Schema.Struct({ highs: Schema.Array(Schema.Finite) })
 * })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  const Name extends string,
  P extends SchemaLike | Fields = {},
  S extends SchemaLike = typeof Schema.Void,
  F extends SchemaLike = typeof Schema.Never
>(name: Name, options?: Options<P, S, F>): Tool<
  Name,
  P extends Schema.Constraint ? P : P extends Schema.Struct.Fields ? Schema.Struct<P> : never,
  S,
  F
> => {
  const parameters = options?.parameters ?? {}
  return Object.assign(Object.create(Proto), {
    ...options,
    name,
    parameters: Schema.isSchema(parameters) ? parameters : Schema.Struct(parameters as Schema.Struct.Fields),
    success: options?.success ?? Schema.Void,
    failure: options?.failure ?? Schema.Never
  })
}
