/** One connection to the server, and the peer that speaks on it until it ends. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Key } from "../../era/Modern.ts"
import type * as Negotiate from "../../era/Negotiate.ts"
import type { ClientTransport } from "../../peer/ClientTransport.ts"
import * as Peer from "../../peer/Peer.ts"
import { ClientCapabilities } from "../../protocol/Capabilities.ts"
import * as Codec from "../../protocol/Codec.ts"
import { Implementation } from "../../protocol/Implementation.ts"
import type { Notification, Params, Request, RequestId, Response } from "../../protocol/JsonRpc.ts"
import { isRequestId } from "../../protocol/JsonRpc.ts"
import type { LoggingLevel } from "../../protocol/LoggingLevel.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { Answers } from "./answers.ts"

/** Where the notices of one subscription go. */
export interface Sink {
  /** Whether the client itself has subscribed, for the handlers in its options. */
  readonly own: boolean
  readonly acknowledged: (params: Params) => void
  readonly notice: (notification: Notification) => void
}

export interface Session {
  readonly peer: Peer.Peer
  readonly agreement: Negotiate.Agreement
  readonly modern: boolean
  /** Whether the server itself has confirmed the agreement. */
  proven: boolean
  /** The `_meta` of every request in the modern era. */
  readonly meta: { readonly [key: string]: unknown } | undefined
  /** The open subscriptions of the modern era, by the id of their request. */
  readonly sinks: Map<RequestId, Sink>
  /** How many subscriptions of the handshake era want to hear of a URI. */
  readonly subscribed: Map<string, number>
  /** Calls the function when the connection ends, before those who wait on it hear of that. */
  readonly onEnd: (f: () => void) => void
  /** Fails when the connection has ended. */
  readonly ended: Deferred.Deferred<never, McpError.McpError>
  /** Speaks another revision of the modern era from now on. */
  readonly reselect: (revision: Revision.Revision) => void
  /** Log messages to ask for in the modern era. */
  readonly setLogLevel: (level: LoggingLevel | undefined) => void
  readonly close: Effect.Effect<void>
}

export interface Config {
  readonly transport: ClientTransport["Service"]
  readonly speaks: ReadonlyArray<Revision.Revision>
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly probeTimeout: Duration.Duration
  readonly timeout: Duration.Duration
  readonly maximumTimeout: Duration.Duration
  readonly inputTimeout: Duration.Duration
  readonly answers: Answers
  /** Requests of one's own that the application answers. */
  readonly requests: ReadonlyMap<string, (params: Params) => Effect.Effect<Params, McpError.McpError>>
  /** Takes a notification that is not the session's own business. */
  readonly onNotification: (
    notification: Notification,
    session: Session,
    sink: Sink | undefined
  ) => Effect.Effect<void> | undefined
  readonly logLevel: () => LoggingLevel | undefined
}

export const record = (u: unknown): { readonly [key: string]: unknown } | undefined =>
  typeof u === "object" && u !== null && !Array.isArray(u) ? u as { readonly [key: string]: unknown } : undefined

const succeeded = (id: RequestId, result: Params): Response => ({ jsonrpc: "2.0", id, result })

const failed = (id: RequestId, error: McpError.McpError, revision: Revision.Revision): Response => ({
  jsonrpc: "2.0",
  id,
  error: McpError.toJsonRpc(error, revision)
})

const closedByServer = () =>
  McpError.make(new McpError.ConnectionClosed({ detail: "The server closed the connection" }))

const closedHere = () =>
  McpError.make(new McpError.ConnectionClosed({ detail: "The connection was closed on this side" }))

/** The sink of a subscription. Some servers echo a number as a string. */
const sinkOf = (session: Session, id: unknown): Sink | undefined => {
  if (!isRequestId(id)) return undefined
  return session.sinks.get(id) ??
    (typeof id === "string" && /^\d+$/.test(id) ? session.sinks.get(Number(id)) : undefined)
}

/** What a client says of itself, as a revision has it. */
export const written = <T>(encode: Codec.Encode<T>, value: T): unknown => Result.getOrElse(encode(value), () => value)

/** The `_meta` that every request carries in the modern era. */
export const modernMeta = (config: Config, revision: Revision.Revision, level: LoggingLevel | undefined) => ({
  [Key.protocolVersion]: revision,
  [Key.clientInfo]: written(Codec.encode(Implementation, revision), config.info),
  [Key.clientCapabilities]: written(Codec.encode(ClientCapabilities, revision), config.capabilities),
  ...(level === undefined ? {} : { [Key.logLevel]: level })
})

/** A session before and after it is agreed on. */
export class SessionImpl implements Session {
  agreement: Negotiate.Agreement = { revision: Revision.latestHandshake }
  /** Before this, what comes is of no era yet. */
  agreed = false
  modern = false
  proven = false
  meta: { readonly [key: string]: unknown } | undefined
  readonly sinks = new Map<RequestId, Sink>()
  readonly subscribed = new Map<string, number>()
  readonly ended: Deferred.Deferred<never, McpError.McpError> = Deferred.makeUnsafe()
  readonly close: Effect.Effect<void>
  peer!: Peer.Peer
  private over = false
  private whenOver: (() => void) | undefined
  private readonly config: Config

