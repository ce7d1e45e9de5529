/**
 * Rounds of input, for handlers that want more than to ask: effects that are not repeated, and questions by hand.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InputRequired, Invocation, type Received } from "../era/Invocation.ts"
import type { InputRequest } from "../protocol/Input.ts"
import type { McpError } from "../protocol/McpError.ts"
import * as JsonSchemas from "./JsonSchemas.ts"

/**
 * Runs an effect once a request, however often the handler is run: its result is remembered, encoded by the Schema. An
 * effect that fails or is interrupted is not remembered. Two under one key wait for each other.
 *
 * The result travels, encrypted, with the question that is asked next. So an effect is run again where no question
 * carried its result: in a round that failed or was cancelled, or when it came to its end between two rounds of a
 * handler that was evicted then. A client may also send one retry twice. What must not happen twice in the world needs
 * an idempotency key of its own.
 *
 * @example
 * ```ts
 * const order = yield* Input.once("order", Schema.String, createOrder)
 * const answer = yield* Elicit.form("Pay now?", { pay: Schema.Boolean })
 * ```
 *
 * @since 0.1.0
 * @category rounds
 */
export const once = <A, E, R>(
  key: string,
  schema: Schema.ConstraintCodec<A, unknown, never, never>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | McpError, R | Invocation> =>
  Effect.flatMap(Invocation, (invocation) => {
    const codec = Schema.toCodecJson(schema)
    const fits = <B>(result: Result.Result<B, Schema.SchemaError>): Effect.Effect<B> =>
      Result.isSuccess(result)
        ? Effect.succeed(result.success)
        : Effect.die(new Error(`Input.once("${key}"): ${JsonSchemas.formatIssue(result.failure)}`))
    const encoded = Effect.flatMap(effect, (value) => fits(Schema.encodeUnknownResult(codec)(value)))
    // The effect passes through the invocation, which looks into none of its failures and runs it in this very fiber.
    return Effect.flatMap(
      invocation.once(key, encoded as Effect.Effect<unknown, any>) as Effect.Effect<unknown, E | McpError, R>,
      (value) => fits(Schema.decodeUnknownResult(codec)(value))
    )
  })

/**
 * Answers with questions of one's own, by key, and a state to be remembered: any JSON value. The handler is run again
 * when the answers are there, and finds both in `received`. In the handshake era the questions are asked as requests,
 * all at once.
 *
 * @since 0.1.0
 * @category rounds
 */
export const required = (options: {
  readonly requests?: { readonly [key: string]: InputRequest } | undefined
  readonly state?: unknown
}): InputRequired => new InputRequired(options.requests ?? {}, options.state)

/**
 * What came back for `required`: `undefined` in the first round. `responses` are the client's answers to what was asked,
 * each in the form of its method; a client need not give all. `state` is what was given, and only this server can have
 * given it.
 *
 * Where a client sends answers and no state, which only a client does that does not keep to the protocol, `state` is
 * `undefined` and nobody has looked into the responses.
 *
 * @since 0.1.0
 * @category rounds
 */
export const received: Effect.Effect<Received | undefined, never, Invocation> = Effect.map(
  Invocation,
  (invocation) => invocation.received
)
