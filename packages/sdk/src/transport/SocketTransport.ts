/**
 * Newline-delimited JSON over sockets: TCP, Unix domain sockets, TLS, whatever `effect/socket` offers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
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
 * Options of a server on sockets.
 *
 * @since 0.1.0
 * @category models
 */
export type ServerOptions = SocketServing.ServerOptions

/**
 * Options of a client on a socket.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientOptions extends StreamConnection.Options {
  /** When a client connects again after its connection has ended unexpectedly. Default never. */
  readonly restart?: Schedule.Schedule<unknown, McpError.McpError> | undefined
}

// TCP has no close codes: `effect/socket` says 1000 for the end of the input.
const ended = 1000

const endOf = ({ reason }: Socket.SocketError): Effect.Effect<never, McpError.McpError | Cause.Done> =>
  reason._tag === "SocketCloseError" && reason.code === ended
    ? Cause.done()
    : Effect.fail(closed("The socket failed", reason))

/**
 * Opens a socket and connects over it. Closing the scope writes what is queued and closes the socket.
 *
 * Fails with reason `TransportError` (`sent: "no"`) where the socket cannot be opened.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connect: (
  socket: Socket.Socket,
  options?: StreamConnection.Options
) => Effect.Effect<Connection, McpError.McpError, Scope.Scope> = Effect.fnUntraced(function*(socket, options) {
  const pull = yield* Effect.mapError(Socket.readerBytes(socket), SocketServing.notOpened)
  const writer = yield* socket.writer
  const intoWriter = StreamConnection.intoWrite(writer.write)

  const { connection, shutdown } = yield* StreamConnection.make({
    incoming: StreamConnection.messages(
      Stream.fromPull(Effect.succeed(pull.pipe(Effect.catch(endOf)))),
      options,
      (error) => error
    ),
    encode: Framing.encode,
    drain: (texts) =>
      Effect.mapError(intoWriter(texts), (error) => StreamConnection.broken("Writing to the socket failed", error))
  }, options)

  // Closing a socket normally waits for its reader without an end.
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(
      shutdown,
      (flushed) => flushed ? Effect.void : Effect.ignore(writer.write(new Socket.CloseEvent(ended)))
    )
  )
  return connection
})

/**
 * A transport over sockets: each connection makes one, because a `Socket` is one connection at a time.
 *
 * @example
 * ```ts
 * const transport = SocketTransport.layerClient(NodeSocket.makeNet({ host: "127.0.0.1", port: 4000 }))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = <E, R>(
  socket: Effect.Effect<Socket.Socket, E, R>,
  options?: ClientOptions
): Layer.Layer<ClientTransport, never, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    ClientTransport,
    Effect.map(Effect.context<Exclude<R, Scope.Scope>>(), (context) => ({
      kind: "socket",
      open: Effect.flatMap(Effect.scope, (scope) =>
        Effect.mapError(socket, SocketServing.notOpened).pipe(
          Effect.flatMap((socket) => connect(socket, options)),
          Effect.provideContext(Context.add(context, Scope.Scope, scope) as Context.Context<R | Scope.Scope>)
        )),
      restart: options?.restart
    }))
  )

/**
 * A server on every socket that the `SocketServer` in the environment accepts.
 *
 * @example
 * ```ts
 * const transport = SocketTransport.layerServer().pipe(
 *   Layer.provide(NodeSocketServer.layer({ host: "127.0.0.1", port: 4000 }))
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
        "socket",
        new Socket.CloseEvent(ended),
        (socket) => connect(socket, options),
        options
      ))
  )
