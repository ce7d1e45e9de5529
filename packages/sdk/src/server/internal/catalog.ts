/** The Catalog of a server: changes its registry, and tells of it once a kind however often it changed at a time. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Catalog, type PromptSource, type ResourceSource } from "../../api/Catalog.ts"
import type { Changes } from "../../api/Changes.ts"
import * as JsonSchemas from "../../api/JsonSchemas.ts"
import * as McpApi from "../../api/McpApi.ts"
import type * as Prompt from "../../api/Prompt.ts"
import type * as ResourceTemplate from "../../api/ResourceTemplate.ts"
import type * as Tool from "../../api/Tool.ts"
import type { FeatureKind, Invocation } from "../../era/Invocation.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as CallContext from "./callContext.ts"
import * as PromptEntry from "./promptEntry.ts"
import { type CustomNotification, type CustomRequest, type Handler, put, type Registry } from "./registry.ts"
import * as ResourceEntry from "./resourceEntry.ts"
import * as ToolEntry from "./toolEntry.ts"

const changeOf = { tool: "Tools", resource: "Resources", template: "Resources", prompt: "Prompts" } as const

/** Changes the registry of one server. `callServices` are those that every handler of it gets. */
export const make = (
  registry: Registry,
  changes: Changes["Service"],
  callServices: () => Context.Context<never>
): Catalog["Service"] => {
  const changed = (kind: FeatureKind) => changes.publish({ _tag: changeOf[kind] })

  const withServices = <A, R>(
    f: (services: Context.Context<never>) => Effect.Effect<A, never, R>
  ): Effect.Effect<A, never, R> =>
    Effect.flatMap(McpApi.capture<never>(), (own) => f(Context.merge(own, callServices()) as Context.Context<never>))

  const find = (
    kind: FeatureKind,
    name: string
  ): { readonly key: string; readonly entry: { enabled: boolean } } | undefined => {
    if (kind === "resource") {
      for (const [key, entry] of registry.resources) if (entry.name === name) return { key, entry }
      return undefined
    }
    const entry = mapOf(registry, kind).get(name)
    return entry && { key: name, entry }
  }

  const setEnabled = (enabled: boolean) => (kind: FeatureKind, name: string) =>
    Effect.suspend(() => {
      const found = find(kind, name)
      if (found === undefined) return Effect.succeed(false)
      if (found.entry.enabled === enabled) return Effect.succeed(true)
      found.entry.enabled = enabled
      return Effect.as(changed(kind), true)
    })

  return Catalog.of({
    addTool: (tool, handler) =>
      withServices((services) => {
        registry.tools.set(tool.name, ToolEntry.make(tool as Tool.Any as Tool.AnyWithSchemas, bound(handler, services)))
        return changed("tool")
      }),
    addResource: (resource, handler) =>
      withServices((services) => {
        const entry = ResourceEntry.makeResource(resource, bound(handler, services))
        put(registry.resources, entry.uri, entry, ({ name, uri }) => name === entry.name || uri === entry.uri)
        return changed("resource")
      }),
    addTemplate: (template, handler, completers) =>
      withServices((services) => {
        const entry = ResourceEntry.makeTemplate(
          template as ResourceTemplate.Any as ResourceTemplate.AnyWithSchemas,
          bound(handler, services),
          completers && { of: completers, services }
        )
        put(
          registry.templates,
          entry.name,
          entry,
          ({ name, uriTemplate }) => name === entry.name || uriTemplate === entry.uriTemplate
        )
        return changed("template")
      }),
    addPrompt: (prompt, handler, completers) =>
      withServices((services) => {
        registry.prompts.set(
          prompt.name,
          PromptEntry.make(
            prompt as Prompt.Any as Prompt.AnyWithSchemas,
            bound(handler, services),
            completers && { of: completers, services }
          )
        )
        return changed("prompt")
      }),
    addRequest: (request, handler) =>
      withServices((services) =>
        Effect.sync(() => {
          registry.requests.set(request.method, customRequest(request.params, request.result, bound(handler, services)))
        })
      ),
    addNotification: (notification, handler) =>
      withServices((services) =>
        Effect.sync(() => {
          registry.notifications.set(
            notification.method,
            customNotification(notification.params, bound(handler, services))
          )
        })
      ),
    addResourceSource: <R>(source: ResourceSource<R>) =>
      withServices((services) => {
        const provide: Provide<R> = (effect) => (invocation) => CallContext.provide(effect, services, invocation)
        return registered(registry.resourceSources, {
          list: provide(source.list),
          templates: source.templates === undefined ? () => Effect.succeed([]) : provide(source.templates),
          read: (uri) => provide(source.read(uri))
        }, changed("resource"))
      }),
    addPromptSource: <R>(source: PromptSource<R>) =>
      withServices((services) => {
        const provide: Provide<R> = (effect) => (invocation) => CallContext.provide(effect, services, invocation)
        return registered(registry.promptSources, {
          list: provide(source.list),
          get: (name, args) => provide(source.get(name, args))
        }, changed("prompt"))
      }),
    remove: (kind, name) =>
      Effect.suspend(() => {
        const found = find(kind, name)
        if (found === undefined) return Effect.succeed(false)
        mapOf(registry, kind).delete(found.key)
        return Effect.as(changed(kind), true)
      }),
    disable: setEnabled(false),
    enable: setEnabled(true),
    names: (kind) => Effect.sync(() => [...mapOf(registry, kind).values()].map((entry) => entry.name))
  })
}

