/**
 * A problem is one flaw of a value: where it is, what is wrong, what was there instead.
 *
 * Its text is written for the one who must mend the value, often a model: short, one line a problem, and never a long
 * value repeated.
 *
 * @since 0.1.0
 */

/**
 * One flaw of a value.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  /** From the root of the value to the flaw. */
  readonly path: ReadonlyArray<string | number>
  /** What is wrong or was expected, such as `expected an integer`. */
  readonly message: string
  /** A short form of what was there, where showing it helps. */
  readonly received?: string | undefined
}

const cut = (text: string, length: number): string => text.length > length ? `${text.slice(0, length)}…` : text

const plainKey = /^[\p{L}\p{N}_$-]{1,64}$/u

/**
 * A path as people write it: `items[2].sku`. The root is the empty string.
 *
 * @since 0.1.0
 * @category formatting
 */
export const formatPath = (path: ReadonlyArray<string | number>): string => {
  // Recursive values give paths of any length; their two ends say where to look.
  if (path.length > 40) return `${formatPath(path.slice(0, 20))} … ${formatPath(path.slice(-19))}`
  let text = ""
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`
    else if (plainKey.test(key)) text += text === "" ? key : `.${key}`
    else text += `[${JSON.stringify(cut(key, 64))}]`
  }
  return text
}

/**
 * A value in at most about a hundred characters. The work does not grow with the value.
 *
 * @since 0.1.0
 * @category formatting
 */
export const preview = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(cut(value, 80))
  if (value === null || typeof value !== "object") return cut(String(value), 80)
  if (Array.isArray(value)) {
    return value.length === 0 ? "an empty array" : `an array of ${value.length} item${value.length === 1 ? "" : "s"}`
  }
  if (value instanceof Date) return String(value)
  const keys: Array<string> = []
  for (const key in value) {
    if (keys.push(cut(key, 20)) > 4) break
  }
  if (keys.length === 0) return "an empty object"
  return `an object with ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""}`
}

/**
 * The text of some problems, one a line.
 *
 * @example
 * ```ts
 * Problem.format([{ path: ["days"], message: "expected an integer", received: '"three"' }])
 * // days: expected an integer, received "three"
 * ```
 *
 * @since 0.1.0
 * @category formatting
 */
export const format = (problems: ReadonlyArray<Problem>, options?: {
  /** What the value as a whole is called. Default: `value`. */
  readonly root?: string | undefined
  /** How many problems are written out. Default: 10. */
  readonly limit?: number | undefined
}): string => {
  const limit = options?.limit ?? 10
  const lines = problems.slice(0, limit).map(({ message, path, received }) =>
    `${formatPath(path) || (options?.root ?? "value")}: ${cut(message, 400)}${
      received === undefined ? "" : `, received ${cut(received, 120)}`
    }`
  )
  if (problems.length > limit) lines.push(`… and ${problems.length - limit} more`)
  return lines.join("\n")
}
