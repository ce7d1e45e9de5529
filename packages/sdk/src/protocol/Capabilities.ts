/**
 * What clients and servers say they can do.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { advisory, since, until } from "./Projection.ts"
import type * as Revision from "./Revision.ts"
import * as Wire from "./Wire.ts"

const flag = Schema.Boolean.pipe(Schema.optionalKey)
const present = Wire.JsonObject.pipe(Schema.optionalKey)
const named = Schema.Record(Schema.String, Wire.JsonObject).pipe(Schema.optionalKey, advisory)

/**
 * What a client can do. Unknown capabilities, such as the `tasks` of 2025-11-25, are kept as they came.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientCapabilities {
  /** Non-standard capabilities by name. */
  readonly experimental?: { readonly [name: string]: Wire.JsonObject }
  /** The client can list roots. `listChanged` until 2025-11-25. */
  readonly roots?: { readonly listChanged?: boolean }
  /** The client can ask a model. `context` (the use of `includeContext`) and `tools` since 2025-11-25. */
  readonly sampling?: { readonly context?: Wire.JsonObject; readonly tools?: Wire.JsonObject }
  /** The client can ask its user. Since 2025-06-18; `form` and `url` since 2025-11-25, where `{}` means `form`. */
  readonly elicitation?: { readonly form?: Wire.JsonObject; readonly url?: Wire.JsonObject }
  /** Protocol extensions by their identifiers, such as `io.modelcontextprotocol/tasks`, with their settings. */
  readonly extensions?: { readonly [identifier: string]: Wire.JsonObject }
}

/**
 * The schema of `ClientCapabilities`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ClientCapabilities: Wire.Wire<ClientCapabilities> = Wire.struct<ClientCapabilities>("ClientCapabilities", {
  experimental: named,
  roots: Wire.struct<NonNullable<ClientCapabilities["roots"]>>("RootsCapability", {
    listChanged: flag.pipe(until("2025-11-25"))
  }).pipe(Schema.optionalKey),
  sampling: Wire.struct<NonNullable<ClientCapabilities["sampling"]>>("SamplingCapability", {
    context: present.pipe(since("2025-11-25")),
    tools: present.pipe(since("2025-11-25"))
  }).pipe(Schema.optionalKey),
  elicitation: Wire.struct<NonNullable<ClientCapabilities["elicitation"]>>("ElicitationCapability", {
    form: present.pipe(since("2025-11-25")),
    url: present.pipe(since("2025-11-25"))
  }).pipe(Schema.optionalKey, since("2025-06-18")),
  extensions: named
})

/**
 * What a server can do. Unknown capabilities, such as the `tasks` of 2025-11-25, are kept as they came.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerCapabilities {
  /** Non-standard capabilities by name. */
  readonly experimental?: { readonly [name: string]: Wire.JsonObject }
  /** The server sends log messages. */
  readonly logging?: Wire.JsonObject
  /** The server completes arguments. Since 2025-03-26; before, a server simply answered. */
  readonly completions?: Wire.JsonObject
  readonly prompts?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly tools?: { readonly listChanged?: boolean }
  /** Protocol extensions by their identifiers, such as `io.modelcontextprotocol/tasks`, with their settings. */
  readonly extensions?: { readonly [identifier: string]: Wire.JsonObject }
}

/**
 * The schema of `ServerCapabilities`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ServerCapabilities: Wire.Wire<ServerCapabilities> = Wire.struct<ServerCapabilities>("ServerCapabilities", {
  experimental: named,
  logging: present,
  completions: present.pipe(since("2025-03-26")),
  prompts: Wire.struct<NonNullable<ServerCapabilities["prompts"]>>("PromptsCapability", { listChanged: flag })
    .pipe(Schema.optionalKey),
  resources: Wire.struct<NonNullable<ServerCapabilities["resources"]>>("ResourcesCapability", {
    subscribe: flag,
    listChanged: flag
  }).pipe(Schema.optionalKey),
  tools: Wire.struct<NonNullable<ServerCapabilities["tools"]>>("ToolsCapability", { listChanged: flag })
    .pipe(Schema.optionalKey),
  extensions: named
})

/**
 * A capability by its path in the declaration.
 *
 * @since 0.1.0
 * @category models
 */
export type ClientCapability =
  | "roots"
  | "roots.listChanged"
  | "sampling"
  | "sampling.context"
  | "sampling.tools"
  | "elicitation"
  | "elicitation.form"
  | "elicitation.url"

/**
 * A capability by its path in the declaration.
 *
 * @since 0.1.0
 * @category models
 */
export type ServerCapability =
  | "logging"
  | "completions"
  | "prompts"
  | "prompts.listChanged"
  | "resources"
  | "resources.subscribe"
  | "resources.listChanged"
  | "tools"
  | "tools.listChanged"

const lookup = (declared: object, path: string): boolean => {
  let value: unknown = declared
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return false
    value = (value as { readonly [key: string]: unknown })[key]
  }
  return value !== undefined && value !== null && value !== false
}

/**
 * Whether a client declared a capability. An `elicitation` that names no mode means `form`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 * @since 0.1.0
 * @category guards
 */
export const clientHas = (declared: ClientCapabilities, capability: ClientCapability): boolean =>
  lookup(declared, capability) || (
    capability === "elicitation.form" && declared.elicitation !== undefined && declared.elicitation.url === undefined
  )

/**
 * Whether a server declared a capability. Completion had none before 2025-03-26, where any server may be asked.
 *
 * @since 0.1.0
 * @category guards
 */
export const serverHas = (
  declared: ServerCapabilities,
  capability: ServerCapability,
  revision: Revision.Revision
): boolean => lookup(declared, capability) || (capability === "completions" && revision === "2024-11-05")

/**
 * The declaration that names one client capability, such as `{ sampling: { tools: {} } }`: what an error says that
 * misses it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#missingrequiredclientcapabilityerror
 * @since 0.1.0
 * @category constructors
 */
export const clientRequirement = (capability: ClientCapability): ClientCapabilities => {
  const [first, second] = capability.split(".") as [keyof ClientCapabilities, string | undefined]
  if (second === undefined) return { [first]: {} }
  return { [first]: { [second]: second === "listChanged" ? true : {} } }
}
