/** The Router answers every method of the protocol from the registry: the innermost dispatch of a server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Completion from "../../api/Completion.ts"
import { type Dispatch, type FeatureKind, InputRequired, type Invocation } from "../../era/Invocation.ts"
import type { CompleteRequestParams } from "../../protocol/Completion.ts"
import * as Cursor from "../../protocol/Cursor.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { ReadResourceResult } from "../../protocol/Resources.ts"
import * as CallContext from "./callContext.ts"
import type { Area } from "./capabilities.ts"
import type { Completers, Registry } from "./registry.ts"
import { isVisible, type Sources } from "./sources.ts"

/** Caching hints: how long a result stays fresh, and who may share it. */
export interface CacheHints {
  readonly ttlMs: number
  readonly cacheScope: "public" | "private"
}

export interface Options {
  /** Features a page; `undefined` for all on one. */
  readonly pageSize: number | undefined
  readonly sources: Sources
  readonly has: (area: Area) => boolean
  readonly cache: (method: string) => CacheHints
  readonly discover: () => Params
  readonly listen: (params: Params, invocation: Call) => Effect.Effect<Params, McpError.McpError>
}

type Call = Invocation["Service"]
type Reply = Params | InputRequired
type Answer<A = Reply> = Effect.Effect<A, McpError.McpError>

