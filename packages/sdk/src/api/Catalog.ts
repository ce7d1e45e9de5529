/**
 * The features of a running server, as a service that changes them.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { FeatureKind, Invocation } from "../era/Invocation.ts"
import type { Resource as ResourceListing } from "../protocol/Content.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { Prompt as PromptListing } from "../protocol/Prompts.ts"
import type { ResourceTemplate as TemplateListing } from "../protocol/Resources.ts"
import type { Changes } from "./Changes.ts"
import type * as Completion from "./Completion.ts"
import type * as Custom from "./Custom.ts"
import type * as Prompt from "./Prompt.ts"
import type * as Resource from "./Resource.ts"
import type * as ResourceTemplate from "./ResourceTemplate.ts"
import type * as Tool from "./Tool.ts"

/**
 * What a handler finds in the context of a call, besides the services of its own layer.
 *
 * @since 0.1.0
 * @category models
 */
export type CallServices = Invocation | Catalog | Changes | Scope.Scope

/**
 * Resources from elsewhere, consulted after the registered ones. Each effect may take its time and may fail.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceSource<R = never> {
  /** The resources to list, in a stable order. */
  readonly list: Effect.Effect<ReadonlyArray<ResourceListing>, McpError, R>
  /** The templates to list, in a stable order. */
  readonly templates?: Effect.Effect<ReadonlyArray<TemplateListing>, McpError, R> | undefined
  /** Reads one; `None` for a URI that the source does not know. */
  readonly read: (uri: string) => Effect.Effect<Option.Option<Resource.Answer>, McpError, R>
}

/**
 * Prompts from elsewhere, consulted after the registered ones.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptSource<R = never> {
  /** The prompts to list, in a stable order. */
  readonly list: Effect.Effect<ReadonlyArray<PromptListing>, McpError, R>
  /** Renders one; `None` for a name that the source does not know. */
  readonly get: (
    name: string,
    args: { readonly [name: string]: string }
  ) => Effect.Effect<Option.Option<Prompt.Answer>, McpError, R>
}

/** The services that a handler needs of its own, required where it is registered. */
type Own<R> = Exclude<R, CallServices>

/**
 * Changes the features of a running server. Clients hear of it: several changes in a row make one notice a kind.
 *
 * A feature that is added under a name that is taken replaces the other one, in its place in the list.
 *
 * @since 0.1.0
 * @category services
 */
export class Catalog extends Context.Service<Catalog, {
  readonly addTool: <T extends Tool.Any, R>(tool: T, handler: Tool.Handler<T, R>) => Effect.Effect<void, never, Own<R>>
  readonly addResource: <R>(resource: Resource.Any, handler: Resource.Handler<R>) => Effect.Effect<void, never, Own<R>>
  readonly addTemplate: <T extends ResourceTemplate.Any, R, RC = never>(
    template: T,
    handler: ResourceTemplate.Handler<T, R>,
    completers?: { readonly [variable: string]: Completion.Completer<RC> }
  ) => Effect.Effect<void, never, Own<R | RC>>
  readonly addPrompt: <P extends Prompt.Any, R, RC = never>(
    prompt: P,
    handler: Prompt.Handler<P, R>,
    completers?: { readonly [argument: string]: Completion.Completer<RC> }
  ) => Effect.Effect<void, never, Own<R | RC>>
  /** Answers a request of one's own. */
  readonly addRequest: <P extends Custom.ObjectSchema, A extends Custom.ObjectSchema, R>(
    request: Custom.Request<P, A>,
    handler: (params: P["Type"]) => Effect.Effect<A["Type"], McpError, R>
  ) => Effect.Effect<void, never, Own<R>>
  /** Takes a notification of one's own. */
  readonly addNotification: <P extends Custom.ObjectSchema, R>(
    notification: Custom.Notification<P>,
    handler: (params: P["Type"]) => Effect.Effect<void, never, R>
  ) => Effect.Effect<void, never, Exclude<R, Catalog | Changes | Scope.Scope>>
  /** Consults a source for as long as the scope is open. */
  readonly addResourceSource: <R>(source: ResourceSource<R>) => Effect.Effect<void, never, Own<R> | Scope.Scope>
  /** Consults a source for as long as the scope is open. */
  readonly addPromptSource: <R>(source: PromptSource<R>) => Effect.Effect<void, never, Own<R> | Scope.Scope>
  /** Takes a feature out: by name, a resource or template by name too. `false` where there is none. */
  readonly remove: (kind: FeatureKind, name: string) => Effect.Effect<boolean>
  /** Hides a feature and refuses its use, until it is enabled again. `false` where there is none. */
  readonly disable: (kind: FeatureKind, name: string) => Effect.Effect<boolean>
  readonly enable: (kind: FeatureKind, name: string) => Effect.Effect<boolean>
  /** The names of the features of a kind, in the order of the list; disabled ones too. */
  readonly names: (kind: FeatureKind) => Effect.Effect<ReadonlyArray<string>>
}>()("@effect-mcp/sdk/Catalog") {}
