/**
 * The handshake era over HTTP: which session a request belongs to, how long sessions live, what may be posted to them.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { ConnectionFacts, Endpoint, Established, Principal } from "../../peer/ServerTransport.ts"
import * as JsonRpc from "../../protocol/JsonRpc.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { EventStore } from "./EventStore.ts"
import { type Authenticator, type Head, type Headers, type Outgoing, type Refusal, refuse } from "./Exchange.ts"
import type { Accepts } from "./Guards.ts"
import type { Lives } from "./internal/live.ts"
import { type Post, Session } from "./internal/session.ts"
import * as ModernHeaders from "./ModernHeaders.ts"
import type { SessionStore } from "./SessionStore.ts"

/**
 * The header that names a session.
 *
 * @since 0.1.0
 * @category constants
 */
export const sessionHeader = "mcp-session-id"

/**
 * How long after its beginning the stream of a request is closed, to be resumed by the client: one time for all, or by
 * request. `undefined` leaves it open.
 *
 * @since 0.1.0
 * @category models
 */
export type PollInterval = Duration.Input | ((request: JsonRpc.Request) => Duration.Input | undefined)

/**
 * Options of sessions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How long a session may be idle: without requests being answered, without open streams. Default: 30 minutes. */
  readonly sessionTimeout?: Duration.Input | undefined
  /** Sessions at one time; one more ends the one that is idle the longest, or is refused. Default: 10,000. */
  readonly maxSessions?: number | undefined
  /** Default: streams stay open. From 2025-11-25 on. */
  readonly pollInterval?: PollInterval | undefined
  /** How long a client is told to wait before it resumes. Default: 1 second. */
  readonly retryInterval?: Duration.Input | undefined
  /**
   * Whether clients of the handshake era are served without sessions: each request stands for itself, at the revision
   * that its header names; the server cannot ask its clients anything. Default: false.
   */
  readonly stateless?: boolean | undefined
}

/**
 * What the sessions of one endpoint share.
 *
 * @since 0.1.0
 * @category models
 */
export interface Context {
  readonly endpoint: Endpoint
  readonly clock: Clock.Clock
  readonly lives: Lives
  readonly events: EventStore["Service"]
  readonly store: SessionStore["Service"]
  readonly authorize: Authenticator["authorize"]
}

/**
 * One request to the endpoint, by somebody who may send it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly head: Head
  readonly outgoing: Outgoing
  readonly accepts: Accepts
  readonly principal: Principal | undefined
  readonly cors: Headers | undefined
}

/**
 * The sessions of one endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sessions {
  /** Takes a message or a batch: what it is, is told already. */
  readonly post: (
    value: unknown,
    parts: ReadonlyArray<JsonRpc.Classified>,
    isBatch: boolean,
    call: Call
  ) => Effect.Effect<void>
  readonly get: (call: Call) => Effect.Effect<void>
  readonly delete: (call: Call) => Effect.Effect<void>
  /** Opens a session beside these rules, for the transport of 2024-11-05. */
  readonly open: (principal: Principal | undefined) => Effect.Effect<Session | undefined>
  readonly find: (id: string, principal: Principal | undefined) => Effect.Effect<Session | undefined>
  readonly end: (session: Session) => Effect.Effect<void>
  /** Ends sessions whose time has come, for ever. */
  readonly sweep: Effect.Effect<never>
  /** Ends the streams that belong to no request. */
  readonly endListening: Effect.Effect<void>
  readonly endAll: Effect.Effect<void>
  readonly count: () => number
}

const missing = refuse(400, JsonRpc.Code.invalidRequest, "Mcp-Session-Id is missing: begin with initialize")
const unknown = refuse(404, JsonRpc.Code.invalidRequest, "There is no such session: begin with initialize")
const full = refuse(503, JsonRpc.Code.internalError, "Too many sessions; try again later", {
  headers: { "retry-after": "5" }
})
const noStreams = refuse(406, JsonRpc.Code.invalidRequest, "A GET is answered by text/event-stream")
const noGet = refuse(405, JsonRpc.Code.invalidRequest, "This endpoint has no sessions", { headers: { allow: "POST" } })

const send = ({ cors, outgoing }: Call, { body, headers, status }: Refusal): Effect.Effect<void> => {
  outgoing.send(status, cors === undefined ? headers : { ...headers, ...cors }, body)
  return Effect.void
}

