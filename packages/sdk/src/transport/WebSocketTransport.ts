/**
 * One JSON text a WebSocket message, on subprotocol `mcp`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-transports
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { SocketServer } from "effect/socket/SocketServer"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../peer/ClientTransport.ts"
import type { Connection } from "../peer/Connection.ts"
import { ServerTransport } from "../peer/ServerTransport.ts"
import type * as McpError from "../protocol/McpError.ts"
import * as Framing from "./Framing.ts"
import { closed } from "./internal/Outbox.ts"
import * as SocketServing from "./internal/SocketServing.ts"
import * as StreamConnection from "./StreamConnection.ts"

/**
 * The subprotocol that a client offers.
 *
 * @since 0.1.0
 * @category constants
 */
export const subprotocol = "mcp"

/**
 * Options of a server on WebSockets.
 *
 * @since 0.1.0
 * @category models
 */
export type ServerOptions = SocketServing.ServerOptions

/**
 * Options of a client on a WebSocket.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientOptions extends StreamConnection.Options {
  /** Headers of the opening handshake. Browsers, and Node's own WebSocket, cannot set any. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** How long opening may take. Default 10 seconds. */
  readonly openTimeout?: Duration.Input | undefined
  /** When a client connects again after its connection has ended unexpectedly. Default never. */
  readonly restart?: Schedule.Schedule<unknown, McpError.McpError> | undefined
}

// https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1
const normalClosure = 1000
const goingAway = 1001
const noStatus = 1005
const messageTooBig = 1009
const tryAgainLater = 1013

const meaning: { readonly [code: number]: string | undefined } = {
  1002: "protocol error",
  1003: "unsupported data",
  1006: "connection lost",
  1007: "invalid data",
  1008: "policy violation",
  [messageTooBig]: "message too big",
  1011: "internal error",
  1012: "service restart",
  [tryAgainLater]: "try again later"
}

const endOf = ({ reason }: Socket.SocketError): Effect.Effect<never, McpError.McpError | Cause.Done> => {
  if (reason._tag !== "SocketCloseError") return Effect.fail(closed("The WebSocket failed", reason))
  const { closeReason, code } = reason
  if (code === normalClosure || code === goingAway || code === noStatus) return Cause.done()
  const why = closeReason ?? ""
  return Effect.fail(
    closed(`The WebSocket was closed with code ${code} (${meaning[code] ?? "unknown"})${why === "" ? "" : `: ${why}`}`)
  )
}

// A string's UTF-8 has one to three bytes for each of its code units, so only the rest has to be measured.
const isLarger = (message: string | Uint8Array, bytes: number): boolean =>
  typeof message !== "string"
    ? message.length > bytes
    : message.length > bytes || (message.length * 3 > bytes && StreamConnection.toBytes(message).length > bytes)

// How often a WebSocket is asked whether it has written what it was given: it does not tell by itself.
const pollInterval = "10 millis"

/** What of a WebSocket tells how much it has not written yet. */
interface Buffering {
  readonly bufferedAmount?: number | undefined
}

const settled = (webSocket: Buffering | undefined, bytes: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    (webSocket?.bufferedAmount ?? 0) <= bytes
      ? Effect.void
      : Effect.andThen(Effect.sleep(pollInterval), settled(webSocket, bytes))
  )

const largestBuffer = 1024 * 1024

const overSocket = Effect.fnUntraced(function*(
  socket: Socket.Socket,
  webSocket: () => Buffering | undefined,
  options: StreamConnection.Options | undefined
) {
  const maxFrameBytes = Framing.bytes(options?.maxFrameBytes, Framing.defaultMaxFrameBytes)
  const { pull } = yield* Effect.mapError(socket.reader, SocketServing.notOpened)
  const writer = yield* socket.writer

  const received = pull.pipe(Effect.catch(endOf))
  // A browser's WebSocket may only close with 1000 and codes of the application's own.
  const refuse = writer.write(new Socket.CloseEvent(messageTooBig)).pipe(
    Effect.catch(() => writer.write(new Socket.CloseEvent(4000 + messageTooBig % 1000, meaning[messageTooBig])))
  )
  let overflowed = false
  const text = new TextDecoder()
  const next: Pull.Pull<NonEmptyReadonlyArray<unknown>, McpError.McpError> = Effect.suspend(() =>
    overflowed
      ? Effect.andThen(Effect.ignore(refuse), Effect.fail(Framing.frameTooLarge(maxFrameBytes)))
      : Effect.flatMap(received, (batch) => {
        const out: Array<unknown> = []
        for (const message of batch) {
          overflowed = isLarger(message, maxFrameBytes)
          if (overflowed) break
          Framing.parse(typeof message === "string" ? message : text.decode(message), out)
        }
        return out.length > 0 ? Effect.succeed(out as unknown as NonEmptyReadonlyArray<unknown>) : next
      })
  )

  const { connection } = yield* StreamConnection.make({
    incoming: Stream.fromPull(Effect.succeed(next)),
    encode: Framing.stringify,
    drain: (texts) =>
      Effect.flatMap(texts, writer.writeAll).pipe(
        Effect.andThen(Effect.suspend(() => settled(webSocket(), largestBuffer))),
        Effect.forever({ disableYield: true }),
        Pull.catchDone(() => settled(webSocket(), 0)),
        Effect.mapError((error) => StreamConnection.broken("Writing to the WebSocket failed", error))
      )
  }, options)
  return connection
})

