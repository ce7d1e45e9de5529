/** The form of some fields: a flat object of the few kinds of fields that elicitation knows. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { FormSchema, PrimitiveSchemaDefinition } from "../../protocol/Elicitation.ts"
import * as JsonSchemas from "../JsonSchemas.ts"

/** The annotation that holds the titles of choices, by value. */
export const titles = "x-effect-mcp-titles"

export type Fields = { readonly [name: string]: Schema.Constraint }

/** A form and the reading of its answer. */
export interface Form<A> {
  readonly schema: FormSchema
  /** Members that the form does not have are passed over. */
  readonly decode: (content: unknown) => Result.Result<A, string>
}

type Json = { readonly [key: string]: unknown }

const isRecord = (u: unknown): u is Json => typeof u === "object" && u !== null && !Array.isArray(u)

const pick = (from: Json, keys: ReadonlyArray<string>): Json =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))

const labels = ["title", "description", "default"]
const formats: ReadonlyArray<unknown> = ["email", "uri", "date", "date-time"]

// ---- choices

interface Choice {
  readonly value: string
  readonly title: string | undefined
}

const textOf = (u: unknown): string | undefined => typeof u === "string" ? u : undefined

/** The choices that a schema leaves, where it leaves nothing but some texts. */
const choicesOf = (schema: Json, named: Json): ReadonlyArray<Choice> | undefined => {
  const { anyOf, enum: values } = schema
  if (Array.isArray(values)) {
    // A member of a union of literals has its title for itself.
    const own = values.length === 1 ? textOf(schema["title"]) : undefined
    return values.every((value) => typeof value === "string")
      ? values.map((value) => ({ value, title: Object.hasOwn(named, value) ? textOf(named[value]) : own }))
      : undefined
  }
  if (!Array.isArray(anyOf)) return undefined
  const members = anyOf.map((member) => isRecord(member) ? choicesOf(member, named) : undefined)
  return members.every((member) => member !== undefined) ? members.flat() : undefined
}

const isTitled = (choices: ReadonlyArray<Choice>) => choices.some(({ title }) => title !== undefined)

const optionsOf = (choices: ReadonlyArray<Choice>) =>
  choices.map(({ title, value }) => ({ const: value, title: title ?? value }))

const valuesOf = (choices: ReadonlyArray<Choice>) => choices.map(({ value }) => value)

// ---- fields

/** Bounds as a form has them. Beyond these ones an integer has none. */
const bounds = (schema: Json): Json => {
  const step = schema["type"] === "integer" ? 1 : undefined
  const bound = (keyword: string, exclusive: string, direction: 1 | -1): Json => {
    const strict = schema[exclusive]
    const value = typeof strict === "number" && step !== undefined
      ? Math.trunc(strict) + step * direction
      : schema[keyword]
    return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? { [keyword]: value } : {}
  }
  return { ...bound("minimum", "exclusiveMinimum", 1), ...bound("maximum", "exclusiveMaximum", -1) }
}

/**
 * The least length that a schema speaks of. Effect counts UTF-16 units, and advertises what that comes to in characters
 * at worst; whoever fills in a form is to read what its author wrote.
 */
const leastLength = (ast: SchemaAST.AST): number | undefined => {
  const lengths = (check: SchemaAST.Check<any>): ReadonlyArray<number> => {
    if (check._tag === "FilterGroup") return check.checks.flatMap(lengths)
    const { id, payload } = (check.annotations?.["representation"] ?? {}) as {
      readonly id?: string
      readonly payload?: any
    }
    return id === "effect/schema/isMinLength"
      ? [payload.minLength]
      : id === "effect/schema/isBetweenLength"
      ? [payload.minimum]
      : []
  }
  const all = ast.encoding === undefined ? (ast.checks ?? []).flatMap(lengths) : []
  return all.length === 0 ? undefined : Math.max(...all)
}

