/**
 * What an exact wire schema generates: texts of a format are of that format, and all is JSON.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const patterns: { readonly [format: string]: RegExp } = {
  uri: /^(https:\/\/[a-z]{1,4}\.example\/[a-z0-9]{0,4}|file:\/\/\/[a-z]{1,4}|urn:a:[a-z]{1,4})$/,
  "file-uri": /^file:\/\/\/[a-z]{1,4}$/,
  "date-time": /^20[0-9]{2}-0[1-9]-1[0-9]T0[0-9]:[0-5][0-9]:[0-5][0-9]Z$/,
  "uri-template": /^file:\/\/\/[a-z]{0,3}\{[a-z]{1,3}\}$/,
  byte: /^([A-Za-z0-9+/]{4}){0,3}$/
}

const formatted = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "String": {
      const pattern = patterns[String(SchemaAST.resolve(ast)?.["format"])]
      return pattern === undefined ? ast : withContext(Schema.String.check(Schema.isPattern(pattern)).ast, ast)
    }
    case "Objects":
      return new SchemaAST.Objects(
        ast.propertySignatures.map(({ name, type }) => new SchemaAST.PropertySignature(name, formatted(type))),
        ast.indexSignatures.map(({ parameter, type }) => new SchemaAST.IndexSignature(parameter, formatted(type))),
        ast.annotations,
        ast.checks,
        undefined,
        ast.context
      )
    case "Arrays":
      return new SchemaAST.Arrays(
        ast.isMutable,
        ast.elements.map(formatted),
        ast.rest.map(formatted),
        ast.annotations,
        ast.checks,
        undefined,
        ast.context
      )
    case "Union":
      return new SchemaAST.Union(
        ast.types.map(formatted),
        ast.options,
        ast.annotations,
        ast.checks,
        undefined,
        ast.context
      )
    default:
      return ast
  }
}

const withContext = (ast: SchemaAST.AST, from: SchemaAST.AST): SchemaAST.AST =>
  from.context?.isOptional === true ? Schema.optionalKey(Schema.make<Schema.Codec<unknown>>(ast)).ast : ast

export const sendable = (schema: Schema.Codec<unknown, unknown>): Schema.Codec<unknown> =>
  Schema.make<Schema.Codec<unknown>>(formatted(schema.ast))

/** What goes over the wire: generated values have -0 and lone surrogates. */
export const toJson = (value: unknown): any => JSON.parse(JSON.stringify(value))
