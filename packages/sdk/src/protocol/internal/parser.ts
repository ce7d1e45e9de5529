/**
 * Reads and writes by Effect's own parser the schemas that are no wire models: with transformations, classes, tuples.
 *
 * The protocol has none; methods of extensions and applications may.
 *
 * @internal
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as Problem from "../Problem.ts"
import { isFallback, project, type View } from "../Projection.ts"
import type * as Revision from "../Revision.ts"

const known = new WeakMap<SchemaAST.AST, boolean>()

// Whether the compiled checks know all that there is in a schema.
export const isWire = (ast: SchemaAST.AST): boolean => {
  let answer = known.get(ast)
  if (answer === undefined) known.set(ast, answer = isFallback(ast) || (ast.encoding === undefined && isWireNode(ast)))
  return answer
}

const isWireNode = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "String":
    case "Number":
    case "Boolean":
    case "Null":
    case "Literal":
    case "Unknown":
      return true
    case "Declaration":
      return isJson(ast)
    case "Arrays":
      return ast.elements.length === 0 && ast.rest.length === 1 && ast.rest.every(isWire)
    case "Objects":
      return ast.propertySignatures.every(({ name, type }) => typeof name === "string" && isWire(type)) &&
        ast.indexSignatures.length <= 1 &&
        ast.indexSignatures.every(({ parameter, type }) => parameter === Schema.String.ast && isWire(type))
    case "Union":
      return ast.options?.mode !== "oneOf" && ast.types.every(isWire)
    default:
      return false
  }
}

const isJson = (ast: SchemaAST.Declaration): boolean => idOf(ast) === idOf(Schema.Json.ast)

const idOf = (ast: SchemaAST.AST): unknown => {
  const representation = ast.annotations?.["representation"]
  return typeof representation === "object" && representation !== null && "id" in representation
    ? representation.id
    : undefined
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const told = (root: string) => (issue: SchemaIssue.Issue): string =>
  Problem.format(
    issues(issue).issues.map(({ message, path = [] }) => ({
      path: path.map((key) => typeof key === "number" ? key : String(key)),
      message
    })),
    { root }
  )

const schemaOf = (ast: SchemaAST.AST, revision: Revision.Revision, view: View) =>
  Schema.make<Schema.Codec<unknown>>(project(ast, revision, view))

export const parse = (ast: SchemaAST.AST, revision: Revision.Revision, view: View, root: string) => {
  const decode = SchemaParser.decodeUnknownResult(schemaOf(ast, revision, view))
  return (value: unknown): Result.Result<unknown, string> => Result.mapError(decode(value), told(root))
}

export const print = (ast: SchemaAST.AST, revision: Revision.Revision) => {
  const encode = SchemaParser.encodeUnknownResult(schemaOf(ast, revision, "write"))
  return (value: unknown): Result.Result<unknown, string> => Result.mapError(encode(value), told("value"))
}
