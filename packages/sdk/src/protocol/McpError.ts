/**
 * The one error of this SDK: `McpError`, whose `reason` says what went wrong and whose fault it was.
 *
 * The file is as long as the list of reasons, which stand in one place with the codes that they travel by.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Code, type ErrorObject } from "./JsonRpc.ts"
import * as Revision from "./Revision.ts"

const detail = { detail: Schema.optionalKey(Schema.String), data: Schema.optionalKey(Schema.Unknown) }

// ---------------------------------------------------------------------------------------------------------------
// Reasons that travel: each has a JSON-RPC code. A server fails with one, a client receives one.
// ---------------------------------------------------------------------------------------------------------------

/**
 * The frame was no JSON (-32700).
 *
 * @since 0.1.0
 * @category reasons
 */
export class ParseError extends Schema.TaggedError<ParseError>()("ParseError", detail) {
  override get message() {
    return this.detail ?? "Parse error: the message is not valid JSON"
  }
}

/**
 * The JSON was no valid JSON-RPC request (-32600).
 *
 * @since 0.1.0
 * @category reasons
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", detail) {
  override get message() {
    return this.detail ?? "Invalid request"
  }
}

/**
 * The receiver has no such method, or does not offer the capability it belongs to (-32601).
 *
 * @since 0.1.0
 * @category reasons
 */
export class MethodNotFound extends Schema.TaggedError<MethodNotFound>()("MethodNotFound", {
  ...detail,
  method: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.detail ?? `Method not found: ${this.method ?? "unknown"}`
  }
}

/**
 * The parameters are not what the method takes: an unknown tool, prompt or cursor, a malformed argument (-32602).
 *
 * @since 0.1.0
 * @category reasons
 */
export class InvalidParams extends Schema.TaggedError<InvalidParams>()("InvalidParams", detail) {
  override get message() {
    return this.detail ?? "Invalid params"
  }
}

/**
 * The receiver failed; its details stay in its own log (-32603).
 *
 * @since 0.1.0
 * @category reasons
 */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", detail) {
  override get message() {
    return this.detail ?? "Internal error"
  }
}

/**
 * No resource has this URI: -32002 until 2025-11-25, -32602 with `data.uri` from 2026-07-28 on.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 * @since 0.1.0
 * @category reasons
 */
export class ResourceNotFound extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", {
  ...detail,
  uri: Schema.String
}) {
  override get message() {
    return this.detail ?? `Resource not found: ${this.uri}`
  }
}

/**
 * A header and the body of an HTTP request disagree (-32020).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#headermismatcherror
 * @since 0.1.0
 * @category reasons
 */
export class HeaderMismatch extends Schema.TaggedError<HeaderMismatch>()("HeaderMismatch", detail) {
  override get message() {
    return this.detail ?? "Header mismatch"
  }
}

/**
 * The request needs a capability that the client did not declare (-32021). `requiredCapabilities` has the form of
 * client capabilities, such as `{ sampling: {} }`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#missingrequiredclientcapabilityerror
 * @since 0.1.0
 * @category reasons
 */
export class MissingClientCapability extends Schema.TaggedError<MissingClientCapability>()("MissingClientCapability", {
  ...detail,
  requiredCapabilities: Schema.Record(Schema.String, Schema.Unknown)
}) {
  override get message() {
    return this.detail ??
      `The client did not declare the capability: ${Object.keys(this.requiredCapabilities).join(", ")}`
  }
}

/**
 * The receiver does not speak the requested revision (-32022).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation
 * @since 0.1.0
 * @category reasons
 */
export class UnsupportedProtocolVersion
  extends Schema.TaggedError<UnsupportedProtocolVersion>()("UnsupportedProtocolVersion", {
    ...detail,
    supported: Schema.Array(Schema.String),
    requested: Schema.String
  })
{
  override get message() {
    return this.detail ??
      `Unsupported protocol version "${this.requested}"; supported: ${this.supported.join(", ") || "none"}`
  }
}

/**
 * The request needs the user to visit these URLs first (-32042, 2025-11-25 only).
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 * @since 0.1.0
 * @category reasons
 */
export class UrlElicitationRequired extends Schema.TaggedError<UrlElicitationRequired>()("UrlElicitationRequired", {
  ...detail,
  elicitations: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
}) {
  override get message() {
    return this.detail ?? "This request needs more information: visit the given URLs first"
  }
}

