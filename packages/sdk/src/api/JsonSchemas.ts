/**
 * From an Effect Schema to what two peers share of it: the JSON Schema that is advertised, and the decoder and encoder
 * that keep to it.
 *
 * A tool's values travel as the canonical JSON form of their Schema (`Schema.toCodecJson`): a `Date` as text, an
 * `Option` as a tagged object, `undefined` as `null`. JSON Schema and codec are both made of that form, so that what is
 * advertised is what is enforced. Where JSON Schema cannot say all, it says less than the Schema, which has the last
 * word: a check of one's own; `isPattern` of a RegExp without the `u` flag, and `isMinLength`, which count UTF-16 units
 * where JSON Schema counts characters (`/…/u` and `isMinCodePoints` are advertised in full).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

import * as ExcessCheck from "./internal/excess.ts"
import * as JsonDocument from "./internal/jsonDocument.ts"
import { definitionOf, type Document, isAnnotation, isObject, mapSubschemas } from "./internal/jsonDocument.ts"

export { formatIssue, problems } from "./SchemaProblems.ts"

/**
 * A JSON Schema, draft 2020-12. It carries no `$schema`: 2020-12 is the default in MCP, and clients of older revisions
 * refuse a dialect that they have not heard of.
 *
 * @since 0.1.0
 * @category models
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * A JSON Schema that only objects fit.
 *
 * @since 0.1.0
 * @category models
 */
export interface ObjectSchema extends JsonSchema {
  readonly type: "object"
}

/**
 * A Schema that no tool can advertise: a mistake in the program, not in its input.
 *
 * @since 0.1.0
 * @category errors
 */
export class JsonSchemaError extends Schema.TaggedError<JsonSchemaError>()("JsonSchemaError", {
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return this.detail
  }
}

/**
 * What becomes of properties that the Schema does not name: refused (`error`), or dropped in silence (`ignore`).
 *
 * @since 0.1.0
 * @category models
 */
export type Excess = "error" | "ignore"

// ---------------------------------------------------------------------------------------------------------------
// Generation
// ---------------------------------------------------------------------------------------------------------------

const document = (schema: Schema.Constraint, excess: Excess): Document => {
  try {
    return JsonDocument.make(schema, excess)
  } catch (cause) {
    throw new JsonSchemaError({ detail: `This Schema has no JSON form: ${String(cause)}`, cause })
  }
}

/** Replaces a root that only points to a definition by a copy of the definition. */
const resolveRoot = ({ definitions, root }: Document): Document => {
  const seen = new Set<unknown>()
  let current = root
  while ("$ref" in current && !seen.has(current)) {
    seen.add(current)
    const { $ref, ...rest } = current
    const definition = definitionOf($ref, definitions)
    if (definition === undefined) break
    current = { ...definition, ...rest }
  }
  return { root: current, definitions }
}

const onlyObjects = (node: unknown, definitions: JsonSchema, seen: ReadonlySet<unknown> = new Set()): boolean => {
  if (!isObject(node) || seen.has(node)) return false
  const within = new Set(seen).add(node)
  const recur = (inner: unknown) => onlyObjects(inner, definitions, within)
  if (node["type"] === "object") return true
  const { allOf, anyOf, oneOf } = node
  if (Array.isArray(allOf) && allOf.some(recur)) return true
  if (Array.isArray(anyOf) && anyOf.length > 0 && anyOf.every(recur)) return true
  if (Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every(recur)) return true
  const target = definitionOf(node["$ref"], definitions)
  return target !== undefined && recur(target)
}

/** Effect's `Struct({})` is TypeScript's `{}`: anything but `null`. As the root of a tool it means: no properties. */
const isEmptyStruct = (root: JsonSchema): boolean => {
  const { not } = root
  return isObject(not) && not["type"] === "null" && Object.keys(not).length === 1
}

const withDefinitions = ({ definitions, root }: Document): JsonSchema =>
  Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }

/** `type` first, as people write it. */
const asObject = (document: Document): ObjectSchema => {
  const { type: _, ...rest } = withDefinitions(document)
  return { type: "object", ...rest }
}

