/** The features of one server, in their order: what the Catalog changes and the Router asks. */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Completion from "../../api/Completion.ts"
import type * as Prompt from "../../api/Prompt.ts"
import type * as Resource from "../../api/Resource.ts"
import type { Invocation } from "../../era/Invocation.ts"
import type { Resource as ResourceListing } from "../../protocol/Content.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import type { McpError } from "../../protocol/McpError.ts"
import type { Prompt as PromptListing } from "../../protocol/Prompts.ts"
import type { ResourceTemplate as TemplateListing } from "../../protocol/Resources.ts"
import type { PromptEntry } from "./promptEntry.ts"
import type { ResourceEntry, TemplateEntry } from "./resourceEntry.ts"
import type { ToolEntry } from "./toolEntry.ts"

/** A handler with the services of the layer that gave it, and those of every call: between them it needs no more. */
export interface Handler<A = unknown, E = unknown> {
  readonly handler: (...args: ReadonlyArray<any>) => Effect.Effect<A, E>
  readonly services: Context.Context<never>
}

/** Completers of one feature, with their services. */
export interface Completers {
  readonly of: { readonly [argument: string]: Completion.Completer }
  readonly services: Context.Context<never>
}

type Answer<A> = (invocation: Invocation["Service"]) => Effect.Effect<A, McpError>

/** A source with the services that it was registered with. */
export interface ResourceSource {
  readonly list: Answer<ReadonlyArray<ResourceListing>>
  readonly templates: Answer<ReadonlyArray<TemplateListing>>
  readonly read: (uri: string) => Answer<Option.Option<Resource.Answer>>
}

export interface PromptSource {
  readonly list: Answer<ReadonlyArray<PromptListing>>
  readonly get: (name: string, args: { readonly [name: string]: string }) => Answer<Option.Option<Prompt.Answer>>
}

export interface Registry {
  readonly tools: Map<string, ToolEntry>
  /** By URI. */
  readonly resources: Map<string, ResourceEntry>
  readonly templates: Map<string, TemplateEntry>
  readonly prompts: Map<string, PromptEntry>
  readonly resourceSources: Set<ResourceSource>
  readonly promptSources: Set<PromptSource>
  /** Requests and notifications outside of the protocol's own, by method. */
  readonly requests: Map<string, CustomRequest>
  readonly notifications: Map<string, CustomNotification>
}

export type CustomRequest = (params: Params, invocation: Invocation["Service"]) => Effect.Effect<Params, McpError>
export type CustomNotification = (params: Params) => Effect.Effect<void>

export const make = (): Registry => ({
  tools: new Map(),
  resources: new Map(),
  templates: new Map(),
  prompts: new Map(),
  resourceSources: new Set(),
  promptSources: new Set(),
  requests: new Map(),
  notifications: new Map()
})

/** Puts an entry in the place of the first one that it replaces, or at the end; the others that it replaces go. */
export const put = <A>(map: Map<string, A>, key: string, entry: A, replaces: (other: A) => boolean): void => {
  const entries = [...map]
  const place = entries.findIndex(([, other]) => replaces(other))
  if (place === -1) {
    map.set(key, entry)
    return
  }
  map.clear()
  entries.forEach(([otherKey, other], index) => {
    if (index === place) map.set(key, entry)
    else if (!replaces(other)) map.set(otherKey, other)
  })
}
