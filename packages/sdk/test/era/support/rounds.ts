/** Requests of the modern era, round by round, on an engine without a server: a client that answers what it is asked. */
import { assert } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Input from "../../../src/era/Input.ts"
import type { Invocation } from "../../../src/era/Invocation.ts"
import * as Once from "../../../src/era/Once.ts"
import * as Question from "../../../src/era/Question.ts"
import type { ClientCapabilities } from "../../../src/protocol/Capabilities.ts"
import type { Params } from "../../../src/protocol/JsonRpc.ts"
import type * as McpError from "../../../src/protocol/McpError.ts"
import type { Revision } from "../../../src/protocol/Revision.ts"

export const stateKey = Redacted.make("a secret that nobody can guess")

/** What a client can be asked where a test does not say otherwise. */
export const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {}
}

export const engine = (options?: Partial<Input.Options>) =>
  Input.make({
    inputTimeout: Duration.minutes(10),
    maxKept: 1000,
    maxKeptPerPrincipal: 100,
    maxRounds: 64,
    stateKeys: [stateKey],
    ...options
  })

export interface Sent {
  readonly method: string
  readonly params: Params
}

export interface RoundOptions {
  readonly method?: string
  readonly params?: Params
  readonly responses?: { readonly [key: string]: unknown } | undefined
  readonly requestState?: string | undefined
  readonly subject?: string | undefined
  readonly capabilities?: ClientCapabilities
  readonly progressToken?: string | undefined
  readonly logLevel?: "debug" | "warning" | undefined
  /** Where what is sent on the stream of this round goes. */
  readonly stream?: Array<Sent>
}

const revision: Revision = "2026-07-28"

export const round = (options: RoundOptions = {}): Input.Round => {
  const method = options.method ?? "tools/call"
  const client = { info: undefined, capabilities: options.capabilities ?? everything }
  const once = new Once.Once()
  const invocation: Invocation["Service"] = {
    method,
    revision,
    requestId: 1,
    meta: {},
    client,
    principal: options.subject === undefined ? undefined : { subject: options.subject },
    sessionId: undefined,
    transport: "test",
    progressToken: options.progressToken,
    logLevel: options.logLevel,
    visible: undefined,
    notify: (method, params) =>
      Effect.sync(() => {
        options.stream?.push({ method, params })
      }),
    ask: Question.unanswerable(method, { revision, client }),
    once: once.run,
    received: undefined
  }
  return {
    invocation,
    params: options.params ?? { name: "tool", arguments: {} },
    responses: options.responses,
    requestState: options.requestState,
    once
  }
}

export interface Asked {
  readonly resultType: "input_required"
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params: any } }
  readonly requestState: string
}

export const isAsked = (result: Params): result is Params & Asked => result["resultType"] === "input_required"

/** Runs a round that is expected to ask. */
export const asks = (
  inputs: Input.Inputs,
  handler: Input.Handler,
  options?: RoundOptions
): Effect.Effect<Asked, McpError.McpError> =>
  Effect.map(inputs.run(round(options), handler), (result) => {
    if (!isAsked(result)) assert.fail(`the handler ended with ${JSON.stringify(result)}`)
    return result
  })

/** Runs a round that is expected to end. */
export const ends = (
  inputs: Input.Inputs,
  handler: Input.Handler,
  options?: RoundOptions
): Effect.Effect<Params, McpError.McpError> =>
  Effect.map(inputs.run(round(options), handler), (result) => {
    if (isAsked(result)) assert.fail(`the handler asked ${JSON.stringify(result.inputRequests)}`)
    return result
  })

/** Runs a round that is expected to fail, and gives the reason. */
export const fails = (
  inputs: Input.Inputs,
  handler: Input.Handler,
  options?: RoundOptions
): Effect.Effect<McpError.Reason> =>
  Effect.match(inputs.run(round(options), handler), {
    onFailure: ({ reason }) => reason,
    onSuccess: (result) => assert.fail(`the round ended with ${JSON.stringify(result)}`)
  })

/** The only key of a round that asks one thing. */
export const keyOf = (asked: Asked): string => {
  const keys = Object.keys(asked.inputRequests ?? {})
  assert.strictEqual(keys.length, 1)
  return keys[0]!
}

