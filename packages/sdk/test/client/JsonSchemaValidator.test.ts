import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchemas from "../../src/api/JsonSchemas.ts"
import * as JsonSchemaValidator from "../../src/client/JsonSchemaValidator.ts"
import { build, Entropy, specOf, valuesFor } from "../support/SchemaFamily.ts"

const compile = (schema: unknown, limits?: JsonSchemaValidator.Limits) =>
  Result.getOrThrow(JsonSchemaValidator.compile(schema, limits))
const accepts = (schema: unknown, value: unknown): boolean => Result.isSuccess(compile(schema).validate(value))
const rejection = (schema: unknown, limits?: JsonSchemaValidator.Limits) => {
  const compiled = JsonSchemaValidator.compile(schema, limits)
  return Result.isFailure(compiled) ? compiled.failure.reason : undefined
}
const failure = (schema: unknown, value: unknown, limits?: JsonSchemaValidator.Limits) => {
  const verdict = compile(schema, limits).validate(value)
  assert.isTrue(Result.isFailure(verdict))
  return Result.isFailure(verdict) ? verdict.failure : undefined
}
const text = (schema: unknown, value: unknown): string => failure(schema, value)?.message ?? ""

const draft = {
  "4": "http://json-schema.org/draft-04/schema#",
  "6": "http://json-schema.org/draft-06/schema#",
  "7": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema"
} as const

/** Written out, it would be an object that can be awaited. */
const when = (condition: unknown, consequence: unknown, alternative: unknown = true) =>
  Object.fromEntries(["if", "then", "else"].map((keyword, i) => [keyword, [condition, consequence, alternative][i]]))

// ---- JSON Schemas and values drawn from a list of numbers

const drawFrom = (entropy: ReadonlyArray<number>) => {
  let at = 0
  return () => entropy[at++ % entropy.length]! + Math.floor(at / entropy.length)
}

const keys = ["a", "b", "ab", "c"]
const pick = <A>(items: ReadonlyArray<A>, draw: () => number): A => items[draw() % items.length]!

const jsonFrom = (draw: () => number, depth: number): unknown => {
  const leaves = [null, true, false, 0, 1, 2, 2.5, -1, "", "a", "ab", "abc", "😀"]
  const choice = draw() % 4
  if (depth === 0 || choice === 0) return pick(leaves, draw)
  if (choice === 1) return Array.from({ length: draw() % 4 }, () => jsonFrom(draw, depth - 1))
  return Object.fromEntries(Array.from({ length: draw() % 4 }, () => [pick(keys, draw), jsonFrom(draw, depth - 1)]))
}

const schemaFrom = (draw: () => number, depth: number, modern: boolean): object | boolean => {
  if (draw() % 12 === 0) return draw() % 3 > 0
  const inner = () => schemaFrom(draw, depth - 1, modern)
  const several = (least: number) => Array.from({ length: least + draw() % 2 }, inner)
  const members = () => Object.fromEntries([pick(keys, draw), pick(keys, draw)].map((key) => [key, inner()]))
  const keywords: ReadonlyArray<() => { readonly [keyword: string]: unknown }> = [
    () => ({ type: pick(["null", "boolean", "object", "array", "number", "string", "integer"], draw) }),
    () => ({ type: ["object", pick(["array", "string", "null"], draw)] }),
    () => ({
      enum: [jsonFrom(draw, 1), jsonFrom(draw, 1), jsonFrom(draw, 0)].filter((x, i, all) =>
        all.findIndex((y) => JSON.stringify(x) === JSON.stringify(y)) === i
      )
    }),
    () => ({ const: jsonFrom(draw, 1) }),
    () => ({ minimum: draw() % 3 }),
    () => ({ exclusiveMaximum: draw() % 3 }),
    () => ({ multipleOf: pick([1, 2, 0.5], draw) }),
    () => ({ minLength: draw() % 3 }),
    () => ({ maxLength: draw() % 3 }),
    () => ({ pattern: pick(["^a", "b$", "^[a-c]*$", "."], draw) }),
    () => ({ minItems: draw() % 3 }),
    () => ({ uniqueItems: true }),
    () => ({ required: Array.from(new Set([pick(keys, draw), pick(keys, draw)])) }),
    () => ({ minProperties: draw() % 3 }),
    () => ({ maxProperties: draw() % 3 }),
    ...(depth === 0 ? [] : [
      () => ({ properties: members() }),
      () => ({ properties: members(), additionalProperties: inner() }),
      () => ({ patternProperties: { "^a": inner() }, additionalProperties: inner() }),
      () => ({ propertyNames: inner() }),
      () => ({ items: inner() }),
      () => modern ? { prefixItems: several(1), items: inner() } : { items: several(1), additionalItems: inner() },
      () => ({ contains: inner() }),
      () => ({ allOf: several(1) }),
      () => ({ anyOf: several(1) }),
      () => ({ oneOf: several(1) }),
      () => ({ not: inner() }),
      () => when(inner(), inner(), inner()),
      () => modern ? { dependentRequired: { a: ["b"] } } : { dependencies: { a: ["b"], b: inner() } },
      () => modern ? { contains: inner(), minContains: draw() % 2, maxContains: 1 + draw() % 2 } : {}
    ])
  ]
  const drawn = Object.assign({}, ...Array.from({ length: 1 + draw() % 3 }, () => pick(keywords, draw)()))
  if (!("contains" in drawn)) return drawn
  // ajv 8.20 takes an empty list for one that contains something where items of both kinds are described beside it.
  const { additionalItems: _, items: __, prefixItems: ___, ...rest } = drawn
  return rest
}

