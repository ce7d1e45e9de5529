/** From a JSON-RPC request to its response: the era reads the facts, the dispatcher answers, the era stamps. */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Degrade from "../../era/Degrade.ts"
import * as Input from "../../era/Input.ts"
import { type Dispatch, InputRequired, type Invocation } from "../../era/Invocation.ts"
import * as Legacy from "../../era/Legacy.ts"
import * as LegacyInput from "../../era/LegacyInput.ts"
import * as Modern from "../../era/Modern.ts"
import * as Once from "../../era/Once.ts"
import * as Question from "../../era/Question.ts"
import type { ConnectionFacts } from "../../peer/ServerTransport.ts"
import type { ServerCapabilities } from "../../protocol/Capabilities.ts"
import type { Implementation } from "../../protocol/Implementation.ts"
import { isRequestId, type Params, type Request, type RequestId, type Response } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Revision from "../../protocol/Revision.ts"

/** The way back to the sender of one request. */
export interface Exchange {
  readonly facts: ConnectionFacts
  readonly notify: (method: string, params: Params) => Effect.Effect<void>
  /** A request of the server's own: handshake era only. */
  readonly request: LegacyInput.Request
}

/** The handshake-era state of one connection. */
export interface Session {
  state: Legacy.State
  /** What the server said in the handshake that it can do. */
  declared: ServerCapabilities
}

export interface Options {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly supported: ReadonlyArray<Revision.Revision>
  readonly capabilities: () => ServerCapabilities
  readonly dispatch: Dispatch
  readonly inputs: Input.Inputs
  /** How long a reverse request waits for its answer. */
  readonly inputTimeout: Duration.Duration
  /** Whether a method outside of the protocol is answered here. */
  readonly isCustom: (method: string) => boolean
}

export interface Endpoint {
  /** Answers a request on a connection, in whatever era it is. */
  readonly handle: (request: Request, exchange: Exchange, session: Session) => Effect.Effect<Response>
  /** Answers a request of the modern era. */
  readonly modern: (request: Request, exchange: Omit<Exchange, "request">) => Effect.Effect<Response>
}

/** Answers to requests that never reached the dispatcher: HTTP gives them another status. */
const refusals = new WeakSet<Response>()

export const isRefusal = (response: Response): boolean => refusals.has(response)

const failure = (id: RequestId, error: McpError.McpError, revision: Revision.Revision): Response => ({
  jsonrpc: "2.0",
  id,
  error: McpError.toJsonRpc(error, revision)
})

const refusal = (id: RequestId, error: McpError.McpError, revision: Revision.Revision): Effect.Effect<Response> => {
  const response = failure(id, error, revision)
  refusals.add(response)
  return Effect.succeed(response)
}

const success = (id: RequestId, result: Params): Response => ({ jsonrpc: "2.0", id, result })

const invalidParams = (method: string, problem: string) =>
  McpError.make(new McpError.InvalidParams({ detail: `Invalid params of ${method}: ${problem}` }))

