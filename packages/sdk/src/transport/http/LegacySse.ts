/**
 * The HTTP+SSE transport of 2024-11-05 on the same endpoint: a GET opens the stream that all messages come on, and names
 * where to post them.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 * @since 0.1.0
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Endpoint } from "../../peer/ServerTransport.ts"
import * as JsonRpc from "../../protocol/JsonRpc.ts"
import { closed, Outbox } from "../internal/Outbox.ts"
import { type Authenticator, type Refusal, refuse } from "./Exchange.ts"
import type { Lives } from "./internal/live.ts"
import { textOf } from "./Modern.ts"
import type { Call } from "./Sessions.ts"
import * as Sse from "./Sse.ts"

/**
 * The clients of this transport that are connected.
 *
 * @since 0.1.0
 * @category models
 */
export interface LegacySse {
  /** Opens the stream of a client and serves it until one side closes it. */
  readonly open: (call: Call) => Effect.Effect<void>
  /** Takes what a client has posted. */
  readonly post: (id: string, value: unknown, call: Call) => Effect.Effect<void>
  /** Ends every stream. */
  readonly endAll: Effect.Effect<void>
}

/**
 * The id of the stream that a URL names; `undefined` where the request is of another transport.
 *
 * @since 0.1.0
 * @category decoding
 */
export const idOf = (url: string): string | undefined => {
  const query = url.indexOf("?")
  return query < 0 ? undefined : new URLSearchParams(url.slice(query)).get("sessionId") ?? undefined
}

interface Client {
  readonly subject: string | undefined
  readonly inbox: Outbox<unknown>
  readonly end: () => void
}

const unknown = refuse(404, JsonRpc.Code.invalidRequest, "There is no such stream: begin with a GET")
const full = refuse(503, JsonRpc.Code.internalError, "Too many streams; try again later", {
  headers: { "retry-after": "5" }
})
const ended = closed("The stream has ended")

const isResponse = (frame: JsonRpc.Frame): frame is JsonRpc.Response => !Array.isArray(frame) && !("method" in frame)

const encode = (frame: JsonRpc.Frame): string => isResponse(frame) ? textOf(frame) : JSON.stringify(frame)

const send = ({ cors, outgoing }: Call, { body, headers, status }: Refusal): Effect.Effect<void> => {
  outgoing.send(status, { ...headers, ...cors }, body)
  return Effect.void
}

/**
 * Makes the transport.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  endpoint: Endpoint,
  lives: Lives,
  maxStreams: number,
  authorize: Authenticator["authorize"]
): LegacySse => {
  const clients = new Map<string, Client>()

  const open: LegacySse["open"] = (call) =>
    Effect.suspend(() => {
      if (clients.size >= maxStreams) return send(call, full)
      const id = SecureRandom.uuidV4Unsafe()
      const inbox = new Outbox<unknown>(Infinity)
      const live = lives.open(call.outgoing, { ...Sse.headers, ...call.cors })
      const end = () => {
        inbox.close(ended)
        live.end()
      }
      live.onClose = () => inbox.close(ended)
      clients.set(id, { subject: call.principal?.subject, inbox, end })
      const path = call.head.url.split("?", 1)[0]!
      live.put(Sse.endpoint(`${path}?sessionId=${id}`))
      const connection = {
        incoming: Stream.fromPull(Effect.succeed(inbox.pull)),
        send: (frame: JsonRpc.Frame) => Effect.suspend(() => live.put(Sse.message(encode(frame))))
      }
      return Effect.scoped(
        endpoint.connect(connection, { transport: "http", sessionId: id, principal: call.principal })
      ).pipe(
        Effect.catch((error) => Effect.logDebug("A stream ended", error)),
        Effect.ensuring(Effect.sync(() => {
          clients.delete(id)
          end()
        }))
      )
    })

  const post: LegacySse["post"] = (id, value, call) => {
    const client = clients.get(id)
    if (client === undefined || client.subject !== call.principal?.subject) return send(call, unknown)
    for (const part of Array.isArray(value) ? value : [value]) {
      const classified = JsonRpc.classify(part)
      const refusal = classified._tag === "Request" ? authorize?.(call.principal, classified.message) : undefined
      if (refusal !== undefined) return send(call, refusal)
    }
    client.inbox.offer(value, 0)
    call.outgoing.send(202, call.cors ?? {}, undefined)
    return Effect.void
  }

  return {
    open,
    post,
    endAll: Effect.sync(() => {
      for (const client of clients.values()) client.end()
    })
  }
}
