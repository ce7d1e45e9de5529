/**
 * A client of a server that is reached over HTTP: Streamable HTTP of every revision, and HTTP+SSE of 2024-11-05 where the
 * server has no other.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @since 0.1.0
 */
import type * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { ClientTransport } from "../../peer/ClientTransport.ts"
import type { Connection } from "../../peer/Connection.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Framing from "../Framing.ts"
import * as HttpConnection from "./internal/client/connection.ts"
import * as Wire from "./internal/client/wire.ts"

/**
 * Headers for the requests of a client. They do not replace those of the protocol.
 *
 * @since 0.1.0
 * @category models
 */
export type ClientHeaders = { readonly [name: string]: string | Redacted.Redacted<string> }

/**
 * Which redirects are followed.
 *
 * - `"same-origin"`: 307 and 308, which keep method and body, to the same origin.
 * - `"none"`: none.
 *
 * Another origin gets neither the headers nor the messages that were meant for this one: the error names it.
 *
 * @since 0.1.0
 * @category models
 */
export type Redirects = "same-origin" | "none"

/**
 * How to reach a server.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientOptions {
  /** The endpoint of the server. */
  readonly url: string | URL
  /** Headers for every request; an effect is run for each. Default none. */
  readonly headers?: ClientHeaders | Effect.Effect<ClientHeaders, McpError.McpError> | undefined
  /** The pause before a stream is opened again, where the server does not tell one. Default 1 second. */
  readonly reconnectDelay?: Duration.Input | undefined
  /** How often a stream is tried to be opened again without success before it is given up. Default 5. */
  readonly maxReconnectAttempts?: number | undefined
  /**
   * How long a server may take until the head of its answer has come. Fails with reason `RequestTimeout`. Default: as
   * long as the call may take. Mind that a server that answers by plain JSON sends nothing before it has done its work.
   */
  readonly responseTimeout?: Duration.Input | undefined
  /**
   * How long an answer or a stream may be quiet; keep-alive comments are no quiet. Fails with reason `RequestTimeout`, or
   * the stream is opened again. Default: for ever.
   */
  readonly idleTimeout?: Duration.Input | undefined
  /** The most that an answer, or one event of a stream, may hold. Default 64 MiB. */
  readonly maxResponseBytes?: ByteSize.Input | undefined
  /** Which redirects are followed. Default `"same-origin"`. */
  readonly redirects?: Redirects | undefined
  /** How long the end of a session may take when the connection is closed. Default 2 seconds. */
  readonly closeTimeout?: Duration.Input | undefined
  /**
   * When a client begins a new session after one has ended unexpectedly. Default: for as long as it takes, after ever
   * longer pauses of at most 30 seconds.
   */
  readonly restart?: Schedule.Schedule<unknown, McpError.McpError> | undefined
}

const millis = (input: Duration.Input | undefined, orElse: Duration.Input): number =>
  Duration.toMillis(Duration.fromInputUnsafe(input ?? orElse))

const read = (headers: ClientHeaders): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).map((
      [name, value]
    ) => [name.toLowerCase(), typeof value === "string" ? value : Redacted.value(value)])
  )

const restartDefault: Schedule.Schedule<unknown, McpError.McpError> = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(30))))
)

/**
 * Connects to a server. Nothing is sent before the first message. Closing the scope closes all streams and ends the
 * session, if there is one.
 *
 * Each message is sent by a POST of its own, and the answer to a request may come as JSON or on a stream. In the modern
 * era interrupting `send` closes that stream. In the handshake era it sends the cancel notice, a stream that breaks is
 * resumed by a GET after the last event that came, and the stream of what the server says of its own accord is open as
 * long as the server lets it. `send` fails with reason
 *
 * - `TransportError`: the request could not be made, or its stream ended without an answer.
 * - `HttpStatus`: refused with something else than an error of JSON-RPC.
 * - `SessionExpired`: surely not processed, for the server has forgotten the session.
 * - `InvalidPeerMessage`: the answer is none, or too large.
 * - `RequestTimeout`: see `responseTimeout` and `idleTimeout`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectHttp = (
  options: ClientOptions
): Effect.Effect<Connection, McpError.McpError, Scope.Scope | HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (client) => {
    const url = String(options.url)
    if (!URL.canParse(url)) {
      return Effect.fail(McpError.make(
        new McpError.TransportError({ sent: "no", detail: `The url of the server is none: ${JSON.stringify(url)}` })
      ))
    }
    const { headers = {} } = options
    return HttpConnection.make({
      // A fragment is for the reader of a document, and is never sent.
      url: url.split("#", 1)[0]!,
      wire: Wire.make(client, {
        responseTimeout: millis(options.responseTimeout, Infinity),
        idleTimeout: millis(options.idleTimeout, Infinity),
        maxBytes: Framing.bytes(options.maxResponseBytes, 64 * 1024 * 1024),
        follows: options.redirects !== "none"
      }),
      headers: Effect.isEffect(headers) ? Effect.map(headers, read) : Effect.succeed(read(headers)),
      reconnectDelay: millis(options.reconnectDelay, "1 second"),
      maxReconnectAttempts: options.maxReconnectAttempts ?? 5,
      closeTimeout: Duration.fromInputUnsafe(options.closeTimeout ?? "2 seconds")
    })
  })

/**
 * Whether a server that has answered the first modern request so is of the handshake era. One that cannot be reached,
 * lets nobody in, or has failed is not known to be.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#backward-compatibility
 */
const fallsBack = ({ reason }: McpError.McpError): boolean => {
  switch (reason._tag) {
    case "HttpStatus":
      return reason.status >= 400 && reason.status < 500 && ![401, 403, 407, 429].includes(reason.status)
    case "TransportError":
      return reason.sent === "maybe"
    default:
      return true
  }
}

/**
 * A transport to a server that is reached over HTTP.
 *
 * @example
 * ```ts
 * const transport = HttpTransport.layerClient({ url: "https://example.com/mcp" }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (
  options: ClientOptions
): Layer.Layer<ClientTransport, never, HttpClient.HttpClient> =>
  Layer.effect(
    ClientTransport,
    Effect.map(HttpClient.HttpClient, (client) => ({
      kind: "http",
      open: Effect.provideService(connectHttp(options), HttpClient.HttpClient, client),
      restart: options.restart ?? restartDefault,
      fallsBack
    }))
  )