export const make = (options: Options): Endpoint => {
  const { capabilities, dispatch, info, inputs, inputTimeout, instructions, supported } = options

  /** The parameters of a method at a revision: decoded, or why not. */
  const decode = (method: string, params: Params, revision: Revision.Revision): Params | McpError.McpError => {
    const known = Method.request(method)
    if (known === undefined || !Method.isAvailable(known, revision, "client")) {
      return options.isCustom(method) ? params : McpError.make(new McpError.MethodNotFound({ method }))
    }
    const decoded = Method.decodeParams(known, revision)(params)
    return Result.isSuccess(decoded) ? decoded.success as Params : invalidParams(method, decoded.failure)
  }

  const encode = (method: string, result: Params, revision: Revision.Revision): Params => {
    const known = Method.request(method)
    if (known === undefined) return result
    const encoded = Method.encodeResult(known, revision)(result)
    if (Result.isSuccess(encoded)) return encoded.success as Params
    throw new Error(`The result of ${method} is not what the protocol says: ${encoded.failure}`)
  }

  /** Runs what answers a request; whatever it does, a response comes of it. */
  const respond = (
    id: RequestId,
    method: string,
    revision: Revision.Revision,
    answer: Effect.Effect<Params, McpError.McpError>,
    finish: (result: Params) => Params
  ): Effect.Effect<Response> =>
    Effect.catchCause(
      Effect.map(answer, (result) => success(id, finish(result))),
      (cause) => {
        const error = cause.reasons.find((reason) => reason._tag === "Fail")
        if (error !== undefined && !McpError.isLocal(error.error)) {
          return Effect.succeed(failure(id, error.error, revision))
        }
        const neutral = McpError.make(new McpError.InternalError({}))
        return Effect.as(
          Cause.hasInterruptsOnly(cause)
            ? Effect.logError(`${method} interrupted itself inside the server`)
            : error?.error.reason._tag === "ConnectionClosed"
            // A client that has left with a question open is no fault of the server.
            ? Effect.logDebug(`The client of ${method} is gone`, cause)
            : Effect.logError(`${method} failed inside the server`, cause),
          failure(id, neutral, revision)
        )
      }
    )

  const modern = (
    request: Request,
    meta: { readonly [key: string]: unknown } | undefined,
    exchange: Omit<Exchange, "request">
  ): Effect.Effect<Response> => {
    const { id, method } = request
    const facts = Modern.facts(meta, supported)
    if (facts instanceof McpError.McpError) return refusal(id, facts, Revision.latest)
    const { revision } = facts
    const token = Modern.progressToken(meta)
    if (token instanceof McpError.McpError) return refusal(id, token, revision)
    const acceptsInput = Method.request(method)?.acceptsInput === true
    const split = acceptsInput ? Input.split(request.params ?? {}) : undefined
    if (split !== undefined && Result.isFailure(split)) return refusal(id, split.failure, revision)
    const params = decode(method, split?.success.params ?? request.params ?? {}, revision)
    if (params instanceof McpError.McpError) return refusal(id, params, revision)
    const client = { info: facts.clientInfo, capabilities: facts.capabilities }
    const once = new Once.Once()
    const invocation: Invocation["Service"] = {
      method,
      revision,
      requestId: id,
      meta: meta!,
      client,
      principal: exchange.facts.principal,
      sessionId: undefined,
      transport: exchange.facts.transport,
      progressToken: token,
      logLevel: facts.logLevel,
      visible: undefined,
      notify: exchange.notify,
      ask: Question.unanswerable(method, { client, revision }),
      once: once.run,
      received: undefined
    }
    const handler: Input.Handler = (own) => dispatch(method, params, own)
    const answer = split !== undefined
      ? inputs.run({ ...split.success, params, invocation, once }, handler)
      : Effect.flatMap(Effect.suspend(() => handler(invocation)), (result) =>
        result instanceof InputRequired
          ? Effect.fail(Question.impossible(method, revision))
          : Effect.succeed(result))
    return respond(
      id,
      method,
      revision,
      answer,
      (result) =>
        Modern.stamp(result["resultType"] === "input_required" ? result : encode(method, result, revision), info)
    )
  }

  const legacy = (
    request: Request,
    meta: { readonly [key: string]: unknown } | undefined,
    exchange: Exchange,
    session: Session
  ): Effect.Effect<Response> => {
    const { id, method } = request
    const revision = session.state._tag === "Open" ? session.state.revision : Revision.latestHandshake
    const params = decode(method, request.params ?? {}, revision)
    if (params instanceof McpError.McpError) return Effect.succeed(failure(id, params, revision))
    const { state: before } = session
    const [after, decision] = Legacy.onRequest(before, method, params, supported)
    switch (decision._tag) {
      case "Refuse":
        return Effect.succeed(failure(id, decision.error, revision))
      case "Handshake":
        session.state = after
        session.declared = capabilities()
        return Effect.succeed(success(
          id,
          encode(method, {
            protocolVersion: decision.revision,
            capabilities: session.declared,
            serverInfo: info,
            ...(instructions === undefined ? {} : { instructions })
          }, decision.revision)
        ))
      default: {
        if (before._tag === "New") return Effect.succeed(success(id, {}))
        const open = before
        const token = meta?.["progressToken"]
        const client = { info: open.clientInfo, capabilities: open.capabilities }
        const invocation: Invocation["Service"] = {
          method,
          revision,
          requestId: id,
          meta: meta ?? {},
          client,
          principal: exchange.facts.principal,
          sessionId: exchange.facts.sessionId,
          transport: exchange.facts.transport,
          progressToken: isRequestId(token) ? token : undefined,
          logLevel: open.logLevel,
          visible: undefined,
          notify: exchange.notify,
          ask: LegacyInput.ask(exchange.request, { client, revision }, inputTimeout),
          once: new Once.Once().run,
          received: undefined
        }
        return respond(
          id,
          method,
          revision,
          LegacyInput.run(invocation, (own) => dispatch(method, params, own), inputs.maxRounds),
          (result) => {
            // What a request does to the session, it does only where the dispatcher lets it.
            if (decision._tag === "Done") [session.state] = Legacy.onRequest(session.state, method, params, supported)
            return encode(method, Degrade.result(result, revision), revision)
          }
        )
      }
    }
  }

  const handle: Endpoint["handle"] = (request, exchange, session) => {
    const meta = Modern.metaOf(request.params)
    if (Modern.claims(meta)) return modern(request, meta, exchange)
    // Nothing but a handshake opens a session; without one, a request has to carry its own facts.
    return request.method === "initialize" || request.method === "ping" || session.state._tag === "Open"
      ? legacy(request, meta, exchange, session)
      : modern(request, meta, exchange)
  }
  return { handle, modern: (request, exchange) => modern(request, Modern.metaOf(request.params), exchange) }
}
