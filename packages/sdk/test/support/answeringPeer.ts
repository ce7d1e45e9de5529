/**
 * A client without a client: it calls a server over raw frames and answers what it is asked, in whatever era. Every
 * question is checked against the published schema of its revision, where that stands beside the project.
 */
import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ConnectionFacts, Endpoint } from "../../src/peer/ServerTransport.ts"
import type { ClientCapabilities } from "../../src/protocol/Capabilities.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { invalid, present } from "../protocol/support/official.ts"

export type Json = { readonly [key: string]: any }

export interface Question {
  readonly method: string
  readonly params: Json
}

/** What a client does with a question. */
export type Answer = { readonly result: unknown } | { readonly error: Json } | "silence"

export interface Options {
  readonly revision: Revision.Revision
  readonly capabilities?: ClientCapabilities
  readonly answer?: (question: Question, key: string) => Answer
  readonly facts?: Partial<ConnectionFacts>
}

export type Outcome = { readonly result: Json } | { readonly error: Json }

export interface AnsweringPeer {
  /** A request with its answer, through all its rounds. */
  readonly call: (method: string, params?: Json, meta?: Json) => Effect.Effect<Outcome>
  /** A request with its first answer. */
  readonly request: (method: string, params?: Json, meta?: Json) => Effect.Effect<Outcome>
  /** Sends a request and does not wait; its id. */
  readonly begin: (method: string, params?: Json, meta?: Json) => Effect.Effect<number>
  /** The answer to a request that was begun. */
  readonly outcome: (id: number) => Effect.Effect<Outcome>
  readonly notify: (method: string, params?: Json) => Effect.Effect<void>
  /** What it has been asked so far. */
  readonly questions: Array<Question>
  /** What it has been told so far, besides answers. */
  readonly notices: Array<Question>
}

export const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {}
}

/** The capabilities that a client of a revision can declare, of those. */
export const declarable = (capabilities: ClientCapabilities, revision: Revision.Revision): ClientCapabilities => {
  const { elicitation, roots, sampling } = capabilities
  const modes = Revision.atLeast(revision, "2025-11-25")
  return {
    ...(roots === undefined ? {} : { roots }),
    ...(sampling === undefined ? {} : { sampling: modes ? sampling : {} }),
    ...(elicitation === undefined || !Revision.atLeast(revision, "2025-06-18")
      ? {}
      : { elicitation: modes ? elicitation : {} })
  }
}

const key = (name: string) => `io.modelcontextprotocol/${name}`

const definitions: { readonly [method: string]: string } = {
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
  "notifications/elicitation/complete": "ElicitationCompleteNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/cancelled": "CancelledNotification"
}

const checkValid = (revision: Revision.Revision, name: string | undefined, json: unknown) => {
  if (!present || name === undefined) return
  assert.isUndefined(invalid(revision, name, json), `${name} at ${revision}: ${JSON.stringify(json)}`)
}

/** One connection to a server. */
const connect = Effect.fnUntraced(function*(endpoint: Pick<Endpoint, "connect">, options: Options) {
  const { answer, revision } = options
  const [connection, other] = yield* Memory.pair
  yield* Effect.forkScoped(
    endpoint.connect(other, { transport: "memory", ...options.facts }),
    { startImmediately: true }
  )
  const questions: Array<Question> = []
  const notices: Array<Question> = []
  const waiting = new Map<unknown, Deferred.Deferred<Outcome>>()
  const waitFor = (id: unknown) => {
    let deferred = waiting.get(id)
    if (deferred === undefined) waiting.set(id, deferred = Deferred.makeUnsafe())
    return deferred
  }
  const send = (frame: Json) => Effect.orDie(connection.send(frame as any))

  const receive = (frame: Json): Effect.Effect<unknown> => {
    if (frame["method"] === undefined) return Deferred.succeed(waitFor(frame["id"]), frame as Outcome)
    const { id, method, params = {} } = frame
    checkValid(revision, definitions[method], frame)
    if (id === undefined) {
      notices.push({ method, params })
      return Effect.void
    }
    assert.isFalse(Revision.isModern(revision), `a request of the server in the modern era: ${JSON.stringify(frame)}`)
    questions.push({ method, params })
    const given = answer?.({ method, params }, "") ?? { error: { code: -32601, message: "Nobody answers here" } }
    return given === "silence" ? Effect.void : send({ jsonrpc: "2.0", id, ...given })
  }
  yield* Effect.forkScoped(Stream.runForEach(connection.incoming, (frame) => receive(frame as Json)), {
    startImmediately: true
  })
  return { questions, notices, send, waitFor }
})

