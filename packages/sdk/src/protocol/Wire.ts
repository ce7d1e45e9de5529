/**
 * The schemas that wire models are made of: structs that lose nothing unknown, and JSON leaves.
 *
 * `Schema.Struct` strips what it does not know. A peer may be newer than this SDK, a vendor may add members, and the
 * specification allows them nearly everywhere, so a wire struct keeps them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { lenient } from "./Projection.ts"

/**
 * A schema of the wire: `T` within, JSON without.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire<out T> extends Schema.Codec<T, unknown> {
  readonly "Rebuild": Wire<T>
}

/**
 * A JSON object whose members are not further known.
 *
 * @since 0.1.0
 * @category models
 */
export type JsonObject = { readonly [key: string]: unknown }

/**
 * Any JSON value.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Json: Schema.Codec<unknown> = Schema.Json

/**
 * Any JSON object.
 *
 * @since 0.1.0
 * @category schemas
 */
export const JsonObject: Schema.Codec<JsonObject> = Schema.Record(Schema.String, Json)

const rest = [new SchemaAST.IndexSignature(Schema.String.ast, Json.ast)]

type Field<T, K extends keyof T> = {} extends Pick<T, K>
  ? Schema.Codec<Required<T>[K], unknown> & { readonly "~type.optionality": "optional" }
  : Schema.Codec<T[K], unknown>

/**
 * A schema for each named field of `T`, optional where the field is.
 *
 * @since 0.1.0
 * @category models
 */
export type Fields<T> = { readonly [K in keyof T as string extends K ? never : K]-?: Field<T, K> }

/**
 * A struct that keeps the members it does not know, on the way in and on the way out.
 *
 * The interface is written by hand, with its documentation on the fields; the schema is checked against it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const struct = <T extends object>(identifier: string, fields: Fields<T>): Wire<T> =>
  // What `Schema.StructWithRest` makes of a struct and a record, without the steps between: start-up counts.
  Schema.make<Wire<T>>(
    new SchemaAST.Objects(
      Object.entries<Schema.Constraint>(fields).map(([name, field]) =>
        new SchemaAST.PropertySignature(name, field.ast)
      ),
      rest,
      { identifier }
    )
  )

/**
 * A finite number, the only kind JSON has.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Number: Schema.Codec<number> = Schema.Finite

/**
 * An integer. Only the writer is held to it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Integer: Schema.Codec<number> = Schema.Int.pipe(lenient)

/**
 * A number from 0 to 1. Only the writer is held to it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fraction: Schema.Codec<number> = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  .pipe(lenient)

/**
 * A URI. Its syntax is not checked: peers send what they send, and it is compared as text.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Uri: Schema.Codec<string> = Schema.String.annotate({ format: "uri" })

/**
 * A URI of a file or directory on the client's side. Its syntax is not checked.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileUri: Schema.Codec<string> = Schema.String.annotate({ format: "file-uri" })

/**
 * An ISO 8601 instant. Its syntax is not checked.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Instant: Schema.Codec<string> = Schema.String.annotate({ format: "date-time" })

/**
 * A template of URIs, RFC 6570. Its syntax is not checked here; see `UriTemplate`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UriTemplate: Schema.Codec<string> = Schema.String.annotate({ format: "uri-template" })

/**
 * Bytes in Base64, kept as text; see `Content` for reading and making it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Base64: Schema.Codec<string> = Schema.String.annotate({ format: "byte" })
