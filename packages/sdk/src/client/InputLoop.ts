/**
 * The client's side of input in the middle of a call (2026-07-28): answer what the server asks, send the call again.
 *
 * All that a round needs is in it: nothing is remembered between calls.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"

/**
 * The bounds of a loop.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** How often a server may ask in one call. Default: 10. */
  readonly maxRounds?: number | undefined
  /** How many questions one round may have. Default: 100. */
  readonly maxQuestions?: number | undefined
  /** How long the answers to one round may take. Default: 10 minutes. */
  readonly roundTimeout?: Duration.Input | undefined
}

/**
 * A call as the loop sees it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly method: string
  /** The params of the call, without `inputResponses` and `requestState`. */
  readonly params: Params
  /** Makes the call once, with a new id, and gives its result, whatever that is. */
  readonly send: (params: Params) => Effect.Effect<Params, McpError.McpError>
  /** Answers one question: a method and its params, as the server sent them. */
  readonly answer: (method: string, params: Params) => Effect.Effect<Params, McpError.McpError>
}

/**
 * Whether a result asks back. Its `resultType` alone decides.
 *
 * @since 0.1.0
 * @category guards
 */
export const asksBack = (result: Params): boolean => result["resultType"] === "input_required"

const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

const invalid = (detail: string, data: Params) =>
  Effect.fail(McpError.make(new McpError.InvalidPeerMessage({ detail, data })))

/** A server that asks nothing wants to be asked again: at once, then ever more slowly. */
const pace = (idleRounds: number): Duration.Duration => Duration.millis(Math.min(100 * 2 ** idleRounds, 5000))

/**
 * Goes on from a result that asks back until there is one that does not. The questions of a round are answered
 * concurrently; the first failure ends the others and the call. Fails with `TooManyRounds` at the limit, with
 * `InvalidPeerMessage` where the result asks for nothing or for what is no question.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow
 * @since 0.1.0
 * @category running
 */
export const run = Effect.fnUntraced(function*(
  call: Call,
  first: Params,
  limits?: Limits
): Effect.fn.Return<Params, McpError.McpError> {
  const { method } = call
  const maxRounds = limits?.maxRounds ?? 10
  const maxQuestions = limits?.maxQuestions ?? 100
  let result = first
  let idle = 0
  for (let round = 0; asksBack(result); round++) {
    if (round >= maxRounds) {
      return yield* Effect.fail(McpError.make(new McpError.TooManyRounds({ method, rounds: round })))
    }
    const { inputRequests: requests, requestState: state } = result
    if (requests !== undefined && requests !== null && !isObject(requests)) {
      return yield* invalid(`inputRequests in the result of ${method} is no object`, result)
    }
    if (state !== undefined && state !== null && typeof state !== "string") {
      return yield* invalid(`requestState in the result of ${method} is no string`, result)
    }
    const questions = Object.entries(requests ?? {})
    if (questions.length === 0 && typeof state !== "string") {
      return yield* invalid(`${method} asks for input but says neither what nor why`, result)
    }
    if (questions.length > maxQuestions) {
      return yield* invalid(`${method} asks ${questions.length} questions at once`, result)
    }
    const retry: Record<string, unknown> = { ...call.params }
    if (questions.length > 0) {
      retry["inputResponses"] = yield* answerAll(call, questions, limits?.roundTimeout)
    } else {
      if (idle > 0) yield* Effect.sleep(pace(idle))
      idle++
    }
    if (typeof state === "string") retry["requestState"] = state
    result = yield* call.send(retry)
  }
  return result
})

const answerAll = (
  call: Call,
  questions: ReadonlyArray<readonly [string, unknown]>,
  roundTimeout: Duration.Input | undefined
): Effect.Effect<Params, McpError.McpError> =>
  Effect.suspend(() => {
    for (const [key, question] of questions) {
      if (!isObject(question) || typeof question["method"] !== "string") {
        return invalid(`${call.method} asks for ${JSON.stringify(key)} by what is no request`, { [key]: question })
      }
    }
    const timeout = roundTimeout ?? Duration.minutes(10)
    return Effect.map(
      Effect.forEach(
        questions as ReadonlyArray<readonly [string, { readonly method: string; readonly params?: unknown }]>,
        ([key, { method, params }]) =>
          Effect.timeoutOrElse(
            Effect.map(call.answer(method, isObject(params) ? params : {}), (answer) => [key, answer] as const),
            {
              duration: timeout,
              orElse: () =>
                Effect.fail(McpError.make(
                  new McpError.InputNotGiven({
                    method,
                    detail: `nothing within ${Duration.format(Duration.fromInputUnsafe(timeout))}`
                  })
                ))
            }
          ),
        { concurrency: "unbounded" }
      ),
      // Not by assignment: a key may be "__proto__".
      (answers): Params => Object.fromEntries(answers)
    )
  })
