/**
 * What each revision has of the canonical model: annotations on fields and union members, and the projection that
 * reads them.
 *
 * The protocol is modelled once, as the union of all its revisions. History is written on the field:
 *
 * ```ts
 * structuredContent: Schema.Unknown.pipe(Schema.optionalKey, since("2025-06-18"))
 * ```
 *
 * A field that some revision lacks is optional in the canonical type, so the type is the same at every revision.
 * Changes of value (an error code, the wrapping of structured content) are no business of this file.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Revision from "./Revision.ts"

// Flat keys: `annotate` merges one level deep, so that two of them on one field do not overwrite each other.
const SINCE = "~effect-mcp/since"
const UNTIL = "~effect-mcp/until"
const REQUIRED_SINCE = "~effect-mcp/requiredSince"
const REQUIRED_UNTIL = "~effect-mcp/requiredUntil"
const STAMPED = "~effect-mcp/stamped"
const ADVISORY = "~effect-mcp/advisory"
const ABSENT_AS = "~effect-mcp/absentAs"
const FALLBACK = "~effect-mcp/fallback"
const LENIENT = "~effect-mcp/lenient"

const annotation = (annotations: Record<string, unknown>) => <S extends Schema.Top>(self: S): S =>
  // Annotations leave the type as it is; `Rebuild` of a generic `S` cannot say so.
  self.annotate(annotations) as S

/**
 * The first revision that has this field or union member.
 *
 * @since 0.1.0
 * @category annotations
 */
export const since = (revision: Revision.Revision): <S extends Schema.Top>(self: S) => S =>
  annotation({ [SINCE]: revision })

/**
 * The last revision that has this field or union member.
 *
 * @since 0.1.0
 * @category annotations
 */
export const until = (revision: Revision.Revision): <S extends Schema.Top>(self: S) => S =>
  annotation({ [UNTIL]: revision })

/**
 * An optional key that must be there from this revision on.
 *
 * @since 0.1.0
 * @category annotations
 */
export const requiredSince = (revision: Revision.Revision): <S extends Schema.Top>(self: S) => S =>
  annotation({ [REQUIRED_SINCE]: revision })

/**
 * An optional key that had to be there up to and including this revision.
 *
 * @since 0.1.0
 * @category annotations
 */
export const requiredUntil = (revision: Revision.Revision): <S extends Schema.Top>(self: S) => S =>
  annotation({ [REQUIRED_UNTIL]: revision })

/**
 * An optional key that must be on the wire from this revision on, and that the era puts there after encoding:
 * `resultType`, the cache hints, a request's `_meta`. Values without it are fine to write; peers that leave it out
 * of a result are read all the same. Says nothing of earlier revisions: see `since`.
 *
 * @since 0.1.0
 * @category annotations
 */
export const stampedSince = (revision: Revision.Revision): <S extends Schema.Top>(self: S) => S =>
  annotation({ [STAMPED]: revision })

/**
 * A hint, such as an icon or a trace id: a peer's malformed one is passed over instead of failing the message.
 *
 * @since 0.1.0
 * @category annotations
 */
export const advisory: <S extends Schema.Top>(self: S) => S = annotation({ [ADVISORY]: true })

/**
 * What a peer means that leaves out this required key.
 *
 * @since 0.1.0
 * @category annotations
 */
export const absentAs = (value: unknown): <S extends Schema.Top>(self: S) => S => annotation({ [ABSENT_AS]: value })

/**
 * The member of a union that stands for all that is not known yet. No revision names it.
 *
 * @since 0.1.0
 * @category annotations
 */
export const fallback: <S extends Schema.Top>(self: S) => S = annotation({ [FALLBACK]: true })

/**
 * Checks, such as a range or a length, that bind the writer only: a reader passes over them.
 *
 * @since 0.1.0
 * @category annotations
 */
export const lenient: <S extends Schema.Top>(self: S) => S = annotation({ [LENIENT]: true })

const revisionAt = (key: string) => {
  const read = SchemaAST.resolveAt<Revision.Revision>(key)
  return (ast: SchemaAST.AST) => read(ast)
}

const sinceOf = revisionAt(SINCE)
const untilOf = revisionAt(UNTIL)
const requiredSinceOf = revisionAt(REQUIRED_SINCE)
const requiredUntilOf = revisionAt(REQUIRED_UNTIL)
const stampedOf = revisionAt(STAMPED)

/**
 * Whether a field or member is part of a revision.
 *
 * @since 0.1.0
 * @category getters
 */
export const isIn = (ast: SchemaAST.AST, revision: Revision.Revision): boolean => {
  const first = sinceOf(ast)
  const last = untilOf(ast)
  return (first === undefined || Revision.atLeast(revision, first)) &&
    (last === undefined || Revision.atLeast(last, revision))
}

/**
 * Whether a field may be read as absent when it is malformed.
 *
 * @since 0.1.0
 * @category getters
 */
export const isAdvisory: (ast: SchemaAST.AST) => boolean = (ast) => SchemaAST.resolveAt<true>(ADVISORY)(ast) === true

/**
 * Whether a union member stands for what is not known yet.
 *
 * @since 0.1.0
 * @category getters
 */
export const isFallback: (ast: SchemaAST.AST) => boolean = (ast) => SchemaAST.resolveAt<true>(FALLBACK)(ast) === true

/**
 * What the absence of a required field means, or `undefined`.
 *
 * @since 0.1.0
 * @category getters
 */
export const absence: (ast: SchemaAST.AST) => unknown = SchemaAST.resolveAt<unknown>(ABSENT_AS)

