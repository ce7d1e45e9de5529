/**
 * The names that a tool should have: 1 to 128 ASCII letters, digits, underscores, hyphens and dots (SEP-986).
 *
 * The specification says SHOULD: a client takes other names as they are, a server is told before it declares one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 * @since 0.1.0
 */

/**
 * The most characters that a tool's name should have.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxLength = 128

/**
 * Whether a name is as it should be.
 *
 * @since 0.1.0
 * @category guards
 */
export const isConforming = (name: string): boolean => /^[A-Za-z0-9_.-]{1,128}$/.test(name)

/**
 * The nearest name that is as it should be: what is not allowed becomes an underscore, what is too long is cut.
 *
 * Two names may become one: look before you use it for both.
 *
 * @since 0.1.0
 * @category conforming
 */
export const conform = (name: string): string =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^A-Za-z0-9_.-]+/gu, "_").slice(0, maxLength) || "_"

/**
 * What is wrong with a name and what to do about it, or nothing where it is as it should be.
 *
 * @example
 * ```ts
 * ToolName.advice("weather forecast")
 * // The tool name "weather forecast" has characters other than A-Z a-z 0-9 _ - . ("weather_forecast" would do)
 * ```
 *
 * @since 0.1.0
 * @category conforming
 */
export const advice = (name: string): string | undefined => {
  if (isConforming(name)) return undefined
  if (name === "") return `A tool has an empty name; give it 1 to ${maxLength} characters`
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  const foreign = /[^A-Za-z0-9_.-]/.test(name)
  const problem = foreign
    ? `has characters other than A-Z a-z 0-9 _ - . ("${conform(name)}" would do)`
    : `has ${name.length} characters, ${maxLength} are the most; shorten it`
  return `The tool name ${shown} ${problem}`
}
