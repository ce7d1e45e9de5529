/**
 * A resource as a contract: something at one URI that can be read.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import type { InputRequired } from "../era/Invocation.ts"
import type { Annotations, ResourceContents } from "../protocol/Content.ts"
import type { Icon } from "../protocol/Implementation.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { ReadResourceResult } from "../protocol/Resources.ts"

const TypeId = "~@effect-mcp/sdk/Resource"

/**
 * What a resource says of itself besides its URI.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  readonly description?: string | undefined
  /** A name for people. */
  readonly title?: string | undefined
  readonly mimeType?: string | undefined
  /** For whom it is, how important it is, when it last changed. */
  readonly annotations?: Annotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  /** The `_meta` of the listing. */
  readonly meta?: { readonly [key: string]: unknown } | undefined
}

/**
 * A resource of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Resource<out Name extends string> extends Pipeable, Metadata {
  readonly [TypeId]: typeof TypeId
  readonly kind: "resource"
  readonly name: Name
  readonly uri: string
  /** Its size in bytes, where it is known. */
  readonly size?: number | undefined
}

/**
 * Any resource.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any extends Resource<string> {}

/**
 * What reading gives: text, bytes, one or several contents, or a whole result. Text and bytes get the URI that was
 * read and the declared media type.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer = string | Uint8Array | ResourceContents | ReadonlyArray<ResourceContents> | ReadResourceResult

/**
 * What the handler of a resource may answer.
 *
 * @since 0.1.0
 * @category models
 */
export type HandlerAnswer = Answer | InputRequired

/**
 * The handler of a resource.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Handler<R = any> = (variables: {}, uri: string) => Effect.Effect<HandlerAnswer, McpError, R>

const Proto = {
  [TypeId]: TypeId,
  kind: "resource",
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Whether a value is a resource of a contract.
 *
 * @since 0.1.0
 * @category guards
 */
export const isResource = (u: unknown): u is Any => Predicate.hasProperty(u, TypeId)

/**
 * Declares a resource.
 *
 * @example
 * ```ts
 * const license = Resource.make("license", "file:///LICENSE", { mimeType: "text/plain" })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 * @since 0.1.0
 * @category constructors
 */
export const make = <const Name extends string>(
  name: Name,
  uri: string,
  options?: Metadata & { readonly size?: number | undefined }
): Resource<Name> => Object.assign(Object.create(Proto), { ...options, name, uri })
