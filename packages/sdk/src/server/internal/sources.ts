/** Consults the sources of a server: what they have beside what is registered, which comes first and hides theirs. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { FeatureKind, Invocation } from "../../era/Invocation.ts"
import type { Resource as ResourceListing } from "../../protocol/Content.ts"
import type { McpError } from "../../protocol/McpError.ts"
import type { GetPromptResult, Prompt as PromptListing } from "../../protocol/Prompts.ts"
import type { ReadResourceResult, ResourceTemplate as TemplateListing } from "../../protocol/Resources.ts"
import * as UriTemplate from "../../protocol/UriTemplate.ts"
import * as PromptEntry from "./promptEntry.ts"
import type { Registry, ResourceSource } from "./registry.ts"
import * as ResourceEntry from "./resourceEntry.ts"

type Call = Invocation["Service"]

export interface Sources {
  readonly resources: (invocation: Call) => Effect.Effect<ReadonlyArray<ResourceListing>, McpError>
  readonly templates: (invocation: Call) => Effect.Effect<ReadonlyArray<TemplateListing>, McpError>
  readonly prompts: (invocation: Call) => Effect.Effect<ReadonlyArray<PromptListing>, McpError>
  readonly read: (uri: string, invocation: Call) => Effect.Effect<Option.Option<ReadResourceResult>, McpError>
  readonly get: (
    name: string,
    args: { readonly [name: string]: string },
    invocation: Call
  ) => Effect.Effect<Option.Option<GetPromptResult>, McpError>
}

/** Whether this caller may see and use a feature. */
export const isVisible = ({ visible }: Call, kind: FeatureKind, name: string): boolean =>
  visible === undefined || visible(kind, name)

const firstSome = Effect.fnUntraced(function*<S, A>(
  sources: Iterable<S>,
  ask: (source: S) => Effect.Effect<Option.Option<A>, McpError>
) {
  for (const source of sources) {
    const answer = yield* ask(source)
    if (Option.isSome(answer)) return answer
  }
  return Option.none<A>()
})

const matches = (template: TemplateListing, uri: string): boolean => {
  const parsed = UriTemplate.parse(template.uriTemplate)
  return Result.isSuccess(parsed) && Option.isSome(UriTemplate.match(parsed.success, uri))
}

/** A URI is visible as the resource that a source lists for it, or as one of a template of the source. */
const mayRead = (source: ResourceSource, uri: string, invocation: Call): Effect.Effect<boolean, McpError> =>
  invocation.visible === undefined ? Effect.succeed(true) : Effect.gen(function*() {
    const resource = (yield* source.list(invocation)).find((listing) => listing.uri === uri)
    if (resource !== undefined) return isVisible(invocation, "resource", resource.name)
    const template = (yield* source.templates(invocation)).find((listing) => matches(listing, uri))
    return template === undefined
      ? isVisible(invocation, "resource", uri)
      : isVisible(invocation, "template", template.name)
  })

/** The lists of all sources as one, each thing once. */
const listAll = <S, A extends { readonly name: string }>(
  sources: ReadonlySet<S>,
  kind: FeatureKind,
  invocation: Call,
  list: (source: S) => Effect.Effect<ReadonlyArray<A>, McpError>,
  keyOf: (item: A) => string,
  isTaken: (key: string) => boolean
): Effect.Effect<ReadonlyArray<A>, McpError> =>
  Effect.map(Effect.forEach(sources, list), (lists) => {
    const seen = new Set<string>()
    return lists.flat().filter((item) => {
      const key = keyOf(item)
      if (seen.has(key) || isTaken(key) || !isVisible(invocation, kind, item.name)) return false
      seen.add(key)
      return true
    })
  })

export const make = ({ promptSources, prompts, resourceSources, resources, templates }: Registry): Sources => {
  const isTemplate = (uriTemplate: string) => {
    for (const template of templates.values()) if (template.uriTemplate === uriTemplate) return true
    return false
  }
  return {
    resources: (invocation) =>
      listAll(
        resourceSources,
        "resource",
        invocation,
        (source) => source.list(invocation),
        (item) => item.uri,
        (uri) => resources.has(uri)
      ),
    templates: (invocation) =>
      listAll(
        resourceSources,
        "template",
        invocation,
        (source) => source.templates(invocation),
        (item) => item.uriTemplate,
        isTemplate
      ),
    prompts: (invocation) =>
      listAll(
        promptSources,
        "prompt",
        invocation,
        (source) => source.list(invocation),
        (item) => item.name,
        (name) => prompts.has(name)
      ),
    read: (uri, invocation) =>
      firstSome(resourceSources, (source) =>
        Effect.flatMap(mayRead(source, uri, invocation), (may) =>
          may
            ? Effect.map(
              source.read(uri)(invocation),
              Option.map((answer) => ResourceEntry.toResult(answer, uri, undefined))
            )
            : Effect.succeed(Option.none()))),
    get: (name, args, invocation) =>
      isVisible(invocation, "prompt", name)
        ? firstSome(promptSources, (source) =>
          Effect.map(
            source.get(name, args)(invocation),
            Option.map((answer) => PromptEntry.toResult(answer, undefined))
          ))
        : Effect.succeed(Option.none())
  }
}
