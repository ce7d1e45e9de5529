/** The JSON Schema document of a Schema's JSON form: as Effect makes it, made complete and easy to read. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface Document {
  readonly root: JsonSchema
  readonly definitions: JsonSchema
}

// ---- walking

type Keyword = "schema" | "schemas" | "map"

/** Where schemas lie within a schema. Everything else (`enum`, `const`, `default` …) is data. */
const subschemas: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...[
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema"
  ].map((keyword) => [keyword, "schema"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, "schemas"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]
    .map((keyword) => [keyword, "map"] as const)
])

export const isObject = (u: unknown): u is JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** Own properties only, whatever their names: a property of a tool may be called `__proto__`. */
const fromEntries = (entries: Iterable<readonly [string, unknown]>): JsonSchema => Object.fromEntries(entries)

export const mapSubschemas = (schema: JsonSchema, f: (schema: unknown) => unknown): JsonSchema =>
  fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (subschemas.get(keyword)) {
        case "schema":
          return [keyword, f(value)]
        case "schemas":
          return [keyword, Array.isArray(value) ? value.map(f) : value]
        case "map":
          return [
            keyword,
            isObject(value) ? fromEntries(Object.entries(value).map(([name, member]) => [name, f(member)])) : value
          ]
        default:
          return [keyword, value]
      }
    })
  )

export const definitionOf = ($ref: unknown, definitions: JsonSchema): JsonSchema | undefined => {
  const name = definitionName($ref)
  const definition = name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined
  return isObject(definition) ? definition : undefined
}

const definitionName = ($ref: unknown): string | undefined =>
  typeof $ref === "string" && $ref.startsWith("#/$defs/")
    ? decodeURIComponent($ref.slice("#/$defs/".length)).replaceAll("~1", "/").replaceAll("~0", "~")
    : undefined

// ---- easy to read

export const isAnnotation = (keyword: string): boolean =>
  /^(?:title|description|default|examples|deprecated|readOnly|writeOnly|\$comment|x-.*)$/.test(keyword)

/** Keywords that say the same wherever they stand. */
const checkKeywords: ReadonlySet<string> = new Set([
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties"
])

/**
 * Annotations and checks that Effect puts beside a schema (`allOf: [{ "x-mcp-header": "Region" }]`) belong into it:
 * headers are read from the property itself, and models read one level more easily than two.
 */
const inlineAllOf = (schema: JsonSchema): JsonSchema => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || "$ref" in rest) return schema
  const out: { [keyword: string]: unknown } = rest
  const members: Array<unknown> = []
  for (const member of allOf) {
    if (!isObject(member)) {
      members.push(member)
      continue
    }
    const left = Object.entries(member).filter(([keyword, value]) => {
      const moves = !(keyword in out) && (isAnnotation(keyword) || checkKeywords.has(keyword))
      if (moves) out[keyword] = value
      return !moves
    })
    if (left.length > 0) members.push(fromEntries(left))
  }
  return members.length === 0 ? out : { ...out, allOf: members }
}

const tidy = (node: unknown): unknown => {
  if (!isObject(node)) return node
  const schema = inlineAllOf(mapSubschemas(node, tidy))
  if (schema["additionalProperties"] !== true) return schema
  const { additionalProperties: _, ...rest } = schema
  return rest
}

// ---- complete

const isJson = Schema.is(Schema.Json)

/** What an author said of a schema that travels in another form. Values are kept where both forms are the same. */
const said = (ast: SchemaAST.AST, encoded: SchemaAST.AST): JsonSchema => {
  const sameForm = (ast._tag === "Unknown" || ast._tag === "Number") && encoded._tag !== "String"
  return fromEntries(
    Object.entries(SchemaAST.resolve(ast) ?? {}).filter(([keyword, value]) =>
      isAnnotation(keyword) && isJson(value) && (sameForm || (keyword !== "default" && keyword !== "examples"))
    )
  )
}

/**
 * Effect describes the encoded side alone, so that the description of `Schema.Date`, `Schema.Unknown` or any other
 * schema that travels in another form is lost. It is put back here, walking the schema and its description together.
 */
const complete = (document: Document, ast: SchemaAST.AST): Document => {
  const definitions = new Map(Object.entries(document.definitions))
  const done = new Set<string>()

  const walk = (ast: SchemaAST.AST, node: unknown): unknown => {
    if (!isObject(node)) return node
    const link = ast.encoding?.at(-1)
    if (link !== undefined) {
      const inner = walk(link.to, node)
      return isObject(inner) ? { ...inner, ...missing(said(ast, link.to), inner) } : inner
    }
    const name = definitionName(node["$ref"])
    if (name !== undefined) {
      if (!done.has(name)) {
        done.add(name)
        definitions.set(name, members(ast, definitions.get(name)))
      }
      return node
    }
    return members(ast, node)
  }

  const members = (ast: SchemaAST.AST, node: unknown): unknown => {
    if (!isObject(node)) return node
    switch (ast._tag) {
      case "Suspend":
        return walk(ast.thunk(), node)
      case "Objects": {
        const { properties } = node
        if (!isObject(properties)) return node
        const types = new Map(ast.propertySignatures.map(({ name, type }) => [name, type] as const))
        const walked = Object.entries(properties).map(([name, property]) => {
          const type = types.get(name)
          return [name, type === undefined ? property : walk(type, property)] as const
        })
        return { ...node, properties: fromEntries(walked) }
      }
      case "Arrays": {
        const { items, prefixItems } = node
        const [rest] = ast.rest
        return {
          ...node,
          ...(Array.isArray(prefixItems) && prefixItems.length === ast.elements.length
            ? { prefixItems: prefixItems.map((item, i) => walk(ast.elements[i]!, item)) }
            : {}),
          ...(isObject(items) && rest !== undefined ? { items: walk(rest, items) } : {})
        }
      }
      case "Union": {
        // Members that are unions themselves may have been spliced in; then it is not known which is which.
        const keyword = "oneOf" in node ? "oneOf" : "anyOf"
        const alternatives = node[keyword]
        return Array.isArray(alternatives) && alternatives.length === ast.types.length
          ? { ...node, [keyword]: alternatives.map((member, i) => walk(ast.types[i]!, member)) }
          : node
      }
      default:
        return node
    }
  }

  const root = walk(ast, document.root) as JsonSchema
  return { root, definitions: fromEntries(definitions) }
}

const missing = (annotations: JsonSchema, node: JsonSchema): JsonSchema =>
  fromEntries(Object.entries(annotations).filter(([keyword]) => !Object.hasOwn(node, keyword)))

export const make = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): Document => {
  const made = Schema.toJsonSchemaDocument(schema, {
    onExcessProperty,
    includeAnnotationKey: isAnnotation,
    // A reference costs a reader a jump: only what is used more than once is worth it.
    referencePolicy: ({ identifier, occurrences }) => occurrences > 1 ? identifier : undefined
  })
  const definitions = tidy({ $defs: made.definitions }) as { readonly $defs: JsonSchema }
  const document = { root: tidy(made.schema) as JsonSchema, definitions: definitions.$defs }
  return complete(document, Schema.toCodecJson(schema).ast)
}