export type Answer = (request: { readonly method: string; readonly params: any }, key: string) => unknown

export const answersTo = (asked: Asked, answer: Answer): { readonly [key: string]: unknown } =>
  Object.fromEntries(Object.entries(asked.inputRequests ?? {}).map(([key, request]) => [key, answer(request, key)]))

export interface Transcript {
  readonly exit: Exit.Exit<Params, McpError.McpError>
  /** The questions of each round, as texts. */
  readonly rounds: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * How a client answers: all at once, one question a round, or all at once with everything that it has ever answered,
 * changed, and what it expects to be asked next.
 */
export type Manner = "at once" | "one by one" | "out of order"

/** A whole request, each of its rounds on the next of some engines. */
export const converse = Effect.fnUntraced(function*(
  engines: ReadonlyArray<Input.Inputs>,
  handler: Input.Handler,
  answer: Answer,
  options: { readonly between?: Effect.Effect<void>; readonly manner?: Manner } = {}
) {
  const rounds: Array<ReadonlyArray<string>> = []
  const junk: { [key: string]: unknown } = { "elicitation-": yes(1), "roots-": 1 }
  let next: RoundOptions = {}
  for (let n = 0;; n++) {
    const inputs = engines[n % engines.length]!
    const exit = yield* Effect.exit(inputs.run(round(next), handler))
    if (Exit.isFailure(exit) || !isAsked(exit.value)) return { exit, rounds } satisfies Transcript
    const asked = exit.value
    rounds.push(Object.values(asked.inputRequests ?? {}).map((request) => JSON.stringify(request)))
    if (options.between !== undefined) yield* options.between
    const answers = answersTo(asked, answer)
    const [first] = Object.entries(answers)
    next = {
      requestState: asked.requestState,
      responses: options.manner === "one by one"
        ? Object.fromEntries([first!])
        : options.manner === "out of order"
        ? { ...junk, ...answers }
        : answers
    }
    for (const key of Object.keys(answers)) {
      junk[key] = { action: "cancel" }
      junk[`${key}-2`] = { action: "cancel" }
    }
  }
})

/** Asks a question without looking at its answer's content. */
export const question = (message: string) => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties: { n: { type: "number" } } }
})

export const yes = (n: number) => ({ action: "accept", content: { n } })

/** What a scope would still have to clean up, timers among it. */
export const finalizers = ({ state }: Scope.Scope): number =>
  state._tag !== "Open" ? 0 : state.finalizer === undefined ? state.finalizers!.size : 1

export type Handler = Input.Handler

/** Asks for a number; gives it, or what the user did instead. */
export const elicit = (
  invocation: Invocation["Service"],
  message: string,
  options?: { readonly key?: string; readonly timeout?: Duration.Input }
) =>
  Effect.map(
    invocation.ask("elicitation/create", question(message), options),
    (answer) => (answer["content"] as { readonly n?: number } | undefined)?.n ?? answer["action"]
  )

export const asksOnce: Handler = (it) => Effect.map(elicit(it, "How many?"), (n) => ({ n }))

export const asksTwice: Handler = (it) =>
  Effect.gen(function*() {
    const one = yield* elicit(it, "one")
    return { sum: [one, yield* elicit(it, "two")] }
  })

export const noKeeping = { inputTimeout: Duration.zero }

/** Both ways to go on with a handler. */
export const ways = [["kept", {}], ["run again", noKeeping]] as const

/** The next round of a request. */
export const next = (
  asked: { readonly requestState: string },
  responses?: { readonly [key: string]: unknown },
  more?: RoundOptions
): RoundOptions => ({ ...more, responses, requestState: asked.requestState })

/**
 * Lets what needs the event loop come to rest, and the ciphers, which work elsewhere and take the longer the busier the
 * machine is: one more job of theirs comes to its end when those before have.
 */
export const rest: Effect.Effect<void> = Effect.promise(async () => {
  for (let turn = 0; turn < 6; turn++) {
    await crypto.subtle.digest("SHA-256", new Uint8Array(1))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
})
