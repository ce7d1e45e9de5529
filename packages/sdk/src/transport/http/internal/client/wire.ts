/** One HTTP request and its answer, within bounds: where it may go, how long it may take, how much it may hold. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type * as McpError from "../../../../protocol/McpError.ts"
import * as Failure from "./failure.ts"
import { SseParser } from "./sseParser.ts"

/** A request. Closing the scope that it is sent in closes its connection, unless the answer has been read to its end. */
export interface Sending {
  readonly method: "POST" | "GET" | "DELETE"
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string | undefined
  /** What waits for it, to be named in errors. */
  readonly purpose: string
}

/** A stream of events as it is being read. */
export interface Events {
  readonly parser: SseParser
  /** Whether what the stream was for has come. Then it need only end, soon. */
  readonly isDone: () => boolean
  readonly purpose: string
}

/** Sends requests. */
export interface Wire {
  /** Sends, and gives the answer when its head has come. */
  readonly send: (sending: Sending) => Effect.Effect<HttpClientResponse, McpError.McpError, Scope.Scope>
  /** Reads a body as text. */
  readonly text: (response: HttpClientResponse, purpose: string) => Effect.Effect<string, McpError.McpError>
  /** Reads the first part of a body that is shown to a person, whatever becomes of the rest. */
  readonly excerpt: (response: HttpClientResponse) => Effect.Effect<string>
  /** Makes the parser of a stream. */
  readonly parser: (onEvent: (type: string, data: string) => void, lastEventId?: string) => SseParser
  /** Reads a stream to its end. */
  readonly events: (response: HttpClientResponse, events: Events) => Effect.Effect<void, McpError.McpError>
}

/** The bounds. */
export interface Bounds {
  /** Milliseconds until the head of an answer. */
  readonly responseTimeout: number
  /** Milliseconds between two pieces of an answer. */
  readonly idleTimeout: number
  readonly maxBytes: number
  readonly follows: boolean
}

const maxRedirects = 5

/** How long a stream may stay open that has served its purpose. Its end lets the connection be used again. */
const lingering = Duration.seconds(1)

/** What a server says of an error is read to here. */
const excerptBytes = 1024 * 1024

const excerptTimeout = Duration.seconds(5)

const never = () => true

/** The essence of a media type. */
export const essenceOf = ({ headers }: HttpClientResponse): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

/** Whether a request was accepted. */
export const isOk = ({ status }: HttpClientResponse): boolean => status >= 200 && status < 300

const isSameOrigin = (from: string, to: URL): boolean => new URL(from).origin === to.origin

const locationOf = (response: HttpClientResponse, from: string): URL | undefined => {
  const location = response.headers["location"]
  return location === undefined || !URL.canParse(location, from) ? undefined : new URL(location, from)
}

/** Some clients fail for a status that they were told not to accept: it is an answer all the same. */
const answerIn = (error: HttpClientError): Effect.Effect<HttpClientResponse, McpError.McpError> =>
  error.reason._tag === "StatusCodeError"
    ? Effect.succeed(error.reason.response)
    : Effect.fail(Failure.unanswered(error))

