/**
 * One ask, two readings: in the modern era a question to the client ends the request with `input_required`, and the
 * handler waits, kept, for the retry; where none is kept, it runs again with the answers so far.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { InputRequest } from "../protocol/Input.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Method from "../protocol/Method.ts"
import * as InputState from "./InputState.ts"
import { type Answers, Flow } from "./internal/flow.ts"
import * as Kept from "./internal/kept.ts"
import { InputRequired, type Invocation, type Received } from "./Invocation.ts"
import * as Once from "./Once.ts"
import * as Question from "./Question.ts"

/**
 * How questions are asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a handler is kept for the retry of its request. 0 keeps none. */
  readonly inputTimeout: Duration.Duration
  /** Handlers kept at one time, for all principals together. 0 keeps none. */
  readonly maxKept: number
  /** Handlers kept at one time for one principal. 0 keeps none. */
  readonly maxKeptPerPrincipal: number
  /** How often one request may ask. */
  readonly maxRounds: number
  readonly stateKeys: ReadonlyArray<InputState.StateKey>
}

/**
 * What one round of a request brings.
 *
 * @since 0.1.0
 * @category models
 */
export interface Round {
  readonly invocation: Invocation["Service"]
  /** The parameters without the answers. */
  readonly params: Params
  /** The answers, not yet looked into. */
  readonly responses: Answers | undefined
  readonly requestState: string | undefined
  /** What `invocation.once` remembers. */
  readonly once: Once.Once
}

/**
 * Answers a request; asks by its invocation, or by hand.
 *
 * @since 0.1.0
 * @category models
 */
export type Handler = (invocation: Invocation["Service"]) => Effect.Effect<Params | InputRequired, McpError.McpError>

/**
 * Runs requests that may ask.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inputs {
  /** One round: gives the result of the request, or an `input_required` result. */
  readonly run: (round: Round, handler: Handler) => Effect.Effect<Params, McpError.McpError>
  /** How many handlers are kept at the moment. */
  readonly kept: Effect.Effect<number>
  /** How many handlers have not come to their end, kept ones among them. */
  readonly running: Effect.Effect<number>
  /** How often one request may ask. */
  readonly maxRounds: number
}

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** How long a round waits for effects that are not to be repeated, where its handler is not kept. */
const patience = Duration.seconds(10)

/** How long a state is good for where no handlers are kept. */
const defaultLifetime = Duration.minutes(10)

const invalid = (detail: string) => McpError.make(new McpError.InvalidParams({ detail }))

/**
 * The error of a request that has asked too often.
 *
 * @since 0.1.0
 * @category errors
 */
export const tooManyRounds = (method: string, rounds: number): McpError.McpError =>
  invalid(`${method} has asked for input ${rounds} times without coming to an end`)

/**
 * Takes apart the params of a request that may ask: what it asks for, and what answers the round before. The answers
 * are looked into one by one and later, for those that nobody has asked for are none of the server's business.
 *
 * @since 0.1.0
 * @category decoding
 */
export const split = (
  params: Params
): Result.Result<Pick<Round, "params" | "responses" | "requestState">, McpError.McpError> => {
  if (params["inputResponses"] === undefined && params["requestState"] === undefined) {
    return Result.succeed({ params, responses: undefined, requestState: undefined })
  }
  const { inputResponses, requestState, ...rest } = params
  // What is optional may be said to be absent by `null`.
  const responses = inputResponses ?? undefined
  const state = requestState ?? undefined
  if (responses !== undefined && !Predicate.isObject(responses)) {
    return Result.fail(invalid("inputResponses: expected an object"))
  }
  if (state !== undefined && typeof state !== "string") {
    return Result.fail(invalid("requestState: expected a string"))
  }
  return Result.succeed({ params: rest, responses: responses as Answers | undefined, requestState: state })
}

const canBeAsked = ({ elicitation, roots, sampling }: ClientCapabilities) =>
  elicitation !== undefined || sampling !== undefined || roots !== undefined

/** The order of members means nothing in JSON. */
const canonical = (u: unknown): unknown => {
  if (Array.isArray(u)) return u.map(canonical)
  if (typeof u !== "object" || u === null) return u
  // The member that makes an array of pairs something else than the object that it stands for.
  return { o: Object.entries(u).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => [key, canonical(value)]) }
}

