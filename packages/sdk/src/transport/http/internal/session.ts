/**
 * One handshake-era session: a Connection fed by POSTs, whose frames leave on the response of the POST that they belong
 * to, or on the session's own stream.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Connection } from "../../../peer/Connection.ts"
import type { Established, Principal } from "../../../peer/ServerTransport.ts"
import { Code, type Frame, type Message, type RequestId, type Response } from "../../../protocol/JsonRpc.ts"
import * as Revision from "../../../protocol/Revision.ts"
import { closed, Outbox } from "../../internal/Outbox.ts"
import type { EventStore } from "../EventStore.ts"
import { type Headers, jsonHeaders, type Outgoing, refuse } from "../Exchange.ts"
import type { Accepts } from "../Guards.ts"
import { textOf } from "../Modern.ts"
import * as Sse from "../Sse.ts"
import type { Live, Lives } from "./live.ts"

export interface Options {
  readonly id: string
  readonly principal: Principal | undefined
  readonly lives: Lives
  readonly events: EventStore["Service"]
  /** Milliseconds that a client is told to wait before it connects again. */
  readonly retryInterval: number
}

/** A stream of the session, to which connections come and from which they go. */
interface EventStream {
  readonly key: string
  sequence: number
  /** The last event that a connection has got. */
  delivered: number
  live: Live | undefined
}

/** The requests of one POST, and where their answers go. */
export interface Post {
  readonly requests: ReadonlyArray<RequestId>
  readonly accepts: Accepts
  /** The headers of the response, once it is known how it begins. */
  readonly headers: (answer: Response | ReadonlyArray<Response> | undefined) => Headers | undefined
}

interface OpenPost extends Post {
  readonly remaining: Set<RequestId>
  /** `undefined` once the client is gone, or was sent away to come back. */
  outgoing: Outgoing | undefined
  stream: EventStream | undefined
  onDone: () => void
}

const ended = closed("The session has ended")

const isResponse = (frame: Message): frame is Response => !("method" in frame)

const add = (headers: Headers, more: Headers | undefined): Headers =>
  more === undefined ? headers : { ...headers, ...more }

const idOf = (stream: EventStream, sequence: number) => `${stream.key}-${sequence}`

/** The stream and the place in it that an event id names. */
const readId = (id: string): readonly [string, number] | undefined => {
  const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id)
  return parts === null ? undefined : [parts[1]!, Number(parts[2])]
}