const isRequired = (ast: SchemaAST.AST, revision: Revision.Revision): boolean => {
  const first = requiredSinceOf(ast)
  const last = requiredUntilOf(ast)
  return isIn(ast, revision) && (
    (first !== undefined && Revision.atLeast(revision, first)) ||
    (last !== undefined && Revision.atLeast(last, revision))
  )
}

const isStamped = (ast: SchemaAST.AST, revision: Revision.Revision): boolean => {
  const first = stampedOf(ast)
  return first !== undefined && Revision.atLeast(revision, first)
}

/**
 * How much of a revision a projection insists on.
 *
 * - `exact`: what the specification says, no more and no less.
 * - `write`: the same before the era stamped its fields, and with members that nobody knows yet handed on.
 * - `request`: fields and members of every revision, required keys required, without lenient checks.
 * - `result`: the same, but with stamped keys optional, since older peers leave them out.
 *
 * @since 0.1.0
 * @category models
 */
export type View = "exact" | "write" | "request" | "result"

const memo = new WeakMap<SchemaAST.AST, Map<string, SchemaAST.AST>>()

/**
 * A schema's AST as a view of one revision. Memoized per AST, revision and view.
 *
 * @since 0.1.0
 * @category projections
 */
export const project = (ast: SchemaAST.AST, revision: Revision.Revision, view: View): SchemaAST.AST => {
  let views = memo.get(ast)
  if (views === undefined) memo.set(ast, views = new Map())
  const key = `${view} ${revision}`
  let projected = views.get(key)
  if (projected === undefined) views.set(key, projected = projectNode(ast, revision, view))
  return projected
}

const setOptional = (ast: SchemaAST.AST, isOptional: boolean): SchemaAST.AST => {
  const context = ast.context
  if ((context?.isOptional ?? false) === isOptional) return ast
  const copy = Object.create(Object.getPrototypeOf(ast) as object)
  return Object.assign(copy, ast, {
    context: new SchemaAST.Context(
      isOptional,
      context?.isMutable ?? false,
      context?.constructorDefault,
      context?.annotations
    )
  })
}

/**
 * The checks to which a view holds a value.
 *
 * @since 0.1.0
 * @category views
 */
export const checksOf = (ast: SchemaAST.AST, view: View): SchemaAST.Checks | undefined =>
  view === "exact" || view === "write" || SchemaAST.resolveAt<true>(LENIENT)(ast) !== true ? ast.checks : undefined

/**
 * Whether a view has a field or a union member.
 *
 * @since 0.1.0
 * @category views
 */
export const isKept = (ast: SchemaAST.AST, revision: Revision.Revision, view: View): boolean =>
  view === "exact" ? isIn(ast, revision) && !isFallback(ast) : view === "write" ? isIn(ast, revision) : true

/**
 * Whether a field may be absent in a view.
 *
 * @since 0.1.0
 * @category views
 */
export const isOptional = (ast: SchemaAST.AST, revision: Revision.Revision, view: View): boolean =>
  SchemaAST.isOptional(ast) && !isRequired(ast, revision) &&
  !((view === "exact" || view === "request") && isStamped(ast, revision))

const projectField = (ast: SchemaAST.AST, revision: Revision.Revision, view: View): SchemaAST.AST =>
  setOptional(project(ast, revision, view), isOptional(ast, revision, view))

const projectNode = (ast: SchemaAST.AST, revision: Revision.Revision, view: View): SchemaAST.AST => {
  // A transformation is left as it is: no model of the protocol has one, but for what no revision knows.
  if (ast.encoding !== undefined) return ast
  const checks = checksOf(ast, view)
  switch (ast._tag) {
    case "Objects":
      return new SchemaAST.Objects(
        ast.propertySignatures.filter((property) => isKept(property.type, revision, view)).map((property) =>
          new SchemaAST.PropertySignature(property.name, projectField(property.type, revision, view))
        ),
        ast.indexSignatures.map((index) =>
          new SchemaAST.IndexSignature(index.parameter, project(index.type, revision, view))
        ),
        ast.annotations,
        checks,
        undefined,
        ast.context
      )
    case "Arrays":
      return new SchemaAST.Arrays(
        ast.isMutable,
        ast.elements.map((element) => project(element, revision, view)),
        ast.rest.map((element) => project(element, revision, view)),
        ast.annotations,
        checks,
        undefined,
        ast.context
      )
    case "Union": {
      const types = ast.types.filter((type) => isKept(type, revision, view)).map((type) =>
        project(type, revision, view)
      )
      const only = types.length === 1 ? types[0] : undefined
      return only !== undefined && checks === undefined
        ? setOptional(only, SchemaAST.isOptional(ast))
        : new SchemaAST.Union(types, ast.options, ast.annotations, checks, undefined, ast.context)
    }
    default: {
      if (checks === ast.checks) return ast
      const copy = Object.create(Object.getPrototypeOf(ast) as object)
      return Object.assign(copy, ast, { checks, annotations: SchemaAST.resolve(ast) })
    }
  }
}

/**
 * The schema of one revision: without the fields and union members that it does not have yet or no longer has, and
 * with its required keys required. The type stays the canonical one.
 *
 * **Example**
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 *
 * const Old = at("2024-11-05")(CallToolResult)
 * Schema.toJsonSchemaDocument(Old) // names no structuredContent
 * ```
 *
 * @since 0.1.0
 * @category projections
 */
export const at = (revision: Revision.Revision) => <S extends Schema.Constraint>(schema: S): S =>
  Schema.make<S>(project(schema.ast, revision, "exact") as S["ast"])
