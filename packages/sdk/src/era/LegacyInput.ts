/**
 * Asking in the handshake era: a question to the client is a request of the server, and the handler waits for it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InputRequest } from "../protocol/Input.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import type { Revision } from "../protocol/Revision.ts"
import * as Input from "./Input.ts"
import { InputRequired, type Invocation, type Received } from "./Invocation.ts"
import * as Question from "./Question.ts"

/**
 * Sends a request to the client.
 *
 * @since 0.1.0
 * @category models
 */
export type Request = (
  method: string,
  params: Params,
  options: { readonly timeout: Duration.Input }
) => Effect.Effect<Params, McpError.McpError>

/** An error of the client is about its question; as an error of the call it would mislead. */
const refused = (method: string, error: McpError.McpError, revision: Revision): McpError.McpError => {
  if (McpError.isLocal(error)) return error
  const { code, data, message } = McpError.toJsonRpc(error, revision)
  return McpError.make(
    new McpError.ClientRefused({ method, code, detail: message, ...(data === undefined ? {} : { data }) })
  )
}

/**
 * `Invocation.ask` of the handshake era. An error that the client answers with becomes `ClientRefused`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ask =
  (request: Request, asked: Question.Asked, timeout: Duration.Duration): Invocation["Service"]["ask"] =>
  (method, params, options) =>
    Effect.suspend(() => {
      const { revision } = asked
      const question = Question.make(method, params, asked)
      if (Result.isFailure(question)) return Effect.fail(question.failure)
      return Effect.matchEffect(request(method, question.success.params, { timeout: options?.timeout ?? timeout }), {
        onFailure: (error) => Effect.fail(refused(method, error, revision)),
        onSuccess: (answer) =>
          Effect.fromResult(Question.decodeAnswer(question.success.method, answer, revision, options?.check))
      })
    })

/** Asks for all at once what a handler asks for by hand. */
const askAll = (
  invocation: Invocation["Service"],
  requests: InputRequired["requests"]
): Effect.Effect<Received["responses"], McpError.McpError> =>
  Effect.map(
    Effect.forEach(
      Object.entries<InputRequest>(requests),
      ([key, { method, params }]) =>
        Effect.map(invocation.ask(method, { ...params }), (answer) => [key, answer] as const),
      { concurrency: "unbounded" }
    ),
    Object.fromEntries
  )

/**
 * Runs a handler; where it answers with questions by hand, they are asked and it is run again with the answers.
 *
 * @since 0.1.0
 * @category running
 */
export const run = (
  invocation: Invocation["Service"],
  handler: Input.Handler,
  maxRounds: number
): Effect.Effect<Params, McpError.McpError> => {
  const round = (received: Received | undefined, rounds: number): Effect.Effect<Params, McpError.McpError> =>
    Effect.flatMap(
      Effect.suspend(() => handler(received === undefined ? invocation : { ...invocation, received })),
      (reply) => {
        if (!(reply instanceof InputRequired)) return Effect.succeed(reply)
        return rounds >= maxRounds
          ? Effect.fail(Input.tooManyRounds(invocation.method, maxRounds))
          : Effect.flatMap(
            askAll(invocation, reply.requests),
            (responses) => round({ state: reply.state, responses }, rounds + 1)
          )
      }
    )
  return round(undefined, 0)
}
