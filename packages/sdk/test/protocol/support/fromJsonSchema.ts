/**
 * Makes JSON values of a JSON Schema from a seed: bounded in depth, with unknown members wherever they are allowed.
 */
import type { Json } from "./official.ts"

// mulberry32, public domain.
const random = (seed: number) => () => {
  seed = (seed + 0x6D2B79F5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

const strings = ["", "a", "Ünïcode ☃", "𝒳", "with \"quotes\"", "line\nbreak", "0", "null"]
const keys = ["a", "b-c", "com.example/d", "constructor", "", "0", "ключ", "__proto__"]
const extras = ["x-vendor", "com.example/extra", "toString", "hasOwnProperty"]

/** A value of the definition `name` in `definitions`. */
export const generate = (definitions: Json, name: string, seed: number): unknown => {
  const next = random(seed)
  const below = (n: number) => Math.floor(next() * n)
  const pick = <A>(items: ReadonlyArray<A>): A => items[below(items.length)] as A

  const anyJson = (depth: number): unknown => {
    switch (below(depth > 3 ? 5 : 7)) {
      case 0:
        return null
      case 1:
        return next() < 0.5
      case 2:
        return below(1000) - 500
      case 3:
        return next() * 10
      case 4:
        return pick(strings)
      case 5:
        return Array.from({ length: below(3) }, () => anyJson(depth + 1))
      default:
        return object(Array.from({ length: below(3) }, () => [pick(keys), anyJson(depth + 1)]))
    }
  }

  // An own `__proto__`, as JSON.parse makes it.
  const object = (entries: ReadonlyArray<readonly [string, unknown]>): unknown => Object.fromEntries(entries)

  const text = (format: string | undefined): string => {
    switch (format) {
      case "uri":
        return pick(["https://example.com/a?b=c", "file:///tmp/a%20b", "urn:isbn:0451450523", "custom://x"])
      case "uri-template":
        return pick(["file:///{path}", "https://example.com/{+a}{?b,c}", "custom://x"])
      case "byte":
        return pick(["", "aGVsbG8=", "AA==", "////"])
      default:
        return pick(strings)
    }
  }

  const resolve = (schema: Json): Json => {
    if (schema["$ref"] !== undefined) return resolve(definitions[(schema["$ref"] as string).split("/").at(-1)!])
    if (schema["allOf"] === undefined) return schema
    const parts = [...(schema["allOf"] as ReadonlyArray<Json>).map(resolve), { ...schema, allOf: undefined }]
    return parts.reduce((a, b) => ({
      ...a,
      ...b,
      properties: { ...a["properties"], ...b["properties"] },
      required: [...(a["required"] ?? []), ...(b["required"] ?? [])]
    }))
  }

  const value = (unresolved: Json, depth: number): unknown => {
    const schema = resolve(unresolved)
    if ("const" in schema) return schema["const"]
    if (schema["enum"] !== undefined) return pick(schema["enum"])
    if (schema["anyOf"] !== undefined) {
      // Deep down, the last member that is no reference ends the recursion of JSONValue.
      const members = schema["anyOf"] as ReadonlyArray<Json>
      return value(depth > 4 ? members.find((it) => it["$ref"] === undefined) ?? pick(members) : pick(members), depth)
    }
    const type = Array.isArray(schema["type"]) ? pick(schema["type"]) : schema["type"]
    switch (type) {
      case "string":
        return text(schema["format"])
      case "integer":
        return Math.max(schema["minimum"] ?? -1000, below(2000) - 1000)
      case "number":
        return schema["maximum"] === 1 ? next() : pick([0, 1, -1.5, 1e21, 1e-7, below(1000)])
      case "boolean":
        return next() < 0.5
      case "null":
        return null
      case "array":
        return Array.from({ length: below(depth > 4 ? 1 : 3) }, () => value(schema["items"], depth + 1))
      case "object":
        return members(schema, depth)
      default:
        return anyJson(depth)
    }
  }

  const members = (schema: Json, depth: number): unknown => {
    const entries: Array<readonly [string, unknown]> = []
    const properties: Json = schema["properties"] ?? {}
    const required: ReadonlyArray<string> = schema["required"] ?? []
    for (const [key, property] of Object.entries(properties)) {
      if (required.includes(key) || next() < (depth > 4 ? 0.1 : 0.5)) entries.push([key, value(property, depth + 1)])
    }
    const additional = schema["additionalProperties"]
    const isRecord = typeof additional === "object" && Object.keys(properties).length === 0
    for (let i = depth < 6 ? below(3) : 0; i > 0; i--) {
      if (isRecord) entries.push([pick(keys), value(additional, depth + 1)])
      else if (additional !== false) entries.push([pick(extras), anyJson(depth)])
    }
    return object(entries)
  }

  return value(definitions[name], 0)
}
