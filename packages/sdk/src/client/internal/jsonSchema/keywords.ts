/**
 * What each keyword checks. A malformed keyword refuses the schema: schemas must be valid in their dialect, and one that
 * is not would be read as more permissive than it was meant.
 *
 * The file is long since it is the table of all keywords of five drafts; each entry stands for itself.
 */
import type { Problem } from "../../../protocol/Problem.ts"
import { since } from "./dialect.ts"
import { Refusal } from "./document.ts"
import { type Check, type Context, evaluate, type Node, type Scope } from "./node.ts"
import type { Pattern } from "./pattern.ts"
import { canonical, has, isObject, type JsonObject, keysOf, type Marks, type Run } from "./run.ts"

// ---- reading keywords

const malformed = (keyword: string, expected: string, value: unknown) =>
  new Refusal("InvalidSchema", `${keyword} must be ${expected}, not ${JSON.stringify(value)?.slice(0, 80)}`)

const numberOf = (keyword: string, value: unknown): number => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw malformed(keyword, "a number", value)
  return value
}

const countOf = (keyword: string, value: unknown): number => {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw malformed(keyword, "a non-negative integer", value)
  }
  return value
}

const textOf = (keyword: string, value: unknown): string => {
  if (typeof value !== "string") throw malformed(keyword, "a string", value)
  return value
}

const textsOf = (keyword: string, value: unknown): ReadonlyArray<string> => {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw malformed(keyword, "a list of strings", value)
  }
  return value
}

const listOf = (keyword: string, value: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw malformed(keyword, "a list", value)
  return value
}

const schemasOf = (keyword: string, value: unknown): ReadonlyArray<unknown> => {
  const list = listOf(keyword, value)
  if (list.length === 0) throw malformed(keyword, "a list of at least one schema", value)
  return list
}

const entriesOf = (keyword: string, value: unknown): ReadonlyArray<readonly [string, unknown]> => {
  if (!isObject(value)) throw malformed(keyword, "an object", value)
  return Object.entries(value)
}

// ---- saying

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "undefined"
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const some = (items: ReadonlyArray<unknown>, show: (item: unknown) => string): string =>
  `${items.slice(0, 20).map(show).join(", ")}${items.length > 20 ? ", …" : ""}`

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

// ---- type, enum, const

const typeNames: ReadonlySet<unknown> = new Set(["null", "boolean", "object", "array", "number", "string", "integer"])

