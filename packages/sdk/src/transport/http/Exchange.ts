/**
 * One HTTP request and its response, as every platform gives them to the server: what an adapter has to implement.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { Principal } from "../../peer/ServerTransport.ts"
import type { ErrorObject, Request, RequestId } from "../../protocol/JsonRpc.ts"

/**
 * The headers of a response, by name in lower case.
 *
 * @since 0.1.0
 * @category models
 */
export type Headers = { readonly [name: string]: string }

/**
 * Why the body of a request could not be read: it is over the limit, no UTF-8, or it broke off.
 *
 * @since 0.1.0
 * @category models
 */
export type BodyProblem = "TooLarge" | "NotUtf8" | "Broken"

/**
 * The head of a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Head {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  /** A header by its name in lower case. Several of one name are joined by `", "`. */
  readonly header: (name: string) => string | undefined
}

/**
 * A request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Incoming extends Head {
  /** Reads the body, at most `limit` bytes of it. Run at most once. The connection stays usable whatever comes of it. */
  readonly body: (limit: number) => Effect.Effect<string, BodyProblem>
}

/**
 * A response that is written piece by piece.
 *
 * @since 0.1.0
 * @category models
 */
export interface Writer {
  /** Hands over a piece. `false`: the other side does not read; `onDrain` tells when it has caught up. */
  readonly write: (chunk: string) => boolean
  /** Ends the response properly. */
  readonly end: () => void
  /** Breaks it off: nothing more is sent, the connection is closed, the request's fiber is interrupted. */
  readonly abort: () => void
}

/**
 * The response to a request: `send` or `stream` is called once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outgoing {
  /** Answers with a whole body, or with none. */
  readonly send: (status: number, headers: Headers, body: string | undefined) => void
  /** Begins a body of unknown length. */
  readonly stream: (status: number, headers: Headers, onDrain: () => void) => Writer
}

/**
 * Answers requests. The adapter runs the effect in a fiber of its own and interrupts it when the client is gone.
 *
 * @since 0.1.0
 * @category models
 */
export interface HttpHandler {
  readonly handle: (incoming: Incoming, outgoing: Outgoing) => Effect.Effect<void>
  /** Takes no new requests, lets running ones finish within the deadline, ends the streams. */
  readonly shutdown: Effect.Effect<void>
}

/**
 * A whole answer that is no result: how a request is refused.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly body: string | undefined
}

/**
 * Who may send requests, and which.
 *
 * @since 0.1.0
 * @category models
 */
export interface Authenticator {
  /** Tells who sends a request, from its head. `undefined` is somebody unknown who is let in all the same. */
  readonly authenticate: (head: Head) => Effect.Effect<Principal | undefined, Refusal>
  /** Refuses what a principal must not do. Default: nothing is refused. */
  readonly authorize?: ((principal: Principal | undefined, request: Request) => Refusal | undefined) | undefined
}

/**
 * The headers of a JSON body.
 *
 * @since 0.1.0
 * @category constants
 */
export const jsonHeaders: Headers = { "content-type": "application/json" }

/**
 * The text of a JSON-RPC error; without an id where the request's could not be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const errorText = (error: ErrorObject, id?: RequestId | undefined): string =>
  JSON.stringify(id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error })

/**
 * Refuses with a status and a JSON-RPC error.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuse = (
  status: number,
  code: number,
  message: string,
  options?: { readonly id?: RequestId | undefined; readonly headers?: Headers | undefined }
): Refusal => ({
  status,
  headers: options?.headers === undefined ? jsonHeaders : { ...jsonHeaders, ...options.headers },
  body: errorText({ code, message }, options?.id)
})