export class Session {
  readonly id: string
  readonly subject: string | undefined
  readonly connection: Connection
  /** The one who sent the latest request: the same subject, perhaps with another token. */
  principal: Principal | undefined
  /** What the handshake has settled. */
  established: Established | undefined
  lastUsed = 0
  lastSaved = 0
  readonly #options: Options
  readonly #inbox = new Outbox<unknown>(Infinity)
  readonly #posts = new Map<RequestId, OpenPost>()
  /** Streams whose requests are still being answered. */
  readonly #streams = new Map<string, EventStream>()
  readonly #own: EventStream = { key: "0", sequence: 0, delivered: 0, live: undefined }
  #nextKey = 1
  #connections = 0
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
    this.id = options.id
    this.principal = options.principal
    this.subject = options.principal?.subject
    this.#streams.set(this.#own.key, this.#own)
    this.connection = {
      incoming: Stream.fromPull(Effect.succeed(this.#inbox.pull)),
      send: (frame, sendOptions) => Effect.suspend(() => this.#send(frame, sendOptions?.relatedTo))
    }
  }

  /** Whether nothing is being answered and nobody is connected. */
  get isIdle(): boolean {
    return this.#posts.size === 0 && this.#connections === 0
  }

  isAnswering(id: RequestId): boolean {
    return this.#posts.has(id)
  }

  /** Hands on what needs no answer. */
  offer(value: unknown): void {
    this.#inbox.offer(value, 0)
  }

  /**
   * Hands on a POST with requests and completes when its response has ended. Interruption means that the client is gone,
   * which cancels nothing. After `poll` milliseconds the client is sent away to come back.
   */
  post(value: unknown, post: Post, outgoing: Outgoing, poll: number | undefined): Effect.Effect<void> {
    const answered = Effect.callback<void>((resume) => {
      const open: OpenPost = {
        ...post,
        remaining: new Set(post.requests),
        outgoing,
        stream: undefined,
        onDone: () => resume(Effect.void)
      }
      if (this.#isClosed) {
        this.#end(open)
        return
      }
      for (const id of post.requests) this.#posts.set(id, open)
      release = () => this.#release(open)
      this.#inbox.offer(value, 0)
      return Effect.sync(() => this.#detach(open))
    })
    let release: (() => void) | undefined
    return poll === undefined || !post.accepts.sse || !this.#primes
      ? answered
      : Effect.raceFirst(answered, Effect.delay(Effect.sync(() => release?.()), poll))
  }

  /** Ends the responses that wait for a request which the client has cancelled. */
  cancel(id: RequestId): void {
    const post = this.#posts.get(id)
    if (post === undefined) return
    this.#posts.delete(id)
    post.remaining.delete(id)
    if (post.remaining.size === 0) this.#end(post)
  }

  /** Serves a GET, from after an event where one is named; completes when the stream has ended. */
  listen(
    lastEventId: string | undefined,
    outgoing: Outgoing,
    headers: Headers | undefined,
    poll: number | undefined
  ): Effect.Effect<void> {
    const named = lastEventId === undefined ? undefined : readId(lastEventId)
    const { events, id, lives } = this.#options
    return Effect.suspend(() => {
      const live = lives.open(outgoing, add(Sse.headers, headers))
      const follow = Effect.gen({ self: this }, function*() {
        // Without a known event nothing is replayed; what nobody has got yet is not replayed but sent.
        const key = named?.[0] ?? this.#own.key
        const stream = this.#streams.get(key)
        let cursor = named?.[1] ?? (lastEventId === undefined ? this.#own.delivered : this.#own.sequence)
        // Something has to be written for the client to see that the stream is open.
        yield* live.put(named === undefined && this.#primes ? Sse.priming(idOf(this.#own, cursor)) : Sse.comment)
        while (live.isOpen()) {
          const batch = yield* events.after(id, key, cursor)
          for (const event of batch) {
            cursor = event.sequence
            if (stream !== undefined) stream.delivered = Math.max(stream.delivered, cursor)
            yield* live.put(Sse.identified(`${key}-${cursor}`, event.data))
          }
          if (batch.length === 0 || stream === undefined || cursor >= stream.sequence) break
        }
        // A stream that ended meanwhile has ended with its last event: what is stored is all there is.
        if (stream === undefined || this.#streams.get(key) !== stream || this.#isClosed) {
          for (const event of yield* events.after(id, key, cursor)) {
            yield* live.put(Sse.identified(`${key}-${event.sequence}`, event.data))
          }
          return live.end()
        }
        stream.live?.end()
        stream.live = live
        const closing = Effect.callback<void>((resume) => {
          if (!live.isOpen()) return resume(Effect.void)
          live.onClose = () => resume(Effect.void)
        })
        yield* poll === undefined || !this.#primes
          ? closing
          : Effect.raceFirst(closing, Effect.delay(Effect.sync(() => live.end(this.#farewell())), poll))
      })
      this.#connections++
      return Effect.ensuring(
        follow,
        Effect.sync(() => {
          this.#connections--
          for (const stream of this.#streams.values()) if (stream.live === live) stream.live = undefined
          live.abort()
        })
      )
    })
  }

  /** Ends the streams that belong to no request. */
  endListening(): void {
    this.#own.live?.end()
  }

  /** Ends every response. The peer is stopped by whoever owns the session's scope. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#inbox.abandon(ended)
    const posts = new Set(this.#posts.values())
    this.#posts.clear()
    for (const post of posts) this.#end(post)
    for (const stream of this.#streams.values()) stream.live?.end()
    this.#streams.clear()
  }

  /** From 2025-11-25 on a client gets an id before any message, so that it can always come back. */
  get #primes(): boolean {
    return this.established !== undefined && Revision.atLeast(this.established.revision, "2025-11-25")
  }

  #farewell(): string {
    return Sse.retry(this.#options.retryInterval)
  }

  // ---- what the peer sends

  #send(frame: Frame, relatedTo: RequestId | undefined): Effect.Effect<void> {
    if (this.#isClosed) return Effect.void
    if (Array.isArray(frame)) return this.#answer(frame as ReadonlyArray<Response>)
    const message = frame as Message
    if (isResponse(message)) return this.#answer([message], message)
    const post = relatedTo === undefined ? undefined : this.#posts.get(relatedTo)
    if (post === undefined) {
      // What belongs to a request that is answered already comes too late.
      return relatedTo === undefined ? this.#emit(this.#own, JSON.stringify(message)) : Effect.void
    }
    const stream = this.#open(post, undefined)
    return stream === undefined ? Effect.void : this.#emit(stream, JSON.stringify(message))
  }

  #answer(responses: ReadonlyArray<Response>, single?: Response): Effect.Effect<void> {
    const post = responses.flatMap(({ id }) => this.#posts.get(id ?? "") ?? [])[0]
    // Cancelled, and its response has ended.
    if (post === undefined) return Effect.void
    const answer = single ?? responses
    const ids = single === undefined ? [...post.remaining] : [single.id!]
    for (const id of ids) {
      post.remaining.delete(id)
      this.#posts.delete(id)
    }
    const text = single === undefined ? `[${responses.map(textOf).join(",")}]` : textOf(single)
    if (post.stream === undefined && post.accepts.json) {
      post.outgoing?.send(200, add(jsonHeaders, post.headers(answer)), text)
      post.outgoing = undefined
      post.onDone()
      return Effect.void
    }
    const stream = this.#open(post, answer)
    const kept = stream === undefined ? Effect.void : this.#emit(stream, text)
    this.#end(post)
    return kept
  }

  /** Sends an event where somebody listens, and keeps it for who comes later. */
  #emit(stream: EventStream, json: string): Effect.Effect<void> {
    const sequence = ++stream.sequence
    const kept = this.#options.events.append(this.id, { stream: stream.key, sequence, data: json })
    if (stream.live?.isOpen() !== true) return kept
    stream.delivered = sequence
    const read = stream.live.put(Sse.identified(idOf(stream, sequence), json))
    return read === Effect.void ? kept : Effect.andThen(kept, read)
  }

  /** Turns the response of a POST into a stream; `undefined` where there is nobody who could ever read it. */
  #open(post: OpenPost, answer: Response | ReadonlyArray<Response> | undefined): EventStream | undefined {
    if (post.stream !== undefined) return post.stream
    if (post.outgoing === undefined || !post.accepts.sse) return undefined
    const stream: EventStream = {
      key: String(this.#nextKey++),
      sequence: 0,
      delivered: 0,
      live: this.#options.lives.open(post.outgoing, add(Sse.headers, post.headers(answer)))
    }
    this.#streams.set(stream.key, stream)
    post.stream = stream
    if (this.#primes) stream.live!.put(Sse.priming(idOf(stream, 0)))
    return stream
  }

  #end(post: OpenPost): void {
    const { outgoing, stream } = post
    post.outgoing = undefined
    if (stream !== undefined) {
      this.#streams.delete(stream.key)
      stream.live?.end()
    } else if (outgoing !== undefined) this.#endUnopened(post, outgoing)
    post.onDone()
  }

  #endUnopened(post: OpenPost, outgoing: Outgoing): void {
    if (this.#isClosed) {
      const { body, headers, status } = refuse(404, Code.invalidRequest, ended.message)
      outgoing.send(status, add(headers, post.headers(undefined)), body)
    } else if (post.accepts.sse) {
      this.#options.lives.open(outgoing, add(Sse.headers, post.headers(undefined))).end()
    } else outgoing.send(204, post.headers(undefined) ?? {}, undefined)
  }

  /** The client is gone; what it has asked goes on. */
  #detach(post: OpenPost): void {
    post.outgoing = undefined
    if (post.stream === undefined) return
    post.stream.live?.abort()
    post.stream.live = undefined
  }

  /** Lets the client go, and tells it when to come back. */
  #release(post: OpenPost): void {
    const stream = this.#open(post, undefined)
    if (stream === undefined) return
    post.outgoing = undefined
    stream.live?.end(this.#farewell())
    stream.live = undefined
  }
}
