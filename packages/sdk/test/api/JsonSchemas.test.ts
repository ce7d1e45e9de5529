import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchemas from "../../src/api/JsonSchemas.ts"
import {
  type AnySchema,
  build,
  Entropy,
  Presence,
  type Spec,
  specOf,
  Tree,
  valuesFor
} from "../support/SchemaFamily.ts"

const ajv = new Ajv2020({ strict: false, allErrors: false })
const accepts = (schema: JsonSchemas.JsonSchema, value: unknown): boolean => ajv.compile(schema)(value) === true

describe("JsonSchemas", () => {
  describe("what is advertised is what is enforced", () => {
    it.effect.prop(
      "a tool accepts the arguments that its inputSchema accepts",
      {
        fields: Schema.Array(Schema.Struct({ as: Presence, of: specOf(2) })).check(Schema.isMaxLength(3)),
        entropy: Entropy
      },
      ({ entropy, fields }) =>
        Effect.sync(() => {
          const spec: Spec = { kind: "struct", fields }
          const schema = fields.length === 0 ? Schema.Struct({}) : build(spec)
          for (const excess of ["error", "ignore"] as const) {
            // An empty struct that ignores excess accepts every object, as its JSON Schema does.
            const advertised = JsonSchemas.inputSchema(schema, { excess })
            const validate = ajv.compile(advertised)
            const decode = JsonSchemas.decoder(schema as AnySchema, { excess })
            for (const value of valuesFor(spec, entropy)) {
              if (typeof value !== "object" || value === null || Array.isArray(value)) continue
              const decoded = decode(value)
              assert.strictEqual(
                validate(value),
                Result.isSuccess(decoded),
                `${excess}: ${JSON.stringify(value)} for ${JSON.stringify(advertised)}`
              )
              if (Result.isFailure(decoded)) assert.isNotEmpty(JsonSchemas.formatIssue(decoded.failure))
            }
          }
        }),
      { arbitrary: { runs: 150 }, timeout: 60_000 }
    )

    it.effect.prop(
      "a client accepts the answers that the outputSchema accepts, and what a server sends is accepted, wrapped or not",
      { spec: specOf(2), entropy: Entropy },
      ({ entropy, spec }) =>
        Effect.sync(() => {
          const schema = build(spec)
          const advertised = JsonSchemas.outputSchema(schema)
          const validate = ajv.compile(advertised.schema)
          const validateWrapped = ajv.compile(JsonSchemas.wrapSchema(advertised.schema))
          const decode = JsonSchemas.decoder(schema, { excess: "ignore" })
          const encode = JsonSchemas.encoder(schema)
          for (const value of valuesFor(spec, entropy)) {
            const decoded = decode(value)
            const context = `${JSON.stringify(value)} for ${JSON.stringify(advertised.schema)}`
            assert.strictEqual(validate(value), Result.isSuccess(decoded), context)
            assert.strictEqual(validateWrapped(JsonSchemas.wrap(value)), Result.isSuccess(decoded), context)
            assert.deepStrictEqual(JsonSchemas.unwrap(JsonSchemas.wrap(value)), value)
            if (Result.isFailure(decoded)) continue
            const encoded = Result.getOrThrow(encode(decoded.success))
            assert.isTrue(validate(encoded), context)
            assert.deepStrictEqual(Result.getOrThrow(decode(encoded)), decoded.success)
            if (advertised.isObject) assert.isTrue(typeof encoded === "object" && encoded !== null, context)
          }
        }),
      { arbitrary: { runs: 150 }, timeout: 60_000 }
    )

    it("the JSON form of what JSON does not have", () => {
      const schema = Schema.Struct({
        when: Schema.Date,
        maybe: Schema.Option(Schema.String),
        left: Schema.optional(Schema.String),
        number: Schema.Number
      })
      const json = { when: "2026-07-28T00:00:00.000Z", maybe: { _tag: "None" }, left: null, number: "NaN" }
      assert.isTrue(accepts(JsonSchemas.inputSchema(schema), json))
      const decoded = Result.getOrThrow(JsonSchemas.decoder(schema)(json))
      assert.strictEqual(decoded.when.getUTCFullYear(), 2026)
      assert.isNaN(decoded.number)
      assert.deepStrictEqual(Result.getOrThrow(JsonSchemas.encoder(schema)(decoded)), json)
    })

    it("excess properties are refused, or dropped", () => {
      const schema = Schema.Struct({ a: Schema.String })
      const value = { a: "1", b: 2 }
      assert.isFalse(accepts(JsonSchemas.inputSchema(schema), value))
      assert.isTrue(Result.isFailure(JsonSchemas.decoder(schema)(value)))
      assert.isTrue(accepts(JsonSchemas.inputSchema(schema, { excess: "ignore" }), value))
      assert.deepStrictEqual(Result.getOrThrow(JsonSchemas.decoder(schema, { excess: "ignore" })(value)), { a: "1" })
    })

    it("unions and transformations too: excess is found wherever it is, and only there", () => {
      const inner = Schema.Struct({ a: Schema.String })
      const schema = Schema.Struct({
        tagged: Schema.Union([Schema.TaggedStruct("A", { a: Schema.String }), Schema.TaggedStruct("B", { b: inner })]),
        nullable: Schema.NullOr(inner),
        record: Schema.Record(Schema.String, inner),
        tuple: Schema.TupleWithRest(Schema.Tuple([inner]), [Schema.String]),
        text: Schema.fromJsonString(inner),
        when: Schema.optionalKey(Schema.Date),
        defaulted: inner.pipe(Schema.withDecodingDefaultKey(Effect.succeed({ a: "0" })))
      })
      const value = {
        tagged: { _tag: "B", b: { a: "1" } },
        nullable: { a: "1" },
        record: { x: { a: "1" } },
        tuple: [{ a: "1" }, "2"],
        text: "{\"a\":\"1\"}",
        when: "2026-07-28T00:00:00.000Z"
      }
      const decode = JsonSchemas.decoder(schema)
      const advertised = JsonSchemas.inputSchema(schema)
      assert.isTrue(accepts(advertised, value))
      assert.isTrue(Result.isSuccess(decode(value)))
      const excess = { a: "1", x: 1 }
      const wrong = {
        tagged: { _tag: "B", b: excess },
        nullable: excess,
        record: { x: excess },
        tuple: [excess],
        defaulted: excess
      }
      for (const [key, part] of Object.entries(wrong)) {
        assert.isFalse(accepts(advertised, { ...value, [key]: part }), key)
        assert.isTrue(Result.isFailure(decode({ ...value, [key]: part })), key)
      }
      // Within text there is nothing to advertise, and still nothing lost.
      assert.isTrue(Result.isFailure(decode({ ...value, text: JSON.stringify(excess) })))
    })

    it("says less than the Schema where JSON Schema cannot say all", () => {
      const schema = Schema.Struct({
        pattern: Schema.String.check(Schema.isPattern(/^a/i)),
        length: Schema.String.check(Schema.isMinLength(2)),
        own: Schema.Finite.check(Schema.makeFilter((n) => n % 7 === 0))
      })
      const value = { pattern: "b", length: "a", own: 1 }
      assert.isTrue(accepts(JsonSchemas.inputSchema(schema), value))
      assert.isTrue(Result.isFailure(JsonSchemas.decoder(schema)(value)))
    })
  })

  describe("inputSchema", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
    it("no parameters: only the empty object", () => {
      const schema = Schema.Struct({})
      assert.deepStrictEqual(JsonSchemas.inputSchema(schema), { type: "object", additionalProperties: false })
      const decode = JsonSchemas.decoder(schema)
      assert.deepStrictEqual(Result.getOrThrow(decode({})), {})
      for (const value of [{ a: 1 }, [], "a", null]) assert.isTrue(Result.isFailure(decode(value)))
    })

    it("has the root type object whatever the Schema is made of", () => {
      class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}
      const roots = [
        Schema.Struct({ a: Schema.String }),
        Person,
        Tree,
        Schema.Union([Schema.TaggedStruct("A", { a: Schema.String }), Person]),
        Schema.Record(Schema.String, Schema.Finite),
        Schema.Struct({ a: Schema.Finite }).check(Schema.makeFilter(({ a }) => a > 0)),
        Schema.Unknown
      ]
      for (const schema of roots) {
        const json = JsonSchemas.inputSchema(schema)
        assert.strictEqual(json.type, "object")
        assert.notProperty(json, "$ref")
        assert.notProperty(json, "$schema")
      }
    })

    it("a recursive Schema keeps its definition beneath the root", () => {
      const node = {
        type: "object",
        properties: {
          value: { type: "number" },
          children: { type: "array", items: { $ref: "#/$defs/Tree" } }
        },
        required: ["value", "children"],
        additionalProperties: false
      }
      assert.deepStrictEqual<unknown>(JsonSchemas.inputSchema(Tree), { ...node, $defs: { Tree: node } })
    })

    it("refuses a Schema that is no object, saying what to do", () => {
      for (const schema of [Schema.String, Schema.Array(Schema.String), Schema.Null, Schema.Never]) {
        assert.throws(() => JsonSchemas.inputSchema(schema), JsonSchemas.JsonSchemaError as never)
        assert.throws(() => JsonSchemas.inputSchema(schema), /wrap it in a Struct/)
      }
      assert.throws(() => JsonSchemas.inputSchema(Schema.Union([Schema.String, Schema.Struct({ a: Schema.String })])))
      assert.throws(() => JsonSchemas.inputSchema(Schema.Struct({ [Symbol.for("a")]: Schema.String })), /JSON form/)
    })

    it("keeps titles, descriptions, defaults, examples and x- annotations, on the property itself", () => {
      // https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
      const schema = Schema.Struct({
        region: Schema.String.annotate({
          title: "Region",
          description: "Where to run",
          default: "eu",
          examples: ["eu", "us"],
          "x-mcp-header": "Region"
        }),
        shard: Schema.Int.annotate({ description: "Which shard", "x-mcp-header": "Shard" }),
        tenant: Schema.optionalKey(Schema.String).annotateKey({
          description: "Who pays",
          "x-mcp-header": "Tenant",
          "x-vendor": { any: ["json"] }
        })
      }).annotate({ title: "Query", description: "A query" })
      assert.deepStrictEqual<unknown>(JsonSchemas.inputSchema(schema), {
        type: "object",
        properties: {
          region: {
            type: "string",
            title: "Region",
            description: "Where to run",
            default: "eu",
            examples: ["eu", "us"],
            "x-mcp-header": "Region"
          },
          shard: {
            type: "integer",
            minimum: Number.MIN_SAFE_INTEGER,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "Which shard",
            "x-mcp-header": "Shard"
          },
          tenant: {
            type: "string",
            description: "Who pays",
            "x-mcp-header": "Tenant",
            "x-vendor": { any: ["json"] }
          }
        },
        required: ["region", "shard"],
        additionalProperties: false,
        title: "Query",
        description: "A query"
      })
    })

    it("keeps what is said of a schema that travels in another form", () => {
      class Person extends Schema.Class<Person>("Person")({
        born: Schema.Date.annotate({ description: "Day of birth" })
      }, { description: "Who" }) {}
      const described = JsonSchemas.inputSchema(Schema.Struct({
        any: Schema.Unknown.annotate({ description: "Anything", default: { a: 1 } }),
        date: Schema.optional(Schema.Date.annotate({ title: "Day" })),
        text: Schema.FiniteFromString.annotate({ description: "A number as text", examples: [1] }),
        list: Schema.Array(Schema.Number.annotate({ description: "How many" })),
        person: Person,
        tree: Tree
      }))
      const number = { anyOf: [{ type: "number" }, { type: "string", enum: ["Infinity", "-Infinity", "NaN"] }] }
      assert.deepStrictEqual<unknown>({ ...described["properties"] as {}, tree: undefined }, {
        any: { description: "Anything", default: { a: 1 } },
        date: { anyOf: [{ type: "string", title: "Day" }, { type: "null" }] },
        // An example of the decoded side is none of the encoded side.
        text: { type: "string", description: "A number as text" },
        list: { type: "array", items: { ...number, description: "How many" } },
        person: {
          type: "object",
          properties: { born: { type: "string", description: "Day of birth" } },
          required: ["born"],
          additionalProperties: false,
          description: "Who"
        },
        tree: undefined
      })
    })

    it("what looks like a schema within a default, an example or a literal is data", () => {
      const value = { allOf: [{ title: "x" }], additionalProperties: true }
      const schema = Schema.Struct({ a: Schema.Unknown.annotate({ default: value, examples: [value] }) })
      assert.deepStrictEqual<unknown>(JsonSchemas.inputSchema(schema)["properties"], {
        a: { default: value, examples: [value] }
      })
    })

    it("a property may have any name", () => {
      const fields: { readonly [name: string]: AnySchema } = Object.fromEntries([
        ["__proto__", Schema.String],
        ["constructor", Schema.Finite]
      ])
      const schema = Schema.Struct(fields)
      const json = JSON.stringify(JsonSchemas.inputSchema(schema))
      assert.include(json, "\"__proto__\":{\"type\":\"string\"}")
      assert.isTrue(
        Result.isSuccess(JsonSchemas.decoder(schema)(JSON.parse("{\"__proto__\":\"a\",\"constructor\":1}")))
      )
    })
  })

  describe("outputSchema", () => {
    it("any schema, with word on whether it is an object", () => {
      assert.deepStrictEqual<unknown>(JsonSchemas.outputSchema(Schema.Array(Schema.String)), {
        schema: { type: "array", items: { type: "string" } },
        isObject: false
      })
      assert.deepStrictEqual<unknown>(JsonSchemas.outputSchema(Schema.Struct({ a: Schema.String })), {
        schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        isObject: true
      })
      assert.deepStrictEqual<unknown>(JsonSchemas.outputSchema(Schema.Struct({})), {
        schema: { type: "object" },
        isObject: true
      })
      assert.isFalse(JsonSchemas.isObjectSchema(Schema.NullOr(Tree)))
      assert.isFalse(JsonSchemas.isObjectSchema(Schema.Unknown))
    })

    it("is wrapped for the revisions that take objects only", () => {
      // https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
      const wrapped = JsonSchemas.wrapSchema(JsonSchemas.outputSchema(Schema.Array(Tree)).schema)
      assert.strictEqual(wrapped.type, "object")
      assert.deepStrictEqual(wrapped["required"], ["result"])
      assert.isTrue(accepts(wrapped, JsonSchemas.wrap([{ value: 1, children: [{ value: 2, children: [] }] }])))
      assert.isFalse(accepts(wrapped, JsonSchemas.wrap([{ value: 1, children: [{ value: 2 }] }])))
    })

    it("a schema of one's own is wrapped with its references intact", () => {
      const schemas: ReadonlyArray<JsonSchemas.JsonSchema> = [
        { type: "array", items: { $ref: "#" } },
        {
          type: "array",
          items: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/items/anyOf/2" }, { type: "null" }] },
          $defs: { a: { $ref: "#" } }
        },
        { $id: "urn:example:tree", type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: { $ref: "#" } } },
        {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "array",
          items: { $ref: "#/definitions/a" },
          definitions: { a: { $ref: "#" } }
        }
      ]
      for (const schema of schemas) {
        const validator = new Ajv2020({ strict: false }).compile(JsonSchemas.wrapSchema(schema))
        assert.isTrue(validator({ result: [[], [[]]] }), JSON.stringify(schema))
        assert.isFalse(validator({ result: [[], [1]] }), JSON.stringify(schema))
        assert.isFalse(validator({ result: 1 }), JSON.stringify(schema))
      }
    })

    it("unwrap leaves what is not wrapped", () => {
      for (const value of [{ result: 1, more: 2 }, {}, [1], null, "a"]) {
        assert.deepStrictEqual(JsonSchemas.unwrap(value), value)
      }
    })
  })

  describe("formatIssue", () => {
    const text = (schema: Schema.Codec<unknown, unknown>, value: unknown): string => {
      const decoded = JsonSchemas.decoder(schema)(value)
      return Result.isSuccess(decoded) ? "fits" : JsonSchemas.formatIssue(decoded.failure, "arguments")
    }

    it("path, expectation, what was there: every problem in a line of its own", () => {
      const schema = Schema.Struct({
        city: Schema.String,
        days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })),
        items: Schema.Array(Schema.Struct({ "a b": Schema.String }))
      })
      assert.strictEqual(
        text(schema, { days: "three", cty: 1, items: [{ "a b": 7 }] }),
        [
          "cty: is not known here; known are city, days, items",
          "city: is missing, expected string",
          "days: expected number, received \"three\"",
          "items[0][\"a b\"]: expected string, received 7"
        ].join("\n")
      )
      assert.strictEqual(
        text(schema, { city: "Oslo", days: 15, items: [] }),
        "days: expected a value between 1 and 14, received 15"
      )
      assert.strictEqual(text(schema, [1]), "arguments: expected object, received an array of 1 item")
    })

    it("unions: what any member would have taken, the tag that is wrong, or the member that comes closest", () => {
      const schema = Schema.Struct({
        value: Schema.Union([
          Schema.String,
          Schema.TaggedStruct("Circle", { radius: Schema.Finite }),
          Schema.TaggedStruct("Square", { side: Schema.Finite })
        ])
      })
      assert.match(text(schema, { value: true }), /^value: expected string \| .*, received true$/)
      assert.strictEqual(
        text(schema, { value: { _tag: "Circle", radius: "1" } }),
        "value.radius: expected number, received \"1\""
      )
      const tagged = Schema.Struct({
        shape: Schema.Union([Schema.TaggedStruct("Circle", {}), Schema.TaggedStruct("Square", {})])
      })
      assert.strictEqual(
        text(tagged, { shape: { _tag: "Line" } }),
        "shape._tag: expected \"Circle\" | \"Square\", received \"Line\""
      )
      assert.strictEqual(text(tagged, { shape: {} }), "shape._tag: is missing, expected \"Circle\" | \"Square\"")
      const overlapping = Schema.Union([
        Schema.Struct({ a: Schema.String, b: Schema.String, c: Schema.String }),
        Schema.Struct({ a: Schema.String, d: Schema.Finite })
      ])
      assert.strictEqual(
        text(overlapping, { a: "1", d: "2" }),
        "d: expected number (the closest of 2 alternatives), received \"2\""
      )
    })

    it("shows what was sent, not what became of it, and never much of it", () => {
      assert.strictEqual(
        text(Schema.Struct({ when: Schema.Date }), { when: "tomorrow" }),
        "when: expected a valid Date, received \"tomorrow\""
      )
      const long = text(Schema.Struct({ n: Schema.Finite }), { n: "x".repeat(100_000) })
      assert.isBelow(long.length, 160)
      const many = text(Schema.Array(Schema.Finite), Array.from({ length: 1000 }, () => "x"))
      assert.strictEqual(many.split("\n").length, 11)
      assert.include(many, "and 990 more")
    })

    it("an author's own words are kept", () => {
      const schema = Schema.Struct({ from: Schema.Finite, to: Schema.Finite }).check(
        Schema.makeFilter(({ from, to }) => from < to || "from must be less than to")
      )
      assert.strictEqual(
        text(schema, { from: 2, to: 1 }),
        "arguments: from must be less than to, received an object with from, to"
      )
    })

    it("a value nested too deeply is bad input, not a defect", () => {
      let value: Tree = { value: 0, children: [] }
      for (let i = 0; i < 100_000; i++) {
        value = { value: i, children: [value] }
        if (i % 500 === 0) assert.match(text(Tree, value), /^fits$|nested less deeply/)
      }
      assert.include(text(Tree, value), "nested less deeply")
    })
  })
})