/**
 * A connection over a WebSocket that is open, or opens, as a `Socket`: such as `HttpServerRequest.upgrade` gives.
 *
 * `incoming` ends where the other side closes with code 1000, 1001 or none, and fails with reason `ConnectionClosed`
 * on any other, which it tells. A message over `maxFrameBytes` is answered with code 1009, or 4009 from a browser.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromSocket = (
  socket: Socket.Socket,
  options?: StreamConnection.Options
): Effect.Effect<Connection, McpError.McpError, Scope.Scope> =>
  Effect.flatMap(
    // A socket server puts the WebSocket itself beside the handler.
    Effect.serviceOption(Socket.WebSocket),
    (webSocket) => overSocket(socket, () => Option.getOrUndefined(webSocket) as Buffering | undefined, options)
  )

/**
 * Opens a WebSocket and connects over it. Closing the scope writes what is queued and closes it with code 1000.
 *
 * Fails with reason `TransportError` (`sent: "no"`) where it cannot be opened.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect: (
  url: string | URL,
  options?: ClientOptions
) => Effect.Effect<Connection, McpError.McpError, Scope.Scope | Socket.WebSocketConstructor> = Effect.fnUntraced(
  function*(url, options) {
    const construct = yield* Socket.WebSocketConstructor
    let current: Socket.WebSocketLike | undefined
    const socket = yield* Socket.fromWebSocket(
      Effect.acquireRelease(
        Effect.try({
          try: () =>
            current = construct(
              String(url),
              options?.headers === undefined ? subprotocol : { protocols: subprotocol, headers: options.headers }
            ),
          catch: (cause) => new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
        }),
        (webSocket) => Effect.sync(() => webSocket.close(normalClosure))
      ),
      {
        openTimeout: options?.openTimeout,
        highWaterMark: Framing.bytes(options?.maxFrameBytes, Framing.defaultMaxFrameBytes)
      }
    )
    return yield* overSocket(socket, () => current as Buffering | undefined, options)
  }
)

/**
 * A transport over a WebSocket: each connection opens one.
 *
 * @example
 * ```ts
 * const transport = WebSocketTransport.layerClient("wss://example.com/mcp").pipe(
 *   Layer.provide(NodeSocket.layerWebSocketConstructor)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (
  url: string | URL,
  options?: ClientOptions
): Layer.Layer<ClientTransport, never, Socket.WebSocketConstructor> =>
  Layer.effect(
    ClientTransport,
    Effect.map(Socket.WebSocketConstructor, (construct) => ({
      kind: "websocket",
      open: Effect.provideService(connect(url, options), Socket.WebSocketConstructor, construct),
      restart: options?.restart
    }))
  )

/**
 * A server on every WebSocket that the `SocketServer` in the environment accepts.
 *
 * @example
 * ```ts
 * const transport = WebSocketTransport.layerServer().pipe(
 *   Layer.provide(NodeSocketServer.layerWebSocket({ host: "127.0.0.1", port: 4000 }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServer = (options?: ServerOptions): Layer.Layer<ServerTransport, never, SocketServer> =>
  Layer.effect(
    ServerTransport,
    Effect.map(SocketServer, (server) =>
      SocketServing.make(
        server,
        "websocket",
        new Socket.CloseEvent(tryAgainLater, "too many connections"),
        (socket) => fromSocket(socket, options),
        options
      ))
  )
