/**
 * The grammar of `_meta` keys, an optional prefix and a name (`com.example/trace`), which identifiers of extensions
 * share.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Revision from "./Revision.ts"

/**
 * A key in its two parts.
 *
 * @since 0.1.0
 * @category models
 */
export interface MetaKey {
  /** Without the slash, such as `com.example`. */
  readonly prefix: string | undefined
  /** May be empty. */
  readonly name: string
}

/**
 * A string that is no `_meta` key.
 *
 * @since 0.1.0
 * @category errors
 */
export class MetaKeyError extends Schema.TaggedError<MetaKeyError>()("MetaKeyError", {
  key: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `Invalid _meta key ${
      JSON.stringify(this.key.length > 80 ? `${this.key.slice(0, 80)}…` : this.key)
    }: ${this.problem}`
  }
}

const label = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const name = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/

/**
 * Reads a key.
 *
 * @since 0.1.0
 * @category decoding
 */
export const parse = (key: string): Result.Result<MetaKey, MetaKeyError> => {
  const slash = key.indexOf("/")
  const parsed: MetaKey = {
    prefix: slash === -1 ? undefined : key.slice(0, slash),
    name: key.slice(slash + 1)
  }
  const fail = (problem: string) => Result.fail(new MetaKeyError({ key, problem }))
  if (parsed.prefix?.split(".").some((part) => !label.test(part)) === true) {
    return fail(
      "the labels of a prefix begin with a letter, end with a letter or digit, and hold letters, digits and hyphens"
    )
  }
  return name.test(parsed.name)
    ? Result.succeed(parsed)
    : fail("a name begins and ends with a letter or digit, and holds letters, digits, hyphens, underscores and dots")
}

/**
 * Whether a string is a `_meta` key.
 *
 * @since 0.1.0
 * @category guards
 */
export const isMetaKey = (key: string): boolean => Result.isSuccess(parse(key))

/** Keys without a prefix that the specification gives a meaning. */
const reservedNames: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"])

const isOurs = (label: string | undefined): boolean => label === "modelcontextprotocol" || label === "mcp"

/**
 * Whether MCP keeps a key for itself: one whose prefix has `modelcontextprotocol` or `mcp` as its second label, or one
 * of the four keys without a prefix that have a meaning.
 *
 * 2025-06-18 reserved prefixes with one of these labels anywhere but at the end (`mcp.dev/`).
 *
 * @since 0.1.0
 * @category guards
 */
export const isReserved = (key: string, revision: Revision.Revision = Revision.latest): boolean => {
  const parsed = parse(key)
  if (Result.isFailure(parsed)) return false
  const { name, prefix } = parsed.success
  if (prefix === undefined) return reservedNames.has(name)
  const labels = prefix.toLowerCase().split(".")
  return Revision.atLeast(revision, "2025-11-25") ? isOurs(labels[1]) : labels.slice(0, -1).some(isOurs)
}

/**
 * Whether a string can identify an extension: a `_meta` key with a prefix and a name.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
 * @since 0.1.0
 * @category guards
 */
export const isExtensionId = (id: string): boolean => {
  const parsed = parse(id)
  return Result.isSuccess(parsed) && parsed.success.prefix !== undefined && parsed.success.name !== ""
}
