/**
 * A contract: what a server offers, as one value from which the server, the typed client and the tests are made.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Icon, Implementation } from "../protocol/Implementation.ts"
import { Caller } from "./Caller.ts"
import type { CallServices } from "./Catalog.ts"
import type * as Completion from "./Completion.ts"
import type * as Prompt from "./Prompt.ts"
import type * as Resource from "./Resource.ts"
import type * as ResourceTemplate from "./ResourceTemplate.ts"
import type * as Tool from "./Tool.ts"
import * as TypedClient from "./TypedClient.ts"

/**
 * A resource or a resource template.
 *
 * @since 0.1.0
 * @category models
 */
export type AnyResource = Resource.Any | ResourceTemplate.Any

/**
 * The handler of one feature of one contract, as a service. Layers provide it, servers require it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handler<
  out Id extends string,
  out Kind extends "tool" | "resource" | "prompt",
  out Name extends string
> {
  readonly _: unique symbol
  readonly id: Id
  readonly kind: Kind
  readonly name: Name
}

/**
 * Any contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any {
  new(_: never): {}
  readonly id: string
  /** Tells contracts of the same name apart: two servers never share handlers by accident. */
  readonly key: string
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly tools: ReadonlyArray<Tool.Any>
  readonly resources: ReadonlyArray<AnyResource>
  readonly prompts: ReadonlyArray<Prompt.Any>
  readonly extensions: { readonly [id: string]: { readonly [key: string]: unknown } } | undefined
  readonly experimental: { readonly [id: string]: { readonly [key: string]: unknown } } | undefined
}

/**
 * The handlers that a contract needs, as services.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Handlers<Api> = Api extends McpApi<infer Id, infer Tools, infer Resources, infer Prompts> ?
    | HandlerOf<Id, "tool", Tools[number]["name"]>
    | HandlerOf<Id, "resource", Resources[number]["name"]>
    | HandlerOf<Id, "prompt", Prompts[number]["name"]>
  : never

type HandlerOf<Id extends string, Kind extends "tool" | "resource" | "prompt", Name extends string> = Name extends
  string ? Handler<Id, Kind, Name>
  : never

type ResourceHandler<R> = R extends Resource.Any ? Resource.Handler : ResourceTemplate.Handler<R>

type Named<Features extends { readonly name: string }> = { readonly [F in Features as F["name"]]: F }

/** A group that is empty in the contract may be left out. */
type Group<Key extends string, Features extends { readonly name: string }, Of> = [Features] extends [never]
  ? { readonly [K in Key]?: {} }
  : { readonly [K in Key]: Of }

/**
 * An object with a handler for each feature of a contract, keyed by kind and name.
 *
 * @since 0.1.0
 * @category type-level
 */
export type HandlersFrom<
  Tools extends ReadonlyArray<Tool.Any>,
  Resources extends ReadonlyArray<AnyResource>,
  Prompts extends ReadonlyArray<Prompt.Any>
> =
  & Group<"tools", Tools[number], { readonly [T in Tools[number] as T["name"]]: Tool.Handler<T> }>
  & Group<"resources", Resources[number], { readonly [R in Resources[number] as R["name"]]: ResourceHandler<R> }>
  & Group<"prompts", Prompts[number], { readonly [P in Prompts[number] as P["name"]]: Prompt.Handler<P> }>
  & { readonly completions?: Completion.Handlers<Resources[number], Prompts[number]> | undefined }

type ServicesOf<F> = F extends (...args: any) => Effect.Effect<any, any, infer R> ? R : never

type GroupServices<H, Key extends string> = H extends { readonly [K in Key]: infer Group } ?
  { readonly [K in keyof Group]: ServicesOf<Group[K]> }[keyof Group]
  : never

type CompletionServices<H> = H extends { readonly completions: infer C } ?
    | (C extends { readonly resources: infer R } ? { [K in keyof R]: GroupServices<R, K & string> }[keyof R] : never)
    | (C extends { readonly prompts: infer P } ? { [K in keyof P]: GroupServices<P, K & string> }[keyof P] : never)
  : never

/**
 * The services that handlers need of their own.
 *
 * @since 0.1.0
 * @category type-level
 */
export type HandlersServices<H> = Exclude<
  GroupServices<H, "tools"> | GroupServices<H, "resources"> | GroupServices<H, "prompts"> | CompletionServices<H>,
  CallServices
>

/**
 * A contract with the types of its features.
 *
 * @since 0.1.0
 * @category models
 */
export interface McpApi<
  in out Id extends string,
  in out Tools extends ReadonlyArray<Tool.Any>,
  in out Resources extends ReadonlyArray<AnyResource>,
  in out Prompts extends ReadonlyArray<Prompt.Any>
