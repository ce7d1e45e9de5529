/**
 * A modern POST as a function call: JSON until the first notification, then a stream; the end of either is the end of
 * the call.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { ConnectionFacts, Endpoint, Exchange } from "../../peer/ServerTransport.ts"
import { Code, type Notification, type Request, type Response } from "../../protocol/JsonRpc.ts"
import { errorText, type Head, type Headers, jsonHeaders, type Outgoing } from "./Exchange.ts"
import type { Accepts } from "./Guards.ts"
import type { Live, Lives } from "./internal/live.ts"
import * as ModernHeaders from "./ModernHeaders.ts"
import * as Sse from "./Sse.ts"

/**
 * The status of an answer that was not streamed.
 *
 * @since 0.1.0
 * @category status
 */
export const statusOf = (response: Response, isRefusal: (response: Response) => boolean): number => {
  if ("result" in response) return 200
  switch (response.error.code) {
    case Code.methodNotFound:
      return 404
    case Code.headerMismatch:
    case Code.missingRequiredClientCapability:
    case Code.unsupportedProtocolVersion:
      return 400
    default:
      return isRefusal(response) ? 400 : 200
  }
}

/**
 * The text of an answer. What cannot be written as JSON is the server's fault, and still answered.
 *
 * @since 0.1.0
 * @category encoding
 */
export const textOf = (response: Response): string => {
  try {
    return JSON.stringify(response)
  } catch {
    return errorText({ code: Code.internalError, message: "Internal error" }, response.id ?? undefined)
  }
}

/**
 * What a POST is answered with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Way {
  readonly endpoint: Endpoint
  readonly lives: Lives
  readonly head: Head
  readonly outgoing: Outgoing
  readonly accepts: Accepts
  readonly facts: ConnectionFacts
  /** What CORS adds to the headers. */
  readonly cors: Headers | undefined
}

const withCors = (headers: Headers, cors: Headers | undefined) => cors === undefined ? headers : { ...headers, ...cors }

/** Whether a request can only be answered by a stream. */
const needsStream = (method: string) => method === "subscriptions/listen"

/**
 * Answers a request.
 *
 * @since 0.1.0
 * @category serving
 */
export const respond = (request: Request, version: unknown, way: Way): Effect.Effect<void> => {
  const { accepts, cors, endpoint, head, lives, outgoing } = way
  const plain = withCors(jsonHeaders, cors)
  if (typeof version === "string") {
    const problem = ModernHeaders.problem(request, version, head.header, endpoint.inputSchema)
    if (problem !== undefined) {
      const error = { code: Code.headerMismatch, message: `Header mismatch: ${problem}` }
      outgoing.send(400, plain, errorText(error, request.id))
      return Effect.void
    }
  }
  if (needsStream(request.method) && !accepts.sse) {
    const error = { code: Code.invalidRequest, message: `${request.method} is answered by text/event-stream` }
    outgoing.send(406, plain, errorText(error, request.id))
    return Effect.void
  }
  let live: Live | undefined
  let answered = false
  const exchange: Exchange = {
    facts: way.facts,
    notify: (method, params) =>
      Effect.suspend(() => {
        // A client that reads no streams goes without notifications.
        if (!accepts.sse || answered) return Effect.void
        const notification: Notification = { jsonrpc: "2.0", method, params }
        live ??= lives.open(outgoing, withCors(Sse.headers, cors))
        return live.put(Sse.message(JSON.stringify(notification)))
      })
  }
  return Effect.onInterrupt(
    Effect.map(endpoint.handle(request, exchange), (response) => {
      answered = true
      const text = textOf(response)
      const status = statusOf(response, endpoint.isRefusal)
      if (live === undefined && (accepts.json || status !== 200)) outgoing.send(status, plain, text)
      else (live ?? lives.open(outgoing, withCors(Sse.headers, cors))).end(Sse.message(text))
    }),
    () => Effect.sync(() => live?.abort())
  )
}