  constructor(config: Config, scope: Scope.Closeable) {
    this.config = config
    this.close = Scope.close(scope, Exit.void)
  }

  agree(agreement: Negotiate.Agreement, proven: boolean): void {
    this.agreement = agreement
    this.agreed = true
    this.proven = proven
    this.modern = Revision.isModern(agreement.revision)
    this.setLogLevel(this.config.logLevel())
  }

  readonly onEnd = (f: () => void): void => {
    if (this.over) f()
    else this.whenOver = f
  }

  readonly end = (): void => {
    this.over = true
    this.whenOver?.()
  }

  readonly reselect = (revision: Revision.Revision): void => {
    this.agree({ ...this.agreement, revision }, this.proven)
  }

  readonly setLogLevel = (level: LoggingLevel | undefined): void => {
    this.meta = this.modern ? modernMeta(this.config, this.agreement.revision, level) : undefined
  }
}

const onRequest = (config: Config, session: SessionImpl, request: Request): Effect.Effect<Response | undefined> => {
  const { id, method } = request
  const { revision } = session.agreement
  // In the modern era a client sends no responses, whatever it is sent.
  if (session.agreed && session.modern) {
    return Effect.as(Effect.logDebug(`A request of the server, which has none at ${revision}: ${method}`), undefined)
  }
  if (method === "ping") return Effect.succeed(succeeded(id, {}))
  const params = request.params ?? {}
  const custom = config.requests.get(method)
  const known = Method.request(method)
  const prepared = custom !== undefined
    ? Result.succeed(custom(params))
    : known === undefined || !Method.isAvailable(known, revision, "server")
    ? Result.fail(McpError.make(new McpError.MethodNotFound({ method })))
    : config.answers.prepare(method, params, revision)
  if (Result.isFailure(prepared)) return Effect.succeed(failed(id, prepared.failure, revision))
  return Effect.match(
    Effect.timeoutOrElse(prepared.success, {
      duration: config.inputTimeout,
      orElse: () => Effect.fail(McpError.make(new McpError.InternalError({ detail: "No answer in time" })))
    }),
    {
      onSuccess: (result) => succeeded(id, result),
      onFailure: (error) => failed(id, error, revision)
    }
  )
}

const onNotification = (
  config: Config,
  session: SessionImpl,
  notification: Notification
): Effect.Effect<void> | undefined => {
  const params = record(notification.params) ?? {}
  switch (notification.method) {
    case "notifications/progress": {
      const { message, progress, progressToken, total } = params
      // What is malformed is passed over: the call goes on without it.
      if (isRequestId(progressToken) && typeof progress === "number") {
        session.peer.deliver(progressToken, {
          ...notification,
          params: {
            progress,
            ...(typeof total === "number" ? { total } : {}),
            ...(typeof message === "string" ? { message } : {})
          }
        })
      }
      return undefined
    }
    case "notifications/cancelled": {
      const id = params["requestId"]
      if (!isRequestId(id)) return undefined
      if (!session.modern) session.peer.cancel(id)
      // A server ends its subscriptions so; nothing else of ours is its to cancel.
      else if (sinkOf(session, id) !== undefined) session.peer.settle(id, Effect.succeed({ cancelled: true }))
      return undefined
    }
    default: {
      const sink = sinkOf(session, record(params["_meta"])?.[Key.subscriptionId])
      if (notification.method === "notifications/subscriptions/acknowledged") {
        sink?.acknowledged(params)
        return undefined
      }
      return config.onNotification(notification, session, sink)
    }
  }
}

/** Opens a connection and makes a peer on it. Nothing has been said yet. */
export const connect = Effect.fnUntraced(function*(config: Config, hold: (session: SessionImpl) => void) {
  const scope = yield* Scope.make()
  const session = new SessionImpl(config, scope)
  hold(session)
  const ended = (error: McpError.McpError) => Deferred.doneUnsafe(session.ended, Effect.fail(error))
  yield* Scope.addFinalizer(scope, Effect.sync(() => ended(closedHere())))
  const connection = yield* Scope.provide(config.transport.open, scope)
  session.peer = yield* Scope.provide(
    Peer.make({ ...connection, incoming: Stream.onExit(connection.incoming, () => Effect.sync(session.end)) }, {
      onRequest: (request) => onRequest(config, session, request),
      onNotification: (notification) => onNotification(config, session, notification),
      // A handshake must not be cancelled, and a probe that nobody understands had better not be.
      cancelNotice: (id, method) =>
        method === "initialize" || (method === "server/discover" && !session.agreed) ? undefined : {
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id }
        },
      answersInvalid: false,
      acceptsBatch: () => session.agreement.revision === "2025-03-26"
    }, {
      timeout: config.timeout,
      maximumTimeout: config.maximumTimeout,
      holdWhileAnswering: true,
      drainTimeout: 0
    }),
    scope
  )
  yield* Effect.forkIn(
    Effect.match(session.peer.run, { onSuccess: () => ended(closedByServer()), onFailure: ended }),
    scope,
    { startImmediately: true }
  )
  return session
})
