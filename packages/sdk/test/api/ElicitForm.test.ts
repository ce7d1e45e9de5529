/** Forms made of Schemas: what is sent is a form of its revision, and what comes back is read as the form says. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Elicit from "../../src/api/Elicit.ts"
import * as Form from "../../src/api/internal/form.ts"
import * as Codec from "../../src/protocol/Codec.ts"
import * as Elicitation from "../../src/protocol/Elicitation.ts"
import type { Revision } from "../../src/protocol/Revision.ts"
import { invalid, present } from "../protocol/support/official.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))

const Kind = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("text"), least: Small, more: Small }),
  Schema.Struct({
    kind: Schema.Literals(["email", "uri", "date", "date-time", "uuid", "trimmed", "branded", "named", "plain"])
  }),
  Schema.Struct({ kind: Schema.Literals(["finite", "integer", "boolean"]) }),
  Schema.Struct({ kind: Schema.Literals(["between", "integer between"]), least: Small, more: Small }),
  Schema.Struct({ kind: Schema.Literals(["choice", "titled choice", "union choice", "single"]) }),
  Schema.Struct({ kind: Schema.Literals(["list", "titled list", "union list"]), least: Small, more: Small })
])

const Field = Schema.Struct({
  of: Kind,
  optional: Schema.Boolean,
  title: Schema.Boolean,
  initial: Schema.Boolean
})

const names = ["a", "b", "c", "__proto__", "name with spaces"]
const Fields = Schema.Array(Field).check(Schema.isMaxLength(names.length))

const union = Schema.Union([
  Schema.Literal("x").annotate({ title: "An X" }),
  Schema.Literal("y").annotate({ title: "A Y" }),
  Schema.Literal("z")
])

const schemaOf = (
  { kind, ...bounds }: { readonly kind: string; readonly least?: number; readonly more?: number }
): Schema.Codec<any, any> => {
  const minimum = bounds.least ?? 0
  const maximum = minimum + (bounds.more ?? 0)
  switch (kind) {
    case "text":
      return Schema.String.check(Schema.isMinLength(minimum), Schema.isMaxLength(maximum))
    case "email":
    case "uri":
    case "date":
    case "date-time":
      return Schema.String.annotate({ format: kind })
    case "branded":
      return Schema.String.pipe(Schema.brand("B"))
    case "named":
      return Schema.String.annotate({ identifier: "Name" })
    case "uuid":
      return Schema.String.annotate({ format: "uuid" })
    case "trimmed":
      return Schema.Trim
    case "plain":
      return Schema.String
    case "finite":
      return Schema.Finite
    case "integer":
      return Schema.Int
    case "boolean":
      return Schema.Boolean
    case "between":
      return Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
    case "integer between":
      return Schema.Int.check(Schema.isGreaterThan(minimum), Schema.isLessThan(maximum + 2))
    case "choice":
      return Schema.Literals(["x", "y", "z"])
    case "titled choice":
      return Elicit.choice({ x: "An X", y: "A Y", z: "A Z" })
    case "union choice":
      return union
    case "single":
      return Schema.Literal("x")
    case "list":
      return Schema.Array(Schema.Literals(["x", "y", "z"])).check(
        Schema.isMinLength(minimum),
        Schema.isMaxLength(maximum)
      )
    case "titled list":
      return Elicit.choices({ x: "An X", y: "A Y", z: "A Z" }).check(
        Schema.isMinLength(minimum),
        Schema.isMaxLength(maximum)
      )
    default:
      return Schema.Array(union).check(Schema.isMinLength(minimum), Schema.isMaxLength(maximum))
  }
}

const initialOf = (kind: string): unknown =>
  /list/.test(kind) ? ["x"] : /choice|single/.test(kind) ? "x" : /finite|between|integer/.test(kind)
    ? 1
    : kind === "boolean"
    ? true
    : "text"

const fieldOf = ({ initial, of, optional, title }: typeof Field.Type): Schema.Codec<any, any> => {
  const schema = schemaOf(of).annotate({
    ...(title ? { title: "A title", description: "A description" } : {}),
    ...(initial ? { default: initialOf(of.kind) } : {})
  })
  return optional ? Schema.optionalKey(schema) as any : schema
}

const fieldsOf = (specs: typeof Fields.Type): Form.Fields =>
  Object.fromEntries(specs.map((spec, n) => [names[n]!, fieldOf(spec)]))

const formAt = (revision: Revision, schema: Elicitation.FormSchema) =>
  revision === "2025-06-18" ? Form.before20251125(schema) : schema

const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const

const hasList = (specs: typeof Fields.Type) => specs.some(({ of }) => /list/.test(of.kind))

/** What clients may put into a form, fitting or not. */
const Value = Schema.Literals([
  "nothing",
  "x",
  "xy",
  "",
  "abcdefgh",
  "0",
  "1",
  "2",
  "6",
  "1.5",
  "-1",
  "true",
  "[]",
  "[x]",
  "[x,y]",
  "[x,q]",
  "[x,x,y,z,z]"
])
const valueOf = (value: typeof Value.Type): unknown => {
  if (/^-?\d/.test(value)) return Number(value)
  if (value === "true") return true
  if (value.startsWith("[")) return value === "[]" ? [] : value.slice(1, -1).split(",")
  return value
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false })