/** Makes a wire on a client. */
export const make = (client: HttpClient.HttpClient, bounds: Bounds): Wire => {
  const { idleTimeout, maxBytes, responseTimeout } = bounds
  const scoped = HttpClient.withScope(client)

  /** Redirects are decided on here; and a span, with the headers that tell of it, only where somebody traces. */
  const configured = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(effect, (context: Context.Context<R>) => {
      const manual = Context.add(context, FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
        redirect: "manual"
      })
      return Context.getOrUndefined(context, Tracer.Tracer) === undefined
        ? Context.add(manual, HttpClient.TracerDisabledWhen, never)
        : manual
    })

  const head = (sending: Sending): Effect.Effect<HttpClientResponse, McpError.McpError, Scope.Scope> => {
    const request = HttpClientRequest.make(sending.method)(sending.url, {
      headers: sending.headers,
      ...(sending.body === undefined ? {} : { body: HttpBody.text(sending.body, "application/json") })
    })
    const sent = Effect.catch(configured(scoped.execute(request)), answerIn)
    return responseTimeout === Infinity ? sent : Effect.timeoutOrElse(sent, {
      duration: responseTimeout,
      orElse: () => Effect.fail(Failure.silent(sending.purpose, responseTimeout))
    })
  }

  const send = (sending: Sending, hops: number): Effect.Effect<HttpClientResponse, McpError.McpError, Scope.Scope> =>
    Effect.flatMap(head(sending), (response) => {
      const { status } = response
      if (status !== 0 && (status < 300 || status >= 400)) return Effect.succeed(response)
      const location = locationOf(response, sending.url)
      // 307 and 308 alone keep method and body; another origin was not chosen by whoever gave the URL and its secrets.
      if (
        (status === 307 || status === 308) && bounds.follows && location !== undefined && hops < maxRedirects &&
        isSameOrigin(sending.url, location)
      ) {
        return send({ ...sending, url: location.href }, hops + 1)
      }
      return Effect.fail(Failure.status(
        status,
        location === undefined
          ? "a redirect, which is not followed"
          : `a redirect to ${location.origin}${location.pathname}, which is not followed; is that the URL to use?`
      ))
    })

  const idle = <A, E>(
    pull: Pull.Pull<A, E>,
    purpose: string
  ): Pull.Pull<A, E | McpError.McpError> =>
    idleTimeout === Infinity ? pull : Effect.timeoutOrElse(pull, {
      duration: idleTimeout,
      orElse: () => Effect.fail(Failure.silent(purpose, idleTimeout))
    })

  const broken = (purpose: string) => (error: HttpClientError | McpError.McpError): McpError.McpError =>
    error._tag === "McpError"
      ? error
      : Failure.brokenOff(`The answer to ${purpose} broke off: ${Failure.unanswered(error).message}`, error)

  /** Reads a body piece by piece, until `take` wants no more. */
  const pieces = (
    response: HttpClientResponse,
    purpose: string,
    take: (piece: Uint8Array) => Effect.Effect<void, McpError.McpError> | undefined,
    isDone: () => boolean = () => false
  ): Effect.Effect<void, McpError.McpError> =>
    Effect.scoped(Effect.flatMap(Stream.toPull(response.stream), (pull) => {
      const all = (chunk: ReadonlyArray<Uint8Array>): Effect.Effect<void, McpError.McpError> | undefined => {
        for (const piece of chunk) {
          const problem = take(piece)
          if (problem !== undefined) return problem
        }
        return undefined
      }
      const rest: Effect.Effect<void, McpError.McpError> = Effect.suspend(() => {
        const next = Pull.matchEffect(idle(pull, purpose), {
          onSuccess: (chunk) => all(chunk) ?? rest,
          onFailure: (cause) =>
            Effect.catch(
              Effect.failCause(cause),
              (error) => isEmpty(error) ? Effect.void : Effect.fail(broken(purpose)(error))
            ),
          onDone: () => Effect.void
        })
        return isDone() ? Effect.ignore(Effect.timeoutOption(next, lingering)) : next
      })
      return rest
    }))

  const text: Wire["text"] = (response, purpose) => {
    const declared = response.headers["content-length"]
    if (declared !== undefined && Number(declared) <= maxBytes && response.headers["content-encoding"] === undefined) {
      const whole = Effect.mapError(response.text, broken(purpose))
      return idleTimeout === Infinity ? whole : Effect.timeoutOrElse(whole, {
        duration: idleTimeout,
        orElse: () => Effect.fail(Failure.silent(purpose, idleTimeout))
      })
    }
    return Effect.suspend(() => {
      const decoder = new TextDecoder()
      let size = 0
      let read = ""
      return Effect.map(
        pieces(response, purpose, (piece) => {
          size += piece.byteLength
          if (size > maxBytes) return Effect.fail(tooLarge(purpose, maxBytes))
          read += decoder.decode(piece, { stream: true })
          return undefined
        }),
        () => read + decoder.decode()
      )
    })
  }

  const excerpt: Wire["excerpt"] = (response) =>
    Effect.suspend(() => {
      const decoder = new TextDecoder()
      let size = 0
      let read = ""
      return pieces(response, "an error", (piece) => {
        size += piece.byteLength
        read += decoder.decode(piece, { stream: true })
        return size > excerptBytes ? Effect.fail(tooLarge("an error", excerptBytes)) : undefined
      }).pipe(
        Effect.timeoutOption(excerptTimeout),
        Effect.ignore,
        Effect.map(() => read)
      )
    })

  return {
    send: (sending) => send(sending, 0),
    text,
    excerpt,
    parser: (onEvent, lastEventId) => new SseParser(onEvent, maxBytes, lastEventId),
    events: (response, { isDone, parser, purpose }) =>
      Effect.suspend(() => {
        // Takes off a byte order mark, wherever it is cut.
        const decoder = new TextDecoder()
        return pieces(
          response,
          purpose,
          (piece) =>
            parser.feed(decoder.decode(piece, { stream: true }))
              ? undefined
              : Effect.fail(tooLarge(purpose, maxBytes)),
          isDone
        )
      })
  }
}

/** A body that is not there has no error for those who expect none. */
const isEmpty = ({ reason }: HttpClientError | McpError.McpError): boolean => reason._tag === "EmptyBodyError"

const tooLarge = (purpose: string, maxBytes: number): McpError.McpError =>
  Failure.invalid(`The answer to ${purpose} is larger than ${maxBytes} bytes; raise maxResponseBytes if it may be`)
