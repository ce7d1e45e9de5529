/**
 * The modern era: each request carries its facts in `_meta`, each result is stamped with its type and its server.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 * @since 0.1.0
 */
import type { ClientCapabilities } from "../protocol/Capabilities.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import { isRequestId, type Params, type RequestId } from "../protocol/JsonRpc.ts"
import * as LoggingLevel from "../protocol/LoggingLevel.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"

/**
 * The reserved keys of `_meta` that this file reads and writes.
 *
 * @since 0.1.0
 * @category constants
 */
export const Key = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId"
} as const

/**
 * What a request says about its sender.
 *
 * @since 0.1.0
 * @category models
 */
export interface Facts {
  readonly revision: Revision.Revision
  readonly clientInfo: Implementation | undefined
  readonly capabilities: ClientCapabilities
  readonly logLevel: LoggingLevel.LoggingLevel | undefined
}

const isRecord = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/**
 * The `_meta` of a request, or nothing where it is no object.
 *
 * @since 0.1.0
 * @category decoding
 */
export const metaOf = (params: Params | undefined): { readonly [key: string]: unknown } | undefined => {
  const meta = params?.["_meta"]
  return isRecord(meta) ? meta : undefined
}

/**
 * Whether a request claims to be of the modern era: it names its revision in `_meta`.
 *
 * @since 0.1.0
 * @category guards
 */
export const claims = (meta: { readonly [key: string]: unknown } | undefined): boolean =>
  meta !== undefined && Key.protocolVersion in meta

const refuse = (detail: string) => McpError.make(new McpError.InvalidParams({ detail }))

/**
 * Reads the facts of a request, the revision first. Fails as the specification says: -32022 for a revision that the
 * server does not speak, -32602 for what is missing or malformed.
 *
 * @since 0.1.0
 * @category decoding
 */
export const facts = (
  meta: { readonly [key: string]: unknown } | undefined,
  supported: ReadonlyArray<Revision.Revision>
): Facts | McpError.McpError => {
  const revision = meta?.[Key.protocolVersion]
  if (meta === undefined || typeof revision !== "string") {
    return refuse(
      `A request names its revision in _meta["${Key.protocolVersion}"], or follows an initialize handshake`
    )
  }
  if (!Revision.isRevision(revision) || !Revision.isModern(revision) || !supported.includes(revision)) {
    return McpError.make(new McpError.UnsupportedProtocolVersion({ supported, requested: revision }))
  }
  const capabilities = meta[Key.clientCapabilities]
  if (!isRecord(capabilities)) {
    return refuse(`A request declares its client's capabilities in _meta["${Key.clientCapabilities}"], an object`)
  }
  const clientInfo = meta[Key.clientInfo]
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return refuse(`_meta["${Key.clientInfo}"] needs a name and a version`)
  }
  const logLevel = meta[Key.logLevel]
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    return refuse(`_meta["${Key.logLevel}"] is no log level: ${JSON.stringify(logLevel)?.slice(0, 40)}`)
  }
  return { revision, clientInfo, capabilities: capabilities as ClientCapabilities, logLevel }
}

const isLoggingLevel = (u: unknown): u is LoggingLevel.LoggingLevel =>
  (LoggingLevel.all as ReadonlyArray<unknown>).includes(u)

const isImplementation = (u: unknown): u is Implementation =>
  isRecord(u) && typeof u["name"] === "string" && typeof u["version"] === "string"

/**
 * The progress token of a request: absent, valid, or an error.
 *
 * @since 0.1.0
 * @category decoding
 */
export const progressToken = (
  meta: { readonly [key: string]: unknown } | undefined
): RequestId | undefined | McpError.McpError => {
  const token = meta?.["progressToken"]
  return token === undefined || isRequestId(token) ? token : refuse("_meta.progressToken is a string or an integer")
}

/**
 * Stamps a result: its type where it says none, and the server's name.
 *
 * @since 0.1.0
 * @category encoding
 */
export const stamp = (result: Params, serverInfo: Implementation): Params => {
  const meta = result["_meta"]
  return {
    resultType: "complete",
    ...result,
    _meta: isRecord(meta) ? { [Key.serverInfo]: serverInfo, ...meta } : { [Key.serverInfo]: serverInfo }
  }
}
