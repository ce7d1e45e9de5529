/**
 * A server of one or several contracts, on whatever transport is provided.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Catalog } from "../api/Catalog.ts"
import * as ChangesModule from "../api/Changes.ts"
import * as McpApi from "../api/McpApi.ts"
import type * as Prompt from "../api/Prompt.ts"
import * as ResourceTemplate from "../api/ResourceTemplate.ts"
import type * as Tool from "../api/Tool.ts"
import * as Input from "../era/Input.ts"
import type { StateKey } from "../era/InputState.ts"
import type { Dispatch } from "../era/Invocation.ts"
import { type Endpoint, ServerTransport } from "../peer/ServerTransport.ts"
import type { ServerCapabilities } from "../protocol/Capabilities.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import type { McpError } from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"
import * as Capabilities from "./internal/capabilities.ts"
import * as CatalogImpl from "./internal/catalog.ts"
import * as Closing from "./internal/closing.ts"
import * as ConnectionImpl from "./internal/connection.ts"
import * as EndpointImpl from "./internal/endpoint.ts"
import * as Listen from "./internal/listen.ts"
import * as NotificationImpl from "./internal/notification.ts"
import * as PromptEntry from "./internal/promptEntry.ts"
import * as Registry from "./internal/registry.ts"
import * as ResourceEntry from "./internal/resourceEntry.ts"
import * as Router from "./internal/router.ts"
import * as Sources from "./internal/sources.ts"
import * as ToolEntry from "./internal/toolEntry.ts"
import type { Middleware } from "./Middleware.ts"

const { Changes } = ChangesModule

/**
 * How long a result stays fresh, and who may share it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 * @since 0.1.0
 * @category models
 */
export interface CacheOptions {
  /** Default: 0, stale at once. */
  readonly ttl?: Duration.Input | undefined
  /** Default: `"private"`. `"public"` results may be shown to any caller. */
  readonly scope?: "public" | "private" | undefined
}

/**
 * How a server behaves beyond its contracts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<R = never> {
  /** Who the server is. Default: the name and version of the first contract. */
  readonly info?: Implementation | undefined
  /** Tells models how to use the server. Default: the instructions of the contracts. */
  readonly instructions?: string | undefined
  /** The revisions that are served. Default: all. */
  readonly revisions?: ReadonlyArray<Revision.Revision> | undefined
  /** Features on one page of a list. Default: all. */
  readonly pageSize?: number | undefined
  /** Caching hints for everything, and for single methods such as `"tools/list"`. Sent from 2026-07-28 on. */
  readonly cache?:
    | CacheOptions & { readonly methods?: { readonly [method: string]: CacheOptions } | undefined }
    | undefined
  /**
   * How long a handler waits for its client's answer: kept for the retry at 2026-07-28, waiting for the response
   * before. 0 keeps none at 2026-07-28: every round runs the handler anew. Default: 10 minutes.
   */
  readonly inputTimeout?: Duration.Input | undefined
  /** Handlers kept at one time; the oldest gives way. Default: 1,000. */
  readonly maxKept?: number | undefined
  /** Handlers kept at one time for one principal; the oldest gives way. Default: 100, without a principal `maxKept`. */
  readonly maxKeptPerPrincipal?: number | undefined
  /** How often one request may ask its client. Default: 16. */
  readonly maxInputRounds?: number | undefined
  /**
   * Seals what a request remembers between its rounds. The first of several keys seals, all open. Several instances
   * of a server need the same. Default: a random one.
   */
  readonly stateKey?: StateKey | ReadonlyArray<StateKey> | undefined
  /** Functions on the dispatcher, the first one outermost; or an Effect that builds them. */
  readonly middleware?: ReadonlyArray<Middleware> | Effect.Effect<ReadonlyArray<Middleware>, never, R> | undefined
  /** Requests of one connection that are answered at one time; more are refused. Default: 10,000. */
  readonly maxInFlight?: number | undefined
  /** How long handlers may run on after their client has closed the pipe. Default: 3 seconds. */
  readonly drainTimeout?: Duration.Input | undefined
}

/**
 * A running server.
 *
 * @since 0.1.0
 * @category services
 */
export class McpServer extends Context.Service<McpServer, {
  readonly info: Implementation
  /** What the server declares at the moment. */
  readonly capabilities: Effect.Effect<ServerCapabilities>
  readonly catalog: Catalog["Service"]
  readonly changes: ChangesModule.Changes["Service"]
  /** Answers any method, through all middleware: for transports and tests. */
  readonly dispatch: Dispatch
  /** Waits for the end of the transport that `layer` serves on; for ever where there is none. */
  readonly closed: Effect.Effect<void, McpError>
  /** Serves connections: what a transport is given. */
  readonly endpoint: Endpoint
}>()("@effect-mcp/sdk/McpServer") {}

