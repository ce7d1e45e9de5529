/**
 * What is said of a tool: by a server that offers it, and to a model that may use it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#tool
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta } from "./Content.ts"
import { type Icon, icons, title } from "./Implementation.ts"
import type { MetaObject } from "./Meta.ts"
import { advisory, requiredUntil, since, until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

const optionalString = Schema.String.pipe(Schema.optionalKey)
const flag = Schema.Boolean.pipe(Schema.optionalKey)

/**
 * What a tool says of its behaviour. Hints: a client must not rely on those of a server that it does not trust.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 * @since 0.1.0
 * @category models
 */
export interface ToolAnnotations {
  readonly title?: string
  /** Default: false. */
  readonly readOnlyHint?: boolean
  /** Default: true. */
  readonly destructiveHint?: boolean
  /** Default: false. */
  readonly idempotentHint?: boolean
  /** Default: true. */
  readonly openWorldHint?: boolean
}

/**
 * The schema of `ToolAnnotations`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolAnnotations: Wire.Wire<ToolAnnotations> = Wire.struct<ToolAnnotations>("ToolAnnotations", {
  title: optionalString,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag
})

/**
 * How a tool may be called. 2025-11-25 only.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolExecution {
  /** Whether a call may, must or must not become a task. Default: forbidden. */
  readonly taskSupport?: "forbidden" | "optional" | "required"
}

/**
 * The schema of `ToolExecution`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolExecution: Wire.Wire<ToolExecution> = Wire.struct<ToolExecution>("ToolExecution", {
  taskSupport: Schema.Literals(["forbidden", "optional", "required"]).pipe(Schema.optionalKey)
})

/**
 * The JSON Schema of a tool's arguments: always of an object.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputSchema {
  readonly type: "object"
  /** The dialect; JSON Schema 2020-12 where absent. Since 2025-11-25. */
  readonly $schema?: string
  readonly properties?: { readonly [name: string]: unknown }
  readonly required?: ReadonlyArray<string>
  readonly [keyword: string]: unknown
}

/**
 * The JSON Schema of a tool's structured content: of an object until 2025-11-25, of anything since.
 *
 * @since 0.1.0
 * @category models
 */
export interface OutputSchema {
  readonly type?: unknown
  readonly $schema?: string
  readonly [keyword: string]: unknown
}

// Until 2025-11-25 the protocol's own schema says what these keywords hold; since, only JSON Schema does.
const keywords = {
  $schema: optionalString.pipe(since("2025-11-25")),
  properties: Schema.Union([
    Schema.Record(Schema.String, Wire.JsonObject).pipe(until("2025-11-25")),
    Wire.JsonObject.pipe(since("2026-07-28"))
  ]).pipe(Schema.optionalKey)
}

/**
 * The schema of `InputSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputSchema: Wire.Wire<InputSchema> = Wire.struct<InputSchema>("InputSchema", {
  ...keywords,
  type: Schema.Literal("object"),
  required: Schema.Array(Schema.String).pipe(Schema.optionalKey)
})

/**
 * The schema of `OutputSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OutputSchema: Wire.Wire<OutputSchema> = Wire.struct<OutputSchema>("OutputSchema", {
  $schema: keywords.$schema,
  type: Schema.Union([Schema.Literal("object").pipe(until("2025-11-25")), Wire.Json.pipe(since("2026-07-28"))])
    .pipe(Schema.optionalKey, requiredUntil("2025-11-25"))
})

/**
 * A tool that a server offers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#tool
 * @since 0.1.0
 * @category models
 */
export interface Tool {
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
  readonly description?: string
  readonly inputSchema: InputSchema
  /** Since 2025-06-18. */
  readonly outputSchema?: OutputSchema
  /** Since 2025-03-26. */
  readonly annotations?: ToolAnnotations
  /** 2025-11-25 only. */
  readonly execution?: ToolExecution
  /** Since 2025-11-25. */
  readonly icons?: ReadonlyArray<Icon>
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject
}

/**
 * The schema of `Tool`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Tool: Wire.Wire<Tool> = Wire.struct<Tool>("Tool", {
  name: Schema.String,
  title,
  description: optionalString,
  inputSchema: InputSchema,
  outputSchema: OutputSchema.pipe(Schema.optionalKey, since("2025-06-18")),
  annotations: ToolAnnotations.pipe(Schema.optionalKey, since("2025-03-26"), advisory),
  execution: ToolExecution.pipe(Schema.optionalKey, since("2025-11-25"), until("2025-11-25"), advisory),
  icons,
  _meta: meta
})