const accept = ({ cors, outgoing }: Call): Effect.Effect<void> => {
  outgoing.send(202, cors ?? {}, undefined)
  return Effect.void
}

/** What the answer to a handshake has settled; nothing where it was refused. */
const establish = (request: JsonRpc.Request, answer: unknown): Established | undefined => {
  const result = (answer as { readonly result?: JsonRpc.Params } | undefined)?.result
  const revision = result?.["protocolVersion"]
  return Revision.isRevision(revision)
    ? {
      revision,
      clientInfo: request.params?.["clientInfo"] as JsonRpc.Params,
      capabilities: request.params?.["capabilities"] as JsonRpc.Params
    }
    : undefined
}

/**
 * Makes the sessions of an endpoint. Closing the scope ends them all.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options | undefined,
  { authorize, clock, endpoint, events, lives, store }: Context
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const timeout = Duration.fromInputUnsafe(options?.sessionTimeout ?? "30 minutes")
  const timeoutMillis = Duration.toMillis(timeout)
  const maxSessions = options?.maxSessions ?? 10_000
  const retryInterval = Duration.toMillis(options?.retryInterval ?? "1 second")
  const stateless = options?.stateless === true
  const parent = yield* Effect.scope

  /** By id, the one that is unused the longest first. */
  const sessions = new Map<string, Session>()
  const scopes = new WeakMap<Session, Scope.Closeable>()

  const pollOf = (request: JsonRpc.Request | undefined): number | undefined => {
    const poll = options?.pollInterval
    if (poll === undefined) return undefined
    const interval = typeof poll !== "function" ? poll : request === undefined ? undefined : poll(request)
    return interval === undefined ? undefined : Duration.toMillis(interval)
  }

  const use = (session: Session) => {
    session.lastUsed = clock.currentTimeMillisUnsafe()
    if (sessions.delete(session.id)) sessions.set(session.id, session)
  }

  /** Stops a session, which was taken out of the map. What waits in it ends first, so that nobody sees it stop. */
  const stop = (session: Session): Effect.Effect<void> =>
    Effect.suspend(() => {
      session.close()
      const scope = scopes.get(session)
      scopes.delete(session)
      return Effect.andThen(
        scope === undefined ? Effect.void : Scope.close(scope, Exit.void),
        events.drop(session.id)
      )
    })

  const end = (session: Session): Effect.Effect<void> =>
    Effect.suspend(() =>
      sessions.delete(session.id) ? Effect.andThen(stop(session), store.remove(session.id)) : Effect.void
    )

  /** Begins a session, which is not in the map yet. */
  const begin = Effect.fnUntraced(function*(
    id: string,
    principal: Principal | undefined,
    established: Established | undefined
  ) {
    const session = new Session({ id, principal, lives, events, retryInterval })
    session.established = established
    const facts: ConnectionFacts = {
      transport: "http",
      sessionId: stateless ? undefined : id,
      established,
      get principal() {
        return session.principal
      }
    }
    const scope = yield* Scope.fork(parent)
    scopes.set(session, scope)
    yield* Effect.scoped(endpoint.connect(session.connection, facts)).pipe(
      Effect.catch((error) => Effect.logDebug("A session ended", error)),
      Effect.forkIn(scope, { startImmediately: true })
    )
    return session
  })

  const isExpired = (session: Session, now: number) => session.isIdle && now - session.lastUsed >= timeoutMillis

  /** Makes room for one more session; `false` where all that are there are in use. */
  const makeRoom = (): Effect.Effect<boolean> => {
    if (sessions.size < maxSessions) return Effect.succeed(true)
    for (const session of sessions.values()) if (session.isIdle) return Effect.as(end(session), true)
    return Effect.succeed(false)
  }

  const register = (session: Session) => {
    sessions.set(session.id, session)
    session.lastUsed = clock.currentTimeMillisUnsafe()
  }

  const save = (session: Session): Effect.Effect<void> => {
    if (session.established === undefined) return Effect.void
    session.lastSaved = clock.currentTimeMillisUnsafe()
    return store.save(session.id, { ...session.established, subject: session.subject }, timeout)
  }

  /** The session with that id, of that principal: to others it does not exist. */
  const find = (id: string, principal: Principal | undefined): Effect.Effect<Session | undefined> => {
    const session = sessions.get(id)
    if (session === undefined) return revive(id, principal)
    if (session.subject !== principal?.subject) return Effect.succeed(undefined)
    if (isExpired(session, clock.currentTimeMillisUnsafe())) return Effect.as(end(session), undefined)
    session.principal = principal
    return Effect.succeed(session)
  }

  const revive = Effect.fnUntraced(function*(id: string, principal: Principal | undefined) {
    const stored = Option.getOrUndefined(yield* store.load(id))
    if (stored === undefined || stored.subject !== principal?.subject || !(yield* makeRoom())) return undefined
    const session = yield* begin(id, principal, stored)
    // Somebody else may have been quicker.
    const other = sessions.get(id)
    if (other !== undefined) {
      yield* stop(session)
      return other
    }
    register(session)
    return session
  })

  /** The session that a request names, or why there is none. */
  const withSession = (call: Call, f: (session: Session) => Effect.Effect<void>): Effect.Effect<void> => {
    const id = call.head.header(sessionHeader)
    if (id === undefined) return send(call, missing)
    return Effect.flatMap(find(id, call.principal), (session) => {
      if (session === undefined) return send(call, unknown)
      const problem = versionProblem(call.head)
      if (problem !== undefined) return send(call, problem)
      // A store forgets what is not saved again.
      return clock.currentTimeMillisUnsafe() - session.lastSaved < timeoutMillis / 2
        ? f(session)
        : Effect.andThen(save(session), f(session))
    })
  }

  /** A revision that nobody speaks is refused; without a header the session knows its own. */
  const versionProblem = (head: Head): Refusal | undefined => {
    const version = head.header(ModernHeaders.versionHeader)
    return version === undefined ||
        endpoint.supported.some((revision) => revision === version && !Revision.isModern(revision))
      ? undefined
      : refuse(400, JsonRpc.Code.invalidRequest, `Unsupported MCP-Protocol-Version: ${version.slice(0, 40)}`)
  }

  // ---- POST

  const initialize = (request: JsonRpc.Request, call: Call): Effect.Effect<void> =>
    Effect.flatMap(makeRoom(), (room) => {
      if (!room) return send(call, full)
      return Effect.flatMap(begin(SecureRandom.uuidV4Unsafe(), call.principal, undefined), (session) => {
        const post: Post = {
          requests: [request.id],
          accepts: call.accepts,
          headers: (answer) => {
            session.established ??= establish(request, answer)
            if (session.established === undefined) return call.cors
            register(session)
            return { ...call.cors, [sessionHeader]: session.id }
          }
        }
        return Effect.ensuring(
          session.post(request, post, call.outgoing, undefined),
          // Refused, or nobody waits for its id any more.
          Effect.suspend(() => sessions.get(session.id) === session ? save(session) : stop(session))
        )
      })
    })

  /** Serves a POST on a session of its own. */
  const alone = (value: unknown, requests: ReadonlyArray<JsonRpc.Request>, call: Call): Effect.Effect<void> => {
    const problem = versionProblem(call.head)
    if (problem !== undefined) return send(call, problem)
    if (requests.length === 0) return accept(call)
    const version = call.head.header(ModernHeaders.versionHeader)
    const established: Established | undefined = requests[0]!.method === "initialize" ? undefined : {
      revision: Revision.isRevision(version) ? version : "2025-03-26",
      clientInfo: { name: "unknown", version: "unknown" },
      capabilities: {}
    }
    return Effect.flatMap(begin(SecureRandom.uuidV4Unsafe(), call.principal, established), (session) => {
      const post: Post = {
        requests: requests.map(({ id }) => id),
        accepts: call.accepts,
        headers: () => call.cors
      }
      return Effect.ensuring(session.post(value, post, call.outgoing, undefined), stop(session))
    })
  }

  const invalid = (why: string, id?: JsonRpc.RequestId) =>
    refuse(400, JsonRpc.Code.invalidRequest, `Invalid request: ${why}`, { id })

  const batchProblem = (
    parts: ReadonlyArray<JsonRpc.Classified>,
    requests: ReadonlyArray<JsonRpc.Request>,
    revision: string | undefined
  ): Refusal | undefined => {
    if (revision !== "2025-03-26") return invalid("this revision has no batches")
    if (parts.length === 0) return invalid("an empty batch")
    if (requests.some(({ method }) => method === "initialize")) return invalid("initialize must not be in a batch")
    if (new Set(requests.map(({ id }) => id)).size < requests.length) return invalid("an id is there twice")
    return requests.length === 0 && parts.some(({ _tag }) => _tag === "Invalid")
      ? invalid("a batch without a message")
      : undefined
  }

  const take = (value: unknown, parts: ReadonlyArray<JsonRpc.Classified>, call: Call, session: Session) => {
    for (const part of parts) {
      if (part._tag !== "Notification" || part.message.method !== "notifications/cancelled") continue
      const id = part.message.params?.["requestId"]
      if (JsonRpc.isRequestId(id)) session.cancel(id)
    }
    session.offer(value)
    use(session)
    return accept(call)
  }

  const post: Sessions["post"] = (value, parts, isBatch, call) => {
    const requests = parts.flatMap((part) => part._tag === "Request" ? [part.message] : [])
    if (authorize !== undefined) {
      for (const request of requests) {
        const refusal = authorize(call.principal, request)
        if (refusal !== undefined) return send(call, refusal)
      }
    }
    if (stateless) {
      const version = call.head.header(ModernHeaders.versionHeader) ?? "2025-03-26"
      const problem = isBatch ? batchProblem(parts, requests, version) : undefined
      return problem === undefined ? alone(value, requests, call) : send(call, problem)
    }
    const first = requests[0]
    if (!isBatch && first?.method === "initialize" && call.head.header(sessionHeader) === undefined) {
      return initialize(first, call)
    }
    return withSession(call, (session) => {
      const problem = isBatch ? batchProblem(parts, requests, session.established?.revision) : undefined
      if (problem !== undefined) return send(call, problem)
      if (first === undefined) return take(value, parts, call, session)
      const taken = requests.find(({ id }) => session.isAnswering(id))
      if (taken !== undefined) {
        return send(call, invalid(`a request with id ${JSON.stringify(taken.id)} is being answered`, taken.id))
      }
      use(session)
      return Effect.ensuring(
        session.post(
          value,
          { requests: requests.map(({ id }) => id), accepts: call.accepts, headers: () => call.cors },
          call.outgoing,
          pollOf(first)
        ),
        Effect.sync(() => use(session))
      )
    })
  }

  // ---- GET and DELETE

  const get: Sessions["get"] = (call) =>
    stateless ? send(call, noGet) : withSession(call, (session) =>
      call.accepts.sse
        ? Effect.ensuring(
          session.listen(call.head.header("last-event-id"), call.outgoing, call.cors, pollOf(undefined)),
          Effect.sync(() => use(session))
        )
        : send(call, noStreams))

  const delete_: Sessions["delete"] = (call) =>
    stateless ?
      send(call, noGet) :
      withSession(
        call,
        (session) => Effect.map(end(session), () => call.outgoing.send(204, call.cors ?? {}, undefined))
      )

  // ---- time

  const expire = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    const expired: Array<Session> = []
    for (const session of sessions.values()) {
      if (now - session.lastUsed < timeoutMillis) break
      if (isExpired(session, now)) expired.push(session)
    }
    return Effect.forEach(expired, end, { discard: true })
  })

  const endAll = Effect.suspend(() => {
    const all = [...sessions.values()]
    sessions.clear()
    // Another instance, or the next start, may go on with what is stored.
    return Effect.forEach(all, stop, { discard: true })
  })

  yield* Effect.addFinalizer(() => endAll)

  return {
    post,
    get,
    delete: delete_,
    open: (principal) =>
      Effect.flatMap(makeRoom(), (room) =>
        room
          ? Effect.tap(
            begin(SecureRandom.uuidV4Unsafe(), principal, undefined),
            (session) => Effect.sync(() => register(session))
          )
          : Effect.succeed(undefined)),
    find,
    end,
    sweep: Effect.forever(Effect.delay(expire, Math.max(timeoutMillis / 10, 10))),
    endListening: Effect.sync(() => {
      for (const session of sessions.values()) session.endListening()
    }),
    endAll,
    count: () => sessions.size
  }
})