type Apis = McpApi.Any | readonly [McpApi.Any, ...ReadonlyArray<McpApi.Any>]
type Each<A> = A extends ReadonlyArray<infer B> ? B : A

const hintsOf = (options: CacheOptions | undefined, defaults: Router.CacheHints): Router.CacheHints => ({
  ttlMs: options?.ttl === undefined ? defaults.ttlMs : Math.round(Duration.toMillis(options.ttl)),
  cacheScope: options?.scope ?? defaults.cacheScope
})

/** Seeds a registry with the features of a contract and their handlers, as they stand in a context. */
const register = (
  registry: Registry.Registry,
  api: McpApi.Any,
  context: Context.Context<any>,
  callServices: Context.Context<never>
) => {
  const add = <A>(map: Map<string, A>, kind: string, key: string, entry: A) => {
    if (map.has(key)) throw new Error(`Two contracts of one server declare the ${kind} "${key}"; rename one of them`)
    map.set(key, entry)
  }
  const handlerOf = (kind: "tool" | "resource" | "prompt", name: string): Registry.Handler => {
    const { handler, services } = Context.get(context, McpApi.handlerKey(api, kind, name))
    return { handler, services: Context.merge(services, callServices) } as Registry.Handler
  }
  const completersOf = (kind: "resource" | "prompt", name: string): Registry.Completers | undefined => {
    const provided = Context.get(context, McpApi.completersKey(api, kind, name))
    return provided && { of: provided.of, services: Context.merge(provided.services, callServices) }
  }
  for (const tool of api.tools) {
    add(
      registry.tools,
      "tool",
      tool.name,
      ToolEntry.make(tool as Tool.AnyWithSchemas, handlerOf("tool", tool.name))
    )
  }
  for (const resource of api.resources) {
    const handler = handlerOf("resource", resource.name)
    if (ResourceTemplate.isResourceTemplate(resource)) {
      const completers = completersOf("resource", resource.name)
      add(
        registry.templates,
        "resource template",
        resource.name,
        ResourceEntry.makeTemplate(resource, handler, completers)
      )
    } else if (resource.kind === "resource") {
      add(registry.resources, "resource", resource.uri, ResourceEntry.makeResource(resource, handler))
    }
  }
  for (const prompt of api.prompts) {
    add(
      registry.prompts,
      "prompt",
      prompt.name,
      PromptEntry.make(
        prompt as Prompt.AnyWithSchemas,
        handlerOf("prompt", prompt.name),
        completersOf("prompt", prompt.name)
      )
    )
  }
}

/** What a server made for itself. It may stand in the context of another one, which then must not share it. */
const ownChanges = new WeakSet<ChangesModule.Changes["Service"]>()

