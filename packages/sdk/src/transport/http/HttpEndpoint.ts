/**
 * The MCP endpoint of a server: from an HTTP request to the era that answers it, whatever the platform.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @since 0.1.0
 */
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { ConnectionFacts, Endpoint, Principal } from "../../peer/ServerTransport.ts"
import * as JsonRpc from "../../protocol/JsonRpc.ts"
import * as Revision from "../../protocol/Revision.ts"
import * as EventStore from "./EventStore.ts"
import {
  type Authenticator,
  type BodyProblem,
  errorText,
  type HttpHandler,
  type Incoming,
  jsonHeaders,
  type Outgoing,
  type Refusal,
  refuse
} from "./Exchange.ts"
import * as Guards from "./Guards.ts"
import * as Live from "./internal/live.ts"
import * as LegacySse from "./LegacySse.ts"
import * as Modern from "./Modern.ts"
import * as ModernHeaders from "./ModernHeaders.ts"
import * as Sessions from "./Sessions.ts"
import * as SessionStore from "./SessionStore.ts"

/**
 * Options of an HTTP server.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Guards.Options, Sessions.Options {
  /** Who may send requests. Default: everybody that the guards let pass. */
  readonly authenticator?: Authenticator | undefined
  /** The most that a request's body may hold. Default: 4 MiB. */
  readonly maxBodyBytes?: ByteSize.Input | undefined
  /** Events kept for one session, for its client to resume. Default: 1,024. An `EventStore` in the context decides itself. */
  readonly maxStreamEvents?: number | undefined
  /** How long a stream may be quiet before it gets a comment; 0 for no comments. Default: 25 seconds. */
  readonly keepAlive?: Duration.Input | undefined
  /** How long a client may leave a full stream unread before it is closed. Default: 30 seconds. */
  readonly stallTimeout?: Duration.Input | undefined
  /** How long running requests may take to finish at shutdown. Default: 5 seconds. */
  readonly shutdownTimeout?: Duration.Input | undefined
  /**
   * Whether the HTTP+SSE transport of 2024-11-05 is served too: by a GET without a session. Default: false.
   */
  readonly legacySse?: boolean | undefined
  /** Whether the handshake era is refused: no sessions, no GET, no DELETE. Default: false. */
  readonly modernOnly?: boolean | undefined
}

const bodyProblems: { readonly [P in BodyProblem]: Refusal } = {
  TooLarge: refuse(413, JsonRpc.Code.invalidRequest, "The body is larger than this server takes"),
  NotUtf8: refuse(400, JsonRpc.Code.parseError, "Parse error: the body is not UTF-8"),
  // Mostly nobody is there to hear of it.
  Broken: refuse(400, JsonRpc.Code.parseError, "Parse error: the body could not be read")
}
const notJson = refuse(400, JsonRpc.Code.parseError, "Parse error: the body is not valid JSON")
const wrongMedia = refuse(415, JsonRpc.Code.invalidRequest, "The body must be application/json", {
  headers: { accept: "application/json" }
})
const notAcceptable = refuse(
  406,
  JsonRpc.Code.invalidRequest,
  "Answers are application/json or text/event-stream; Accept allows neither"
)
const closing = refuse(503, JsonRpc.Code.internalError, "The server is shutting down", {
  headers: { "retry-after": "5", connection: "close" }
})
const noResponses = refuse(
  400,
  JsonRpc.Code.invalidRequest,
  "Invalid request: clients of this revision send no responses"
)
const noBatches = refuse(400, JsonRpc.Code.invalidRequest, "Invalid request: this revision has no batches")
const internalError = refuse(500, JsonRpc.Code.internalError, "Internal error")