const isOfType = (type: string, value: unknown): boolean => {
  switch (type) {
    case "null":
      return value === null
    case "object":
      return isObject(value)
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const type = ({ schema }: Context): Check => {
  const value = schema["type"]
  const types = typeof value === "string" ? [value] : textsOf("type", value)
  if (types.length === 0 || !types.every((name) => typeNames.has(name))) {
    throw malformed("type", `one of ${Array.from(typeNames).join(", ")}, or a list of them`, value)
  }
  const [only] = types
  if (types.length === 1 && only !== undefined) {
    return (value, run) => isOfType(only, value) || run.fail(() => `expected ${only}`, value)
  }
  return (value, run) =>
    types.some((type) => isOfType(type, value)) || run.fail(() => `expected ${types.join(" or ")}`, value)
}

const free = () => {}

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null

const oneOfValues = (values: ReadonlyArray<unknown>): Check => {
  const primitives = new Set(values.filter(isPrimitive))
  const composites = new Set(values.filter((value) => !isPrimitive(value)).map((value) => canonical(value, free)))
  const expected = () => `expected ${values.length === 1 ? "" : "one of "}${some(values, short)}`
  return (value, run) =>
    isPrimitive(value)
      ? primitives.has(value) || run.fail(expected, value)
      : (composites.size > 0 && composites.has(canonical(value, run.spend))) || run.fail(expected, value)
}

// ---- numbers

const number = (says: (value: number) => boolean, expected: string): Check => (value, run) =>
  typeof value !== "number" || says(value) || run.fail(() => `expected ${expected}`, value)

/** A double as an exact decimal: an integer times a power of ten. */
const decimal = (value: number): readonly [coefficient: bigint, exponent: number] => {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toString().split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  if (!Number.isFinite(value)) return false
  const [a, exponentOfA] = decimal(value)
  const [b, exponentOfB] = decimal(divisor)
  const shift = exponentOfA - exponentOfB
  return shift >= 0 ? (a * 10n ** BigInt(shift)) % b === 0n : a % (b * 10n ** BigInt(-shift)) === 0n
}

const multipleOf = ({ schema }: Context): Check => {
  const divisor = numberOf("multipleOf", schema["multipleOf"])
  if (divisor <= 0) throw malformed("multipleOf", "greater than 0", divisor)
  return number((value) => isMultipleOf(value, divisor), `a multiple of ${divisor}`)
}

/** Draft 4 makes the plain bound exclusive by a flag; later drafts have bounds of both kinds. */
const bounds = ({ draft, schema }: Context): ReadonlyArray<Check> => {
  const checks: Array<Check> = []
  const add = (keyword: string, says: (value: number, bound: number) => boolean, expected: string) => {
    if (!(keyword in schema)) return
    const bound = numberOf(keyword, schema[keyword])
    checks.push(number((value) => says(value, bound), `${expected} ${bound}`))
  }
  const exclusive = (keyword: string) => draft === "4" && schema[keyword] === true
  if (exclusive("exclusiveMinimum")) add("minimum", (value, bound) => value > bound, "more than")
  else add("minimum", (value, bound) => value >= bound, "at least")
  if (exclusive("exclusiveMaximum")) add("maximum", (value, bound) => value < bound, "less than")
  else add("maximum", (value, bound) => value <= bound, "at most")
  if (draft !== "4") {
    add("exclusiveMinimum", (value, bound) => value > bound, "more than")
    add("exclusiveMaximum", (value, bound) => value < bound, "less than")
  }
  return checks
}

// ---- text

/** Characters, not UTF-16 units; counting stops where the answer is known. */
const isLongerThan = (text: string, count: number, run: Run): boolean => {
  if (text.length <= count) return false
  if (text.length > count * 2) return true
  run.spend(text.length >>> 5)
  let characters = 0
  for (const _ of text) if (++characters > count) return true
  return false
}

const minLength = ({ schema }: Context): Check => {
  const least = countOf("minLength", schema["minLength"])
  return (value, run) =>
    typeof value !== "string" || least === 0 || isLongerThan(value, least - 1, run) ||
    run.fail(() => `expected at least ${plural(least, "character", "characters")}`, value)
}

const maxLength = ({ schema }: Context): Check => {
  const most = countOf("maxLength", schema["maxLength"])
  return (value, run) =>
    typeof value !== "string" || !isLongerThan(value, most, run) ||
    run.fail(() => `expected at most ${plural(most, "character", "characters")}`, value)
}

const pattern = (context: Context): Check => {
  const pattern = context.pattern(textOf("pattern", context.schema["pattern"]))
  return (value, run) =>
    typeof value !== "string" || pattern.test(value, run.spend) ||
    run.fail(() => `expected text that matches ${pattern.source}`, value)
}

// ---- lists

type Items = ReadonlyArray<unknown>

const list =
  (says: (items: Items, run: Run, scope: Scope, marks: Marks | undefined) => boolean): Check =>
  (value, run, scope, marks) => !Array.isArray(value) || says(value, run, scope, marks)

const minItems = ({ schema }: Context): Check => {
  const least = countOf("minItems", schema["minItems"])
  return list((items, run) =>
    items.length >= least || run.fail(() => `expected at least ${plural(least, "item", "items")}`, items)
  )
}

const maxItems = ({ schema }: Context): Check => {
  const most = countOf("maxItems", schema["maxItems"])
  return list((items, run) =>
    items.length <= most || run.fail(() => `expected at most ${plural(most, "item", "items")}`, items)
  )
}

const uniqueItems = list((items, run) => {
  const seen = new Map<string, number>()
  for (let i = 0; i < items.length; i++) {
    const text = canonical(items[i], run.spend)
    const before = seen.get(text)
    if (before !== undefined) return run.fail(() => `expected no two equal items, but ${before} and ${i} are`, items)
    seen.set(text, i)
  }
  return true
})

/** Asks about each of a run of items. */
const each = (
  nodeAt: (index: number) => Node,
  items: Items,
  from: number,
  to: number,
  run: Run,
  scope: Scope
): boolean => {
  let verdict = true
  for (let i = from; i < to; i++) {
    if (run.at(i, () => evaluate(nodeAt(i), items[i], run, scope, undefined))) continue
    verdict = false
    if (!run.goesOn) break
  }
  return verdict
}

/** Items by position, then all others: `prefixItems` and `items`, or `items` and `additionalItems` before 2020-12. */
const items = (context: Context): ReadonlyArray<Check> => {
  const { draft, schema } = context
  const modern = draft === "2020-12"
  const listed = modern ? schema["prefixItems"] : Array.isArray(schema["items"]) ? schema["items"] : undefined
  const others = modern || listed === undefined ? schema["items"] : schema["additionalItems"]
  const checks: Array<Check> = []
  const prefix = listed === undefined ? [] : (modern ? schemasOf : listOf)("prefixItems", listed).map(context.below)
  if (prefix.length > 0) {
    checks.push(list((items, run, scope, marks) => {
      const to = Math.min(prefix.length, items.length)
      if (marks !== undefined) marks.upTo = Math.max(marks.upTo, to)
      return each((i) => prefix[i]!, items, 0, to, run, scope)
    }))
  }
  if (others !== undefined) {
    const rest = context.below(others)
    checks.push(list((items, run, scope, marks) => {
      if (marks !== undefined) marks.upTo = Math.max(marks.upTo, items.length)
      return each(() => rest, items, prefix.length, items.length, run, scope)
    }))
  }
  return checks
}

const contains = (context: Context): Check => {
  const { draft, schema } = context
  const node = context.below(schema["contains"])
  const counts = since(draft, "2019-09")
  const least = counts && schema["minContains"] !== undefined ? countOf("minContains", schema["minContains"]) : 1
  const most = counts && schema["maxContains"] !== undefined ? countOf("maxContains", schema["maxContains"]) : Infinity
  return list((items, run, scope, marks) => {
    let count = 0
    for (let i = 0; i < items.length; i++) {
      if (!run.quietly(() => evaluate(node, items[i], run, scope, undefined))) continue
      count++
      if (draft === "2020-12") marks?.items.add(i)
      if (count > most) {
        return run.fail(() => `expected at most ${plural(most, "item", "items")} of the kind that it contains`, items)
      }
      if (count >= least && most === Infinity && marks === undefined) return true
    }
    return count >= least ||
      run.fail(() => `expected at least ${plural(least, "item", "items")} of the kind that it contains`, items)
  })
}

const unevaluatedItems = (context: Context): Check => {
  context.usesUnevaluated()
  const node = context.below(context.schema["unevaluatedItems"])
  return list((items, run, scope, marks) => {
    let verdict = true
    for (let i = marks?.upTo ?? 0; i < items.length; i++) {
      run.spend(1)
      if (marks?.items.has(i) || run.at(i, () => evaluate(node, items[i], run, scope, undefined))) continue
      verdict = false
      if (!run.goesOn) return false
    }
    if (marks !== undefined) marks.upTo = Math.max(marks.upTo, items.length)
    return verdict
  })
}

// ---- objects

const object =
  (says: (value: JsonObject, run: Run, scope: Scope, marks: Marks | undefined) => boolean): Check =>
  (value, run, scope, marks) => !isObject(value) || says(value, run, scope, marks)

const missing = (run: Run, key: string): false => run.fail(() => "is missing", undefined, key)

const required = (keys: ReadonlyArray<string>): Check =>
  object((value, run) => {
    let verdict = true
    run.spend(keys.length)
    for (const key of keys) {
      if (has(value, key)) continue
      verdict = missing(run, key)
      if (!run.goesOn) break
    }
    return verdict
  })

const minProperties = ({ schema }: Context): Check => {
  const least = countOf("minProperties", schema["minProperties"])
  return object((value, run) =>
    keysOf(value).length >= least ||
    run.fail(() => `expected at least ${plural(least, "property", "properties")}`, value)
  )
}

const maxProperties = ({ schema }: Context): Check => {
  const most = countOf("maxProperties", schema["maxProperties"])
  return object((value, run) =>
    keysOf(value).length <= most || run.fail(() => `expected at most ${plural(most, "property", "properties")}`, value)
  )
}

/** The three keywords that share out the properties among them. */
const properties = (context: Context): ReadonlyArray<Check> => {
  const { schema } = context
  const checks: Array<Check> = []
  const named = new Map<string, Node>()
  if ("properties" in schema) {
    for (const [key, inner] of entriesOf("properties", schema["properties"])) named.set(key, context.below(inner))
    checks.push(object((value, run, scope, marks) => {
      let verdict = true
      // Whichever is shorter: a schema of ten thousand properties costs a small value little.
      run.spend(1)
      for (const key of named.size < 64 ? named.keys() : keysOf(value)) {
        run.spend(1)
        const node = named.get(key)
        if (node === undefined || !has(value, key)) continue
        marks?.keys.add(key)
        if (run.at(key, () => evaluate(node, value[key], run, scope, undefined))) continue
        verdict = false
        if (!run.goesOn) break
      }
      return verdict
    }))
  }
  const patterned: Array<readonly [Pattern, Node]> = []
  if ("patternProperties" in schema) {
    for (const [source, inner] of entriesOf("patternProperties", schema["patternProperties"])) {
      patterned.push([context.pattern(source), context.below(inner)])
    }
    checks.push(object((value, run, scope, marks) => {
      let verdict = true
      for (const key of keysOf(value)) {
        for (const [pattern, node] of patterned) {
          if (!pattern.test(key, run.spend)) continue
          marks?.keys.add(key)
          if (run.at(key, () => evaluate(node, value[key], run, scope, undefined))) continue
          verdict = false
          if (!run.goesOn) return false
        }
      }
      return verdict
    }))
  }
  if ("additionalProperties" in schema) {
    const node = context.below(schema["additionalProperties"])
    checks.push(object((value, run, scope, marks) => {
      let verdict = true
      for (const key of keysOf(value)) {
        run.spend(1)
        if (named.has(key) || patterned.some(([pattern]) => pattern.test(key, run.spend))) continue
        if (node.always === false) verdict = unknownKey(run, key, named)
        else if (!run.at(key, () => evaluate(node, value[key], run, scope, undefined))) verdict = false
        if (!verdict && !run.goesOn) return false
      }
      if (marks !== undefined) marks.allKeys = true
      return verdict
    }))
  }
  return checks
}

const unknownKey = (run: Run, key: string, known: ReadonlyMap<string, unknown>): false =>
  run.fail(
    () =>
      known.size === 0
        ? "is not known here; remove it"
        : `is not known here; known are ${some(Array.from(known.keys()), String)}`,
    undefined,
    key
  )

const propertyNames = (context: Context): Check => {
  const node = context.below(context.schema["propertyNames"])
  return object((value, run, scope) => {
    let verdict = true
    for (const key of keysOf(value)) {
      if (run.quietly(() => evaluate(node, key, run, scope, undefined))) continue
      verdict = run.fail(() => "has a name that is not allowed", undefined, key)
      if (!run.goesOn) break
    }
    return verdict
  })
}

const dependentRequired = (keyword: string, entries: ReadonlyArray<readonly [string, unknown]>): Check => {
  const dependencies = entries.map(([key, value]) => [key, textsOf(keyword, value)] as const)
  return object((value, run) => {
    let verdict = true
    for (const [key, needs] of dependencies) {
      run.spend(1)
      if (!has(value, key)) continue
      run.spend(needs.length)
      for (const needed of needs) {
        if (has(value, needed)) continue
        verdict = run.fail(() => `is missing, since ${key} is there`, undefined, needed)
        if (!run.goesOn) return false
      }
    }
    return verdict
  })
}

const dependentSchemas = (context: Context, entries: ReadonlyArray<readonly [string, unknown]>): Check => {
  const dependencies = entries.map(([key, schema]) => [key, context.beside(schema)] as const)
  return object((value, run, scope, marks) => {
    let verdict = true
    for (const [key, node] of dependencies) {
      run.spend(1)
      if (!has(value, key) || evaluate(node, value, run, scope, marks)) continue
      verdict = false
      if (!run.goesOn) break
    }
    return verdict
  })
}

const unevaluatedProperties = (context: Context): Check => {
  context.usesUnevaluated()
  const node = context.below(context.schema["unevaluatedProperties"])
  return object((value, run, scope, marks) => {
    let verdict = true
    if (marks?.allKeys) return true
    for (const key of keysOf(value)) {
      run.spend(1)
      if (marks?.keys.has(key)) continue
      if (node.always === false) verdict = unknownKey(run, key, new Map())
      else if (!run.at(key, () => evaluate(node, value[key], run, scope, undefined))) verdict = false
      if (!verdict && !run.goesOn) return false
    }
    if (marks !== undefined) marks.allKeys = true
    return verdict
  })
}

// ---- schemas about the same value

const reference = (context: Context): Check => {
  const node = context.reference(textOf("$ref", context.schema["$ref"]))
  return (value, run, scope, marks) => evaluate(node, value, run, scope, marks)
}

const dynamicReference = (context: Context, keyword: string): Check => {
  const resolve = context.dynamicReference(textOf(keyword, context.schema[keyword]))
  return (value, run, scope, marks) => evaluate(resolve(scope, run), value, run, scope, marks)
}

const allOf = (context: Context): Check => {
  const nodes = schemasOf("allOf", context.schema["allOf"]).map(context.beside)
  return (value, run, scope, marks) => {
    let verdict = true
    for (const node of nodes) {
      if (evaluate(node, value, run, scope, marks)) continue
      verdict = false
      if (!run.goesOn) break
    }
    return verdict
  }
}

/** The alternative that comes closest: its problems lie deepest, or are fewest. */
const closest = (found: ReadonlyArray<ReadonlyArray<Problem>>): ReadonlyArray<Problem> => {
  const depth = (problems: ReadonlyArray<Problem>) =>
    problems.reduce((least, { path }) => Math.min(least, path.length), Infinity)
  return found.reduce((best, problems) =>
    depth(problems) > depth(best) || (depth(problems) === depth(best) && problems.length < best.length)
      ? problems
      : best
  )
}

const failAlternatives = (nodes: ReadonlyArray<Node>, value: unknown, run: Run, scope: Scope): false => {
  if (run.problems === undefined) return false
  const found = nodes.map((node) => run.apart(() => evaluate(node, value, run, scope, undefined)))
  const here = run.path.length
  if (found.every((problems) => problems.length === 1 && problems[0]!.path.length === here)) {
    const texts = new Set(found.map(([problem]) => problem!.message.replace(/^expected /, "")))
    return run.fail(() => `expected ${Array.from(texts).join(" or ")}`, value)
  }
  const [first, ...rest] = closest(found)
  if (first === undefined) return run.fail(() => "fits none of the alternatives", value)
  run.problems.push({ ...first, message: `${first.message} (the closest of ${nodes.length} alternatives)` }, ...rest)
  return false
}

const anyOf = (context: Context): Check => {
  const nodes = schemasOf("anyOf", context.schema["anyOf"]).map(context.beside)
  return (value, run, scope, marks) => {
    const fits = run.quietly(() => {
      let fits = false
      for (const node of nodes) {
        if (!evaluate(node, value, run, scope, marks)) continue
        fits = true
        // What else fits matters only to those who ask what was looked at.
        if (marks === undefined) break
      }
      return fits
    })
    return fits || failAlternatives(nodes, value, run, scope)
  }
}

const oneOf = (context: Context): Check => {
  const nodes = schemasOf("oneOf", context.schema["oneOf"]).map(context.beside)
  return (value, run, scope, marks) => {
    let count = 0
    run.quietly(() => {
      for (const node of nodes) {
        if (evaluate(node, value, run, scope, marks) && ++count > 1) break
      }
      return true
    })
    if (count === 1) return true
    return count === 0
      ? failAlternatives(nodes, value, run, scope)
      : run.fail(() => `fits more than one of ${nodes.length} alternatives, expected exactly one`, value)
  }
}

const not = (context: Context): Check => {
  const node = context.beside(context.schema["not"])
  return (value, run, scope) =>
    !run.quietly(() => evaluate(node, value, run, scope, undefined)) ||
    run.fail(() => "is of a kind that is not allowed", value)
}

const conditional = (context: Context): Check => {
  const { schema } = context
  const condition = context.beside(schema["if"])
  const then = "then" in schema ? context.beside(schema["then"]) : undefined
  const otherwise = "else" in schema ? context.beside(schema["else"]) : undefined
  return (value, run, scope, marks) => {
    const holds = run.quietly(() => evaluate(condition, value, run, scope, marks))
    const node = holds ? then : otherwise
    return node === undefined || evaluate(node, value, run, scope, marks)
  }
}

// ---- the table

/** The checks of a schema, the cheap ones first, `unevaluated…` last: it asks what all others have looked at. */
export const compile = (context: Context): ReadonlyArray<Check> => {
  const { draft, schema } = context
  if ("$ref" in schema && !since(draft, "2019-09")) return [reference(context)]
  const checks: Array<Check> = []
  const on = (keyword: string, make: (context: Context) => Check | ReadonlyArray<Check>, from: typeof draft = "4") => {
    if (schema[keyword] === undefined || !since(draft, from)) return
    const made = make(context)
    if (typeof made === "function") checks.push(made)
    else checks.push(...made)
  }
  on("type", type)
  on("const", () => oneOfValues([schema["const"]]), "6")
  on("enum", () => oneOfValues(listOf("enum", schema["enum"])))
  checks.push(...bounds(context))
  on("multipleOf", multipleOf)
  on("minLength", minLength)
  on("maxLength", maxLength)
  on("minItems", minItems)
  on("maxItems", maxItems)
  on("minProperties", minProperties)
  on("maxProperties", maxProperties)
  // A list since draft 4; the boolean of draft 3, still met, means nothing any more.
  on("required", () => required(textsOf("required", schema["required"])))
  on(
    "dependentRequired",
    () => dependentRequired("dependentRequired", entriesOf("dependentRequired", schema["dependentRequired"])),
    "2019-09"
  )
  on("pattern", pattern)
  checks.push(...items(context))
  on("contains", contains, "6")
  on("uniqueItems", () => schema["uniqueItems"] === true ? [uniqueItems] : [])
  checks.push(...properties(context))
  on("propertyNames", propertyNames, "6")
  on("$ref", reference)
  if (draft === "2019-09") on("$recursiveRef", () => dynamicReference(context, "$recursiveRef"))
  if (draft === "2020-12") on("$dynamicRef", () => dynamicReference(context, "$dynamicRef"))
  on("allOf", allOf)
  on("anyOf", anyOf)
  on("oneOf", oneOf)
  on("not", not)
  on("if", conditional, "7")
  on(
    "dependentSchemas",
    () => dependentSchemas(context, entriesOf("dependentSchemas", schema["dependentSchemas"])),
    "2019-09"
  )
  if (!since(draft, "2019-09")) {
    on("dependencies", () => {
      const entries = entriesOf("dependencies", schema["dependencies"])
      return [
        dependentRequired("dependencies", entries.filter(([, value]) => Array.isArray(value))),
        dependentSchemas(context, entries.filter(([, value]) => !Array.isArray(value)))
      ]
    })
  }
  on("unevaluatedItems", unevaluatedItems, "2019-09")
  on("unevaluatedProperties", unevaluatedProperties, "2019-09")
  return checks
}