> extends Any {
  readonly id: Id
  readonly tools: Tools
  readonly resources: Resources
  readonly prompts: Prompts

  /** Types an object of handlers without making a layer of it. */
  of<const H extends HandlersFrom<Tools, Resources, Prompts>>(handlers: H): H

  /** Implements every feature at once, by an object of handlers or an Effect that builds it. */
  toLayer<const H extends HandlersFrom<Tools, Resources, Prompts>, EX = never, RX = never>(
    build: H | Effect.Effect<H, EX, RX>
  ): Layer.Layer<
    Handlers<McpApi<Id, Tools, Resources, Prompts>>,
    EX,
    Exclude<RX, Scope.Scope> | HandlersServices<H>
  >

  /** Implements one tool. */
  toolLayer<
    const Name extends Tools[number]["name"],
    H extends Tool.Handler<Named<Tools[number]>[Name]>,
    EX = never,
    RX = never
  >(
    name: Name,
    build: H | Effect.Effect<H, EX, RX>
  ): Layer.Layer<
    Handler<Id, "tool", Name>,
    EX,
    Exclude<RX, Scope.Scope> | Exclude<ServicesOf<H>, CallServices>
  >

  /** Implements one resource or resource template. */
  resourceLayer<
    const Name extends Resources[number]["name"],
    H extends ResourceHandler<Named<Resources[number]>[Name]>,
    EX = never,
    RX = never
  >(
    name: Name,
    build: H | Effect.Effect<H, EX, RX>
  ): Layer.Layer<
    Handler<Id, "resource", Name>,
    EX,
    Exclude<RX, Scope.Scope> | Exclude<ServicesOf<H>, CallServices>
  >

  /** Implements one prompt. */
  promptLayer<
    const Name extends Prompts[number]["name"],
    H extends Prompt.Handler<Named<Prompts[number]>[Name]>,
    EX = never,
    RX = never
  >(
    name: Name,
    build: H | Effect.Effect<H, EX, RX>
  ): Layer.Layer<
    Handler<Id, "prompt", Name>,
    EX,
    Exclude<RX, Scope.Scope> | Exclude<ServicesOf<H>, CallServices>
  >

  /** Implements the completions of arguments and variables alone, beside the one-by-one layers. */
  completionsLayer<const H extends Completion.Handlers<Resources[number], Prompts[number]>>(
    handlers: H
  ): Layer.Layer<never, never, Exclude<CompletionServices<{ readonly completions: H }>, CallServices>>

  /** A client with a function for each feature. */
  readonly client: Effect.Effect<
    TypedClient.TypedClient<Tools[number], Resources[number], Prompts[number]>,
    never,
    Caller
  >

  /** The same for a client at hand, for whoever holds several. */
  clientOf(caller: Caller["Service"]): TypedClient.TypedClient<Tools[number], Resources[number], Prompts[number]>
}

/**
 * What `make` takes besides the name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<
  Tools extends ReadonlyArray<Tool.Any>,
  Resources extends ReadonlyArray<AnyResource>,
  Prompts extends ReadonlyArray<Prompt.Any>
> {
  readonly version: string
  /** A name for people. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly websiteUrl?: string | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  /** Tells models how to use the server. */
  readonly instructions?: string | undefined
  readonly tools?: Tools | undefined
  readonly resources?: Resources | undefined
  readonly prompts?: Prompts | undefined
  /** Extensions that the server supports, by identifier, with their settings. */
  readonly extensions?: { readonly [id: string]: { readonly [key: string]: unknown } } | undefined
  /** Experimental capabilities, outside of any revision. */
  readonly experimental?: { readonly [id: string]: { readonly [key: string]: unknown } } | undefined
}

type HandlerFunction = (...args: ReadonlyArray<any>) => Effect.Effect<unknown, unknown, any>

/**
 * A handler as a layer provides it: the function, with the services that the layer had.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProvidedHandler {
  readonly handler: HandlerFunction
  readonly services: Context.Context<never>
}

/**
 * The completers of one feature, by argument or variable, as a layer provides them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ProvidedCompleters {
  readonly of: { readonly [name: string]: Completion.Completer }
  readonly services: Context.Context<never>
}

/**
 * The key under which the handler of a feature stands in a context.
 *
 * @since 0.1.0
 * @category getters
 */
export const handlerKey = (
  api: Any,
  kind: "tool" | "resource" | "prompt",
  name: string
): Context.Key<Handler<string, typeof kind, string>, ProvidedHandler> =>
  Context.Service<Handler<string, typeof kind, string>, ProvidedHandler>(`${api.key}/${kind}/${name}`)

/**
 * The reference under which the completers of a feature stand in a context. Default: none.
 *
 * @since 0.1.0
 * @category getters
 */
export const completersKey = (
  api: Any,
  kind: "resource" | "prompt",
  name: string
): Context.Reference<ProvidedCompleters | undefined> =>
  Context.Reference<ProvidedCompleters | undefined>(`${api.key}/completers/${kind}/${name}`, {
    defaultValue: () => undefined
  })

const groups = [["tools", "tool"], ["resources", "resource"], ["prompts", "prompt"]] as const
const completable = [["resources", "resource"], ["prompts", "prompt"]] as const