describe("a form of Schemas", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
  it.effect.prop(
    "is one that its revision has",
    { specs: Fields },
    ({ specs }) =>
      Effect.sync(() => {
        const { schema } = Form.make(fieldsOf(specs))
        for (const revision of revisions) {
          const requestedSchema = formAt(revision, schema)
          const params = { message: "?", requestedSchema }
          const written = Codec.encode(Elicitation.ElicitRequestFormParams, revision)(params)
          if (revision === "2025-06-18" && hasList(specs)) {
            assert.isTrue(Result.isFailure(written) && /requestedSchema.properties/.test(written.failure))
            continue
          }
          assert.deepStrictEqual(written, Result.succeed(params))
          if (!present) continue
          const json = { jsonrpc: "2.0", id: 1, method: "elicitation/create", params }
          assert.isUndefined(invalid(revision, "ElicitRequest", json), JSON.stringify(json))
        }
      }),
    { arbitrary: { runs: 200 } }
  )

  it.effect.prop(
    "takes what fits it as JSON Schema says, and says of anything else where it does not",
    { specs: Fields, values: Schema.Array(Value).check(Schema.isMinLength(5), Schema.isMaxLength(5)) },
    ({ specs, values }) =>
      Effect.sync(() => {
        const { decode, schema } = Form.make(fieldsOf(specs))
        const content = Object.fromEntries([
          ...specs.flatMap((_, n) => values[n] === "nothing" ? [] : [[names[n]!, valueOf(values[n]!)] as const]),
          ["not in the form", true] as const
        ])
        const fits = ajv.compile(schema)
        const decoded = decode(content)
        assert.strictEqual(
          Result.isSuccess(decoded),
          fits(content),
          `${JSON.stringify(schema)} ${JSON.stringify(content)}`
        )
        if (Result.isFailure(decoded)) {
          const named = Object.keys(schema.properties).some((name) =>
            decoded.failure.includes(name) || decoded.failure.includes(JSON.stringify(name))
          )
          assert.isTrue(named, decoded.failure)
        }
      }),
    { arbitrary: { runs: 200 } }
  )

  it("says all that a form can say", () => {
    const { schema } = Form.make({
      name: Schema.NonEmptyString.annotate({ title: "Name", description: "Your full name", default: "Ada" }),
      email: Schema.optionalKey(Schema.String.annotate({ format: "email" })),
      born: Schema.DateFromString.annotate({ title: "Born", format: "date" }),
      age: Schema.Int.check(Schema.isGreaterThan(17), Schema.isLessThanOrEqualTo(120)),
      height: Schema.Finite.check(Schema.isGreaterThan(0)),
      agreed: Schema.Boolean.annotate({ default: false }),
      size: Elicit.choice({ s: "Small", l: "Large" }).annotate({ title: "Size", default: "s" }),
      color: Schema.Literals(["red", "blue"]),
      code: Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(5)),
      toppings: Elicit.choices({ a: "Anchovies", o: "Olives" }).check(Schema.isMinLength(1)),
      days: Schema.optionalKey(Schema.Array(Schema.Literals(["mon", "tue"])))
    })
    assert.deepStrictEqual(schema as unknown, {
      type: "object",
      properties: {
        name: { type: "string", title: "Name", description: "Your full name", default: "Ada", minLength: 1 },
        email: { type: "string", format: "email" },
        born: { type: "string", title: "Born", format: "date" },
        age: { type: "integer", minimum: 18, maximum: 120 },
        height: { type: "number" },
        agreed: { type: "boolean", default: false },
        size: {
          type: "string",
          title: "Size",
          default: "s",
          oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }]
        },
        color: { type: "string", enum: ["red", "blue"] },
        code: { type: "string", minLength: 3, maxLength: 5 },
        toppings: {
          type: "array",
          minItems: 1,
          items: { anyOf: [{ const: "a", title: "Anchovies" }, { const: "o", title: "Olives" }] }
        },
        days: { type: "array", items: { type: "string", enum: ["mon", "tue"] } }
      },
      required: ["name", "born", "age", "height", "agreed", "size", "color", "code", "toppings"]
    })
  })

  it("at 2025-06-18 has the titles of choices beside them, and defaults for booleans only", () => {
    const form = Form.make({
      name: Schema.String.annotate({ default: "Ada" }),
      agreed: Schema.Boolean.annotate({ default: true }),
      size: Elicit.choice({ s: "Small", l: "Large" }).annotate({ default: "s" }),
      color: Schema.Literals(["red", "blue"])
    })
    assert.deepStrictEqual(Form.before20251125(form.schema).properties as unknown, {
      name: { type: "string" },
      agreed: { type: "boolean", default: true },
      size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
      color: { type: "string", enum: ["red", "blue"] }
    })
  })

  it("decodes what comes back, and checks what a form cannot say", () => {
    const { decode } = Form.make({
      when: Schema.DateFromString,
      count: Schema.FiniteFromString,
      even: Schema.Int.check(Schema.isMultipleOf(2)),
      code: Schema.String.check(Schema.isPattern(/^[A-Z]+$/))
    })
    const content = { when: "2026-07-28", count: "3", even: 2, code: "AB" }
    assert.deepStrictEqual(
      decode(content),
      Result.succeed({ when: new Date("2026-07-28"), count: 3, even: 2, code: "AB" })
    )
    for (const [name, value] of [["when", "never"], ["count", "x"], ["even", 3], ["code", "ab"]] as const) {
      const refused = decode({ ...content, [name]: value })
      assert.isTrue(Result.isFailure(refused) && refused.failure.startsWith(`${name}: `), JSON.stringify(refused))
    }
  })

  it("cannot be made of other things, and says which field it is", () => {
    const others: { readonly [name: string]: Schema.Constraint } = {
      number: Schema.Number,
      null: Schema.NullOr(Schema.String),
      optional: Schema.optional(Schema.String),
      texts: Schema.Array(Schema.String),
      numbers: Schema.Literals([1, 2]),
      mixed: Schema.Literals(["a", 1]),
      object: Schema.Struct({ a: Schema.String }),
      anything: Schema.Unknown,
      nothing: Schema.Never,
      empty: Elicit.choice({}),
      union: Schema.Union([Schema.String, Schema.Boolean]),
      nested: Schema.Array(Schema.Array(Schema.Literals(["a"])))
    }
    for (const [name, schema] of Object.entries(others)) {
      assert.throws(
        () => Form.make({ fine: Schema.String, [name]: schema }),
        `The field "${name}" has no place in a form`,
        name
      )
    }
  })
})