const definitionOf = (schema: Json, ast: SchemaAST.AST): Json | undefined => {
  const named = isRecord(schema[titles]) ? schema[titles] : {}
  const { title, ...untitled } = schema
  const choices = choicesOf(Array.isArray(schema["anyOf"]) ? schema : untitled, named)
  if (choices !== undefined) {
    return {
      type: "string",
      ...pick(schema, labels),
      ...(isTitled(choices) ? { oneOf: optionsOf(choices) } : { enum: valuesOf(choices) })
    }
  }
  if (schema["enum"] !== undefined) return undefined
  switch (schema["type"]) {
    case "string": {
      // What a transformed value is said to be is true of its text too.
      const known = [schema["format"], SchemaAST.resolve(ast)?.["format"]].find((it) => formats.includes(it))
      const minLength = leastLength(ast)
      return {
        type: "string",
        ...pick(schema, [...labels, "minLength", "maxLength"]),
        ...(minLength === undefined ? {} : { minLength }),
        ...(known === undefined ? {} : { format: known })
      }
    }
    case "number":
    case "integer":
      return { type: schema["type"], ...pick(schema, labels), ...bounds(schema) }
    case "boolean":
      return { type: "boolean", ...pick(schema, labels) }
    case "array": {
      const { items } = schema
      const choices = isRecord(items) ? choicesOf(items, named) : undefined
      return choices && {
        type: "array",
        ...pick(schema, [...labels, "minItems", "maxItems"]),
        items: isTitled(choices) ? { anyOf: optionsOf(choices) } : { type: "string", enum: valuesOf(choices) }
      }
    }
    default:
      return undefined
  }
}

const kinds = "fields are text, finite numbers, integers, booleans, choices of text, and lists of choices"

const refuse = (name: string, cause?: unknown): never => {
  throw new JsonSchemas.JsonSchemaError({
    detail: `The field "${name}" has no place in a form: ${kinds}`,
    ...(cause === undefined ? {} : { cause })
  })
}

const field = (
  name: string,
  schema: Schema.Constraint
): { readonly definition: Json; readonly isRequired: boolean } => {
  let object: JsonSchemas.ObjectSchema
  try {
    object = JsonSchemas.inputSchema(Schema.Struct({ [name]: schema }))
  } catch (cause) {
    return refuse(name, cause)
  }
  const { properties, required } = object
  const property = isRecord(properties) ? properties[name] : undefined
  const definition = isRecord(property) ? definitionOf(property, schema.ast) : undefined
  return {
    definition: definition ?? refuse(name),
    isRequired: Array.isArray(required) && required.includes(name)
  }
}

const forms = new WeakMap<Fields, Form<unknown>>()

/** Throws `JsonSchemaError` for a field that no form has. */
export const make = <F extends Fields>(fields: F): Form<Schema.Struct.Type<F>> => {
  const known = forms.get(fields)
  if (known !== undefined) return known as Form<Schema.Struct.Type<F>>
  const described = Object.entries(fields).map(([name, schema]) => ({ name, ...field(name, schema) }))
  const required = described.flatMap(({ isRequired, name }) => isRequired ? [name] : [])
  // Fields that need no services make a struct that needs none; the type of a generic struct cannot say so.
  const struct = Schema.Struct(fields) as unknown as Schema.Codec<Schema.Struct.Type<F>, unknown>
  let decode: ReturnType<typeof JsonSchemas.decoder<typeof struct>> | undefined
  const form: Form<Schema.Struct.Type<F>> = {
    schema: {
      type: "object",
      properties: Object.fromEntries(
        described.map(({ definition, name }) => [name, definition as unknown as PrimitiveSchemaDefinition])
      ),
      ...(required.length === 0 ? {} : { required })
    },
    decode: (content) => {
      decode ??= JsonSchemas.decoder(struct, { excess: "ignore" })
      return Result.mapError(decode(content), (issue) => JsonSchemas.formatIssue(issue))
    }
  }
  forms.set(fields, form)
  return form
}

// ---- history

const old = (definition: Json): Json => {
  const { default: initial, oneOf, ...rest } = definition
  return {
    ...rest,
    ...(Array.isArray(oneOf)
      ? { enum: oneOf.map((option) => option.const), enumNames: oneOf.map((option) => option.title) }
      : {}),
    ...(initial !== undefined && definition["type"] === "boolean" ? { default: initial } : {})
  }
}

/** A form as 2025-06-18 has it: titles of choices stand beside them, and only booleans have defaults. */
export const before20251125 = (form: FormSchema): FormSchema => ({
  ...form,
  properties: Object.fromEntries(
    Object.entries(form.properties).map(([name, definition]) => [
      name,
      old(definition as unknown as Json) as unknown as PrimitiveSchemaDefinition
    ])
  )
})