/**
 * Makes a server without a transport. It lives in the scope: closing that ends its subscriptions in order.
 *
 * Uses the `Changes` of its context where there is one that is no other server's own, else one of its own. Dies where
 * two contracts declare the same feature.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*<const A extends Apis, R = never>(
  api: A,
  options?: Options<R>
): Effect.fn.Return<McpServer["Service"], never, McpApi.Handlers<Each<A>> | R | Scope.Scope> {
  const apis = (Array.isArray(api) ? api : [api]) as ReadonlyArray<McpApi.Any>
  const context = yield* Effect.context<any>()
  const shared = Option.getOrUndefined(Context.getOption(context, Changes))
  const changes = shared !== undefined && !ownChanges.has(shared) ? shared : yield* ChangesModule.make
  if (changes !== shared) ownChanges.add(changes)
  const registry = Registry.make()
  const closing = Closing.make()

  let callServices: Context.Context<never> = Context.empty()
  const catalog = CatalogImpl.make(registry, changes, () => callServices)
  callServices = Context.make(Catalog, catalog).pipe(Context.add(Changes, changes)) as Context.Context<never>
  for (const each of apis) register(registry, each, context, callServices)

  const declared: Capabilities.Declared = {
    extensions: Object.assign({}, ...apis.map((each) => each.extensions)),
    experimental: Object.assign({}, ...apis.map((each) => each.experimental))
  }
  const { current: capabilities, has } = Capabilities.make(registry, declared)
  const info = options?.info ?? apis[0]!.info
  const instructions = options?.instructions ??
    (apis.flatMap((each) => each.instructions ?? []).join("\n\n") || undefined)
  const supported = Revision.all.filter((revision) => options?.revisions?.includes(revision) ?? true)
  const defaults = hintsOf(options?.cache, { ttlMs: 0, cacheScope: "private" })

  const router = Router.make(registry, {
    pageSize: options?.pageSize,
    sources: Sources.make(registry),
    has,
    cache: (method) => hintsOf(options?.cache?.methods?.[method], defaults),
    discover: () => ({
      supportedVersions: supported,
      capabilities: capabilities(),
      ...(instructions === undefined ? {} : { instructions })
    }),
    listen: Listen.make(changes, capabilities, closing)
  })
  const middleware = options?.middleware === undefined
    ? []
    : Effect.isEffect(options.middleware)
    ? yield* options.middleware
    : options.middleware
  const dispatch = middleware.reduceRight((next: Dispatch, wrap) => wrap(next), router)
  const inputTimeout = Duration.fromInputUnsafe(options?.inputTimeout ?? "10 minutes")
  const maxKept = options?.maxKept ?? 1000
  const inputs = yield* Input.make({
    inputTimeout,
    maxKept,
    maxKeptPerPrincipal: options?.maxKeptPerPrincipal ?? 100,
    maxRounds: options?.maxInputRounds ?? 16,
    stateKeys: options?.stateKey === undefined
      ? []
      : Array.isArray(options.stateKey)
      ? options.stateKey
      : [options.stateKey as StateKey]
  })
  const reverseTimeout = Duration.toMillis(inputTimeout) > 0 ? inputTimeout : Duration.minutes(10)
  const { handle, modern } = EndpointImpl.make({
    info,
    inputs,
    inputTimeout: reverseTimeout,
    instructions,
    supported,
    capabilities,
    dispatch,
    isCustom: (method) => registry.requests.has(method)
  })
  const notify = NotificationImpl.make(dispatch, reverseTimeout)
  const connect = ConnectionImpl.make({
    handle,
    notify,
    changes,
    capabilities,
    closing,
    maxInFlight: options?.maxInFlight,
    drainTimeout: options?.drainTimeout
  })

  yield* Effect.addFinalizer(() => Effect.sync(closing.close))
  return McpServer.of({
    info,
    capabilities: Effect.sync(capabilities),
    catalog,
    changes,
    dispatch,
    closed: Effect.never,
    endpoint: {
      connect,
      handle: modern,
      notify: (notification, facts) => notify(notification, facts),
      isRefusal: EndpointImpl.isRefusal,
      inputSchema: (tool) => {
        const entry = registry.tools.get(tool)
        return entry?.enabled === true ? entry.listing(Revision.latest).inputSchema : undefined
      },
      supported,
      end: Effect.sync(closing.close)
    }
  })
})

/**
 * Serves contracts until the transport ends: on a pipe, when the client has closed it and the last answers are sent.
 *
 * @since 0.1.0
 * @category running
 */
export const serve = <const A extends Apis, R = never>(
  api: A,
  options?: Options<R>
): Effect.Effect<void, McpError, McpApi.Handlers<Each<A>> | R | ServerTransport> =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* make(api, options)
    const transport = yield* ServerTransport
    // Told here, where the log still goes to the right place: a pipe that broke may take the report with it.
    yield* Effect.tapCause(
      transport.serve(server.endpoint),
      (cause) => Effect.logError("The transport of a server failed", cause)
    )
  }))

/**
 * Runs a program of layers until its server's transport ends: `Layer.launch` for servers on a pipe, which would wait
 * for ever after their client has gone.
 *
 * @example
 * ```ts
 * McpServer.launch(McpServer.layer(Weather).pipe(Layer.provide(handlers), Layer.provide(stdio))).pipe(NodeRuntime.runMain)
 * ```
 *
 * @since 0.1.0
 * @category running
 */
export const launch = <E, R>(program: Layer.Layer<McpServer, E, R>): Effect.Effect<void, E | McpError, R> =>
  Effect.scoped(Effect.flatMap(Layer.build(program), (context) => Context.get(context, McpServer).closed))

/**
 * Serves contracts for as long as the layer lives, and provides the running server with its `Catalog` and `Changes`.
 *
 * Each layer that this makes is a server of its own. One layer value is one server, however often it is provided, as
 * with all layers: over a second transport in the same graph, make a second one.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <const A extends Apis, R = never>(
  api: A,
  options?: Options<R>
): Layer.Layer<
  McpServer | Catalog | ChangesModule.Changes,
  never,
  Exclude<McpApi.Handlers<Each<A>> | R, Scope.Scope> | ServerTransport
> =>
  Layer.effectContext(Effect.gen(function*() {
    const server = yield* make(api, options)
    const transport = yield* ServerTransport
    const serving = yield* transport.serve(server.endpoint).pipe(
      Effect.tapCause((cause) => Effect.logError("The transport of a server failed", cause)),
      Effect.forkScoped
    )
    return Context.make(McpServer, { ...server, closed: Fiber.join(serving) }).pipe(
      Context.add(Catalog, server.catalog),
      Context.add(Changes, server.changes)
    )
  }))
