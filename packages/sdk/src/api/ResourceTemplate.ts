/**
 * A resource template as a contract: a family of resources whose URIs follow one pattern.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { McpError } from "../protocol/McpError.ts"
import * as UriTemplate from "../protocol/UriTemplate.ts"
import type * as Resource from "./Resource.ts"

const TypeId = "~@effect-mcp/sdk/ResourceTemplate"

/**
 * A Schema for one variable: its encoded side is what stands in the URI.
 *
 * @since 0.1.0
 * @category models
 */
export type VariableSchema = Schema.ConstraintCodec<unknown, any, never, never>

/**
 * Any resource template. It names no schema, so that an array of templates written inline keeps what it inferred.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any extends Pipeable, Resource.Metadata {
  readonly [TypeId]: typeof TypeId
  readonly kind: "template"
  readonly name: string
  readonly uriTemplate: string
}

/**
 * A resource template of a contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceTemplate<
  out Name extends string,
  out Template extends string,
  out Variables extends { readonly [name: string]: Schema.Constraint }
> extends Any {
  readonly name: Name
  readonly uriTemplate: Template
  readonly variables: Variables
}

/**
 * A resource template with its schemas, whatever they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnyWithSchemas extends Any {
  readonly variables: { readonly [name: string]: VariableSchema }
}

/**
 * The variables of a template as its handler gets them: decoded where a Schema is given, text otherwise (a list for an
 * exploded variable). Variables of expressions that begin with a sign may be absent.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Variables<T> = T extends ResourceTemplate<string, infer Template, infer Schemas>
  ? Decoded<UriTemplate.Match<Template>, Schemas>
  : never

type Decoded<Match, Schemas> = {
  readonly [K in keyof Match]: K extends keyof Schemas ? Schemas[K] extends Schema.Constraint ? Schemas[K]["Type"]
    : Match[K]
    : Match[K]
}

/**
 * The handler of a resource template.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Handler<T, R = any> = (
  variables: Variables<T>,
  uri: string
) => Effect.Effect<Resource.HandlerAnswer, McpError, R>

const Proto = {
  [TypeId]: TypeId,
  kind: "template",
  pipe() {
    return pipeArguments(this, arguments)
  }
}

/**
 * Whether a value is a resource template of a contract.
 *
 * @since 0.1.0
 * @category guards
 */
export const isResourceTemplate = (u: unknown): u is AnyWithSchemas => Predicate.hasProperty(u, TypeId)

/**
 * Declares a resource template. Variables are text unless `variables` gives them a Schema.
 *
 * Throws `UriTemplateError` where the template is none: a mistake in the program, not in its input.
 *
 * @example
 * ```ts
 * const city = ResourceTemplate.make("city", "city://{name}", { mimeType: "text/markdown" })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  const Name extends string,
  const Template extends string,
  Schemas extends { readonly [K in UriTemplate.Variables<Template>]?: VariableSchema } = {}
>(
  name: Name,
  uriTemplate: Template,
  options?: Resource.Metadata & { readonly variables?: Schemas | undefined }
): ResourceTemplate<Name, Template, { readonly [K in keyof Schemas]: Schemas[K] & Schema.Constraint }> => {
  Result.getOrThrow(UriTemplate.parse(uriTemplate))
  return Object.assign(Object.create(Proto), { ...options, name, uriTemplate, variables: options?.variables ?? {} })
}
