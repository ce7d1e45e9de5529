/**
 * The JSON-RPC 2.0 envelope: what a message is, told by hand because every message passes here.
 *
 * @see https://www.jsonrpc.org/specification
 * @since 0.1.0
 */

/**
 * The id of a request: a string or an integer, never `null`.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestId = string | number

/**
 * The parameters of a request or a notification.
 *
 * @since 0.1.0
 * @category models
 */
export type Params = { readonly [key: string]: unknown }

/**
 * A call that expects an answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly jsonrpc: "2.0"
  readonly id: RequestId
  readonly method: string
  readonly params?: Params
}

/**
 * A message that expects no answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params?: Params
}

/**
 * The answer to a request that succeeded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Success {
  readonly jsonrpc: "2.0"
  readonly id: RequestId
  readonly result: Params
}

/**
 * The `error` member of an answer to a request that failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * The answer to a request that failed. Without an id where the request's could not be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly jsonrpc: "2.0"
  readonly id?: RequestId | null
  readonly error: ErrorObject
}

/**
 * An answer.
 *
 * @since 0.1.0
 * @category models
 */
export type Response = Success | Failure

/**
 * Any message that may be sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = Request | Notification | Response

/**
 * What may be sent as one frame: a message, or the answers to a batch (2025-03-26 only).
 *
 * @since 0.1.0
 * @category models
 */
export type Frame = Message | ReadonlyArray<Message>

/**
 * A frame that was no JSON: what a transport hands on in its place, so that the peer can answer -32700.
 *
 * @since 0.1.0
 * @category models
 */
export class Unparseable {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/**
 * A JSON value that is no JSON-RPC message, with its id where one could be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Invalid {
  readonly id: RequestId | undefined
  readonly why: string
}

/**
 * The codes of JSON-RPC and of every MCP revision.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 * @since 0.1.0
 * @category constants
 */
export const Code = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** 2025-11-25 and before; clients still accept it. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingRequiredClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** 2025-11-25 only. */
  urlElicitationRequired: -32042
} as const

/**
 * Whether a value can be a request id: a string, or an integer that a double holds exactly.
 *
 * @since 0.1.0
 * @category guards
 */
export const isRequestId = (u: unknown): u is RequestId => typeof u === "string" || Number.isSafeInteger(u)

const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/**
 * A message told by its kind.
 *
 * @since 0.1.0
 * @category models
 */
export type Classified =
  | { readonly _tag: "Request"; readonly message: Request }
  | { readonly _tag: "Notification"; readonly message: Notification }
  | { readonly _tag: "Response"; readonly message: Response }
  | { readonly _tag: "Invalid"; readonly invalid: Invalid }

const invalid = (id: unknown, why: string): Classified => ({
  _tag: "Invalid",
  invalid: { id: isRequestId(id) ? id : undefined, why }
})

/**
 * Tells what a JSON value is. Unknown members are passed over; `params: null` is read as absent.
 *
 * Liberal where old peers are: an error whose id is `null` is a response without an id.
 *
 * @since 0.1.0
 * @category decoding
 */
export const classify = (u: unknown): Classified => {
  if (!isObject(u)) return invalid(undefined, "a message is a JSON object")
  const { id, method, params } = u
  if (u["jsonrpc"] !== "2.0") return invalid(id, "jsonrpc must be \"2.0\"")
  if (typeof method === "string") {
    if (params !== undefined && params !== null && !isObject(params)) {
      return invalid(id, "params must be an object")
    }
    const message = params === null ? { ...u, params: undefined } : u
    if (id === undefined && !("id" in u)) return { _tag: "Notification", message: message as any }
    return isRequestId(id)
      ? { _tag: "Request", message: message as any }
      : invalid(undefined, "id must be a string or an integer")
  }
  if (method !== undefined) return invalid(id, "method must be a string")
  const hasResult = "result" in u
  if (hasResult !== ("error" in u)) {
    if (hasResult) {
      return isRequestId(id) && isObject(u["result"])
        ? { _tag: "Response", message: u as any }
        : invalid(id, "a result needs the id of its request, and is an object")
    }
    const error = u["error"]
    return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string" &&
        (id === undefined || id === null || isRequestId(id))
      ? { _tag: "Response", message: u as any }
      : invalid(id, "error needs an integer code and a message")
  }
  return invalid(id, hasResult ? "a response has a result or an error, not both" : "no method, no result, no error")
}