/**
 * The JSON Schema of a tool's arguments. Its root is `type: "object"`, whatever the Schema is made of: a reference is
 * replaced by its definition, a union of objects stays an `anyOf` beneath it, no fields at all give
 * `{ "type": "object", "additionalProperties": false }`.
 *
 * Titles, descriptions, defaults, examples and `x-…` annotations of the Schema and of its fields are kept, so that
 * `Schema.String.annotate({ "x-mcp-header": "Region" })` marks a parameter.
 *
 * With `excess: "error"` (the default) unknown properties are refused and the JSON Schema says so; with `"ignore"` they
 * are dropped and it says nothing of them. Give `decoder` the same.
 *
 * Throws `JsonSchemaError` where the Schema accepts anything but objects.
 *
 * Some model providers take no `anyOf` at the root of a tool's parameters: a struct with a union within it travels
 * further than a union of structs.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
 * @since 0.1.0
 * @category generation
 */
export const inputSchema = (schema: Schema.Constraint, options?: { readonly excess?: Excess }): ObjectSchema => {
  const excess = options?.excess ?? "error"
  const resolved = resolveRoot(document(schema, excess))
  const { definitions, root } = resolved
  if (isEmptyStruct(root)) {
    const { not: _, ...annotations } = root
    return { type: "object", ...annotations, ...(excess === "error" ? { additionalProperties: false } : {}) }
  }
  const unconstrained = Object.keys(root).every(isAnnotation)
  if (!unconstrained && !onlyObjects(root, definitions)) {
    throw new JsonSchemaError({
      detail: `The parameters of a tool are an object, but this Schema accepts ${describe(root)}; wrap it in a Struct`
    })
  }
  return asObject(resolved)
}

const describe = (root: JsonSchema): string =>
  typeof root["type"] === "string" ? `a value of type ${root["type"]}` : "other values too"

/**
 * The JSON Schema of a tool's structured answer, and whether only objects fit it.
 *
 * From 2026-07-28 on any schema may be advertised as it is. The revisions before take objects only: there others are
 * wrapped (`wrapSchema`, `wrap`, `unwrap`).
 *
 * Unknown properties are not forbidden, so that an answer may grow without breaking its readers; `encoder` never lets
 * any out.
 *
 * Throws `JsonSchemaError` where the Schema has no JSON form.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema
 * @since 0.1.0
 * @category generation
 */
export const outputSchema = (
  schema: Schema.Constraint
): { readonly schema: JsonSchema; readonly isObject: boolean } => {
  const resolved = resolveRoot(document(schema, "ignore"))
  const { definitions, root } = resolved
  if (isEmptyStruct(root)) {
    const { not: _, ...annotations } = root
    return { schema: { type: "object", ...annotations }, isObject: true }
  }
  return onlyObjects(root, definitions)
    ? { schema: asObject(resolved), isObject: true }
    : { schema: withDefinitions(resolved), isObject: false }
}

/**
 * Whether the structured answers of a Schema are always objects.
 *
 * @since 0.1.0
 * @category generation
 */
export const isObjectSchema = (schema: Schema.Constraint): boolean => outputSchema(schema).isObject

// ---------------------------------------------------------------------------------------------------------------
// Structured answers before 2026-07-28
// ---------------------------------------------------------------------------------------------------------------

const resultKey = "result"

/** Within the wrapped schema the root has moved. References into `$defs` stay, for these move back up. */
const moveRefs = (node: unknown): unknown => {
  // A schema with an `$id` is a document of its own: its references begin at itself.
  if (!isObject(node) || typeof node["$id"] === "string") return node
  const { $ref, ...rest } = mapSubschemas(node, moveRefs)
  if (typeof $ref !== "string") return rest
  const stays = !/^#(?:\/|$)/.test($ref) || $ref.startsWith("#/$defs/")
  return { $ref: stays ? $ref : `#/properties/${resultKey}${$ref.slice(1)}`, ...rest }
}

/**
 * The schema of a structured answer that is no object, as the revisions 2025-06-18 and 2025-11-25 take it:
 * `{ "result": … }`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
 * @since 0.1.0
 * @category wrapping
 */
export const wrapSchema = (schema: JsonSchema): ObjectSchema => {
  const { $schema, ...root } = schema
  const object = (result: JsonSchema, more: JsonSchema): ObjectSchema => ({
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [resultKey]: result },
    required: [resultKey],
    ...more
  })
  if (typeof root["$id"] === "string") return object(root, {})
  const { $defs, ...rest } = moveRefs(root) as JsonSchema
  return object(rest, $defs === undefined ? {} : { $defs })
}

