/**
 * Leaves out of a value what a revision does not have, and copies only where there is something to leave out.
 *
 * @internal
 */
import * as Result from "effect/Result"
import type * as SchemaAST from "effect/SchemaAST"
import { isIn } from "../Projection.ts"
import type * as Revision from "../Revision.ts"
import { isObject, scopeOf, tagged } from "./check.ts"
import { encodeUnknown } from "./unknown.ts"

type Strip = (value: unknown) => unknown

const strips = new WeakMap<SchemaAST.AST, Map<Revision.Revision, Strip | undefined>>()

// `undefined` where the revision has all of it, so that nothing needs to be looked at.
export const strip = (ast: SchemaAST.AST, revision: Revision.Revision): Strip | undefined => {
  let byRevision = strips.get(ast)
  if (byRevision === undefined) strips.set(ast, byRevision = new Map())
  if (!byRevision.has(revision)) byRevision.set(revision, compileStrip(ast, revision))
  return byRevision.get(revision)
}

const compileStrip = (ast: SchemaAST.AST, revision: Revision.Revision): Strip | undefined => {
  // What nobody knows, wrapped when it was read.
  if (ast.encoding !== undefined) return (value) => Result.getOrElse(encodeUnknown(ast)(value), () => value)
  switch (ast._tag) {
    case "Objects":
      return stripObject(ast, revision)
    case "Arrays": {
      const item = ast.rest[0] === undefined ? undefined : strip(ast.rest[0], revision)
      return item === undefined ? undefined : (value) => {
        if (!Array.isArray(value)) return value
        let out: Array<unknown> | undefined
        for (let i = 0; i < value.length; i++) {
          const next = item(value[i])
          if (next !== value[i]) (out ??= value.slice())[i] = next
        }
        return out ?? value
      }
    }
    case "Union":
      return stripUnion(ast, revision)
    default:
      return undefined
  }
}

const stripObject = (ast: SchemaAST.Objects, revision: Revision.Revision): Strip | undefined => {
  const gone = new Set<string>()
  const nested = new Map<string, Strip>()
  const fields = new Set<string>()
  for (const { name, type } of ast.propertySignatures) {
    const key = name as string
    fields.add(key)
    if (!isIn(type, revision)) {
      gone.add(key)
    } else {
      const inner = strip(type, revision)
      if (inner !== undefined) nested.set(key, inner)
    }
  }
  const index = ast.indexSignatures[0]
  const rest = index === undefined ? undefined : strip(index.type, revision)
  if (gone.size === 0 && nested.size === 0 && rest === undefined) return undefined
  return (value) => {
    if (!isObject(value)) return value
    let out: { [key: string]: unknown } | undefined
    for (const key in value) {
      const field = value[key]
      const inner = nested.get(key) ?? (fields.has(key) ? undefined : rest)
      const next = gone.has(key) ? undefined : inner === undefined ? field : inner(field)
      if (next !== field && out === undefined) {
        out = {}
        for (const before in value) {
          if (before === key) break
          set(out, before, value[before])
        }
      }
      if (out !== undefined && next !== undefined) set(out, key, next)
    }
    return out ?? value
  }
}

// An assignment would set the prototype where JSON has an ordinary member.
const set = (out: { [key: string]: unknown }, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    out[key] = value
  }
}

const stripUnion = (ast: SchemaAST.Union, revision: Revision.Revision): Strip | undefined => {
  const inner = ast.types.map((type) => strip(type, revision))
  if (inner.every((member) => member === undefined)) return undefined
  const byTag = tagged(ast.types, (_type, _tag, i) => inner[i])
  if (byTag !== undefined) {
    return (value) => {
      const member = isObject(value) ? byTag.get(value["type"]) : undefined
      return member === undefined ? value : member(value)
    }
  }
  const reader = scopeOf(revision, "result")
  return (value) => {
    const i = ast.types.findIndex((type) => reader.check(type)(value))
    const member = inner[i]
    return member === undefined ? value : member(value)
  }
}
