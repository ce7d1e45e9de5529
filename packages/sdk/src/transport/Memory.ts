/**
 * Connections between two peers in one process.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../peer/ClientTransport.ts"
import type { Connection } from "../peer/Connection.ts"
import { type Endpoint, ServerTransport } from "../peer/ServerTransport.ts"
import type { Frame } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import { copy } from "./internal/JsonCopy.ts"
import { closed, Outbox } from "./internal/Outbox.ts"

/**
 * How frames pass from one side to the other.
 *
 * - `"copy"`: as a deep copy that equals what JSON text would have carried. Neither side can change, or be surprised
 *   by, what the other holds.
 * - `"text"`: through JSON text, as on a pipe.
 * - `"share"`: as they are. The fastest; sound only where both sides treat messages as immutable plain JSON.
 *
 * @since 0.1.0
 * @category models
 */
export type Passing = "copy" | "text" | "share"

/**
 * Options of a pair of connections.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How frames pass. Default `"copy"`. */
  readonly passing?: Passing | undefined
  /** How many frames may lie unread in one direction before `send` waits. Default 1,024. */
  readonly capacity?: number | undefined
}

const pass: { readonly [P in Passing]: (frame: Frame) => unknown } = {
  copy,
  text: (frame) => JSON.parse(JSON.stringify(frame)) as unknown,
  share: (frame) => frame
}

const gone = closed("The other side has closed the connection")

interface End {
  readonly connection: Connection
  readonly close: Effect.Effect<void>
}

const makeEnd = (outgoing: Outbox<unknown>, incoming: Outbox<unknown>, convert: (frame: Frame) => unknown): End => ({
  connection: {
    incoming: Stream.fromPull(Effect.succeed(incoming.pull)),
    send: (frame) =>
      Effect.suspend(() => {
        let value: unknown
        try {
          value = convert(frame)
        } catch (cause) {
          return Effect.fail(
            McpError.make(
              new McpError.TransportError({ sent: "no", detail: "The message cannot be written as JSON", cause })
            )
          )
        }
        return outgoing.offer(value, 1)
      })
  },
  close: Effect.sync(() => {
    outgoing.close(gone)
    incoming.abandon(gone)
  })
})

const makeEnds = (options: Options | undefined): readonly [End, End] => {
  const capacity = options?.capacity ?? 1024
  const convert = pass[options?.passing ?? "copy"]
  const there = new Outbox<unknown>(capacity)
  const back = new Outbox<unknown>(capacity)
  return [makeEnd(there, back, convert), makeEnd(back, there, convert)]
}

/**
 * Two connected connections: what one sends, the other receives, in order. Closing the scope closes both.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pairWith = (options?: Options): Effect.Effect<readonly [Connection, Connection], never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeEnds(options)),
    ([left, right]) => Effect.andThen(left.close, right.close)
  ).pipe(Effect.map(([left, right]) => [left.connection, right.connection] as const))

/**
 * Two connected connections with the default options.
 *
 * @example
 * ```ts
 * const [client, server] = yield* Memory.pair
 * yield* client.send({ jsonrpc: "2.0", id: 1, method: "ping" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const pair: Effect.Effect<readonly [Connection, Connection], never, Scope.Scope> = pairWith()

/**
 * Both ends of a transport inside one process, with options: each connection that a client opens arrives at the
 * server that serves. A client that opens one before waits for the server.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (options?: Options): Layer.Layer<ClientTransport | ServerTransport> =>
  Layer.effectContext(Effect.sync(() => {
    const serving = Latch.makeUnsafe(false)
    let accept: ((end: End) => Effect.Effect<unknown>) | undefined

    const serve = (endpoint: Endpoint): Effect.Effect<never> =>
      Effect.scoped(Effect.flatMap(Effect.scope, (scope) => {
        const own = (end: End) =>
          Effect.scoped(endpoint.connect(end.connection, { transport: "memory" })).pipe(
            Effect.catch((error) => Effect.logDebug("An in-memory connection ended", error)),
            Effect.ensuring(end.close),
            // A fiber that is interrupted before it starts would not close its end.
            Effect.forkIn(scope, { startImmediately: true })
          )
        return Effect.acquireUseRelease(
          Effect.sync(() => {
            accept = own
            serving.openUnsafe()
          }),
          () => Effect.never,
          () =>
            Effect.sync(() => {
              if (accept !== own) return
              accept = undefined
              serving.closeUnsafe()
            })
        )
      }))

    const open: Effect.Effect<Connection, never, Scope.Scope> = Effect.suspend(() => {
      if (accept === undefined) return Effect.andThen(serving.await, open)
      const [client, server] = makeEnds(options)
      return Effect.as(Effect.acquireRelease(accept(server), () => client.close), client.connection)
    })

    return Context.make(ServerTransport, { serve }).pipe(
      Context.add(ClientTransport, { kind: "memory", open })
    )
  }))

/**
 * Both ends of a transport inside one process: for tests, and for a server that lives in its client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ClientTransport | ServerTransport> = layerWith()
