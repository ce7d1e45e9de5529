/**
 * Tells whether a JSON value is what a wire model says at a revision, by closures over the model's AST.
 *
 * @internal
 */
import * as SchemaAST from "effect/SchemaAST"
import { checksOf, isFallback, isKept, isOptional, type View } from "../Projection.ts"
import type * as Revision from "../Revision.ts"

type Check = (value: unknown) => boolean

// A view of one revision, with the checks compiled for it. They are compiled when a value first needs them: most of
// a model is optional, and start-up counts.
export class Scope {
  readonly revision: Revision.Revision
  readonly view: View
  private readonly compiled = new WeakMap<SchemaAST.AST, Check>()

  constructor(revision: Revision.Revision, view: View) {
    this.revision = revision
    this.view = view
  }

  // Whether malformed parts are passed over where they can be.
  get forgives(): boolean {
    return this.view !== "write"
  }

  has(ast: SchemaAST.AST): boolean {
    return isKept(ast, this.revision, this.view)
  }

  isOptional(ast: SchemaAST.AST): boolean {
    return isOptional(ast, this.revision, this.view)
  }

  check(ast: SchemaAST.AST): Check {
    let check = this.compiled.get(ast)
    if (check === undefined) this.compiled.set(ast, check = compile(ast, this))
    return check
  }
}

// A check that compiles itself at the first value, and has itself replaced.
const deferred = (ast: SchemaAST.AST, scope: Scope, replace: (check: Check) => void): Check => (value) => {
  const check = scope.check(ast)
  replace(check)
  return check(value)
}

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const anything: Check = () => true
const nothing: Check = () => false

const compile = (ast: SchemaAST.AST, scope: Scope): Check => {
  const node = compileNode(ast, scope)
  const filters = checksOf(ast, scope.view)
  return filters === undefined
    ? node
    : (value) => node(value) && filters.every((filter) => passes(filter, value, ast))
}

export const passes = (filter: SchemaAST.Check<any>, value: unknown, ast: SchemaAST.AST): boolean =>
  filter._tag === "FilterGroup"
    ? filter.checks.every((inner) => passes(inner, value, ast))
    : filter.run(value, ast, {}) === undefined

const compileNode = (ast: SchemaAST.AST, scope: Scope): Check => {
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Literal": {
      const { literal } = ast
      return (value) => value === literal
    }
    case "Arrays":
      return compileArray(ast, scope)
    case "Objects":
      return compileObject(ast, scope)
    case "Union":
      return compileUnion(ast, scope)
    // `Unknown`, and `Json`: what came as JSON is JSON.
    default:
      return anything
  }
}

export const itemOf = (ast: SchemaAST.Arrays): SchemaAST.AST => ast.rest[0] ?? SchemaAST.unknown

const compileArray = (ast: SchemaAST.Arrays, scope: Scope): Check => {
  let item = deferred(itemOf(ast), scope, (check) => item = check)
  return (value) => {
    if (!Array.isArray(value)) return false
    for (let i = 0; i < value.length; i++) if (!item(value[i])) return false
    return true
  }
}

const compileObject = (ast: SchemaAST.Objects, scope: Scope): Check => {
  const fields = new Map<string, Check>()
  const required: Array<string> = []
  for (const { name, type } of ast.propertySignatures) {
    if (!scope.has(type)) continue
    const key = name as string
    fields.set(key, deferred(type, scope, (check) => fields.set(key, check)))
    if (!scope.isOptional(type)) required.push(key)
  }
  const index = ast.indexSignatures[0]
  let rest = index === undefined || SchemaAST.isDeclaration(index.type)
    ? undefined
    : deferred(index.type, scope, (check) => rest = check)
  if (fields.size === 0 && rest === undefined) return isObject
  const count = required.length
  return (value) => {
    if (!isObject(value)) return false
    for (let i = 0; i < count; i++) if (value[required[i] as string] === undefined) return false
    for (const key in value) {
      const field = fields.get(key) ?? rest
      if (field !== undefined) {
        const member = value[key]
        // An undefined member is no member: JSON has none.
        if (member !== undefined && !field(member)) return false
      }
    }
    return true
  }
}

const compileUnion = (ast: SchemaAST.Union, scope: Scope): Check => {
  const types = ast.types.filter((type) => scope.has(type) && !isFallback(type))
  const literals = types.flatMap((type) => type._tag === "Literal" ? [type.literal as unknown] : [])
  if (literals.length === ast.types.length && literals.length > 0) {
    const set = new Set(literals)
    return (value) => set.has(value)
  }
  const fallback = ast.types.find(isFallback)
  // What nobody knows is written as it came; to read it takes the slow path, which wraps it.
  const otherwise = fallback === undefined || scope.forgives
    ? nothing
    : compile(SchemaAST.toEncoded(fallback), scope)
  const byTag = tagged<Check>(types, (type, tag) => deferred(type, scope, (check) => byTag?.set(tag, check)))
  if (byTag !== undefined) {
    return (value) => isObject(value) && (byTag.get(value["type"]) ?? otherwise)(value)
  }
  const members: Array<Check> = types.map((type, i) => deferred(type, scope, (check) => members[i] = check))
  return (value) => {
    for (let i = 0; i < members.length; i++) if ((members[i] as Check)(value)) return true
    return otherwise(value)
  }
}

const tagOf = (ast: SchemaAST.AST): string | undefined => {
  const type = ast._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === "type")?.type : undefined
  return type?._tag === "Literal" && typeof type.literal === "string" ? type.literal : undefined
}

// The members of a union by the literal of their `type`, where that tells them all apart.
export const tagged = <A>(
  types: ReadonlyArray<SchemaAST.AST>,
  make: (type: SchemaAST.AST, tag: string, i: number) => A
): Map<unknown, A> | undefined => {
  const byTag = new Map<unknown, A>()
  for (const [i, type] of types.entries()) {
    const tag = tagOf(type)
    if (tag === undefined || byTag.has(tag)) return undefined
    byTag.set(tag, make(type, tag, i))
  }
  return byTag
}

const scopes = new Map<string, Scope>()

export const scopeOf = (revision: Revision.Revision, view: View): Scope => {
  const key = `${view} ${revision}`
  let scope = scopes.get(key)
  if (scope === undefined) scopes.set(key, scope = new Scope(revision, view))
  return scope
}
