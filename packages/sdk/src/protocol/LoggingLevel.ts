/**
 * The eight severities of RFC 5424, in their order.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as Wire from "./Wire.ts"

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

/**
 * How grave a log message is.
 *
 * @since 0.1.0
 * @category models
 */
export type LoggingLevel = typeof levels[number]

/**
 * The schema of `LoggingLevel`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LoggingLevel: Wire.Wire<LoggingLevel> = Schema.Literals(levels)

/**
 * Every level, the least grave first.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: ReadonlyArray<LoggingLevel> = levels

/**
 * Whether `level` is as grave as `threshold` or graver.
 *
 * @since 0.1.0
 * @category guards
 */
export const atLeast = (level: LoggingLevel, threshold: LoggingLevel): boolean =>
  levels.indexOf(level) >= levels.indexOf(threshold)
