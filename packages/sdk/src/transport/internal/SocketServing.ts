/**
 * Serves the connections that a socket server accepts, each in its own scope.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import type { SocketServer } from "effect/socket/SocketServer"
import type { Connection } from "../../peer/Connection.ts"
import type { Endpoint, ServerTransport } from "../../peer/ServerTransport.ts"
import * as McpError from "../../protocol/McpError.ts"
import type * as StreamConnection from "../StreamConnection.ts"

/**
 * Options of a server on sockets.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerOptions extends StreamConnection.Options {
  /** How many connections are served at a time; one more is closed at once. Default 1,024. */
  readonly maxConnections?: number | undefined
}

/**
 * The error of a socket that could not be opened.
 *
 * @since 0.1.0
 * @category errors
 */
export const notOpened = (cause: unknown): McpError.McpError =>
  McpError.make(new McpError.TransportError({ sent: "no", detail: "The socket could not be opened", cause }))

/**
 * The service of a server transport over a socket server. `refusal` is how one connection too many is closed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  server: SocketServer["Service"],
  transport: string,
  refusal: Socket.CloseEvent,
  connect: (socket: Socket.Socket) => Effect.Effect<Connection, McpError.McpError, Scope.Scope>,
  options: ServerOptions | undefined
): ServerTransport["Service"] => {
  const maxConnections = options?.maxConnections ?? 1024
  let connections = 0

  const refuse = (socket: Socket.Socket) =>
    Effect.logWarning(`A connection was refused: ${maxConnections} are open already`).pipe(
      Effect.andThen(socket.reader),
      Effect.andThen(socket.writer),
      Effect.flatMap((writer) => writer.write(refusal)),
      Effect.scoped
    )

  const own = (endpoint: Endpoint, socket: Socket.Socket) =>
    Effect.suspend(() => {
      connections++
      return connect(socket)
    }).pipe(
      Effect.flatMap((connection) => endpoint.connect(connection, { transport })),
      Effect.scoped,
      Effect.ensuring(Effect.sync(() => {
        connections--
      }))
    )

  return {
    serve: (endpoint) =>
      server.run((socket) =>
        Effect.suspend((): Effect.Effect<void, unknown> =>
          connections >= maxConnections ? refuse(socket) : own(endpoint, socket)
        ).pipe(Effect.catchIf(() => true, (error) => Effect.logDebug("A connection ended", error)))
      ).pipe(Effect.mapError(notOpened))
  }
}
