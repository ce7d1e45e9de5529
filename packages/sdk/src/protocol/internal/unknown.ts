/**
 * Wraps and unwraps what no revision knows, by the transformation in its schema.
 *
 * @internal
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"

// Blocks of unknown type are rare, and their parsers are built when there is one.
const once = (
  build: (schema: Schema.Codec<unknown>) => (value: unknown) => Result.Result<unknown, unknown>
) => {
  const cache = new WeakMap<SchemaAST.AST, (value: unknown) => Result.Result<unknown, unknown>>()
  return (ast: SchemaAST.AST): (value: unknown) => Result.Result<unknown, unknown> => {
    let built = cache.get(ast)
    if (built === undefined) cache.set(ast, built = build(Schema.make<Schema.Codec<unknown>>(ast)))
    return built
  }
}

export const decodeUnknown = once(SchemaParser.decodeUnknownResult)
export const encodeUnknown = once(SchemaParser.encodeUnknownResult)
