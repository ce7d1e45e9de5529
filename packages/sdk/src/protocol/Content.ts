/**
 * Blocks of content: text, images, audio, links to resources and resources themselves.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import type { EncodingError } from "effect/encoding/EncodingError"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type Icon, icons, title } from "./Implementation.ts"
import { MetaObject } from "./Meta.ts"
import { advisory, fallback, since } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * Who speaks, or is meant.
 *
 * @since 0.1.0
 * @category models
 */
export type Role = "user" | "assistant"

/**
 * The schema of `Role`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Role: Wire.Wire<Role> = Schema.Literals(["user", "assistant"])

/**
 * Hints about content or a resource.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations
 * @since 0.1.0
 * @category models
 */
export interface Annotations {
  /** Whom it is meant for. */
  readonly audience?: ReadonlyArray<Role>
  /** From 0, entirely optional, to 1, effectively required. */
  readonly priority?: number
  /** An ISO 8601 instant. Since 2025-06-18. */
  readonly lastModified?: string
}

/**
 * The schema of `Annotations`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Annotations: Wire.Wire<Annotations> = Wire.struct<Annotations>("Annotations", {
  audience: Schema.Array(Role).pipe(Schema.optionalKey),
  priority: Wire.Fraction.pipe(Schema.optionalKey),
  lastModified: Wire.Instant.pipe(Schema.optionalKey, since("2025-06-18"))
})

/**
 * The `_meta` of whatever is described or carried. Since 2025-06-18.
 *
 * @since 0.1.0
 * @category fields
 */
export const meta = MetaObject.pipe(Schema.optionalKey, since("2025-06-18"))

/**
 * The `annotations` of whatever is described or carried.
 *
 * @since 0.1.0
 * @category fields
 */
export const annotations = Annotations.pipe(Schema.optionalKey, advisory)

const optionalString = Schema.String.pipe(Schema.optionalKey)

/**
 * Text.
 *
 * @since 0.1.0
 * @category models
 */
export interface TextContent {
  readonly type: "text"
  readonly text: string
  readonly annotations?: Annotations
  readonly _meta?: MetaObject
}

/**
 * The schema of `TextContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TextContent: Wire.Wire<TextContent> = Wire.struct<TextContent>("TextContent", {
  type: Schema.Literal("text"),
  text: Schema.String,
  annotations,
  _meta: meta
})

/**
 * An image.
 *
 * @since 0.1.0
 * @category models
 */
export interface ImageContent {
  readonly type: "image"
  /** Base64; see `bytes`. */
  readonly data: string
  readonly mimeType: string
  readonly annotations?: Annotations
  readonly _meta?: MetaObject
}

/**
 * The schema of `ImageContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ImageContent: Wire.Wire<ImageContent> = Wire.struct<ImageContent>("ImageContent", {
  type: Schema.Literal("image"),
  data: Wire.Base64,
  mimeType: Schema.String,
  annotations,
  _meta: meta
})

/**
 * Audio. Since 2025-03-26.
 *
 * @since 0.1.0
 * @category models
 */
export interface AudioContent {
  readonly type: "audio"
  /** Base64; see `bytes`. */
  readonly data: string
  readonly mimeType: string
  readonly annotations?: Annotations
  readonly _meta?: MetaObject
}

/**
 * The schema of `AudioContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AudioContent: Wire.Wire<AudioContent> = Wire.struct<AudioContent>("AudioContent", {
  type: Schema.Literal("audio"),
  data: Wire.Base64,
  mimeType: Schema.String,
  annotations,
  _meta: meta
}).pipe(since("2025-03-26"))

/**
 * The contents of a resource, as text.
 *
 * @since 0.1.0
 * @category models
 */
export interface TextResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
  readonly _meta?: MetaObject
}

/**
 * The schema of `TextResourceContents`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TextResourceContents: Wire.Wire<TextResourceContents> = Wire.struct<TextResourceContents>(
  "TextResourceContents",
  { uri: Wire.Uri, mimeType: optionalString, text: Schema.String, _meta: meta }
)

/**
 * The contents of a resource, as bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlobResourceContents {
  readonly uri: string
  readonly mimeType?: string
  /** Base64; see `bytes`. */
  readonly blob: string
  readonly _meta?: MetaObject
}

/**
 * The schema of `BlobResourceContents`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BlobResourceContents: Wire.Wire<BlobResourceContents> = Wire.struct<BlobResourceContents>(
  "BlobResourceContents",
  { uri: Wire.Uri, mimeType: optionalString, blob: Wire.Base64, _meta: meta }
)

/**
 * The contents of a resource, one way or the other: `"text" in contents` tells them apart.
 *
 * @since 0.1.0
 * @category models
 */
export type ResourceContents = TextResourceContents | BlobResourceContents

/**
 * The schema of `ResourceContents`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceContents: Wire.Wire<ResourceContents> = Schema.Union([TextResourceContents, BlobResourceContents])

/**
 * A resource carried along with its contents.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbeddedResource {
  readonly type: "resource"
  readonly resource: ResourceContents
  readonly annotations?: Annotations
  readonly _meta?: MetaObject
}

/**
 * The schema of `EmbeddedResource`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EmbeddedResource: Wire.Wire<EmbeddedResource> = Wire.struct<EmbeddedResource>("EmbeddedResource", {
  type: Schema.Literal("resource"),
  resource: ResourceContents,
  annotations,
  _meta: meta
})

/**
 * A resource that a server can read: what `resources/list` says of it, and a link carries.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resource
 * @since 0.1.0
 * @category models
 */
