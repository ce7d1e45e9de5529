/**
 * The structured content of a tool's result: an object until 2025-11-25, any JSON value since.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { since } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * The `structuredContent` of whatever a tool gave. Since 2025-06-18.
 *
 * @since 0.1.0
 * @category fields
 */
export const structuredContent = Schema.Union([Wire.JsonObject, Wire.Json.pipe(since("2026-07-28"))]).pipe(
  Schema.optionalKey,
  since("2025-06-18")
)
