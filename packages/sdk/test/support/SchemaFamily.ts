/** A family of Schemas, made of descriptions that a property can generate, and JSON values that nearly fit them. */
import * as Schema from "effect/Schema"

export type Spec =
  | { readonly kind: "string"; readonly least: number }
  | { readonly kind: "pattern" | "finite" | "int" | "boolean" | "null" | "number" | "unknown" | "tree" | "bigint" }
  | { readonly kind: "between"; readonly minimum: number; readonly maximum: number }
  | { readonly kind: "literals"; readonly literals: ReadonlyArray<string | number> }
  | { readonly kind: "array"; readonly of: Spec; readonly least: number }
  | { readonly kind: "tuple"; readonly of: ReadonlyArray<Spec> }
  | { readonly kind: "struct" | "tagged"; readonly fields: ReadonlyArray<{ readonly as: Presence; readonly of: Spec }> }
  | { readonly kind: "record"; readonly of: Spec }
  | { readonly kind: "rest"; readonly field: Spec; readonly of: Spec }
  | { readonly kind: "union"; readonly of: ReadonlyArray<Spec> }

export type Presence = "required" | "optionalKey" | "optional"

export interface Tree {
  readonly value: number
  readonly children: ReadonlyArray<Tree>
}
export const Tree = Schema.Struct({
  value: Schema.Finite,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const keys = ["a", "b", "c"] as const

export type AnySchema = Schema.Codec<unknown, unknown>

export const build = (spec: Spec, tag = 0): AnySchema => {
  switch (spec.kind) {
    case "string":
      return Schema.String.check(Schema.isMinCodePoints(spec.least))
    case "pattern":
      return Schema.String.check(Schema.isPattern(/^[a-c]+$/u))
    case "finite":
      return Schema.Finite
    case "number":
      return Schema.Number
    case "int":
      return Schema.Int
    case "bigint":
      return Schema.BigInt
    case "boolean":
      return Schema.Boolean
    case "null":
      return Schema.Null
    case "unknown":
      return Schema.Unknown
    case "tree":
      return Tree
    case "between":
      return Schema.Finite.check(Schema.isBetween({ minimum: spec.minimum, maximum: spec.minimum + spec.maximum }))
    case "literals":
      return Schema.Literals(spec.literals)
    case "array":
      return Schema.Array(build(spec.of)).check(Schema.isMinLength(spec.least))
    case "tuple":
      return Schema.Tuple(spec.of.map((of) => build(of)))
    case "struct":
    case "tagged": {
      const fields = spec.fields.map(({ as, of }, i) => {
        const field = build(of)
        return [
          keys[i]!,
          as === "optionalKey" ? Schema.optionalKey(field) : as === "optional" ? Schema.optional(field) : field
        ] as const
      })
      return Schema.Struct({
        // An empty struct within a value means anything but null, in Effect and in its JSON Schema.
        ...(spec.kind === "tagged" || fields.length === 0 ? { _tag: Schema.tag(`T${tag}`) } : {}),
        ...Object.fromEntries(fields)
      }) as unknown as AnySchema
    }
    case "record":
      return Schema.Record(Schema.String, build(spec.of))
    case "rest":
      return Schema.StructWithRest(Schema.Struct({ a: build(spec.field) }), [
        Schema.Record(Schema.String, Schema.Union([build(spec.field), build(spec.of)]))
      ]) as unknown as AnySchema
    case "union":
      return Schema.Union(spec.of.map((of, i) => build(of, i)))
  }
}

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
export const Presence = Schema.Literals(["required", "optionalKey", "optional"])
const leaves = [
  Schema.Struct({ kind: Schema.Literal("string"), least: Small }),
  Schema.Struct({
    kind: Schema.Literals(["pattern", "finite", "int", "boolean", "null", "number", "unknown", "tree", "bigint"])
  }),
  Schema.Struct({ kind: Schema.Literal("between"), minimum: Small, maximum: Small }),
  Schema.Struct({
    kind: Schema.Literal("literals"),
    literals: Schema.NonEmptyArray(Schema.Literals(["a", "b", "1", 1, 2]))
  })
] as const

/** Three levels are enough for every pair of constructors to meet. */
export const specOf = (depth: number): Schema.Codec<Spec> => {
  if (depth === 0) return Schema.Union(leaves) as unknown as Schema.Codec<Spec>
  const of = specOf(depth - 1)
  const few = Schema.Array(of).check(Schema.isBetweenLength(1, 3))
  return Schema.Union([
    ...leaves,
    Schema.Struct({ kind: Schema.Literal("array"), of, least: Small }),
    Schema.Struct({ kind: Schema.Literal("tuple"), of: few }),
    Schema.Struct({
      kind: Schema.Literals(["struct", "tagged"]),
      fields: Schema.Array(Schema.Struct({ as: Presence, of })).check(Schema.isMaxLength(3))
    }),
    Schema.Struct({ kind: Schema.Literal("record"), of }),
    Schema.Struct({ kind: Schema.Literal("rest"), field: of, of }),
    Schema.Struct({ kind: Schema.Literal("union"), of: few })
  ]) as unknown as Schema.Codec<Spec>
}

/** A JSON value that mostly fits a description: every choice is drawn, and one draw in eight goes wrong on purpose. */
const valueFor = (spec: Spec, draw: () => number, tag = 0): unknown => {
  const wrong = [null, true, 0, -1.5, 7, "", "a", "zz", "😀", "NaN", "12", [], {}, { a: 1 }, { _tag: "T0" }, ["a"]]
  if (draw() % 8 === 0) return wrong[draw() % wrong.length]
  const several = (f: (i: number) => unknown) => Array.from({ length: draw() % 4 }, (_, i) => f(i))
  switch (spec.kind) {
    case "string":
      return ["", "a", "ab", "😀", "abc"][draw() % 5]
    case "pattern":
      return ["abc", "a", "abd", ""][draw() % 4]
    case "finite":
    case "between":
      return [0, 1, 2, 3, 0.5, -1][draw() % 6]
    case "number":
      return [0, 1.5, "NaN", "Infinity", "-Infinity", "nan"][draw() % 6]
    case "int":
      return [0, 1, -1, 1.5, 2 ** 53, 9007199254740991][draw() % 6]
    case "bigint":
      return ["0", "-12", "1.5", "x"][draw() % 4]
    case "boolean":
      return draw() % 2 === 0
    case "null":
      return null
    case "unknown":
      return wrong[draw() % wrong.length]
    case "tree":
      return { value: draw(), children: several(() => ({ value: draw(), children: [] })) }
    case "literals":
      return spec.literals[draw() % spec.literals.length]
    case "array":
      return several(() => valueFor(spec.of, draw))
    case "tuple":
      return [...spec.of.map((of) => valueFor(of, draw)), ...(draw() % 8 === 0 ? [1] : [])]
    case "struct":
    case "tagged": {
      const value: Record<string, unknown> = {}
      if (spec.kind === "tagged" || spec.fields.length === 0) value["_tag"] = `T${tag}`
      spec.fields.forEach(({ as, of }, i) => {
        const choice = draw() % 5
        if (choice === 0 && as !== "required") return
        value[keys[i]!] = choice === 1 ? null : valueFor(of, draw)
      })
      if (draw() % 8 === 0) value["excess"] = 1
      return value
    }
    case "record":
      return Object.fromEntries(several((i) => [keys[i]!, valueFor(spec.of, draw)]) as Array<[string, unknown]>)
    case "rest":
      return { a: valueFor(spec.field, draw), b: valueFor(spec.of, draw) }
    case "union": {
      const i = draw() % spec.of.length
      return valueFor(spec.of[i]!, draw, i)
    }
  }
}

export const Entropy = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))).check(
  Schema.isBetweenLength(40, 80)
)

export const valuesFor = (spec: Spec, entropy: ReadonlyArray<number>): ReadonlyArray<unknown> => {
  let at = 0
  const draw = () => entropy[at++ % entropy.length]! + Math.floor(at / entropy.length)
  return Array.from({ length: 8 }, () => valueFor(spec, draw))
}