export interface Resource {
  readonly uri: string
  readonly name: string
  /** Since 2025-06-18. */
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly annotations?: Annotations
  /** The size of the raw contents, in bytes. */
  readonly size?: number
  /** Since 2025-11-25. */
  readonly icons?: ReadonlyArray<Icon>
  readonly _meta?: MetaObject
}

const resourceFields: Wire.Fields<Resource> = {
  uri: Wire.Uri,
  name: Schema.String,
  title,
  description: optionalString,
  mimeType: optionalString,
  annotations,
  size: Wire.Integer.pipe(Schema.optionalKey, advisory),
  icons,
  _meta: meta
}

/**
 * The schema of `Resource`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Resource: Wire.Wire<Resource> = Wire.struct<Resource>("Resource", resourceFields)

/**
 * A link to a resource that the server can read, listed or not. Since 2025-06-18.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResourceLink extends Resource {
  readonly type: "resource_link"
}

/**
 * The schema of `ResourceLink`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResourceLink: Wire.Wire<ResourceLink> = Wire.struct<ResourceLink>("ResourceLink", {
  type: Schema.Literal("resource_link"),
  ...resourceFields
}).pipe(since("2025-06-18"))

/**
 * A block of a type that this SDK does not know, from a newer peer: as it came, under `block`.
 *
 * One such block does not make the rest of a result unreadable. It is written as it came.
 *
 * @since 0.1.0
 * @category models
 */
export interface UnknownContent {
  readonly type: "unknown"
  readonly block: Wire.JsonObject
}

const known: ReadonlySet<string> = new Set([
  "text",
  "image",
  "audio",
  "resource",
  "resource_link",
  "tool_use",
  "tool_result"
])

const UnknownBlock = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.String.check(
      Schema.makeFilter((type: string) => !known.has(type), { expected: "a type of content that is not known" })
    )
  }),
  [Schema.Record(Schema.String, Wire.Json)]
).pipe(fallback)

/**
 * The schema of `UnknownContent`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UnknownContent: Wire.Wire<UnknownContent> = UnknownBlock.pipe(
  Schema.decodeTo(
    Schema.Struct({ type: Schema.Literal("unknown"), block: UnknownBlock }),
    SchemaTransformation.transform({
      decode: (block) => ({ type: "unknown" as const, block }),
      encode: ({ block }) => block
    })
  ),
  fallback
)

/**
 * One block of content of a tool's result or a prompt's message.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock
 * @since 0.1.0
 * @category models
 */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource
  | UnknownContent

/**
 * The schema of `ContentBlock`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ContentBlock: Wire.Wire<ContentBlock> = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ResourceLink,
  EmbeddedResource,
  UnknownContent
])

// ---------------------------------------------------------------------------------------------------------------
// Constructors
// ---------------------------------------------------------------------------------------------------------------

/**
 * What any block may have besides its content.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly annotations?: Annotations
  readonly _meta?: MetaObject
}

/**
 * A block of text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const text = (text: string, options?: Options): TextContent => ({ type: "text", text, ...options })

const base64 = (data: Uint8Array | string): string => typeof data === "string" ? data : Base64.encode(data)

/**
 * An image, from its bytes or from Base64.
 *
 * @since 0.1.0
 * @category constructors
 */
export const image = (data: Uint8Array | string, mimeType: string, options?: Options): ImageContent => ({
  type: "image",
  data: base64(data),
  mimeType,
  ...options
})

/**
 * Audio, from its bytes or from Base64.
 *
 * @since 0.1.0
 * @category constructors
 */
export const audio = (data: Uint8Array | string, mimeType: string, options?: Options): AudioContent => ({
  type: "audio",
  data: base64(data),
  mimeType,
  ...options
})

/**
 * A link to a resource.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resourceLink = (resource: Resource): ResourceLink => ({ ...resource, type: "resource_link" })

/**
 * The contents of a resource as text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const textContents = (
  uri: string,
  text: string,
  options?: { readonly mimeType?: string; readonly _meta?: MetaObject }
): TextResourceContents => ({ uri, text, ...options })

/**
 * The contents of a resource as bytes, from its bytes or from Base64.
 *
 * @since 0.1.0
 * @category constructors
 */
export const blobContents = (
  uri: string,
  blob: Uint8Array | string,
  options?: { readonly mimeType?: string; readonly _meta?: MetaObject }
): BlobResourceContents => ({ uri, blob: base64(blob), ...options })

/**
 * A resource carried along: `Content.resource(Content.textContents("file:///a.md", "# A"))`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resource = (resource: ResourceContents, options?: Options): EmbeddedResource => ({
  type: "resource",
  resource,
  ...options
})

/**
 * The bytes of an image, of audio or of a resource's blob. Fails where they are no Base64, as `Base64.decode` does.
 *
 * @since 0.1.0
 * @category getters
 */
export const bytes = (
  content: ImageContent | AudioContent | BlobResourceContents
): Result.Result<Uint8Array, EncodingError> => Base64.decode("blob" in content ? content.blob : content.data)
