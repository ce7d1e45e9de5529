/**
 * Reads and writes wire values at a revision: synchronous functions, compiled once per schema and revision.
 *
 * A wire model is written as it is read, so there is nothing to rebuild: a value that passes is handed on as the same
 * object, unknown members and all, and costs a fraction of a parse. Only where something has to change is it copied.
 * The checks are closures over the schema's AST; nothing is evaluated from text, so they run where that is forbidden.
 *
 * Reading is liberal, writing is strict. What is *read* may have the fields and members of any revision, since old
 * servers send new fields. Passed over, as if absent, are: `null` for an optional key, a malformed hint (see
 * `advisory`), and a malformed value under a key that the revision gives no meaning. An empty list is read as an empty
 * object where one is expected: some languages cannot tell them apart. What is *written* has the fields of the
 * revision and no others, but keeps all that no revision knows; a value that the revision cannot say (audio at
 * 2024-11-05) is refused.
 *
 * A schema with transformations, which no model of the protocol has and a method of one's own may have, is read and
 * written by Effect's own parser.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { scopeOf } from "./internal/check.ts"
import { isWire, parse, print } from "./internal/parser.ts"
import { strip } from "./internal/strip.ts"
import { Failure, walk } from "./internal/walk.ts"
import * as Problem from "./Problem.ts"
import type { View } from "./Projection.ts"
import type * as Revision from "./Revision.ts"

/**
 * Reads a value, or says where and why it cannot: `arguments.days: expected a number, received "3"`.
 *
 * @since 0.1.0
 * @category models
 */
export type Decode<T> = (value: unknown) => Result.Result<T, string>

/**
 * Writes a value, or says where and why it cannot.
 *
 * @since 0.1.0
 * @category models
 */
export type Encode<T> = (value: T) => Result.Result<unknown, string>

const memoize = <A>(build: (ast: SchemaAST.AST, revision: Revision.Revision) => A) => {
  const cache = new WeakMap<SchemaAST.AST, Map<Revision.Revision, A>>()
  return (ast: SchemaAST.AST, revision: Revision.Revision): A => {
    let byRevision = cache.get(ast)
    if (byRevision === undefined) cache.set(ast, byRevision = new Map())
    let built = byRevision.get(revision)
    if (built === undefined) byRevision.set(revision, built = build(ast, revision))
    return built
  }
}

const reader = (view: View, root: string) =>
  memoize((ast, revision): Decode<unknown> => {
    if (!isWire(ast)) return parse(ast, revision, view, root)
    const scope = scopeOf(revision, view)
    const accepts = scope.check(ast)
    return (value) => {
      if (accepts(value)) return Result.succeed(value)
      const read = walk(ast, value, [], scope)
      return read instanceof Failure ? Result.fail(Problem.format([read], { root })) : Result.succeed(read)
    }
  })

const readRequest = reader("request", "params")
const readResult = reader("result", "result")

const writer = memoize((ast, revision): Encode<unknown> => {
  if (!isWire(ast)) return print(ast, revision)
  const scope = scopeOf(revision, "write")
  const accepts = scope.check(ast)
  const stripped = strip(ast, revision)
  return (value) => {
    const written = stripped === undefined ? value : stripped(value)
    if (accepts(written)) return Result.succeed(written)
    const failure = walk(ast, written, [], scope)
    return Result.fail(failure instanceof Failure ? Problem.format([failure]) : `not writable at ${revision}`)
  }
})

/**
 * Reads params at a revision: what the revision requires must be there.
 *
 * @since 0.1.0
 * @category codecs
 */
export const decodeParams = <T>(schema: Schema.Codec<T, unknown>, revision: Revision.Revision): Decode<T> =>
  readRequest(schema.ast, revision) as Decode<T>

/**
 * Reads a result, or any other value, at a revision: what older peers leave out may be missing.
 *
 * @since 0.1.0
 * @category codecs
 */
export const decode = <T>(schema: Schema.Codec<T, unknown>, revision: Revision.Revision): Decode<T> =>
  readResult(schema.ast, revision) as Decode<T>

/**
 * Writes a value at a revision, before the era puts its stamps on it.
 *
 * @since 0.1.0
 * @category codecs
 */
export const encode = <T>(schema: Schema.Codec<T, unknown>, revision: Revision.Revision): Encode<T> =>
  writer(schema.ast, revision)
