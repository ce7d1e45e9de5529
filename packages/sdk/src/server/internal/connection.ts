/** Serves one connection: requests of either era, the session of the handshake era, its notices, an orderly end. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Change, Changes } from "../../api/Changes.ts"
import * as Legacy from "../../era/Legacy.ts"
import type { Connection } from "../../peer/Connection.ts"
import * as Peer from "../../peer/Peer.ts"
import type { ConnectionFacts } from "../../peer/ServerTransport.ts"
import type { ServerCapabilities } from "../../protocol/Capabilities.ts"
import { isRequestId, type Notification, type RequestId } from "../../protocol/JsonRpc.ts"
import type { McpError } from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Closing from "./closing.ts"
import type { Endpoint, Exchange, Session } from "./endpoint.ts"
import * as Notices from "./notices.ts"
import type * as NotificationImpl from "./notification.ts"

export interface Options {
  readonly handle: Endpoint["handle"]
  readonly notify: ReturnType<typeof NotificationImpl.make>
  readonly changes: Changes["Service"]
  readonly capabilities: () => ServerCapabilities
  /** The signal of the server. */
  readonly closing: Closing.Closing
  readonly maxInFlight: number | undefined
  readonly drainTimeout: Duration.Input | undefined
}

export const make = (options: Options) => {
  const { capabilities, changes, closing: serverClosing, handle, notify } = options
  const drainTimeout = options.drainTimeout ?? Duration.seconds(3)

  return Effect.fnUntraced(function*(
    connection: Connection,
    facts: ConnectionFacts = { transport: "custom" }
  ): Effect.fn.Return<void, McpError, Scope.Scope> {
    const session: Session = facts.established === undefined
      ? { state: Legacy.initial, declared: {} }
      : { state: Legacy.resume(facts.established), declared: capabilities() }
    const scope = yield* Effect.scope
    const closing = Closing.make()
    yield* Effect.acquireRelease(
      Effect.sync(() => serverClosing.onClose(closing.close)),
      (forget) => Effect.sync(forget)
    )
    /** The subscriptions of the modern era. */
    const listens = new Set<RequestId>()

    const exchange = (peer: Peer.Peer, id: RequestId | undefined): Exchange => ({
      facts,
      notify: (method, params) =>
        Effect.suspend(() => {
          if (id === undefined || peer.isAnswering(id)) {
            return Effect.ignore(peer.notify(method, params, { relatedTo: id }))
          }
          // Nothing comes for a request after its answer, but word of what the user did elsewhere in the meantime.
          return method === Method.ElicitationComplete.name ? Effect.ignore(peer.notify(method, params)) : Effect.void
        }),
      request: (method, params, { timeout }) => peer.request(method, params, { relatedTo: id, timeout })
    })

    // ---- change notices of the handshake era

    const wants = (change: Change): boolean =>
      session.state._tag === "Open" && Notices.isDeclared(change, session.declared) &&
      (change._tag !== "Resource" || session.state.subscriptions.has(change.uri))

    const tellChanges = (peer: Peer.Peer) =>
      Notices.subscribe(changes, wants, closing).pipe(
        Effect.flatMap((deliver) => deliver((change) => Effect.ignore(peer.notify(...Notices.noticeOf(change))))),
        Effect.scoped,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )

    // ---- what comes

    const onNotification = (notification: Notification, peer: Peer.Peer): Effect.Effect<void> | undefined => {
      const { method, params } = notification
      switch (method) {
        case "notifications/cancelled": {
          const id = params?.["requestId"]
          if (!isRequestId(id)) return undefined
          peer.cancel(id)
          const reason = params?.["reason"]
          return typeof reason === "string"
            ? Effect.logDebug(`The client cancelled its request ${JSON.stringify(id)}: ${reason.slice(0, 200)}`)
            : undefined
        }
        case "notifications/progress": {
          const token = params?.["progressToken"]
          if (isRequestId(token)) peer.deliver(token, notification)
          return undefined
        }
        case "notifications/initialized": {
          const before = session.state
          session.state = Legacy.onNotification(before, method)
          return before._tag === "Open" && !before.initialized ? tellChanges(peer) : undefined
        }
        default: {
          const open = session.state._tag === "Open" ? session.state : undefined
          return notify(notification, facts, open, exchange(peer, undefined))
        }
      }
    }

    const peer = yield* Effect.provideService(
      Peer.make(connection, {
        onRequest: (request, peer) => {
          const answer = handle(request, exchange(peer, request.id), session)
          if (request.method !== "subscriptions/listen") return answer
          listens.add(request.id)
          return Effect.ensuring(
            answer,
            Effect.sync(() => {
              listens.delete(request.id)
            })
          )
        },
        onNotification,
        onEnd: closing.close,
        cancelNotice: (id) => ({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id }
        }),
        answersInvalid: true,
        acceptsBatch: () => session.state._tag === "Open" && session.state.revision === "2025-03-26"
      }, { maxInFlight: options.maxInFlight, drainTimeout }),
      Closing.Current,
      closing
    )
    if (facts.established !== undefined) yield* tellChanges(peer)

    // Subscriptions end with a result, also when the connection is closed on this side.
    yield* Effect.addFinalizer(() => {
      const open = [...listens]
      closing.close()
      return open.length === 0 ? Effect.void : Effect.timeoutOption(
        Effect.forEach(open, peer.answered, { discard: true, concurrency: "unbounded" }),
        drainTimeout
      )
    })
    yield* peer.run
  })
}
