/** A resource or a template as a server runs it: its listing, and reading from a URI to contents. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonSchemas from "../../api/JsonSchemas.ts"
import type * as Resource from "../../api/Resource.ts"
import type * as ResourceTemplate from "../../api/ResourceTemplate.ts"
import { InputRequired, type Invocation } from "../../era/Invocation.ts"
import type { Resource as ResourceListing, ResourceContents } from "../../protocol/Content.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { ReadResourceResult, ResourceTemplate as TemplateListing } from "../../protocol/Resources.ts"
import * as UriTemplate from "../../protocol/UriTemplate.ts"
import * as CallContext from "./callContext.ts"
import type { Completers, Handler } from "./registry.ts"

export interface ResourceEntry {
  readonly kind: "resource"
  readonly name: string
  readonly uri: string
  readonly listing: ResourceListing
  readonly read: (
    invocation: Invocation["Service"]
  ) => Effect.Effect<ReadResourceResult | InputRequired, McpError.McpError>
  enabled: boolean
}

export interface TemplateEntry {
  readonly kind: "template"
  readonly name: string
  readonly uriTemplate: string
  readonly listing: TemplateListing
  /**
   * Reads a URI that the template matches; nothing for any other, the error itself where the URI matches and a
   * variable is not what its Schema says.
   */
  readonly read: (
    uri: string,
    invocation: Invocation["Service"]
  ) => Effect.Effect<ReadResourceResult | InputRequired, McpError.McpError> | McpError.McpError | undefined
  readonly completers: Completers | undefined
  enabled: boolean
}

/** The answer of a handler or a source as a result. */
export const toResult = (answer: Resource.Answer, uri: string, mimeType: string | undefined): ReadResourceResult => {
  const common = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof answer === "string") return { contents: [{ ...common, text: answer }] }
  if (answer instanceof Uint8Array) return { contents: [{ ...common, blob: Base64.encode(answer) }] }
  if (Array.isArray(answer)) return { contents: answer }
  return "contents" in answer && Array.isArray(answer.contents)
    ? answer as ReadResourceResult
    : { contents: [answer as ResourceContents] }
}

const metadata = (of: Resource.Metadata) => ({
  ...(of.title === undefined ? {} : { title: of.title }),
  ...(of.description === undefined ? {} : { description: of.description }),
  ...(of.mimeType === undefined ? {} : { mimeType: of.mimeType }),
  ...(of.annotations === undefined ? {} : { annotations: of.annotations }),
  ...(of.icons === undefined ? {} : { icons: of.icons }),
  ...(of.meta === undefined ? {} : { _meta: of.meta })
})

const run = (
  { handler, services }: Handler,
  variables: object,
  uri: string,
  mimeType: string | undefined,
  invocation: Invocation["Service"]
): Effect.Effect<ReadResourceResult | InputRequired, McpError.McpError> =>
  Effect.map(
    CallContext.provide(
      handler(variables, uri) as Effect.Effect<Resource.HandlerAnswer, McpError.McpError>,
      services,
      invocation
    ),
    (answer) => answer instanceof InputRequired ? answer : toResult(answer, uri, mimeType)
  )

export const makeResource = (resource: Resource.Any, handler: Handler): ResourceEntry => ({
  kind: "resource",
  name: resource.name,
  uri: resource.uri,
  enabled: true,
  listing: {
    uri: resource.uri,
    name: resource.name,
    ...metadata(resource),
    ...(resource.size === undefined ? {} : { size: resource.size })
  },
  read: (invocation) => run(handler, {}, resource.uri, resource.mimeType, invocation)
})

export const makeTemplate = (
  template: ResourceTemplate.AnyWithSchemas,
  handler: Handler,
  completers: Completers | undefined
): TemplateEntry => {
  const parsed = Result.getOrThrow(UriTemplate.parse(template.uriTemplate))
  // Which of them are there is the template's business.
  const fields = Object.entries(template.variables).map(([name, schema]) => [name, Schema.optionalKey(schema)] as const)
  const decode = JsonSchemas.decoder(
    Schema.Struct(Object.fromEntries(fields)) as unknown as Schema.Codec<{ readonly [name: string]: unknown }>,
    { excess: "ignore" }
  )
  return {
    kind: "template",
    name: template.name,
    uriTemplate: template.uriTemplate,
    enabled: true,
    completers,
    listing: { uriTemplate: template.uriTemplate, name: template.name, ...metadata(template) },
    read: (uri, invocation) => {
      const match = UriTemplate.match(parsed, uri)
      if (Option.isNone(match)) return undefined
      const decoded = decode(match.value)
      if (Result.isFailure(decoded)) {
        const detail = `Invalid variables in ${uri}: ${JsonSchemas.formatIssue(decoded.failure)}`
        return McpError.make(new McpError.InvalidParams({ detail, data: { uri } }))
      }
      return run(handler, { ...match.value, ...decoded.success }, uri, template.mimeType, invocation)
    }
  }
}