type Provide<R> = <A>(
  effect: Effect.Effect<A, McpError.McpError, R>
) => (invocation: Invocation["Service"]) => Effect.Effect<A, McpError.McpError>

const registered = <A>(sources: Set<A>, source: A, changed: Effect.Effect<void>) =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.andThen(Effect.sync(() => sources.add(source)), changed),
    () => Effect.andThen(Effect.sync(() => sources.delete(source)), changed)
  ))

/** A handler whose requirements are among the services beside it: the signatures of the Catalog see to that. */
const bound = <A, E>(
  handler: (...args: ReadonlyArray<any>) => Effect.Effect<A, E, any>,
  services: Context.Context<never>
): Handler<A, E> => ({ handler: handler as Handler<A, E>["handler"], services })

const mapOf = (registry: Registry, kind: FeatureKind): Map<string, { readonly name: string; enabled: boolean }> => {
  switch (kind) {
    case "tool":
      return registry.tools
    case "resource":
      return registry.resources
    case "template":
      return registry.templates
    case "prompt":
      return registry.prompts
  }
}

const customRequest = (
  params: Schema.ConstraintCodec<object, unknown, never, never>,
  result: Schema.ConstraintCodec<object, unknown, never, never>,
  { handler: run, services }: Handler<object, McpError.McpError>
): CustomRequest => {
  const decode = JsonSchemas.decoder(params, { excess: "ignore" })
  const encode = JsonSchemas.encoder(result)
  return (raw, invocation) => {
    const decoded = decode(raw)
    if (Result.isFailure(decoded)) {
      const detail = `Invalid params of ${invocation.method}: ${JsonSchemas.formatIssue(decoded.failure)}`
      return Effect.fail(McpError.make(new McpError.InvalidParams({ detail })))
    }
    return Effect.flatMap(
      CallContext.provide(run(decoded.success), services, invocation),
      (answer) => {
        const encoded = encode(answer)
        return Result.isSuccess(encoded)
          ? Effect.succeed(encoded.success as Params)
          : Effect.die(
            new Error(
              `The handler of ${invocation.method} broke its contract: ${JsonSchemas.formatIssue(encoded.failure)}`
            )
          )
      }
    )
  }
}

const customNotification = (
  params: Schema.ConstraintCodec<object, unknown, never, never>,
  { handler: run, services }: Handler<void, never>
): CustomNotification => {
  const decode = JsonSchemas.decoder(params, { excess: "ignore" })
  return (raw) => {
    const decoded = decode(raw)
    return Result.isFailure(decoded)
      ? Effect.logDebug(`A notification is not what was declared: ${JsonSchemas.formatIssue(decoded.failure)}`)
      : Effect.provideContext(Effect.scoped(run(decoded.success)), services)
  }
}
