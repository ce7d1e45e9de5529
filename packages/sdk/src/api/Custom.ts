/**
 * Requests and notifications outside of the protocol's own: what extensions and applications add.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A schema of an object that needs no services.
 *
 * @since 0.1.0
 * @category models
 */
export type ObjectSchema = Schema.ConstraintCodec<object, unknown, never, never>

/**
 * A request of one's own: a method with parameters and a result.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request<out Params extends ObjectSchema, out Result extends ObjectSchema> {
  readonly method: string
  readonly params: Params
  readonly result: Result
}

/**
 * A notification of one's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notification<out Params extends ObjectSchema> {
  readonly method: string
  readonly params: Params
}

/**
 * Declares a request of one's own. Name it with a prefix, such as `acme/echo`, so that no revision ever collides.
 *
 * @example
 * ```ts
 * const Echo = Custom.request("acme/echo", {
 *   params: Schema.Struct({ text: Schema.String }),
 *   result: Schema.Struct({ text: Schema.String })
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const request = <Params extends ObjectSchema, Result extends ObjectSchema>(
  method: string,
  schemas: { readonly params: Params; readonly result: Result }
): Request<Params, Result> => ({ method, ...schemas })

/**
 * Declares a notification of one's own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const notification = <Params extends ObjectSchema>(
  method: string,
  schemas: { readonly params: Params }
): Notification<Params> => ({ method, ...schemas })

/**
 * The schema of parameters or results that are not looked into.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Anything: Schema.Codec<{ readonly [key: string]: unknown }> = Schema.Record(Schema.String, Schema.Unknown)