/**
 * A structured answer in the form that `wrapSchema` describes.
 *
 * @since 0.1.0
 * @category wrapping
 */
export const wrap = (value: unknown): { readonly result: unknown } => ({ [resultKey]: value })

/**
 * The structured answer within its wrapping, or the value itself where it is not wrapped.
 *
 * @since 0.1.0
 * @category wrapping
 */
export const unwrap = (value: unknown): unknown =>
  isObject(value) && Object.hasOwn(value, resultKey) && Object.keys(value).length === 1 ? value[resultKey] : value

// ---------------------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------------------

/** What a failure says needs a second reading, so that the first one, which mostly succeeds, can be plain and fast. */
const thorough = { errors: "all", reportInput: true } as const

const strict = { ...thorough, onExcessProperty: "error" } as const

/** A value nested deeper than the stack is high is bad input; every other defect is one. */
const settle = <A>(exit: Exit.Exit<A, SchemaIssue.Issue>): Result.Result<A, SchemaIssue.Issue> => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const failure = Cause.findError(exit.cause)
  if (Result.isSuccess(failure)) return Result.fail(failure.success)
  const defect = Cause.squash(exit.cause)
  if (!(defect instanceof RangeError)) throw defect
  return Result.fail(new SchemaIssue.InvalidValue({ expected: "a value that is nested less deeply" }))
}

/**
 * Makes the decoder of a Schema's JSON form. Its failure tells of every problem, with what was received:
 * `formatIssue` makes text of it.
 *
 * `excess` must be what was given to `inputSchema`; it is `"error"` by default. For answers, which may have grown, it
 * is `"ignore"`.
 *
 * The Schema must decode synchronously. Where `new Function` is allowed, the decoder is compiled.
 *
 * @since 0.1.0
 * @category values
 */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  options?: { readonly excess?: Excess }
): (input: unknown) => Result.Result<S["Type"], SchemaIssue.Issue> => {
  const codec = Schema.toCodecJson(schema)
  SchemaJITCompiler.enable(codec.ast)
  const decode = SchemaParser.decodeUnknownExit(codec)
  if (options?.excess === "ignore") {
    return (input) => {
      const decoded = decode(input)
      return Exit.isSuccess(decoded) ? Result.succeed(decoded.value) : settle(decode(input, thorough))
    }
  }
  const isClean = ExcessCheck.make(codec.ast)
  const closed = isClosedEmpty(codec.ast) ? codec.ast : undefined
  return (input) => {
    const refused = closed === undefined ? undefined : refuseAny(closed, input)
    if (refused !== undefined) return Result.fail(refused)
    const decoded = decode(input)
    return Exit.isSuccess(decoded) && isClean(input)
      ? Result.succeed(decoded.value)
      : settle(decode(input, strict))
  }
}

const isClosedEmpty = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Objects" && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0

/** Effect lets an empty struct accept any properties, and any value but `null`; as advertised, it has none. */
const refuseAny = (ast: SchemaAST.AST, input: unknown): SchemaIssue.Issue | undefined => {
  if (!isObject(input)) return new SchemaIssue.InvalidValue({ expected: "an object" }, input, thorough)
  const [first, ...rest] = Object.keys(input).map((key) =>
    new SchemaIssue.Pointer([key], new SchemaIssue.UnexpectedKey(ast, input[key], thorough))
  )
  return first === undefined ? undefined : new SchemaIssue.Composite(ast, [first, ...rest], input, thorough)
}

/**
 * Makes the encoder into a Schema's JSON form. Properties that the Schema does not name are left out.
 *
 * The Schema must encode synchronously. Where `new Function` is allowed, the encoder is compiled.
 *
 * @since 0.1.0
 * @category values
 */
export const encoder = <S extends Schema.ConstraintEncoder<unknown>>(
  schema: S
): (value: unknown) => Result.Result<unknown, SchemaIssue.Issue> => {
  const codec = Schema.toCodecJson(schema)
  SchemaJITCompiler.enable(SchemaAST.flip(codec.ast))
  const encode = SchemaParser.encodeUnknownExit(codec)
  return (value) => {
    const encoded = encode(value)
    return Exit.isSuccess(encoded) ? Result.succeed(encoded.value) : settle(encode(value, thorough))
  }
}
