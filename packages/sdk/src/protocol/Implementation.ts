/**
 * Who speaks: the name, version and icons by which clients, servers and features introduce themselves.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { advisory, since } from "./Projection.ts"
import * as Wire from "./Wire.ts"

/**
 * A picture for a user interface. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#icon
 * @since 0.1.0
 * @category models
 */
export interface Icon {
  /** An HTTP(S) URL or a `data:` URI. */
  readonly src: string
  readonly mimeType?: string
  /** Sizes such as `"48x48"`, or `"any"` for scalable formats. */
  readonly sizes?: ReadonlyArray<string>
  /** The background that the icon is drawn for. */
  readonly theme?: "light" | "dark"
}

/**
 * The schema of `Icon`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Icon: Wire.Wire<Icon> = Wire.struct<Icon>("Icon", {
  src: Wire.Uri,
  mimeType: Schema.String.pipe(Schema.optionalKey),
  sizes: Schema.Array(Schema.String).pipe(Schema.optionalKey, advisory),
  theme: Schema.Literals(["light", "dark"]).pipe(Schema.optionalKey, advisory)
})

/**
 * The `icons` of whatever has them.
 *
 * @since 0.1.0
 * @category fields
 */
export const icons = Schema.Array(Icon).pipe(Schema.optionalKey, since("2025-11-25"), advisory)

/**
 * The `title` of whatever has a name: what to show in a user interface.
 *
 * @since 0.1.0
 * @category fields
 */
export const title = Schema.String.pipe(Schema.optionalKey, since("2025-06-18"))

/**
 * The name and version of a client or server.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation
 * @since 0.1.0
 * @category models
 */
export interface Implementation {
  readonly name: string
  readonly version: string
  /** The name to show in a user interface. Since 2025-06-18. */
  readonly title?: string
  /** Since 2025-11-25. */
  readonly description?: string
  /** Since 2025-11-25. */
  readonly websiteUrl?: string
  /** Since 2025-11-25. */
  readonly icons?: ReadonlyArray<Icon>
}

/**
 * The schema of `Implementation`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Implementation: Wire.Wire<Implementation> = Wire.struct<Implementation>("Implementation", {
  name: Schema.String,
  version: Schema.String,
  title,
  description: Schema.String.pipe(Schema.optionalKey, since("2025-11-25")),
  websiteUrl: Wire.Uri.pipe(Schema.optionalKey, since("2025-11-25")),
  icons
})
