/**
 * A prompt as a contract: a named template of messages with typed arguments.
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
import type { GetPromptResult, PromptMessage } from "../protocol/Prompts.ts"

const TypeId = "~@effect-mcp/sdk/Prompt"

/**
 * A Schema for one argument: its encoded side is a string, as on the wire. `Schema.optionalKey` makes it optional.
 *
 * @since 0.1.0
 * @category models
 */
export type ArgumentSchema = Schema.ConstraintCodec<unknown, string, never, never>

/**
 * What a prompt says of itself besides its arguments.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  readonly description?: string | undefined
  /** A name for people. */
  readonly title?: string | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  /** The `_meta` of the listing. */
  readonly meta?: { readonly [key: string]: unknown } | undefined
}

/**
 * Any prompt. It names no schema, so that an array of prompts written inline keeps what each `make` inferred.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any extends Pipeable, Metadata {
  readonly [TypeId]: typeof TypeId
  readonly kind: "prompt"
  readonly name: string
}

/**
 * A prompt of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prompt<out Name extends string, out Arguments extends { readonly [name: string]: Schema.Constraint }>
  extends Any
{
  readonly name: Name
  readonly arguments: Arguments
}

/**
 * A prompt with its schemas, whatever they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnyWithSchemas extends Any {
  readonly arguments: { readonly [name: string]: ArgumentSchema }
}

/**
 * What a prompt gives: text of the user, content of the user, messages, or a whole result.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer = string | ContentBlock | ReadonlyArray<PromptMessage> | GetPromptResult

/**
 * The arguments of a prompt, decoded.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Arguments<P> = P extends Prompt<string, infer Args> ? Schema.Struct.Type<Args> : never

/**
 * The handler of a prompt.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Handler<P, R = any> = (args: Arguments<P>) => Effect.Effect<Answer | InputRequired, McpError, R>

/**
 * The Schema of the arguments of a prompt as a whole.
 *
 * @since 0.1.0
 * @category getters
 */
export const argumentsSchema = (
  prompt: AnyWithSchemas
): Schema.Codec<object, { readonly [name: string]: string }> =>
  // A struct of fields without services needs none; the type of a struct of unknown fields cannot say so.
  Schema.Struct(prompt.arguments as Schema.Struct.Fields) as unknown as Schema.Codec<
    object,
    { readonly [name: string]: string }
  >

const Proto = {
  [TypeId]: TypeId,
  kind: "prompt",
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Whether a value is a prompt of a contract.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPrompt = (u: unknown): u is AnyWithSchemas => Predicate.hasProperty(u, TypeId)

/**
 * Declares a prompt.
 *
 * @example
 * ```ts
 * const briefing = Prompt.make("briefing", { arguments: { city: Schema.String } })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  const Name extends string,
  Arguments extends { readonly [name: string]: ArgumentSchema } = {}
>(
  name: Name,
  options?: Metadata & { readonly arguments?: Arguments | undefined }
): Prompt<Name, Arguments> =>
  Object.assign(Object.create(Proto), { ...options, name, arguments: options?.arguments ?? {} })
