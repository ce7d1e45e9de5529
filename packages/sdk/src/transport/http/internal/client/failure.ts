/** What went wrong with an HTTP request, as an error of this SDK. */
import type { HttpClientError } from "effect/http/HttpClientError"
import * as McpError from "../../../../protocol/McpError.ts"

/** Failures that come before the first byte of a request is out. */
const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
  "ConnectionRefused",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/** What caused an error, down to the bottom. Every address of a host may have failed in its own way. */
const causes = (error: unknown, depth = 0): ReadonlyArray<object> =>
  typeof error !== "object" || error === null || depth > 8 ? [] : [
    error,
    ...causes("cause" in error ? error.cause : undefined, depth + 1),
    ...("errors" in error && Array.isArray(error.errors) ? error.errors.flatMap((each) => causes(each, depth + 1)) : [])
  ]

const codeOf = (error: object): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

/** Whether a request has surely not reached the server. */
export const isUnsent = ({ reason }: HttpClientError): boolean =>
  reason._tag === "EncodeError" || reason._tag === "InvalidUrlError" ||
  (reason._tag === "TransportError" &&
    causes(reason.cause).some((error) => unsentCodes.has(codeOf(error) ?? "")))

const describe = (error: HttpClientError): string => {
  const found = causes(error.reason).findLast((each) => codeOf(each) !== undefined) ??
    causes(error.reason).findLast((each) => each instanceof Error && each.message !== "")
  const why = found instanceof Error ? found.message || codeOf(found) : undefined
  return why === undefined || error.message.includes(why) ? error.message : `${error.message}: ${why}`
}

/** A request that failed without an answer. */
export const unanswered = (error: HttpClientError): McpError.McpError =>
  McpError.make(
    new McpError.TransportError({ sent: isUnsent(error) ? "no" : "maybe", detail: describe(error), cause: error })
  )

/** An answer that broke off. */
export const brokenOff = (detail: string, cause?: unknown): McpError.McpError =>
  McpError.make(
    new McpError.TransportError({ sent: "maybe", detail, ...(cause === undefined ? {} : { cause }) })
  )

/** An answer that is none. */
export const invalid = (detail: string, data?: unknown): McpError.McpError =>
  McpError.make(new McpError.InvalidPeerMessage(data === undefined ? { detail } : { detail, data }))

/** So much of a body is shown. */
const shownLength = 500

/** The start of a body, to be read by a person. */
export const startOf = (body: string): string => {
  const text = body.trim()
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}

/** A status without a JSON-RPC answer. */
export const status = (code: number, body: string): McpError.McpError =>
  McpError.make(new McpError.HttpStatus({ status: code, body: startOf(body) }))

/** Silence. */
export const silent = (method: string, millis: number): McpError.McpError =>
  McpError.make(new McpError.RequestTimeout({ method, millis, maximum: false }))