/**
 * The client answered a question of a handler with an error: its user rejected a sampling, it does not know the method.
 * A handler that does not catch it fails with it; then the code is the client's own where it is an application's, as
 * the `-1` of a rejected sampling is, and `-32603` where it speaks of the question and not of the call.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling
 * @since 0.1.0
 * @category reasons
 */
export class ClientRefused extends Schema.TaggedError<ClientRefused>()("ClientRefused", {
  /** What was asked, such as `sampling/createMessage`. */
  method: Schema.String,
  code: Schema.Int,
  detail: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {
  override get message() {
    return `The client answered ${this.method} with an error: ${this.detail}`
  }
}

/**
 * Any other error code: an application's own, or one that an old or future peer knows.
 *
 * @since 0.1.0
 * @category reasons
 */
export class PeerError extends Schema.TaggedError<PeerError>()("PeerError", {
  code: Schema.Int,
  detail: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {
  override get message() {
    return this.detail
  }
}

// ---------------------------------------------------------------------------------------------------------------
// Local reasons: no peer ever said them, and none of them has a code.
// ---------------------------------------------------------------------------------------------------------------

/**
 * No answer came in time; the request was cancelled at the peer.
 *
 * @since 0.1.0
 * @category reasons
 */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {
  method: Schema.String,
  millis: Schema.Finite,
  /** Whether the hard maximum struck, which progress does not move. */
  maximum: Schema.Boolean
}) {
  override get message() {
    return `No answer to ${this.method} within ${this.millis} ms${
      this.maximum ? ", the most that a call may take" : ""
    }; raise the request's timeout if it needs longer`
  }
}

/**
 * The connection ended, or was closed, under the call.
 *
 * @since 0.1.0
 * @category reasons
 */
export class ConnectionClosed extends Schema.TaggedError<ConnectionClosed>()("ConnectionClosed", {
  detail: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return this.detail ?? "The connection is closed"
  }
}

/**
 * The transport failed. `sent` says whether the message can have reached the peer: `"no"` makes a repeat safe.
 *
 * @since 0.1.0
 * @category reasons
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  sent: Schema.Literals(["no", "maybe"]),
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `${this.detail} (${this.sent === "no" ? "surely not sent" : "maybe sent"})`
  }
}

/**
 * An HTTP status without a JSON-RPC answer, with the start of the body.
 *
 * @since 0.1.0
 * @category reasons
 */
export class HttpStatus extends Schema.TaggedError<HttpStatus>()("HttpStatus", {
  status: Schema.Int,
  body: Schema.String
}) {
  override get message() {
    return `The server answered with HTTP status ${this.status}${this.body === "" ? "" : `: ${this.body}`}`
  }
}

/**
 * The server no longer knows the session, so that it has surely not processed the request (HTTP 404 in the handshake
 * era). A client opens a new session and makes the request again.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 * @since 0.1.0
 * @category reasons
 */
export class SessionExpired extends Schema.TaggedError<SessionExpired>()("SessionExpired", {}) {
  override get message() {
    return "The server no longer knows the session"
  }
}

/**
 * The server's process could not be started.
 *
 * @since 0.1.0
 * @category reasons
 */
export class SpawnError extends Schema.TaggedError<SpawnError>()("SpawnError", {
  command: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `Could not start "${this.command}": ${
      this.detail ?? "is it installed, and on the PATH of this process? Does its working directory exist?"
    }`
  }
}

/**
 * The request was cancelled by the peer, or by the caller outside of Effect's interruption.
 *
 * @since 0.1.0
 * @category reasons
 */
export class Cancelled extends Schema.TaggedError<Cancelled>()("Cancelled", {
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.detail ?? "The request was cancelled"
  }
}

/**
 * The peer answered, but not with what the protocol, the advertised schema or the contract says.
 *
 * @since 0.1.0
 * @category reasons
 */
export class InvalidPeerMessage extends Schema.TaggedError<InvalidPeerMessage>()("InvalidPeerMessage", {
  detail: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {
  override get message() {
    return this.detail
  }
}

/**
 * The other side did not declare the capability that the call needs, or its revision cannot say what is to be said:
 * it was not sent.
 *
 * @since 0.1.0
 * @category reasons
 */
export class CapabilityNotSupported extends Schema.TaggedError<CapabilityNotSupported>()("CapabilityNotSupported", {
  detail: Schema.optionalKey(Schema.String),
  capability: Schema.String,
  method: Schema.String
}) {
  override get message() {
    return this.detail ?? `The other side did not declare "${this.capability}", which ${this.method} needs`
  }
}

/**
 * The two sides have no revision in common, or the server did not open as any revision says.
 *
 * @since 0.1.0
 * @category reasons
 */
export class NegotiationFailed extends Schema.TaggedError<NegotiationFailed>()("NegotiationFailed", {
  detail: Schema.String,
  supported: Schema.optionalKey(Schema.Array(Schema.String)),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return this.detail
  }
}

/**
 * The server asked for input more often than the client allows.
 *
 * @since 0.1.0
 * @category reasons
 */
export class TooManyRounds extends Schema.TaggedError<TooManyRounds>()("TooManyRounds", {
  method: Schema.String,
  rounds: Schema.Int
}) {
  override get message() {
    return `${this.method} asked for input ${this.rounds} times without an end`
  }
}

/**
 * What the caller gave does not fit: the arguments of a tool, the params of a method. It was not sent.
 *
 * @since 0.1.0
 * @category reasons
 */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  method: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/**
 * The server asked in the middle of a call, and this side has no answer: the handler failed, or took too long. The call
 * is given up.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @since 0.1.0
 * @category reasons
 */
export class InputNotGiven extends Schema.TaggedError<InputNotGiven>()("InputNotGiven", {
  /** What was asked: `"elicitation/create"`, `"sampling/createMessage"`, `"roots/list"`. */
  method: Schema.String,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `The server asked by ${this.method}, and got no answer: ${this.detail}`
  }
}

/**
 * A tool answered with an error that its contract does not declare: `detail` is its text, `result` all of it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 * @since 0.1.0
 * @category reasons
 */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  tool: Schema.String,
  detail: Schema.String,
  result: Schema.Unknown
}) {
  override get message() {
    return `The tool ${this.tool} failed: ${this.detail}`
  }
}

/**
 * Reasons with a JSON-RPC code: what a peer can say.
 *
 * @since 0.1.0
 * @category reasons
 */
export const ProtocolReason = Schema.Union([
  ParseError,
  InvalidRequest,
  MethodNotFound,
  InvalidParams,
  InternalError,
  ResourceNotFound,
  HeaderMismatch,
  MissingClientCapability,
  UnsupportedProtocolVersion,
  UrlElicitationRequired,
  ClientRefused,
  PeerError
])

/**
 * Reasons with a JSON-RPC code: what a peer can say.
 *
 * @since 0.1.0
 * @category reasons
 */
export type ProtocolReason = typeof ProtocolReason.Type

/**
 * Reasons without a JSON-RPC code: they arise on this side, and no answer of a peer can look like one.
 *
 * @since 0.1.0
 * @category reasons
 */
export const LocalReason = Schema.Union([
  RequestTimeout,
  ConnectionClosed,
  TransportError,
  HttpStatus,
  SessionExpired,
  SpawnError,
  Cancelled,
  InvalidPeerMessage,
  CapabilityNotSupported,
  NegotiationFailed,
  TooManyRounds,
  InvalidArguments,
  InputNotGiven,
  ToolFailed
])

/**
 * Reasons without a JSON-RPC code: they arise on this side, and no answer of a peer can look like one.
 *
 * @since 0.1.0
 * @category reasons
 */
export type LocalReason = typeof LocalReason.Type

/**
 * Why an `McpError` was raised.
 *
 * @since 0.1.0
 * @category reasons
 */
export type Reason = ProtocolReason | LocalReason

/**
 * The one error of this SDK. Catch one reason with `Effect.catchReason("McpError", "RequestTimeout", …)`.
 *
 * @since 0.1.0
 * @category errors
 */
export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  reason: Schema.Union([...ProtocolReason.members, ...LocalReason.members])
}) {
  override get message() {
    return this.reason.message
  }
}

/**
 * Makes an `McpError` of a reason.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (reason: Reason): McpError => new McpError({ reason })

const localTags: ReadonlySet<string> = new Set(LocalReason.members.map((member) => member.identifier))

/**
 * Whether an error has no JSON-RPC code: a timeout, a closed connection, an unacceptable answer, a tool's own error.
 * `false` means, in a client, that the peer answered with a JSON-RPC error.
 *
 * @since 0.1.0
 * @category guards
 */
export const isLocal = (error: McpError): boolean => localTags.has(error.reason._tag)

/** The codes that JSON-RPC keeps for itself and for protocols upon it. */
const isReserved = (code: number): boolean => code >= -32768 && code <= -32000

const withData = (code: number, message: string, data: unknown): ErrorObject =>
  data === undefined ? { code, message } : { code, message, data }

/**
 * The error as the peer gets it at a revision. A local reason becomes a neutral internal error: what happened on
 * this side is not the peer's business.
 *
 * @since 0.1.0
 * @category encoding
 */
export const toJsonRpc = (error: McpError, revision: Revision.Revision): ErrorObject => {
  const { reason } = error
  switch (reason._tag) {
    case "ParseError":
      return withData(Code.parseError, reason.message, reason.data)
    case "InvalidRequest":
      return withData(Code.invalidRequest, reason.message, reason.data)
    case "MethodNotFound":
      return withData(Code.methodNotFound, reason.message, reason.data)
    case "InvalidParams":
      return withData(Code.invalidParams, reason.message, reason.data)
    case "InternalError":
      return withData(Code.internalError, reason.message, reason.data)
    case "ResourceNotFound":
      return {
        code: Revision.isModern(revision) ? Code.invalidParams : Code.resourceNotFound,
        message: reason.message,
        data: { uri: reason.uri }
      }
    case "HeaderMismatch":
      return withData(Code.headerMismatch, reason.message, reason.data)
    case "MissingClientCapability":
      // Only the modern era has a code of its own for it.
      return Revision.isModern(revision)
        ? {
          code: Code.missingRequiredClientCapability,
          message: reason.message,
          data: { requiredCapabilities: reason.requiredCapabilities }
        }
        : withData(Code.invalidRequest, reason.message, { requiredCapabilities: reason.requiredCapabilities })
    case "UnsupportedProtocolVersion":
      return {
        code: Code.unsupportedProtocolVersion,
        message: reason.message,
        data: { supported: reason.supported, requested: reason.requested }
      }
    case "UrlElicitationRequired":
      return revision === "2025-11-25"
        ? { code: Code.urlElicitationRequired, message: reason.message, data: { elicitations: reason.elicitations } }
        : withData(Code.internalError, reason.message, undefined)
    case "ClientRefused":
      return { code: isReserved(reason.code) ? Code.internalError : reason.code, message: reason.message }
    case "PeerError":
      return withData(reason.code, reason.detail, reason.data)
    default:
      return withData(Code.internalError, "Internal error", undefined)
  }
}

const member = (data: unknown, key: string): unknown =>
  typeof data === "object" && data !== null ? (data as { readonly [key: string]: unknown })[key] : undefined

const isRecord = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

const strings = (u: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(u) && u.every((item) => typeof item === "string") ? u : undefined

const reasonOf = ({ code, data, message }: ErrorObject): ProtocolReason => {
  const common = data === undefined ? { detail: message } : { detail: message, data }
  switch (code) {
    case Code.parseError:
      return new ParseError(common)
    case Code.invalidRequest:
      return new InvalidRequest(common)
    case Code.methodNotFound:
      return new MethodNotFound(common)
    case Code.invalidParams:
      return new InvalidParams(common)
    case Code.internalError:
      return new InternalError(common)
    case Code.resourceNotFound: {
      const uri = member(data, "uri")
      return typeof uri === "string"
        ? new ResourceNotFound({ ...common, uri })
        : new PeerError({ code, ...common })
    }
    case Code.headerMismatch:
      return new HeaderMismatch(common)
    case Code.missingRequiredClientCapability: {
      const requiredCapabilities = member(data, "requiredCapabilities")
      return new MissingClientCapability({
        ...common,
        requiredCapabilities: isRecord(requiredCapabilities) ? requiredCapabilities : {}
      })
    }
    case Code.unsupportedProtocolVersion: {
      const requested = member(data, "requested")
      return new UnsupportedProtocolVersion({
        ...common,
        supported: strings(member(data, "supported")) ?? [],
        requested: typeof requested === "string" ? requested : ""
      })
    }
    case Code.urlElicitationRequired: {
      const elicitations = member(data, "elicitations")
      return new UrlElicitationRequired({
        ...common,
        elicitations: Array.isArray(elicitations) ? elicitations.filter(isRecord) : []
      })
    }
    default:
      return new PeerError({ code, ...common })
  }
}

/**
 * Reads the `error` member of a response. Never fails: a code without a name of its own becomes a `PeerError`.
 *
 * @since 0.1.0
 * @category decoding
 */
export const fromJsonRpc = (error: ErrorObject): McpError => make(reasonOf(error))

/**
 * The JSON-RPC code of an error, or `undefined` for a local one.
 *
 * @since 0.1.0
 * @category getters
 */
export const code = (error: McpError, revision: Revision.Revision): number | undefined =>
  isLocal(error) ? undefined : toJsonRpc(error, revision).code