/** What a state is good for: this principal, this method, these parameters. */
const bindingOf = ({ invocation, params }: Round): Effect.Effect<string, McpError.McpError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(JSON.stringify([
        invocation.principal?.subject ?? null,
        invocation.method,
        params["name"] ?? params["uri"] ?? null,
        canonical(params["arguments"] ?? null)
      ]))
    } catch {
      // A value nested deeper than the stack is high.
      return Effect.fail(invalid("The arguments are nested too deeply"))
    }
  })

/**
 * The answers to what was asked, as far as they came in time. Fails where one is no answer to its method. A handler that
 * asks reads its own, one that asks by hand gets them read.
 */
const answersTo = Effect.fnUntraced(function*(
  { asked, byHand }: InputState.State,
  responses: Answers,
  { revision }: Invocation["Service"]
) {
  const now = yield* Clock.currentTimeMillis
  const answers: Array<readonly [string, unknown]> = []
  for (const [key, { method, until }] of Object.entries(asked)) {
    if (!Object.hasOwn(responses, key) || until !== undefined && until <= now) continue
    const known = Method.request(method)
    if (known === undefined) continue
    const read = yield* Effect.fromResult(Question.decodeAnswer(known, responses[key], revision))
    answers.push([key, byHand ? read : responses[key]])
  }
  return Object.fromEntries(answers)
})

const inputRequired = (
  questions: ReadonlyArray<readonly [string, Question.Question]>,
  requestState: string
): Params => ({
  resultType: "input_required",
  ...(questions.length === 0 ? {} : {
    inputRequests: Object.fromEntries(
      questions.map(([key, { method, params }]) => [key, { method: method.name, params }])
    )
  }),
  requestState
})

