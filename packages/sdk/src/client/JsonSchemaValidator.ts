/**
 * Validates values against the JSON Schemas that a server advertises, within bounds that no server can widen.
 *
 * Dialects: 2020-12 (the default where a schema names none), 2019-09, draft-07, draft-06 and draft-04. A schema is
 * compiled to a graph of checks and interpreted: no code is generated, nothing is fetched, `format` and `content…` are
 * annotations. What could cost more than it is worth is bounded:
 *
 * - the schema: its size, its depth, its number of subschemas, references in a circle (`Limits`);
 * - patterns: run as automata without backtracking; backreferences and lookbehind are refused;
 * - the validation: every step is counted, whatever takes it, `$ref` chains, `anyOf` within `anyOf`, `uniqueItems`,
 *   `enum` and patterns included; what is not settled within the budget does not count as valid.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Problem from "../protocol/Problem.ts"
import { compile as compileNodes } from "./internal/jsonSchema/compile.ts"
import { Refusal } from "./internal/jsonSchema/document.ts"
import { evaluate, type Node } from "./internal/jsonSchema/node.ts"
import { Exhausted, Run } from "./internal/jsonSchema/run.ts"

/**
 * Why a schema cannot be validated against.
 *
 * - `UnsupportedDialect`: its `$schema` names a dialect that is not known.
 * - `InvalidSchema`: it is no valid schema of its dialect.
 * - `UnresolvedReference`: a `$ref` leads out of it. It is not read as if it allowed everything.
 * - `UnsupportedPattern`: a pattern cannot be run in bounded time.
 * - `TooComplex`: it is larger or deeper than `Limits` allow.
 *
 * The tool that has it can still be called, only without validation; whether to is for the client to say.
 *
 * @since 0.1.0
 * @category errors
 */
export class SchemaRejected extends Schema.TaggedError<SchemaRejected>()("SchemaRejected", {
  reason: Schema.Literals([
    "UnsupportedDialect",
    "InvalidSchema",
    "UnresolvedReference",
    "UnsupportedPattern",
    "TooComplex"
  ]),
  detail: Schema.String
}) {
  override get message() {
    return `The schema cannot be used (${this.reason}): ${this.detail}`
  }
}

/**
 * A value that does not fit. The message is a short text for a model or a developer: for each problem its path, what
 * was expected, and what was there.
 *
 * `exhausted` is set where the budget ended before the verdict: the value may be right.
 *
 * @since 0.1.0
 * @category errors
 */
export class ValueRejected extends Schema.TaggedError<ValueRejected>()("ValueRejected", {
  problems: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
    message: Schema.String,
    received: Schema.optional(Schema.String)
  })),
  exhausted: Schema.Boolean
}) {
  override get message() {
    return Problem.format(this.problems)
  }
}

/**
 * A compiled schema.
 *
 * @since 0.1.0
 * @category models
 */
export interface Validator {
  /** Never throws. The first reading asks for the verdict only; problems are gathered where it is bad. */
  readonly validate: (value: unknown) => Result.Result<void, ValueRejected>
}

/**
 * The bounds of one validator.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** Schemas within schemas. Default: 100. */
  readonly depth?: number | undefined
  /** Subschemas in all. Default: 10,000. */
  readonly subschemas?: number | undefined
  /** JSON values in the schema, `enum` members and the like included. Default: 200,000. */
  readonly size?: number | undefined
  /** Steps of one validation: a check, a property, an item, a state of a pattern. Default: 2,000,000. */
  readonly steps?: number | undefined
  /** How deep a value may lead into the schema, references included. Default: 1,000. */
  readonly nesting?: number | undefined
}

const withDefaults = (limits: Limits | undefined) => ({
  depth: limits?.depth ?? 100,
  subschemas: limits?.subschemas ?? 10_000,
  size: limits?.size ?? 200_000,
  steps: limits?.steps ?? 2_000_000,
  nesting: limits?.nesting ?? 1_000
})

/**
 * Compiles a schema. Never throws.
 *
 * @example
 * ```ts
 * import { JsonSchemaValidator } from "@effect-mcp/sdk"
 * import * as Result from "effect/Result"
 *
 * const validator = Result.getOrThrow(JsonSchemaValidator.compile({
 *   type: "object",
 *   properties: { days: { type: "integer" } }
 * }))
 * const verdict = validator.validate({ days: "three" })
 * // Result.fail(ValueRejected): days: expected integer, received "three"
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const compile = (schema: unknown, limits?: Limits): Result.Result<Validator, SchemaRejected> => {
  const bounds = withDefaults(limits)
  try {
    return Result.succeed(make(compileNodes(schema, bounds), { steps: bounds.steps, depth: bounds.nesting }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return Result.fail(new SchemaRejected({ reason: error.reason, detail: error.message }))
  }
}

const make = (root: Node, limits: { readonly steps: number; readonly depth: number }): Validator => {
  const ask = (run: Run, value: unknown): boolean =>
    evaluate(root, value, run, { resource: root.resource, outer: undefined }, undefined)
  return {
    validate: (value) => {
      const verdict = attempt(() => ask(new Run(limits, false), value))
      if (verdict === true) return Result.void
      if (verdict === undefined) {
        const message = `could not be checked within ${limits.steps} steps and ${limits.depth} levels`
        return Result.fail(new ValueRejected({ problems: [{ path: [], message }], exhausted: true }))
      }
      const run = new Run(limits, true)
      attempt(() => ask(run, value))
      // Telling why may cost more than the verdict did: what was found by then is told.
      const problems = run.found.length > 0 ? run.found : [{ path: [], message: "does not fit the schema" }]
      return Result.fail(new ValueRejected({ problems, exhausted: false }))
    }
  }
}

const attempt = <A>(f: () => A): A | undefined => {
  try {
    return f()
  } catch (error) {
    if (error instanceof Exhausted) return undefined
    throw error
  }
}

/**
 * Counts the steps that a validation takes, for tests of its cost: `undefined` where the budget does not suffice.
 *
 * @internal
 */
export const steps = (schema: unknown, value: unknown, limits?: Limits): number | undefined => {
  const bounds = withDefaults(limits)
  const root = compileNodes(schema, bounds)
  const run = new Run({ steps: bounds.steps, depth: bounds.nesting }, false)
  return attempt(() => {
    evaluate(root, value, run, { resource: root.resource, outer: undefined }, undefined)
    return run.spent
  })
}

/**
 * What a client validates with. The default is `compile` of this module; give another for other bounds, or for another
 * library.
 *
 * @example
 * ```ts
 * const strict = Layer.succeed(JsonSchemaValidator.JsonSchemaValidator, {
 *   compile: (schema) => JsonSchemaValidator.compile(schema, { steps: 100_000 })
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export const JsonSchemaValidator: Context.Reference<{
  readonly compile: (schema: unknown) => Result.Result<Validator, SchemaRejected>
}> = Context.Reference("@effect-mcp/sdk/client/JsonSchemaValidator", {
  defaultValue: () => ({ compile: (schema: unknown) => compile(schema) })
})
