/**
 * What a transport provides to a client: a way to open connections to one server.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { McpError } from "../protocol/McpError.ts"
import type { Connection } from "./Connection.ts"

/**
 * The kind of a transport. Own transports may use any other name.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = "stdio" | "socket" | "websocket" | "memory" | "http" | (string & {})

/**
 * How a client reaches its server.
 *
 * @since 0.1.0
 * @category services
 */
export class ClientTransport extends Context.Service<ClientTransport, {
  /** What carries the messages. */
  readonly kind: Kind
  /**
   * Opens a connection that lives in the caller's scope. Each run opens a new one: a new process, a new socket.
   * Fails with reason `SpawnError` or `TransportError` (`sent: "no"`) where there is nothing to talk to.
   */
  readonly open: Effect.Effect<Connection, McpError, Scope.Scope>
  /**
   * When a client opens a new connection after one has ended unexpectedly. Absent: never. The transport only carries
   * this policy, the client applies it.
   */
  readonly restart?: Schedule.Schedule<unknown, McpError> | undefined
  /**
   * Whether a server that has met the first request of the modern era with this error is taken for one of the handshake
   * era. It is not asked about errors that only the modern era has. Absent: whatever happens on a pipe means that, its
   * end included.
   */
  readonly fallsBack?: ((error: McpError) => boolean) | undefined
}>()("@effect-mcp/sdk/peer/ClientTransport") {}