/**
 * Makes the engine of one server. Closing the scope interrupts the handlers that run and those that are kept.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Inputs, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const { inputTimeout, maxRounds } = options
  const keeps = Duration.toMillis(inputTimeout) > 0 && options.maxKept > 0 && options.maxKeptPerPrincipal > 0
  const lifetime = Duration.toMillis(Duration.toMillis(inputTimeout) > 0 ? inputTimeout : defaultLifetime)
  const sealer = yield* InputState.make(options.stateKeys)
  const kept = new Kept.Store(options, scope)
  const running = new Set<Flow>()
  // Another instance with the same state key must not take its own handlers for those of this one.
  const instance = SecureRandom.uuidV4Unsafe()
  let nextId = 0
  let closed = false

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      return Effect.forEach([...running], (flow) => flow.stop, { concurrency: "unbounded", discard: true })
    })
  )

  const begin = (round: Round, state: InputState.State | undefined, answers: Answers, handler: Handler) =>
    Effect.withFiberSucceed((fiber) => {
      const { invocation, once, responses } = round
      const received: Received | undefined = state === undefined
        ? responses === undefined ? undefined : { state: undefined, responses }
        : state.byHand
        ? { state: state.received?.state, responses: answers }
        : state.received
      const flow = new Flow({
        invocation,
        state,
        answers: state?.byHand === true ? {} : answers,
        received,
        once: state === undefined ? once : new Once.Once(state.once)
      })
      flow.start(handler, fiber.context)
      if (!flow.isOver) {
        running.add(flow)
        flow.onEnd(() => running.delete(flow))
      }
      return flow
    })

  const seal = Effect.fnUntraced(function*(
    round: Round,
    state: Omit<InputState.State, "expires">
  ): Effect.fn.Return<{ readonly expires: number; readonly requestState: string }, McpError.McpError> {
    const expires = (yield* Clock.currentTimeMillis) + lifetime
    const binding = yield* bindingOf(round)
    return { expires, requestState: yield* sealer.seal({ ...state, expires }, binding) }
  })

  /** The round ends with what the handler asks by hand; it will run anew. */
  const askByHand = Effect.fnUntraced(function*(
    round: Round,
    rounds: number,
    { requests, state }: InputRequired,
    memory: Pick<InputState.State, "answers" | "once">
  ) {
    const { invocation } = round
    if (rounds >= maxRounds) return yield* Effect.fail(tooManyRounds(invocation.method, maxRounds))
    const questions: Array<readonly [string, Question.Question]> = []
    for (const [key, { method, params }] of Object.entries<InputRequest>(requests)) {
      questions.push([key, yield* Effect.fromResult(Question.make(method, { ...params }, invocation))])
    }
    const { requestState } = yield* seal(round, {
      round: rounds + 1,
      kept: undefined,
      asked: Object.fromEntries(questions.map(([key, { method }]) => [key, { method: method.name }])),
      byHand: true,
      answers: memory.answers,
      once: memory.once,
      received: { state, responses: {} }
    })
    return inputRequired(questions, requestState)
  })

  /** The round ends with what the handler asks; it is kept, or it will run anew. */
  const ask = Effect.fnUntraced(function*(round: Round, rounds: number, flow: Flow, restore: Restore) {
    if (rounds >= maxRounds) {
      yield* restore(flow.stop)
      return yield* Effect.fail(tooManyRounds(round.invocation.method, maxRounds))
    }
    const questions = flow.open
    const memory = flow.remember()
    const next = { ...memory, round: rounds + 1, byHand: false }
    if (!keeps || closed) {
      yield* restore(flow.stop)
      // What was at work when the handler was stopped may have come to its end.
      const { requestState } = yield* restore(seal(round, { ...next, kept: undefined, once: flow.remember().once }))
      return inputRequired(questions, requestState)
    }
    flow.rest()
    const id = `${instance}/${nextId++}`
    const { expires, requestState } = yield* Effect.onError(
      restore(seal(round, { ...next, kept: id })),
      () => flow.stop
    )
    yield* kept.put(id, { flow, principal: round.invocation.principal?.subject, expires })
    return inputRequired(questions, requestState)
  })

  const conclude = (round: Round, rounds: number, flow: Flow) =>
    Effect.flatMap(flow.result, (reply) =>
      reply instanceof InputRequired
        ? askByHand(round, rounds, reply, flow.remember())
        : Effect.succeed(reply))

  /** Goes on until the handler has ended or asks. Whoever gives up the round gives up its handler. */
  const advance = (
    round: Round,
    rounds: number,
    flow: Flow,
    restore: Restore
  ): Effect.Effect<Params, McpError.McpError> =>
    flow.isOver
      ? conclude(round, rounds, flow)
      : Effect.flatMap(
        Effect.onError(restore(flow.settled(keeps ? undefined : patience)), () => flow.stop),
        () => flow.isOver ? restore(conclude(round, rounds, flow)) : ask(round, rounds, flow, restore)
      )

  const retry = Effect.fnUntraced(function*(round: Round, requestState: string, handler: Handler, restore: Restore) {
    const { invocation, responses } = round
    const binding = yield* bindingOf(round)
    const state = yield* restore(sealer.open(requestState, binding))
    const answers = yield* answersTo(state, responses ?? {}, invocation)
    const entry = state.kept === undefined ? undefined : kept.take(state.kept)
    if (entry === undefined) {
      return yield* advance(round, state.round, yield* begin(round, state, answers, handler), restore)
    }
    const problem = entry.flow.resume(invocation, answers)
    if (problem !== undefined) {
      // An error of this retry: the handler goes on waiting for a better one.
      yield* kept.put(state.kept!, entry)
      return yield* Effect.fail(problem)
    }
    return yield* advance(round, state.round, entry.flow, restore)
  })

  return {
    maxRounds,
    kept: Effect.sync(() => kept.size),
    running: Effect.sync(() => running.size),
    run: (round, handler) => {
      const { invocation, once, requestState, responses } = round
      if (requestState !== undefined) {
        return Effect.uninterruptibleMask((restore) => retry(round, requestState, handler, restore))
      }
      if (responses === undefined && !canBeAsked(invocation.client.capabilities)) {
        // A client that can be asked nothing costs what a plain call costs.
        return Effect.flatMap(Effect.suspend(() => handler(invocation)), (reply) =>
          reply instanceof InputRequired
            ? askByHand(round, 0, reply, { answers: {}, once: once.results })
            : Effect.succeed(reply))
      }
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          begin(round, undefined, responses ?? {}, handler),
          (flow) => advance(round, 0, flow, restore)
        )
      )
    }
  }
})