type AnyHandlers =
  & {
    readonly [K in "tools" | "resources" | "prompts"]?: { readonly [name: string]: HandlerFunction }
  }
  & {
    readonly completions?: {
      readonly [K in "resources" | "prompts"]?: { readonly [name: string]: ProvidedCompleters["of"] }
    }
  }

const provide = (api: Any, handlers: AnyHandlers, services: Context.Context<never>): Context.Context<any> => {
  const provided = new Map<string, unknown>()
  for (const [group, kind] of groups) {
    for (const feature of api[group]) {
      const handler = handlers[group]?.[feature.name]
      if (handler !== undefined) provided.set(handlerKey(api, kind, feature.name).key, { handler, services })
    }
  }
  for (const [group, kind] of completable) {
    for (const feature of api[group]) {
      const of = handlers.completions?.[group]?.[feature.name]
      if (of !== undefined) provided.set(completersKey(api, kind, feature.name).key, { of, services })
    }
  }
  return Context.makeUnsafe(provided)
}

/** What belongs to the building of a layer and not to the calls that its handlers answer later. */
const withoutBuilding = Context.omit(
  Scope.Scope,
  Tracer.ParentSpan,
  References.CurrentLogAnnotations,
  References.CurrentLogSpans
)

/**
 * The services at hand, for handlers to use in later calls.
 *
 * @since 0.1.0
 * @category getters
 */
export const capture = <R>(): Effect.Effect<Context.Context<R>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => withoutBuilding(context) as Context.Context<R>)

const layerOf = (api: Any, build: unknown, shape: (built: any) => AnyHandlers): Layer.Layer<any, any, any> =>
  Layer.effectContext(Effect.gen(function*() {
    const services = yield* capture<never>()
    const built = Effect.isEffect(build) ? yield* build as Effect.Effect<unknown> : build
    return provide(api, shape(built), services)
  }))

const statics = {
  of: (handlers: unknown) => handlers,
  toLayer(this: Any, build: unknown) {
    return layerOf(this, build, (handlers) => handlers)
  },
  toolLayer(this: Any, name: string, build: unknown) {
    return layerOf(this, build, (handler) => ({ tools: { [name]: handler } }))
  },
  resourceLayer(this: Any, name: string, build: unknown) {
    return layerOf(this, build, (handler) => ({ resources: { [name]: handler } }))
  },
  promptLayer(this: Any, name: string, build: unknown) {
    return layerOf(this, build, (handler) => ({ prompts: { [name]: handler } }))
  },
  completionsLayer(this: Any, completions: any) {
    return layerOf(this, completions, (completions) => ({ completions }))
  },
  clientOf(this: Any, caller: Caller["Service"]) {
    return TypedClient.make(this, caller)
  },
  get client() {
    // `this` is the contract, or the class that extends it.
    return Effect.map(Caller, (caller) => TypedClient.make(this as unknown as Any, caller))
  }
}

let contracts = 0

/**
 * Declares a contract.
 *
 * Throws where two features of one kind have the same name, or two resources the same URI.
 *
 * @example
 * ```ts
 * class Weather extends McpApi.make("weather", {
 *   version: "1.0.0",
 *   tools: [Tool.make("forecast", { parameters: { city: Schema.String } })]
 * }) {}
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  const Id extends string,
  const Tools extends ReadonlyArray<Tool.Any> = readonly [],
  const Resources extends ReadonlyArray<AnyResource> = readonly [],
  const Prompts extends ReadonlyArray<Prompt.Any> = readonly []
>(id: Id, options: Options<Tools, Resources, Prompts>): McpApi<Id, Tools, Resources, Prompts> => {
  const { description, experimental, extensions, icons, instructions, title, version, websiteUrl } = options
  class Contract {}
  // Accessors are copied as accessors: `client` belongs to the class that is asked.
  Object.defineProperties(Contract, Object.getOwnPropertyDescriptors(statics))
  const contract = Object.assign(Contract, {
    id,
    key: `@effect-mcp/sdk/McpApi/${id}#${contracts++}`,
    info: {
      name: id,
      version,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(websiteUrl === undefined ? {} : { websiteUrl }),
      ...(icons === undefined ? {} : { icons })
    },
    instructions,
    extensions,
    experimental,
    tools: options.tools ?? [],
    resources: options.resources ?? [],
    prompts: options.prompts ?? []
  })
  assertUnique(id, "tool", contract.tools.map((tool) => tool.name))
  assertUnique(id, "resource", contract.resources.map((resource) => resource.name))
  assertUnique(id, "prompt", contract.prompts.map((prompt) => prompt.name))
  assertUnique(
    id,
    "URI",
    contract.resources.map((resource) => resource.kind === "template" ? resource.uriTemplate : resource.uri)
  )
  return contract as any
}

const assertUnique = (id: string, kind: string, names: ReadonlyArray<string>) => {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw new Error(`The contract "${id}" declares the ${kind} "${name}" twice; rename one of them`)
    seen.add(name)
  }
}