const ajvOptions = { strict: false, logger: false, validateSchema: false } as const
const ajv2020 = new Ajv2020(ajvOptions)
const ajv7 = new Ajv(ajvOptions)

describe("JsonSchemaValidator", () => {
  describe("laws", () => {
    it.effect.prop(
      "agrees with an independent validator",
      { entropy: Entropy },
      ({ entropy }) =>
        Effect.sync(() => {
          const draw = drawFrom(entropy)
          for (const modern of [true, false]) {
            const reference = modern ? ajv2020 : ajv7
            for (let i = 0; i < 4; i++) {
              const body = schemaFrom(draw, 3, modern)
              const schema = typeof body === "boolean" ? body : { ...body, $schema: draft[modern ? "2020-12" : "7"] }
              const check = reference.compile(schema as {})
              if (typeof schema === "object") reference.removeSchema(schema)
              const validator = compile(schema)
              for (let j = 0; j < 8; j++) {
                const value = jsonFrom(draw, 3)
                const verdict = validator.validate(value)
                const context = `${JSON.stringify(value)} against ${JSON.stringify(schema)}`
                assert.strictEqual(Result.isSuccess(verdict), check(value), context)
                if (Result.isFailure(verdict)) {
                  assert.isNotEmpty(verdict.failure.problems, context)
                  assert.isFalse(verdict.failure.exhausted, context)
                }
              }
            }
          }
        }),
      { arbitrary: { runs: 50 }, timeout: 60_000 }
    )

    it.effect.prop(
      "a client and a server of the same Schema agree on what fits it",
      { spec: specOf(2), entropy: Entropy },
      ({ entropy, spec }) =>
        Effect.sync(() => {
          const schema = build(spec)
          const validator = compile(JsonSchemas.outputSchema(schema).schema)
          const decode = JsonSchemas.decoder(schema, { excess: "ignore" })
          for (const value of valuesFor(spec, entropy)) {
            assert.strictEqual(
              Result.isSuccess(validator.validate(value)),
              Result.isSuccess(decode(value)),
              JSON.stringify(value)
            )
          }
        }),
      { arbitrary: { runs: 100 }, timeout: 60_000 }
    )

    it.effect.prop(
      "never throws: any JSON is a schema, or is refused; any value has a verdict",
      { schema: Schema.Json, value: Schema.Json, entropy: Entropy },
      ({ entropy, schema, value }) =>
        Effect.sync(() => {
          const draw = drawFrom(entropy)
          const odd = {
            ...Object(schemaFrom(draw, 2, true)),
            [pick(["type", "items", "$ref", "$id", "required"], draw)]: schema
          }
          for (const candidate of [schema, odd, { properties: { a: schema } }]) {
            const compiled = JsonSchemaValidator.compile(candidate)
            if (Result.isSuccess(compiled)) compiled.success.validate(value)
            else assert.isNotEmpty(compiled.failure.message)
          }
        }),
      { arbitrary: { runs: 200 }, timeout: 60_000 }
    )
  })

  describe("dialects", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-dialect
    it("2020-12 where none is named", () => {
      const tuple = { prefixItems: [{ type: "string" }], items: false }
      assert.isTrue(accepts(tuple, ["a"]))
      assert.isFalse(accepts(tuple, ["a", 1]))
      assert.isFalse(accepts({ ...tuple, $schema: draft["2020-12"] }, [1]))
      // In draft 7 neither keyword means this.
      assert.isTrue(accepts({ $schema: draft["7"], prefixItems: [{ type: "string" }] }, [1]))
    })

    it("each as it is written, with and without the empty fragment", () => {
      const exclusive = { $schema: draft["4"], minimum: 1, exclusiveMinimum: true }
      assert.isFalse(accepts(exclusive, 1))
      assert.isTrue(accepts(exclusive, 2))
      assert.isTrue(accepts({ $schema: draft["4"], const: 1, contains: {} }, 2))
      assert.isFalse(accepts({ $schema: draft["6"], contains: { const: 1 } }, [2]))
      assert.isTrue(accepts({ $schema: draft["6"], ...when(true, false) }, 1))
      assert.isFalse(accepts({ $schema: draft["7"], ...when(true, false) }, 1))
      assert.isFalse(
        accepts({ $schema: draft["7"].slice(0, -1), items: [{ type: "string" }], additionalItems: false }, ["a", 1])
      )
      assert.isFalse(accepts({ $schema: draft["7"], dependencies: { a: ["b"], c: { minProperties: 2 } } }, { a: 1 }))
      assert.isFalse(accepts({ $schema: draft["7"], dependencies: { a: ["b"], c: { minProperties: 2 } } }, { c: 1 }))
      assert.isFalse(accepts({ $schema: draft["2019-09"], items: [true], additionalItems: false }, [1, 2]))
      assert.isTrue(accepts({ $schema: draft["2019-09"], dependencies: { a: ["b"] } }, { a: 1 }))
    })

    it("until draft 7 a reference hides what stands beside it, later it does not", () => {
      const schema = ($schema: string) => ({
        $schema,
        definitions: { text: { type: "string" } },
        properties: { a: { $ref: "#/definitions/text", maxLength: 1 } }
      })
      assert.isTrue(accepts(schema(draft["7"]), { a: "ab" }))
      assert.isFalse(accepts(schema(draft["2019-09"]), { a: "ab" }))
    })

    it("an unknown one is an outcome of its own", () => {
      for (const $schema of ["https://example.com/mine", "http://json-schema.org/draft-03/schema#", 7, null]) {
        assert.strictEqual(rejection({ $schema }), "UnsupportedDialect")
      }
      assert.strictEqual(rejection({ $defs: { a: { $id: "a", $schema: "urn:mine" } } }), "UnsupportedDialect")
    })
  })

  describe("references", () => {
    it("lead to definitions, pointers, anchors and identifiers within the schema", () => {
      const schema = {
        $id: "https://example.com/root",
        properties: {
          pointer: { $ref: "#/$defs/a~1b%25" },
          anchor: { $ref: "#here" },
          id: { $ref: "other" },
          deep: { $ref: "other#/properties/x" },
          absolute: { $ref: "https://example.com/other#there" },
          urn: { $ref: "urn:example:c" }
        },
        $defs: {
          "a/b%": { const: 1 },
          b: { $anchor: "here", const: 2 },
          other: { $id: "other", const: 3, properties: { x: { $anchor: "there", const: 4 } } },
          c: { $id: "urn:example:c", const: 5 }
        }
      }
      for (const [key, value] of Object.entries({ pointer: 1, anchor: 2, id: 3, deep: 4, absolute: 4, urn: 5 })) {
        assert.isTrue(accepts(schema, { [key]: value }), key)
        assert.isFalse(accepts(schema, { [key]: 0 }), key)
      }
    })

    it("may be recursive", () => {
      const tree = {
        type: "object",
        properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
        required: ["value"]
      }
      assert.isTrue(accepts(tree, { value: 1, children: [{ value: 2, children: [] }] }))
      assert.strictEqual(
        text(tree, { value: 1, children: [{ value: 2, children: [{}] }] }),
        "children[0].children[0].value: is missing"
      )
    })

    it("dynamic ones find the outermost extension", () => {
      // A list of anything, and a list of strings made of it by a dynamic anchor.
      const schema = ($dynamicAnchor: string) => ({
        $id: "https://example.com/strings",
        $ref: "list",
        $defs: {
          item: { $dynamicAnchor, type: "string" },
          list: {
            $id: "list",
            type: "array",
            items: { $dynamicRef: "#item" },
            $defs: { item: { $dynamicAnchor: "item" } }
          }
        }
      })
      assert.isTrue(accepts(schema("item"), ["a"]))
      assert.isFalse(accepts(schema("item"), [1]))
      assert.isTrue(accepts(schema("other"), [1]))
    })

    it("recursive ones of 2019-09 as well", () => {
      const schema = ($recursiveAnchor: boolean) => ({
        $schema: draft["2019-09"],
        $id: "https://example.com/strict",
        $recursiveAnchor,
        $ref: "tree",
        unevaluatedProperties: false,
        $defs: {
          tree: {
            $id: "tree",
            $recursiveAnchor: true,
            type: "object",
            properties: { child: { $recursiveRef: "#" } }
          }
        }
      })
      assert.isTrue(accepts(schema(true), { child: { child: {} } }))
      assert.isFalse(accepts(schema(true), { child: { chidl: {} } }))
      assert.isTrue(accepts(schema(false), { child: { chidl: {} } }))
    })

    it("never lead out of the schema: it is refused, not read as if it allowed everything", () => {
      // https://modelcontextprotocol.io/specification/2026-07-28/basic#ref-resolution
      for (
        const $ref of [
          "https://example.com/schema.json",
          "http://127.0.0.1/admin",
          "other.json",
          "#/$defs/missing",
          "#missing",
          "file:///etc/passwd",
          draft["2020-12"],
          "http://[bad"
        ]
      ) {
        assert.strictEqual(rejection({ properties: { a: { $ref } } }), "UnresolvedReference", $ref)
        assert.strictEqual(rejection({ properties: { a: { $dynamicRef: $ref } } }), "UnresolvedReference", $ref)
      }
    })
  })

  it("format and content keywords are annotations", () => {
    const schema = { format: "email", contentMediaType: "application/json", contentSchema: { type: "object" } }
    assert.isTrue(accepts(schema, "no mail, no JSON"))
  })

  it("unevaluated properties and items see what the keywords beside and below them have seen", () => {
    const schema = {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ properties: { b: { const: 1 } }, required: ["b"] }, { properties: { c: true } }],
      ...when({ required: ["d"] }, { properties: { d: true } }),
      unevaluatedProperties: false
    }
    assert.isTrue(accepts(schema, { a: 1, b: 1, c: 1 }))
    assert.isFalse(accepts(schema, { a: 1, b: 2 }))
    assert.isFalse(accepts(schema, { x: 1 }))
    const items = { prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false }
    assert.isTrue(accepts(items, [1, "a", "b"]))
    assert.isFalse(accepts(items, [1, "a", 2]))
  })

  it("refuses what is no schema of its dialect", () => {
    for (
      const schema of [
        null,
        "string",
        [],
        { type: "text" },
        { type: [] },
        { properties: [] },
        { properties: { a: 1 } },
        { required: true },
        { required: [1] },
        { minLength: -1 },
        { minLength: 1.5 },
        { minimum: "1" },
        { multipleOf: 0 },
        { enum: "a" },
        { items: [{ type: "string" }] },
        { anyOf: [] },
        { allOf: {} },
        { pattern: "(" },
        { patternProperties: { "[": {} } },
        { $ref: 1 },
        { $id: "https://[" },
        { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
        { $defs: { a: { $id: "x" }, b: { $id: "x" } } }
      ]
    ) assert.strictEqual(rejection(schema), "InvalidSchema", JSON.stringify(schema))
  })

  describe("hostile schemas and values end", () => {
    /** Each level asks the next one twice about the same value. */
    const doubling = (levels: number) => ({
      $ref: "#/$defs/0",
      $defs: Object.fromEntries(Array.from({ length: levels }, (_, i) => [
        i,
        i === levels - 1 ? { type: "null" } : { anyOf: [{ $ref: `#/$defs/${i + 1}` }, { $ref: `#/$defs/${i + 1}` }] }
      ]))
    })

    it("a schema that doubles its work with every level stops at the budget", () => {
      for (const keyword of ["anyOf", "allOf", "oneOf"]) {
        const schema = JSON.parse(JSON.stringify(doubling(60)).replaceAll("anyOf", keyword))
        // One that fits everywhere makes allOf go on, one that fits nowhere anyOf and oneOf.
        const rejected = failure(schema, keyword === "allOf" ? null : 1, { steps: 10_000 })
        assert.isTrue(rejected?.exhausted, keyword)
        assert.include(rejected?.message ?? "", "could not be checked within 10000 steps")
      }
    })

    it("where the verdict is affordable and the reasons are not, the verdict stands", () => {
      const steps = JsonSchemaValidator.steps(doubling(8), 1)!
      const rejected = failure(doubling(8), 1, { steps: steps + 1 })
      assert.isFalse(rejected?.exhausted)
      assert.isNotEmpty(rejected?.problems)
    })

    it("a schema that asks itself about the same value", () => {
      for (
        const schema of [
          { $ref: "#" },
          { anyOf: [{ type: "null" }, { $ref: "#" }] },
          { $ref: "#/$defs/a", $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { if: { $ref: "#/$defs/a" } } } },
          { dependentSchemas: { a: { $ref: "#" } } }
        ]
      ) assert.strictEqual(rejection(schema), "InvalidSchema")
      // A dynamic reference is found out only on the way.
      const dynamic = { $dynamicAnchor: "a", $dynamicRef: "#a" }
      assert.isTrue(failure(dynamic, 1)?.exhausted)
    })

    it("patterns that make other engines backtrack are settled; those that have no bound are refused", () => {
      const hostile = `${"a".repeat(20_000)}!`
      assert.isFalse(failure({ pattern: "^(a+)+$" }, hostile)?.exhausted)
      assert.isFalse(
        failure({ patternProperties: { "^(a|a)*$": {} }, additionalProperties: false }, { [hostile]: 1 })?.exhausted
      )
      assert.isTrue(failure({ pattern: "(a{1,50}){1,50}$" }, hostile)?.exhausted)
      assert.strictEqual(rejection({ pattern: "(a*)\\1$" }), "UnsupportedPattern")
      assert.strictEqual(rejection({ propertyNames: { pattern: "((a{100}){100}){100}" } }), "UnsupportedPattern")
    })

    it("size, depth and number of subschemas", () => {
      const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
        let schema: unknown = { type: "string" }
        for (let i = 0; i < levels; i++) schema = wrap(schema)
        return schema
      }
      assert.isUndefined(rejection(nested(90, (inner) => ({ not: inner }))))
      assert.strictEqual(rejection(nested(150, (inner) => ({ not: inner }))), "TooComplex")
      assert.strictEqual(rejection(nested(100_000, (inner) => ({ properties: { a: inner } }))), "TooComplex")
      assert.strictEqual(rejection({ default: nested(100_000, (inner) => [inner]) }), "TooComplex")
      assert.strictEqual(rejection({ anyOf: Array.from({ length: 20_000 }, () => ({})) }), "TooComplex")
      assert.strictEqual(rejection({ enum: Array.from({ length: 300_000 }, (_, i) => i) }), "TooComplex")
      // The same object many times over is one object in memory, and many in the schema.
      assert.strictEqual(rejection(nested(80, (inner) => ({ anyOf: [inner, inner] }))), "TooComplex")
      const circular: { [key: string]: unknown } = {}
      circular["properties"] = { a: circular }
      assert.strictEqual(rejection(circular), "TooComplex")
    })

    it("a value that leads too deep", () => {
      let value: unknown = {}
      for (let i = 0; i < 100_000; i++) value = { a: value }
      assert.isTrue(failure({ properties: { a: { $ref: "#" } } }, value)?.exhausted)
      assert.isTrue(failure({ enum: [{}] }, value)?.exhausted)
      assert.isTrue(failure({ uniqueItems: true }, [value, value])?.exhausted)
    })

    it("uniqueItems and enum grow with the value, not with its square or with the list", () => {
      const steps = (schema: unknown, value: unknown) => JsonSchemaValidator.steps(schema, value)!
      const items = (n: number) => Array.from({ length: n }, (_, i) => ({ i, text: `${i}` }))
      const unique = [500, 1000, 2000].map((n) => steps({ uniqueItems: true }, items(n)))
      for (let i = 1; i < unique.length; i++) assert.isAtMost(unique[i]! / unique[i - 1]!, 2.1)
      const asked = [500, 1000, 2000].map((n) => steps({ enum: items(n) }, { i: -1 }))
      assert.strictEqual(asked[0], asked[2])
      const texts = [500, 1000, 2000].map((n) => steps({ items: { maxLength: 3 } }, ["a".repeat(n)]))
      assert.isAtMost(texts[2]!, texts[0]! * 4.2)
    })

    it("names such as __proto__ are names", () => {
      const schema = JSON.parse(
        `{ "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "string" } },
           "required": ["__proto__"], "additionalProperties": false, "dependentRequired": { "__proto__": ["constructor"] } }`
      )
      assert.isTrue(accepts(schema, JSON.parse("{\"__proto__\":\"a\",\"constructor\":\"b\"}")))
      assert.isFalse(accepts(schema, JSON.parse("{\"__proto__\":1,\"constructor\":\"b\"}")))
      assert.isFalse(accepts(schema, {}))
      assert.isFalse(accepts(schema, JSON.parse("{\"__proto__\":\"a\"}")))
      assert.isFalse(accepts({ required: ["toString"] }, {}))
      assert.isTrue(accepts({ properties: { toString: { type: "string" } } }, {}))
      assert.strictEqual(rejection({ $ref: "#/__proto__" }), "UnresolvedReference")
      assert.isFalse("a" in Object.prototype)
    })
  })

  it("a property without a value is no property: it would not travel", () => {
    assert.isTrue(accepts({ additionalProperties: false }, { a: undefined }))
    assert.isFalse(accepts({ required: ["a"] }, { a: undefined }))
  })

  it("numbers are compared exactly", () => {
    assert.isTrue(accepts({ multipleOf: 0.01 }, 19.99))
    assert.isTrue(accepts({ multipleOf: 0.1 }, 0.3))
    assert.isFalse(accepts({ multipleOf: 0.1 }, 0.35))
    assert.isTrue(accepts({ multipleOf: 1e-300 }, 1e300))
    assert.isTrue(accepts({ type: "integer" }, 1.0))
    assert.isTrue(accepts({ const: 0 }, -0))
    assert.isFalse(accepts({ const: 0 }, false))
    assert.isFalse(accepts({ uniqueItems: true }, [[0], [-0]]))
  })

  describe("problems", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string", minLength: 1 },
        days: { type: "integer", minimum: 1, maximum: 14 },
        units: { enum: ["metric", "imperial"] },
        tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" } }
      },
      required: ["city"],
      additionalProperties: false
    }

    it("path, expectation, what was there: every problem in a line of its own", () => {
      assert.strictEqual(
        text(schema, { days: 15, units: "kelvin", tags: ["a", "B", 3], dasy: 1 }),
        [
          "city: is missing",
          "days: expected at most 14, received 15",
          "units: expected one of \"metric\", \"imperial\", received \"kelvin\"",
          "tags[1]: expected text that matches ^[a-z]+$, received \"B\"",
          "tags[2]: expected string, received 3",
          "dasy: is not known here; known are city, days, units, tags"
        ].join("\n")
      )
      assert.strictEqual(text(schema, "x"), "value: expected object, received \"x\"")
      assert.deepStrictEqual(failure(schema, { city: "a", tags: [1] })?.problems, [
        { path: ["tags", 0], message: "expected string", received: "1" }
      ])
    })

    it("alternatives: what any of them would take, or the one that comes closest", () => {
      assert.strictEqual(
        text({ anyOf: [{ type: "string" }, { type: "null" }, { minimum: 5 }] }, 1),
        "value: expected string or null or at least 5, received 1"
      )
      const shapes = {
        oneOf: [
          { properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
          { properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] }
        ]
      }
      assert.strictEqual(
        text(shapes, { kind: "square", side: "1" }),
        "side: expected number (the closest of 2 alternatives), received \"1\""
      )
      assert.strictEqual(
        text({ oneOf: [{ type: "number" }, { minimum: 0 }] }, 1),
        "value: fits more than one of 2 alternatives, expected exactly one, received 1"
      )
      assert.strictEqual(
        text({ not: { type: "string" } }, "a"),
        "value: is of a kind that is not allowed, received \"a\""
      )
      assert.strictEqual(text({ properties: { a: false } }, { a: 1 }), "a: is not allowed, received 1")
    })

    it("stay short, whatever the schema and the value", () => {
      const long = text(
        { items: { enum: Array.from({ length: 1000 }, (_, i) => `${i}`.repeat(100)) } },
        Array.from({ length: 1000 }, () => "x".repeat(10_000))
      )
      assert.isBelow(long.length, 8000)
      assert.isAtMost(long.split("\n").length, 11)
    })
  })

  it.effect("is a service with a default, that another implementation may stand in for", () =>
    Effect.gen(function*() {
      const validator = yield* JsonSchemaValidator.JsonSchemaValidator
      assert.isTrue(Result.isSuccess(validator.compile({ type: "string" })))
      const other = yield* Effect.provideService(
        JsonSchemaValidator.JsonSchemaValidator,
        JsonSchemaValidator.JsonSchemaValidator,
        { compile: (schema) => JsonSchemaValidator.compile(schema, { size: 1 }) }
      )
      assert.isTrue(Result.isFailure(other.compile({ type: "string" })))
    }))
})