/**
 * Connects to a server, or to some of its instances: then each round of a request goes to the next. In the handshake era
 * it has shaken hands.
 */
export const make = Effect.fnUntraced(function*(
  endpoints: ReadonlyArray<Pick<Endpoint, "connect">>,
  options: Options
): Effect.fn.Return<AnsweringPeer, never, Scope.Scope> {
  const { answer, revision } = options
  const modern = Revision.isModern(revision)
  const capabilities = options.capabilities ?? declarable(everything, revision)
  const ways = yield* Effect.forEach(endpoints, (endpoint) => connect(endpoint, options))
  const [first] = ways as [typeof ways[0]]
  const { notices, questions } = first
  let nextId = 0
  let turn = 0
  const wayOf = new Map<number, typeof first>()

  const begin = (method: string, params: Json = {}, meta: Json = {}) => {
    const id = nextId++
    const way = ways[modern ? turn++ % ways.length : 0]!
    wayOf.set(id, way)
    const facts = modern
      ? {
        [key("protocolVersion")]: revision,
        [key("clientInfo")]: { name: "peer", version: "1" },
        [key("clientCapabilities")]: capabilities
      }
      : {}
    const _meta = { ...facts, ...meta, ...params["_meta"] }
    const frame = {
      jsonrpc: "2.0",
      id,
      method,
      params: Object.keys(_meta).length === 0 ? params : { ...params, _meta }
    }
    return Effect.as(way.send(frame), id)
  }

  const outcome = (id: number): Effect.Effect<Outcome> => Deferred.await(wayOf.get(id)!.waitFor(id))

  const request = (method: string, params?: Json, meta?: Json) => Effect.flatMap(begin(method, params, meta), outcome)

  const call = Effect.fnUntraced(function*(method: string, params: Json = {}, meta?: Json) {
    let given = yield* request(method, params, meta)
    for (let round = 0; "result" in given && given.result["resultType"] === "input_required"; round++) {
      assert.isBelow(round, 32, "it goes on asking")
      const { inputRequests = {}, requestState } = given.result
      checkValid(revision, "InputRequiredResult", given.result)
      const responses: Array<readonly [string, unknown]> = []
      for (const [key, question] of Object.entries<Question>(inputRequests)) {
        questions.push(question)
        const given = answer?.(question, key) ?? "silence"
        // A client of this era that has no answer does not come back.
        if (typeof given === "object" && "error" in given) return given
        if (given !== "silence") responses.push([key, given.result])
      }
      given = yield* request(method, { ...params, inputResponses: Object.fromEntries(responses), requestState }, meta)
    }
    return given
  })

  const notify = (method: string, params: Json = {}) => first.send({ jsonrpc: "2.0", method, params })

  if (!modern) {
    const opened = yield* request("initialize", {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name: "peer", version: "1" }
    })
    assert.strictEqual((opened as { readonly result: Json }).result["protocolVersion"], revision)
    yield* notify("notifications/initialized")
  }
  return { call, request, begin, outcome, notify, questions, notices }
})

/** The first text of a result of a tool, or why there is none. */
export const textOf = (outcome: Outcome): string =>
  "error" in outcome
    ? `error ${outcome.error["code"]}: ${outcome.error["message"]}`
    : outcome.result["content"]?.[0]?.text
