/**
 * What is wrong with a value that did not pass its check, and what of it may be passed over: the slow path.
 *
 * @internal
 */
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import * as Problem from "../Problem.ts"
import { absence, checksOf, isAdvisory, isFallback, isIn } from "../Projection.ts"
import type { JsonObject } from "../Wire.ts"
import { isObject, itemOf, passes, type Scope, tagged } from "./check.ts"
import { decodeUnknown } from "./unknown.ts"

type Path = ReadonlyArray<string | number>

export class Failure implements Problem.Problem {
  readonly path: Path
  readonly message: string
  readonly received: string | undefined
  constructor(path: Path, message: string, received?: string) {
    this.path = path
    this.message = message
    this.received = received
  }
}

// Gives the value, or a copy of it with what may be passed over left out, or a failure.
export const walk = (ast: SchemaAST.AST, value: unknown, path: Path, scope: Scope): unknown => {
  if (scope.check(ast)(value)) return value
  switch (ast._tag) {
    case "Objects": {
      const empty = scope.forgives && Array.isArray(value) && value.length === 0
      const object = empty ? {} : value
      return isObject(object) ? walkObject(ast, object, path, scope) : mismatch(ast, value, path)
    }
    case "Arrays": {
      if (!Array.isArray(value)) return mismatch(ast, value, path)
      const out: Array<unknown> = []
      for (let i = 0; i < value.length; i++) {
        const item = walk(itemOf(ast), value[i], [...path, i], scope)
        if (item instanceof Failure) return item
        out.push(item)
      }
      const filters = checksOf(ast, scope.view)
      return filters?.every((filter) => passes(filter, out, ast)) === false ? mismatch(ast, value, path) : out
    }
    case "Union":
      return walkUnion(ast, value, path, scope)
    default:
      return mismatch(ast, value, path)
  }
}

const walkObject = (ast: SchemaAST.Objects, value: JsonObject, path: Path, scope: Scope): unknown => {
  const out: { [key: string]: unknown } = Object.assign(Object.create(null) as object, value)
  const fields = new Set<string>()
  for (const { name, type } of ast.propertySignatures) {
    if (!scope.has(type)) continue
    const key = name as string
    fields.add(key)
    const field = value[key]
    const optional = scope.isOptional(type)
    if (field === undefined) {
      const absent = scope.forgives ? absence(type) : undefined
      if (absent !== undefined) out[key] = absent
      else if (!optional) return new Failure([...path, key], `is missing, expected ${describe(type)}`)
      continue
    }
    const read = walk(type, field, [...path, key], scope)
    if (!(read instanceof Failure)) {
      out[key] = read
    } else if (
      scope.forgives && optional && (field === null || isAdvisory(type) || !isIn(type, scope.revision))
    ) {
      delete out[key]
    } else {
      return read
    }
  }
  const index = ast.indexSignatures[0]
  if (index !== undefined) {
    for (const key of Object.keys(value)) {
      if (fields.has(key) || value[key] === undefined) continue
      const read = walk(index.type, value[key], [...path, key], scope)
      if (read instanceof Failure) return read
      out[key] = read
    }
  }
  return { ...out }
}

const walkUnion = (ast: SchemaAST.Union, value: unknown, path: Path, scope: Scope): unknown => {
  const unknown = scope.forgives ? ast.types.find(isFallback) : undefined
  if (unknown !== undefined) {
    const read = decodeUnknown(unknown)(value)
    if (Result.isSuccess(read)) return read.success
  }
  const members = ast.types.filter((type) => scope.has(type) && !isFallback(type))
  const byTag = tagged(members, identity)
  if (byTag !== undefined) {
    if (!isObject(value)) return new Failure(path, "expected an object", Problem.preview(value))
    const type = byTag.get(value["type"])
    return type === undefined
      ? new Failure([...path, "type"], `expected ${oneOf(byTag.keys())}`, Problem.preview(value["type"]))
      : walk(type, value, path, scope)
  }
  // The member that the value gets deepest into is the one that was meant.
  let best: Failure | undefined
  for (const type of members) {
    const read = walk(type, value, path, scope)
    if (!(read instanceof Failure)) return read
    if (read.path.length > (best ?? { path }).path.length) best = read
  }
  return best ?? new Failure(path, `expected ${describeAll(members)}`, Problem.preview(value))
}

const mismatch = (ast: SchemaAST.AST, value: unknown, path: Path): Failure =>
  new Failure(path, `expected ${describe(ast)}`, Problem.preview(value))

const oneOf = (literals: Iterable<unknown>): string => Array.from(literals, (it) => JSON.stringify(it)).join(" or ")

const describeAll = (types: ReadonlyArray<SchemaAST.AST>): string =>
  Array.from(new Set(types.map(describe))).join(" or ")

const describe = (ast: SchemaAST.AST): string => {
  const expected = SchemaAST.resolve(ast)?.["expected"]
  if (typeof expected === "string") return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "a boolean"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    case "Union":
      return describeAll(ast.types)
    default:
      return "a JSON value"
  }
}
