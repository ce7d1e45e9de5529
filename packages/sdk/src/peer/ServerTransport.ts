/**
 * What a transport provides to a server: a place where connections arrive.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Notification, Params, Request, Response } from "../protocol/JsonRpc.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { Revision } from "../protocol/Revision.ts"
import type { Connection } from "./Connection.ts"

/**
 * Who is at the other end, as the transport has verified it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Principal {
  /** Identifies the principal: sessions, request states and caches are bound to it. */
  readonly subject: string
  readonly [claim: string]: unknown
}

/**
 * What a transport knows about a connection besides its messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConnectionFacts {
  /** The kind of transport: `"stdio"`, `"socket"`, `"websocket"`, `"memory"`, `"http"`, … */
  readonly transport: string
  /** Who is at the other end, where the transport has verified it. Absent means unknown, not trusted. */
  readonly principal?: Principal | undefined
  /** The id of the session, where the transport has a name for it. */
  readonly sessionId?: string | undefined
  /** A handshake that the client has made before, on another connection: this one begins where that one stood. */
  readonly established?: Established | undefined
}

/**
 * What a handshake has settled.
 *
 * @since 0.1.0
 * @category models
 */
export interface Established {
  readonly revision: Revision
  readonly clientInfo: Params
  readonly capabilities: Params
}

/**
 * The way back to the sender of one request that stands for itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Exchange {
  readonly facts: ConnectionFacts
  /** Sends a notification before the answer. */
  readonly notify: (method: string, params: Params) => Effect.Effect<void>
}

/**
 * What a server gives to a transport: what to do with a connection.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint {
  /**
   * Serves one connection and completes when it has ended: `connection.incoming` has ended, and what was asked
   * before that is answered. The scope is the connection's own.
   */
  readonly connect: (
    connection: Connection,
    facts?: ConnectionFacts
  ) => Effect.Effect<void, McpError, Scope.Scope>
  /** Answers one request of the modern era by itself: a function call, without a connection around it. */
  readonly handle: (request: Request, exchange: Exchange) => Effect.Effect<Response>
  /** Takes one notification that stands for itself. */
  readonly notify: (notification: Notification, facts: ConnectionFacts) => Effect.Effect<void>
  /** Whether an answer of `handle` refuses its request as malformed, before anything was dispatched. */
  readonly isRefusal: (response: Response) => boolean
  /** The input schema of a tool that is offered at the moment: the same object for as long as it does not change. */
  readonly inputSchema: (tool: string) => object | undefined
  /** The revisions that are served, oldest first. */
  readonly supported: ReadonlyArray<Revision>
  /** Ends the subscriptions of the modern era in good order: their streams get their result. For shutdown. */
  readonly end: Effect.Effect<void>
}

/**
 * Where the connections of a server come from.
 *
 * `serve` completes when the transport has ended for good, as a pipe does at the end of its input. A transport that
 * listens goes on until its scope closes or it is interrupted.
 *
 * @since 0.1.0
 * @category services
 */
export class ServerTransport extends Context.Service<ServerTransport, {
  readonly serve: (endpoint: Endpoint) => Effect.Effect<void, McpError, Scope.Scope>
}>()("@effect-mcp/sdk/peer/ServerTransport") {}