/** What a server has to offer for a method to be one of its methods. */
const areas: ReadonlyMap<string, Area> = new Map<string, Area>([
  ["tools/call", "tools"],
  ["tools/list", "tools"],
  ["resources/read", "resources"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resources"],
  ["resources/subscribe", "resources"],
  ["resources/unsubscribe", "resources"],
  ["prompts/get", "prompts"],
  ["prompts/list", "prompts"],
  ["completion/complete", "completions"]
])

const invalidParams = (detail: string, data?: unknown) =>
  Effect.fail(McpError.make(new McpError.InvalidParams(data === undefined ? { detail } : { detail, data })))

const notFound = (uri: string) => Effect.fail(McpError.make(new McpError.ResourceNotFound({ uri })))

const methodNotFound = (method: string) => Effect.fail(McpError.make(new McpError.MethodNotFound({ method })))

const quote = (u: unknown) => {
  const text = String(u)
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`
}

/** The most proposals in one answer. */
const maxValues = 100

const isList = (answer: Completion.Answer): answer is ReadonlyArray<string> => Array.isArray(answer)

const completion = (answer: Completion.Answer): Params => {
  const { hasMore, total, values } = isList(answer)
    ? { values: answer, total: answer.length, hasMore: undefined }
    : answer
  const sent = values.slice(0, maxValues)
  const more = values.length > sent.length || (hasMore ?? (total !== undefined && total > sent.length))
  return { completion: { values: sent, ...(total === undefined ? {} : { total }), hasMore: more } }
}

const none = completion([])

export const make = (registry: Registry, options: Options): Dispatch => {
  const { sources } = options

  const page = <A>(
    method: string,
    field: string,
    items: ReadonlyArray<A>,
    key: (item: A) => string,
    params: Params
  ): Answer => {
    const paged = Cursor.page(method, items, {
      cursor: params["cursor"] as string | undefined,
      size: options.pageSize,
      key
    })
    if (Result.isFailure(paged)) return Effect.fail(paged.failure)
    const { items: shown, nextCursor } = paged.success
    return Effect.succeed<Params>({
      [field]: shown,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...options.cache(method)
    })
  }

  const mayUse = (
    entry: { readonly name: string; readonly enabled: boolean },
    kind: FeatureKind,
    invocation: Call
  ) => entry.enabled && isVisible(invocation, kind, entry.name)

  const listed = <A extends { readonly name: string; readonly enabled: boolean }, B>(
    entries: Iterable<A>,
    kind: FeatureKind,
    invocation: Call,
    f: (entry: A) => B
  ): Array<B> => {
    const items: Array<B> = []
    for (const entry of entries) if (mayUse(entry, kind, invocation)) items.push(f(entry))
    return items
  }

  // ---- tools

  const callTool = (params: Params, invocation: Call): Answer => {
    const name = params["name"] as string
    const entry = registry.tools.get(name)
    return entry === undefined || !mayUse(entry, "tool", invocation)
      ? invalidParams(`Unknown tool: ${quote(name)}`)
      : entry.call(params["arguments"], invocation) as Effect.Effect<{}, McpError.McpError>
  }

  // ---- resources

  const hinted = (result: ReadResourceResult | InputRequired): Reply =>
    result instanceof InputRequired ? result : { ...options.cache("resources/read"), ...result }

  const readResource = (uri: string, invocation: Call): Answer => {
    const entry = registry.resources.get(uri)
    if (entry !== undefined) {
      // What is hidden is not had from elsewhere either.
      return mayUse(entry, "resource", invocation) ? Effect.map(entry.read(invocation), hinted) : notFound(uri)
    }
    let refusal: McpError.McpError | undefined
    for (const template of registry.templates.values()) {
      if (!mayUse(template, "template", invocation)) continue
      const read = template.read(uri, invocation)
      if (read instanceof McpError.McpError) refusal ??= read
      else if (read !== undefined) return Effect.map(read, hinted)
    }
    const nowhere: Answer<never> = refusal === undefined ? notFound(uri) : Effect.fail(refusal)
    return registry.resourceSources.size === 0 ? nowhere : Effect.flatMap(
      sources.read(uri, invocation),
      Option.match({ onNone: () => nowhere, onSome: (result) => Effect.succeed(hinted(result)) })
    )
  }

  const subscribe = (uri: string, invocation: Call): Answer => {
    const entry = registry.resources.get(uri)
    return entry === undefined || mayUse(entry, "resource", invocation) ? Effect.succeed({}) : notFound(uri)
  }

  /** Subscribes to no resource that the caller does not see. */
  const listen = (params: Params, invocation: Call): Answer => {
    const filter = params["notifications"] as { readonly resourceSubscriptions?: ReadonlyArray<string> }
    const resourceSubscriptions = filter.resourceSubscriptions?.filter((uri) => {
      const entry = registry.resources.get(uri)
      return entry === undefined || mayUse(entry, "resource", invocation)
    })
    return options.listen(
      resourceSubscriptions === undefined ? params : { ...params, notifications: { ...filter, resourceSubscriptions } },
      invocation
    )
  }

  // ---- prompts

  const getPrompt = (params: Params, invocation: Call): Answer => {
    const name = params["name"] as string
    const args = params["arguments"] as { readonly [name: string]: string } | undefined
    const unknown = invalidParams(`Unknown prompt: ${quote(name)}`)
    const entry = registry.prompts.get(name)
    if (entry !== undefined) {
      return mayUse(entry, "prompt", invocation)
        ? entry.get(args, invocation) as Effect.Effect<{}, McpError.McpError>
        : unknown
    }
    return registry.promptSources.size === 0 ? unknown : Effect.flatMap(
      sources.get(name, args ?? {}, invocation),
      Option.match({ onNone: () => unknown, onSome: (result) => Effect.succeed<Reply>({ ...result }) })
    )
  }

  // ---- completions

  const runCompleter = (
    completers: Completers | undefined,
    params: CompleteRequestParams,
    invocation: Call
  ): Answer<Params> => {
    const { name, value } = params.argument
    const completer = completers !== undefined && Object.hasOwn(completers.of, name) ? completers.of[name] : undefined
    return completer === undefined || completers === undefined ? Effect.succeed(none) : Effect.map(
      CallContext.provide(
        completer(value, params.context?.arguments ?? {}) as Effect.Effect<Completion.Answer, McpError.McpError>,
        completers.services,
        invocation
      ),
      completion
    )
  }

  const completePrompt = (name: string, params: CompleteRequestParams, invocation: Call): Answer<Params> => {
    const unknown = invalidParams(`Unknown prompt: ${quote(name)}`)
    const entry = registry.prompts.get(name)
    if (entry !== undefined) {
      return mayUse(entry, "prompt", invocation) ? runCompleter(entry.completers, params, invocation) : unknown
    }
    return Effect.flatMap(
      sources.prompts(invocation),
      (prompts) => prompts.some((prompt) => prompt.name === name) ? Effect.succeed(none) : unknown
    )
  }

  const completeUri = (uri: string, params: CompleteRequestParams, invocation: Call): Answer<Params> => {
    const unknown = invalidParams(`Unknown resource template: ${quote(uri)}`, { uri })
    for (const template of registry.templates.values()) {
      if (template.uriTemplate !== uri) continue
      return mayUse(template, "template", invocation) ? runCompleter(template.completers, params, invocation) : unknown
    }
    const resource = registry.resources.get(uri)
    if (resource !== undefined) return mayUse(resource, "resource", invocation) ? Effect.succeed(none) : unknown
    return Effect.flatMap(
      sources.templates(invocation),
      (templates) => templates.some(({ uriTemplate }) => uriTemplate === uri) ? Effect.succeed(none) : unknown
    )
  }

  const complete = (raw: Params, invocation: Call): Answer<Params> => {
    const params = raw as unknown as CompleteRequestParams
    return params.ref.type === "ref/prompt"
      ? completePrompt(params.ref.name, params, invocation)
      : completeUri(params.ref.uri, params, invocation)
  }

  return (method, params, invocation) => {
    const area = areas.get(method)
    if (area !== undefined && !options.has(area)) return methodNotFound(method)
    switch (method) {
      case "tools/call":
        return callTool(params, invocation)
      case "tools/list":
        return page(
          method,
          "tools",
          listed(registry.tools.values(), "tool", invocation, (entry) => entry.listing(invocation.revision)),
          (tool) => tool.name,
          params
        )
      case "resources/read":
        return readResource(params["uri"] as string, invocation)
      case "resources/list": {
        const own = listed(registry.resources.values(), "resource", invocation, (entry) => entry.listing)
        return Effect.flatMap(
          sources.resources(invocation),
          (others) => page(method, "resources", [...own, ...others], (resource) => resource.uri, params)
        )
      }
      case "resources/templates/list": {
        const own = listed(registry.templates.values(), "template", invocation, (entry) => entry.listing)
        return Effect.flatMap(
          sources.templates(invocation),
          (others) => page(method, "resourceTemplates", [...own, ...others], (template) => template.uriTemplate, params)
        )
      }
      case "prompts/get":
        return getPrompt(params, invocation)
      case "prompts/list": {
        const own = listed(registry.prompts.values(), "prompt", invocation, (entry) => entry.listing)
        return Effect.flatMap(
          sources.prompts(invocation),
          (others) => page(method, "prompts", [...own, ...others], (prompt) => prompt.name, params)
        )
      }
      case "completion/complete":
        return complete(params, invocation)
      case "server/discover":
        return Effect.succeed({ ...options.discover(), ...options.cache(method) })
      case "subscriptions/listen":
        return listen(params, invocation)
      case "resources/subscribe":
      case "resources/unsubscribe":
        return subscribe(params["uri"] as string, invocation)
      case "ping":
      case "logging/setLevel":
        // What these do, they do to the session.
        return Effect.succeed({})
      default: {
        if (invocation.requestId === undefined) {
          const notified = registry.notifications.get(method)
          return notified === undefined ? Effect.succeed({}) : Effect.as(notified(params), {})
        }
        const custom = registry.requests.get(method)
        return custom === undefined ? methodNotFound(method) : custom(params, invocation)
      }
    }
  }
}
