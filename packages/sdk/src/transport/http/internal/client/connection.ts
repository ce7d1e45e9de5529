/**
 * A Connection over Streamable HTTP: each message is a POST of its own, what comes is on its answer or on a stream.
 *
 * The era is read off each request. In the modern era a request is its exchange: it is sent when the exchange is over,
 * and giving it up closes the stream, which is the cancellation. In the handshake era a session is kept, a stream that
 * breaks is resumed, and whoever gives up says so by a notice.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Connection } from "../../../../peer/Connection.ts"
import type { Frame, Message, Notification, Request, RequestId } from "../../../../protocol/JsonRpc.ts"
import * as McpError from "../../../../protocol/McpError.ts"
import * as Revision from "../../../../protocol/Revision.ts"
import { closed, Outbox } from "../../../internal/Outbox.ts"
import * as ModernHeaders from "../../ModernHeaders.ts"
import {
  accepted,
  encode,
  type Headers,
  isError,
  isObject,
  isOfThisTransport,
  isTemporary,
  modernHeaders,
  parse,
  refusalOf,
  sessionHeaders,
  stream
} from "./exchange.ts"
import * as Failure from "./failure.ts"
import * as LegacySse from "./legacySse.ts"
import { ToolHeaders } from "./toolHeaders.ts"
import { essenceOf, isOk, type Wire } from "./wire.ts"

export interface Settings {
  readonly url: string
  readonly wire: Wire
  /** The application's own headers, found for each request. */
  readonly headers: Effect.Effect<Headers, McpError.McpError>
  /** Milliseconds before a stream is opened again, where the server does not say. */
  readonly reconnectDelay: number
  readonly maxReconnectAttempts: number
  /** How long the end of the session may take. */
  readonly closeTimeout: Duration.Duration
}

/** A request that waits for its answer. */
interface Call {
  readonly frame: Request
  /** The revision that it names, in the modern era. */
  readonly modern: string | undefined
  answered: boolean
  /** How many messages have come for it. */
  messages: number
  /** Where its stream is to be resumed, the empty text where it cannot be, and after how many milliseconds. */
  lastEventId: string
  retry: number | undefined
}

interface Session {
  /** `undefined` until the server has answered the handshake. */
  revision: Revision.Revision | undefined
  id: string | undefined
  /** Whether the server has forgotten it. */
  expired: boolean
}

const callOf = (frame: Request, modern: string | undefined): Call => ({
  frame,
  modern,
  answered: false,
  messages: 0,
  lastEventId: "",
  retry: undefined
})

/** The longest pause between two streams on which nothing came. */
const longestPause = 30_000