/**
 * Makes the endpoint. Closing the scope ends its sessions and streams.
 *
 * An `EventStore` and a `SessionStore` of the context are used where they are there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  endpoint: Endpoint,
  options?: Options
): Effect.fn.Return<HttpHandler, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const lives = Live.make({
    clock,
    keepAlive: Duration.toMillis(options?.keepAlive ?? "25 seconds"),
    stallTimeout: Duration.toMillis(options?.stallTimeout ?? "30 seconds")
  })
  const authenticator = options?.authenticator
  const maxBodyBytes = options?.maxBodyBytes === undefined
    ? 4 * 1024 * 1024
    : ByteSize.toNumberUnsafe(ByteSize.fromInputUnsafe(options.maxBodyBytes))
  const shutdownTimeout = options?.shutdownTimeout ?? "5 seconds"
  const modernOnly = options?.modernOnly === true || endpoint.supported.every(Revision.isModern)
  const methods = modernOnly || options?.stateless === true ? "POST" : "GET, POST, DELETE"
  const guards = Guards.make(options, () => methods)
  const sessions = modernOnly ? undefined : yield* Sessions.make(options, {
    endpoint,
    clock,
    lives,
    events: Option.getOrElse(yield* Effect.serviceOption(EventStore.EventStore), () => EventStore.makeMemory(options)),
    store: Option.getOrElse(yield* Effect.serviceOption(SessionStore.SessionStore), () => SessionStore.none),
    authorize: authenticator?.authorize
  })
  const legacySse = options?.legacySse === true && !modernOnly
    ? LegacySse.make(endpoint, lives, options.maxSessions ?? 10_000, authenticator?.authorize)
    : undefined
  yield* Effect.forkScoped(lives.watch)
  if (sessions !== undefined) yield* Effect.forkScoped(sessions.sweep)
  const anonymous: ConnectionFacts = { transport: "http" }
  const wrongMethod = refuse(405, JsonRpc.Code.invalidRequest, "Method not allowed", {
    headers: { allow: options?.cors === true ? `${methods}, OPTIONS` : methods }
  })

  let active = 0
  let isClosing = false
  const idle = Latch.makeUnsafe(true)

  const answer = (call: Sessions.Call, { body, headers, status }: Refusal): Effect.Effect<void> => {
    call.outgoing.send(status, call.cors === undefined ? headers : { ...headers, ...call.cors }, body)
    return Effect.void
  }

  // ---- POST

  /** Whether a request is of the modern era: its `_meta` says so, or a header and nothing against it. */
  const isModern = (message: JsonRpc.Request | JsonRpc.Notification, call: Sessions.Call): boolean => {
    if (modernOnly || ModernHeaders.versionOf(message) !== undefined) return true
    if (message.method === "initialize") return false
    const version = call.head.header(ModernHeaders.versionHeader)
    return Revision.isRevision(version) && Revision.isModern(version)
  }

  const modernRequest = (request: JsonRpc.Request, call: Sessions.Call): Effect.Effect<void> => {
    const refusal = authenticator?.authorize?.(call.principal, request)
    if (refusal !== undefined) return answer(call, refusal)
    const version = ModernHeaders.versionOf(request)
    if (request.method === "initialize" && version === undefined) return answer(call, unsupported(request))
    return Modern.respond(request, version, {
      ...call,
      endpoint,
      lives,
      facts: call.principal === undefined ? anonymous : { transport: "http", principal: call.principal }
    })
  }

  /** A handshake where there is none: the client is told which revisions to speak. */
  const unsupported = (request: JsonRpc.Request): Refusal => ({
    status: 400,
    headers: jsonHeaders,
    body: errorText({
      code: JsonRpc.Code.unsupportedProtocolVersion,
      message: "This server takes no handshake: each request names its revision in _meta",
      data: {
        supported: endpoint.supported.filter(Revision.isModern),
        requested: String(request.params?.["protocolVersion"] ?? "")
      }
    }, request.id)
  })

  const onMessage = (value: unknown, call: Sessions.Call): Effect.Effect<void> => {
    if (Array.isArray(value)) {
      return sessions === undefined || value.some((part) => ModernHeaders.versionOf(part) !== undefined)
        ? answer(call, noBatches)
        : sessions.post(value, value.map(JsonRpc.classify), true, call)
    }
    const classified = JsonRpc.classify(value)
    switch (classified._tag) {
      case "Invalid": {
        const { id, why } = classified.invalid
        return answer(call, refuse(400, JsonRpc.Code.invalidRequest, `Invalid request: ${why}`, { id }))
      }
      case "Request":
        return isModern(classified.message, call)
          ? modernRequest(classified.message, call)
          : sessions!.post(value, [classified], false, call)
      case "Notification":
        if (!isModern(classified.message, call)) return sessions!.post(value, [classified], false, call)
        call.outgoing.send(202, call.cors ?? {}, undefined)
        return endpoint.notify(
          classified.message,
          call.principal === undefined ? anonymous : { transport: "http", principal: call.principal }
        )
      case "Response":
        return sessions === undefined || call.head.header(Sessions.sessionHeader) === undefined
          ? answer(call, noResponses)
          : sessions.post(value, [classified], false, call)
    }
  }

  const onBody = (text: string, call: Sessions.Call): Effect.Effect<void> => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return answer(call, notJson)
    }
    const stream = legacySse === undefined ? undefined : LegacySse.idOf(call.head.url)
    if (legacySse !== undefined && stream !== undefined) return legacySse.post(stream, value, call)
    return onMessage(value, call)
  }

  const onPost = (incoming: Incoming, call: Sessions.Call): Effect.Effect<void> => {
    if (!Guards.isJson(incoming.header("content-type"))) return answer(call, wrongMedia)
    if (!call.accepts.json && !call.accepts.sse) return answer(call, notAcceptable)
    return Effect.matchEffect(incoming.body(maxBodyBytes), {
      onFailure: (problem) => answer(call, bodyProblems[problem]),
      onSuccess: (text) => onBody(text, call)
    })
  }

  // ---- any method

  const onRequest = (incoming: Incoming, call: Sessions.Call): Effect.Effect<void> => {
    switch (incoming.method) {
      case "POST":
        return onPost(incoming, call)
      case "GET":
        if (legacySse !== undefined && call.accepts.sse && incoming.header(Sessions.sessionHeader) === undefined) {
          return legacySse.open(call)
        }
        return sessions === undefined || options?.stateless === true ? answer(call, wrongMethod) : sessions.get(call)
      case "DELETE":
        return sessions === undefined || options?.stateless === true ? answer(call, wrongMethod) : sessions.delete(call)
      default:
        return answer(call, wrongMethod)
    }
  }

  const begin = (incoming: Incoming, outgoing: Outgoing): Effect.Effect<void> => {
    const call = (principal: Principal | undefined): Sessions.Call => ({
      head: incoming,
      outgoing,
      accepts: Guards.accepts(incoming.header("accept")),
      principal,
      cors: guards.cors(incoming)
    })
    const refusal = guards.check(incoming) ??
      (isClosing ? closing : incoming.method === "OPTIONS" ? guards.preflight(incoming) : undefined)
    if (refusal !== undefined) return answer(call(undefined), refusal)
    if (authenticator === undefined) return onRequest(incoming, call(undefined))
    return Effect.matchEffect(authenticator.authenticate(incoming), {
      onFailure: (refusal) => answer(call(undefined), refusal),
      onSuccess: (principal) => onRequest(incoming, call(principal))
    })
  }

  const handle: HttpHandler["handle"] = (incoming, outgoing) =>
    Effect.onExit(
      Effect.suspend(() => {
        active++
        return begin(incoming, outgoing)
      }),
      (exit) => {
        if (--active === 0) idle.openUnsafe()
        if (exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause)) return Effect.void
        return Effect.andThen(
          Effect.logError("An HTTP request failed inside the server", exit.cause),
          Effect.sync(() => outgoing.send(internalError.status, internalError.headers, internalError.body))
        )
      }
    )

  const shutdown = Effect.suspend(() => {
    isClosing = true
    return endpoint.end.pipe(
      Effect.andThen(sessions === undefined ? Effect.void : sessions.endListening),
      Effect.andThen(legacySse === undefined ? Effect.void : legacySse.endAll),
      Effect.andThen(Effect.suspend(() => {
        if (active === 0) return Effect.void
        idle.closeUnsafe()
        return Effect.asVoid(Effect.timeoutOption(idle.await, shutdownTimeout))
      })),
      Effect.andThen(sessions === undefined ? Effect.void : sessions.endAll)
    )
  })

  return { handle, shutdown }
})
