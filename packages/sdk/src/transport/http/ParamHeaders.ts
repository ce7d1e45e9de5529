/**
 * Values of a request mirrored in HTTP headers: which ones a tool asks for, how they are written, whether they agree.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/**
 * A parameter of a tool that is mirrored in the header `Mcp-Param-{name}`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ParamHeader {
  /** The name of the header, as it is sent. */
  readonly header: string
  /** The chain of properties that leads to the value in the arguments. */
  readonly path: ReadonlyArray<string>
  readonly type: "string" | "integer" | "boolean"
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const prefix = "=?base64?"
const suffix = "?="

const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

// ---------------------------------------------------------------------------------------------------------------
// Declarations
// ---------------------------------------------------------------------------------------------------------------

const annotated = "x-mcp-header"

/** Annotations anywhere that no chain of `properties` reaches. */
const strayed = (schema: unknown, depth: number): boolean => {
  if (depth > 200) return true
  if (Array.isArray(schema)) return schema.some((item) => strayed(item, depth + 1))
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([key, value]) => key === annotated || strayed(value, depth + 1))
}

/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"])

/**
 * The headers that a tool's input schema asks for, or what is wrong with one of its annotations: clients then leave the
 * tool out.
 *
 * @since 0.1.0
 * @category declarations
 */
export const find = (inputSchema: unknown): ReadonlyArray<ParamHeader> | string => {
  const found: Array<ParamHeader> = []
  const names = new Set<string>()
  const visit = (schema: unknown, path: ReadonlyArray<string>): string | undefined => {
    if (!isObject(schema)) return undefined
    if (path.length > 200) return `${path.slice(0, 3).join(".")}…: nested too deeply`
    const name = schema[annotated]
    if (annotated in schema) {
      const where = path.join(".") || "the root"
      if (path.length === 0) return `${annotated} at the root marks no parameter`
      if (typeof name !== "string" || !token.test(name)) {
        return `${where}: ${annotated} must be a header name, not ${JSON.stringify(name)?.slice(0, 60)}`
      }
      const type = schema["type"]
      if (type !== "string" && type !== "integer" && type !== "boolean") {
        return `${where}: ${annotated} needs the type string, integer or boolean`
      }
      if (names.has(name.toLowerCase())) return `${where}: another parameter is mirrored as "${name}" too`
      names.add(name.toLowerCase())
      found.push({ header: `Mcp-Param-${name}`, path, type })
    }
    for (const [key, value] of Object.entries(schema)) {
      if (key === annotated || data.has(key)) continue
      if (key === "properties" && isObject(value)) {
        for (const [property, inner] of Object.entries(value)) {
          const problem = visit(inner, [...path, property])
          if (problem !== undefined) return problem
        }
      } else if (strayed(value, 0)) {
        return `${path.join(".") || "the root"}: ${annotated} under "${key}" is not reached by properties alone`
      }
    }
    return undefined
  }
  return visit(inputSchema, []) ?? found
}

// ---------------------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------------------

/** Visible characters, blanks and tabs, but no blank at an end: what every intermediary passes on as it is. */
const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/

/**
 * A text as the value of a header: as it is where every intermediary passes it on, else in Base64 within `=?base64?…?=`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 * @since 0.1.0
 * @category values
 */
export const encode = (value: string): string =>
  plain.test(value) && !(value.startsWith(prefix) && value.endsWith(suffix))
    ? value
    : `${prefix}${Base64.encode(value)}${suffix}`

/**
 * The text in the value of a header; `undefined` where it has characters or Base64 that no client may send.
 *
 * @since 0.1.0
 * @category values
 */
export const decode = (header: string): string | undefined => {
  if (!/^[\x20-\x7e\t]*$/.test(header)) return undefined
  if (!header.startsWith(prefix) || !header.endsWith(suffix) || header.length < prefix.length + suffix.length) {
    return header
  }
  const text = header.slice(prefix.length, -suffix.length)
  const decoded = Base64.decodeString(text)
  return Result.isSuccess(decoded) && Base64.encode(decoded.success) === text ? decoded.success : undefined
}

const at = (args: unknown, path: ReadonlyArray<string>): unknown => {
  let value = args
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/**
 * The headers of a call, by name. Absent and `null` values have none.
 *
 * @since 0.1.0
 * @category values
 */
export const mirror = (headers: ReadonlyArray<ParamHeader>, args: unknown): { readonly [header: string]: string } => {
  const mirrored: Record<string, string> = {}
  for (const { header, path } of headers) {
    const value = at(args, path)
    if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
      mirrored[header] = encode(String(value))
    }
  }
  return mirrored
}

/**
 * Whether the headers of a call agree with its arguments: what does not, in words.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 * @since 0.1.0
 * @category values
 */
export const problem = (
  headers: ReadonlyArray<ParamHeader>,
  args: unknown,
  header: (name: string) => string | undefined
): string | undefined => {
  for (const { header: name, path, type } of headers) {
    const sent = header(name.toLowerCase())
    const value = at(args, path)
    if (value === undefined || value === null) {
      if (sent !== undefined) return `${name} is sent, but the arguments have no ${path.join(".")}`
      continue
    }
    if (sent === undefined) return `${name} is missing; it mirrors the argument ${path.join(".")}`
    const decoded = decode(sent)
    if (decoded === undefined) return `${name} holds characters or Base64 that no header may hold`
    const equal = type === "integer" && typeof value === "number"
      // 42.0 and 42 are one number.
      ? /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(decoded.trim()) && Number(decoded) === value
      : decoded === String(value)
    if (!equal) return `${name} does not match the argument ${path.join(".")}`
  }
  return undefined
}