export const make = Effect.fnUntraced(function*(settings: Settings): Effect.fn.Return<Connection, never, Scope.Scope> {
  const { maxReconnectAttempts, reconnectDelay, url, wire } = settings
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const warn = (message: string, error?: McpError.McpError) => {
    run(error === undefined ? Effect.logWarning(message) : Effect.logWarning(message, error))
  }
  const inbox = new Outbox<unknown>(Infinity)
  const tools = new ToolHeaders(warn)
  /** The revision of the last request, where that was of the modern era. */
  let modern: string | undefined
  let session: Session | undefined
  /** Where the transport of 2024-11-05 wants messages. */
  let endpoint: string | undefined
  let lost: McpError.McpError | undefined

  const lose = (error: McpError.McpError) => {
    lost = error
    inbox.close(error)
  }

  const send = (
    method: "POST" | "GET" | "DELETE",
    headers: Headers,
    purpose: string,
    body?: string,
    to: string = url
  ): Effect.Effect<HttpClientResponse, McpError.McpError, Scope.Scope> =>
    Effect.flatMap(
      settings.headers,
      (own) => wire.send({ method, url: to, headers: { ...own, ...headers }, body, purpose })
    )

  const post = (frame: Frame, headers: Headers, purpose: string, to?: string) =>
    Effect.flatMap(encode(frame), (body) => send("POST", headers, purpose, body, to))

  // ---- what comes

  const isAnswer = (value: unknown, { frame }: Call): boolean => {
    if (!isObject(value) || "method" in value || !("result" in value || "error" in value)) return false
    // Some servers echo a number as a string.
    return value["id"] === frame.id || (typeof value["id"] === "string" && value["id"] === String(frame.id))
  }

  const learn = ({ frame, modern }: Call, value: { readonly [key: string]: unknown }): unknown => {
    if (!isObject(value["result"])) return value
    if (frame.method === "initialize" && session !== undefined) {
      const revision = value["result"]["protocolVersion"]
      if (Revision.isRevision(revision)) session.revision = revision
    }
    return modern !== undefined && frame.method === "tools/list"
      ? tools.learn({ jsonrpc: "2.0", id: frame.id, result: value["result"] })
      : value
  }

  /** Hands on what has come for a call. */
  const take = (call: Call, received: unknown): void => {
    call.messages++
    // An error without an id can only be meant for the one request that it answers.
    const value = isError(received) && (received.id ?? undefined) === undefined
      ? { ...received, id: call.frame.id }
      : received
    if (Array.isArray(value)) call.answered ||= value.some((each) => isAnswer(each, call))
    else if (isAnswer(value, call)) {
      call.answered = true
      inbox.offer(learn(call, value as { readonly [key: string]: unknown }), 0)
      return
    }
    inbox.offer(value, 0)
  }

  const onData = (data: string, use: (value: unknown) => void): void => {
    const parsed = parse(data)
    if (parsed !== undefined) use(parsed.value)
    else run(Effect.logDebug(`An event that is no JSON is passed over: ${Failure.startOf(data)}`))
  }

  /** Empty data only brings an id. Other types of events are none of the protocol's. */
  const onEvent = (use: (value: unknown) => void) => (type: string, data: string) => {
    if (type === "message" && data !== "") onData(data, use)
  }

  // ---- a request and its answer

  const headersOf = (call: Call): Headers =>
    call.modern !== undefined
      ? {
        ...modernHeaders(call.frame, call.modern),
        ...(call.frame.method === "tools/call" ? tools.of(call.frame.params) : undefined)
      }
      : { ...accepted, ...(session === undefined ? {} : sessionHeaders(session)) }

  const refused = (response: HttpClientResponse): Effect.Effect<never, McpError.McpError> =>
    Effect.flatMap(wire.excerpt(response), (body) => Effect.fail(refusalOf(response.status, body)))

  const expired = (held: Session): Effect.Effect<never, McpError.McpError> => {
    held.expired = true
    return Effect.fail(McpError.make(new McpError.SessionExpired({})))
  }

  const exchange = (call: Call): Effect.Effect<void, McpError.McpError> =>
    Effect.suspend(() => {
      const held = call.modern === undefined ? session : undefined
      const first = Effect.flatMap(post(call.frame, headersOf(call), call.frame.method), (response) => {
        if (isOk(response)) return answer(call, response)
        return response.status === 404 && held?.id !== undefined ? expired(held) : refused(response)
      })
      return resumed(call, Effect.scoped(first))
    })

  /** Succeeds with the answer; with the reason why it has not come, where it still may. */
  const answer = (
    call: Call,
    response: HttpClientResponse
  ): Effect.Effect<McpError.McpError | undefined, McpError.McpError> => {
    const { method } = call.frame
    if (essenceOf(response) === "text/event-stream") return read(call, response)
    return Effect.flatMap(wire.text(response, method), (text) => {
      const parsed = parse(text)
      if (parsed !== undefined) take(call, parsed.value)
      return call.answered
        ? Effect.undefined
        : Effect.fail(Failure.invalid(
          `The answer to ${method} is none (HTTP status ${response.status}, ${essenceOf(response) || "no type"}): ${
            text === "" ? "it is empty" : Failure.startOf(text)
          }`
        ))
    })
  }

  /** Reads a stream to its end. */
  const read = (call: Call, response: HttpClientResponse): Effect.Effect<McpError.McpError | undefined> => {
    const { method } = call.frame
    const parser = wire.parser(onEvent((value) => take(call, value)), call.lastEventId)
    const over = (error: McpError.McpError) => {
      call.lastEventId = parser.lastEventId
      call.retry = parser.retry ?? call.retry
      return call.answered ? undefined : error
    }
    return Effect.match(wire.events(response, { parser, isDone: () => call.answered, purpose: method }), {
      onSuccess: () => over(Failure.brokenOff(`The stream ended without the answer to ${method}`)),
      onFailure: over
    })
  }

  /**
   * Takes a stream of the handshake era up again, after the last event that came, until it has brought the answer.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
   */
  const resumed = (
    call: Call,
    reading: Effect.Effect<McpError.McpError | undefined, McpError.McpError>,
    attempts = 0
  ): Effect.Effect<void, McpError.McpError> =>
    Effect.suspend(() => {
      const { lastEventId, messages } = call
      return Effect.flatMap(reading, (error) => {
        if (error === undefined) return Effect.void
        if (call.modern !== undefined || call.lastEventId === "" || error.reason._tag === "InvalidPeerMessage") {
          return Effect.fail(error)
        }
        const failed = call.lastEventId !== lastEventId || call.messages > messages ? 0 : attempts
        if (failed >= maxReconnectAttempts) {
          return Effect.fail(Failure.brokenOff(`${lostStream(call)} in ${failed} attempts`, error))
        }
        return Effect.andThen(
          Effect.sleep(call.retry ?? reconnectDelay),
          Effect.suspend(() => resumed(call, reopen(call), failed + 1))
        )
      })
    })

  const lostStream = ({ frame }: Call) => `The stream with the answer to ${frame.method} was not to be had again`

  const reopen = (call: Call): Effect.Effect<McpError.McpError | undefined, McpError.McpError> =>
    Effect.scoped(Effect.matchEffect(
      send("GET", {
        ...stream,
        ...(session === undefined ? {} : sessionHeaders(session)),
        "last-event-id": call.lastEventId
      }, call.frame.method),
      {
        onFailure: (error) => Effect.succeed(error),
        onSuccess: (response) => {
          if (isOk(response) && essenceOf(response) === "text/event-stream") return read(call, response)
          return Effect.flatMap(wire.excerpt(response), (body) => {
            const error = refusalOf(response.status, body)
            return isTemporary(response.status)
              ? Effect.succeed(error)
              : Effect.fail(Failure.brokenOff(`${lostStream(call)}: ${error.message}`, error))
          })
        }
      }
    ))

  // ---- messages that have no answer

  const tell = (frame: Frame, headers: Headers, purpose: string): Effect.Effect<void, McpError.McpError> =>
    Effect.suspend(() => {
      const held = session
      return Effect.scoped(Effect.flatMap(post(frame, headers, purpose, endpoint), (response) => {
        if (isOk(response)) {
          // A body that is read to its end leaves the connection for the next request.
          return response.headers["content-length"] === "0" || essenceOf(response) === "text/event-stream"
            ? Effect.void
            : Effect.asVoid(wire.excerpt(response))
        }
        return response.status === 404 && endpoint === undefined && held?.id !== undefined
          ? expired(held)
          : refused(response)
      }))
    })

  const giveUp = (id: RequestId): Effect.Effect<void> => {
    const notice: Notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }
    return Effect.asVoid(Effect.forkIn(Effect.ignore(tellInSession(notice)), scope, { startImmediately: true }))
  }

  const tellInSession = (frame: Frame) =>
    tell(
      frame,
      { ...accepted, ...(session === undefined ? {} : sessionHeaders(session)) },
      Array.isArray(frame) ? "a batch" : purposeOf(frame as Message)
    )

  // ---- the handshake

  const initialize = (frame: Request): Effect.Effect<void, McpError.McpError> =>
    Effect.suspend(() => {
      const held: Session = { revision: undefined, id: undefined, expired: false }
      session = held
      const call = callOf(frame, undefined)
      let status = 0
      const first = Effect.scoped(Effect.flatMap(post(frame, accepted, "initialize"), (response) => {
        status = response.status
        if (!isOk(response)) return refused(response)
        held.id = response.headers["mcp-session-id"]
        return answer(call, response)
      }))
      return Effect.catch(
        resumed(call, first),
        (error) =>
          (status === 400 || status === 404 || status === 405) && !isOfThisTransport(error)
            ? Effect.flatMap(openLegacy(error), () => tell(frame, {}, "initialize"))
            : Effect.fail(error)
      )
    })

  /** Where `initialize` is refused the server may be one of 2024-11-05. */
  const openLegacy = (error: McpError.McpError): Effect.Effect<void, McpError.McpError> =>
    Effect.map(
      LegacySse.open({
        url,
        wire,
        headers: settings.headers,
        scope,
        otherwise: error,
        onMessage: (data) => onData(data, (value) => inbox.offer(value, 0)),
        onEnd: lose
      }),
      (found) => {
        endpoint = found
      }
    )

  // ---- the stream of what the server says of its own accord

  /**
   * Listens as long as the server lets it.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
   */
  const listen = (held: Session): Effect.Effect<void> => {
    let lastEventId = ""
    let retry: number | undefined
    /** Attempts that got no stream, and streams that brought nothing, one after the other. */
    let failures = 0
    let quiet = 0
    let wasOpen = false
    const stop = (why: string, error?: McpError.McpError) =>
      Effect.as(
        Effect.sync(() => warn(`What the server says of its own accord is no longer heard: ${why}`, error)),
        false
      )
    const failed = (error: McpError.McpError) => {
      failures++
      return failures > maxReconnectAttempts ? stop(error.message, error) : Effect.succeed(true)
    }

    const hear = (response: HttpClientResponse): Effect.Effect<boolean> => {
      wasOpen = true
      failures = 0
      const before = lastEventId
      let messages = 0
      const parser = wire.parser(
        onEvent((value) => {
          messages++
          inbox.offer(value, 0)
        }),
        lastEventId
      )
      return Effect.match(wire.events(response, { parser, isDone: () => false, purpose: "the server's stream" }), {
        onSuccess: () => undefined,
        onFailure: (error) => {
          warn("The stream of what the server says of its own accord was lost; it is opened again", error)
        }
      }).pipe(Effect.map(() => {
        lastEventId = parser.lastEventId
        retry = parser.retry ?? retry
        quiet = messages > 0 || lastEventId !== before ? 0 : quiet + 1
        return true
      }))
    }

    /** One stream; `false` where there will be no other. */
    const once = () =>
      Effect.scoped(Effect.flatMap(
        send("GET", {
          ...stream,
          ...sessionHeaders(held),
          ...(lastEventId === "" ? {} : { "last-event-id": lastEventId })
        }, "the server's stream"),
        (response): Effect.Effect<boolean, McpError.McpError> => {
          if (isOk(response) && essenceOf(response) === "text/event-stream") return hear(response)
          if (response.status === 404 && wasOpen && held.id !== undefined) {
            held.expired = true
            lose(closed("The server has forgotten the session"))
            return Effect.succeed(false)
          }
          // Not every server has such a stream.
          if (response.status === 405) return Effect.succeed(false)
          return Effect.flatMap(wire.excerpt(response), (body) => {
            const error = refusalOf(response.status, body)
            return wasOpen && isTemporary(response.status) ? failed(error) : stop(error.message)
          })
        }
      ))

    const pause = Effect.suspend(() => {
      const millis = retry ?? reconnectDelay
      return Effect.sleep(Math.max(millis, Math.min(millis * 2 ** Math.min(quiet - 1, 10), longestPause)))
    })

    const go: Effect.Effect<void> = Effect.flatMap(
      Effect.catch(Effect.suspend(once), failed),
      (again) => again ? Effect.andThen(pause, Effect.suspend(() => go)) : Effect.void
    )
    return go
  }

  // ---- the end

  yield* Effect.addFinalizer(() => {
    if (session?.id === undefined || session.expired) return Effect.void
    const ended = Effect.scoped(send("DELETE", sessionHeaders(session), "the end of the session"))
    // Not every server has such an end.
    return Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Effect.ignore(ended)), settings.closeTimeout))
  })

  // ----

  const request = (frame: Request): Effect.Effect<void, McpError.McpError> => {
    const version = ModernHeaders.versionOf(frame)
    modern = typeof version === "string" ? version : undefined
    if (modern === undefined) {
      if (frame.method === "initialize") return initialize(frame)
      if (endpoint !== undefined) return tell(frame, {}, frame.method)
    }
    const call = callOf(frame, modern)
    return modern !== undefined
      ? exchange(call)
      : Effect.onInterrupt(exchange(call), () => call.answered ? Effect.void : giveUp(frame.id))
  }

  const notify = (frame: Notification): Effect.Effect<void, McpError.McpError> => {
    if (endpoint !== undefined) return tell(frame, {}, frame.method)
    if (modern === undefined) {
      const told = tellInSession(frame)
      const held = session
      return frame.method !== "notifications/initialized" || held === undefined ? told : Effect.andThen(
        told,
        Effect.asVoid(Effect.forkIn(Effect.suspend(() => listen(held)), scope, { startImmediately: true }))
      )
    }
    // Closing the stream has said it already.
    return frame.method === "notifications/cancelled"
      ? Effect.void
      : tell(frame, modernHeaders(frame, modern), frame.method)
  }

  return {
    incoming: Stream.concat(
      Stream.fromPull(Effect.succeed(inbox.pull)),
      Stream.suspend(() => lost === undefined ? Stream.empty : Stream.fail(lost))
    ),
    send: (frame) =>
      Effect.suspend(() => {
        if (Array.isArray(frame) || !("method" in frame)) return tellInSession(frame)
        return "id" in frame ? request(frame) : notify(frame)
      })
  }
})

const purposeOf = (message: Message): string => "method" in message ? message.method : "an answer"
