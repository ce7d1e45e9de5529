/** What is read off answers, and written into requests, besides the messages themselves: refusals, headers, JSON. */
import * as Effect from "effect/Effect"
import type { ErrorObject, Frame, Notification, Request } from "../../../../protocol/JsonRpc.ts"
import * as McpError from "../../../../protocol/McpError.ts"
import * as Revision from "../../../../protocol/Revision.ts"
import * as ModernHeaders from "../../ModernHeaders.ts"
import * as ParamHeaders from "../../ParamHeaders.ts"
import * as Failure from "./failure.ts"

export type Headers = { readonly [name: string]: string }

/** What a session puts into the headers of its requests. */
interface Named {
  readonly id: string | undefined
  readonly revision: Revision.Revision | undefined
}

export const accepted: Headers = { accept: "application/json, text/event-stream" }
export const stream: Headers = { accept: "text/event-stream", "cache-control": "no-store" }

export const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

interface ErrorAnswer {
  readonly id?: unknown
  readonly error: ErrorObject
}

export const isError = (u: unknown): u is ErrorAnswer =>
  isObject(u) && isObject(u["error"]) && Number.isInteger(u["error"]["code"]) &&
  typeof u["error"]["message"] === "string"

export const parse = (json: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(json) }
  } catch {
    return undefined
  }
}

/** What a refusal says: the error of JSON-RPC in it, or the status with the start of what it says. */
export const refusalOf = (status: number, body: string): McpError.McpError => {
  // Who is not let in has not been heard: the status is what matters, and what authorization goes by.
  const parsed = status === 401 || status === 403 ? undefined : parse(body)
  return parsed !== undefined && isError(parsed.value)
    ? McpError.fromJsonRpc(parsed.value.error)
    : Failure.status(status, body)
}

/** Statuses by which a server tells that it was too busy, and not that there is nothing to be had. */
export const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 429

/** Whether a server of Streamable HTTP has refused `initialize`: it names the revisions that it speaks. */
export const isOfThisTransport = ({ reason }: McpError.McpError): boolean =>
  reason._tag === "UnsupportedProtocolVersion" || reason._tag === "HeaderMismatch" ||
  reason._tag === "MissingClientCapability" ||
  ("data" in reason && isObject(reason.data) && Array.isArray(reason.data["supported"]))

export const encode = (frame: Frame): Effect.Effect<string, McpError.McpError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(JSON.stringify(frame))
    } catch (cause) {
      return Effect.fail(McpError.make(
        new McpError.TransportError({ sent: "no", detail: "The message cannot be written as JSON", cause })
      ))
    }
  })

export const modernHeaders = (frame: Request | Notification, version: string): Headers => {
  const parameter = ModernHeaders.nameParameter.get(frame.method)
  const name = parameter === undefined ? undefined : frame.params?.[parameter]
  return {
    ...accepted,
    "mcp-protocol-version": version,
    "mcp-method": ParamHeaders.encode(frame.method),
    ...(typeof name === "string" ? { "mcp-name": ParamHeaders.encode(name) } : {})
  }
}

export const sessionHeaders = ({ id, revision }: Named): Headers => ({
  ...(id === undefined ? {} : { "mcp-session-id": id }),
  ...(revision !== undefined && Revision.atLeast(revision, "2025-06-18") ? { "mcp-protocol-version": revision } : {})
})
