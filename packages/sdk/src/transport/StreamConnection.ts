/**
 * A Connection made of any stream of bytes in and any sink of bytes out.
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Connection } from "../peer/Connection.ts"
import type { Frame } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Framing from "./Framing.ts"
import { Gate } from "./internal/Gate.ts"
import { closed, Outbox } from "./internal/Outbox.ts"

/**
 * Options of every connection over a pipe.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The largest frame that is read. A larger one, ended or not, ends the connection with reason
   * `InvalidPeerMessage`. Default 16 MiB.
   */
  readonly maxFrameBytes?: ByteSize.Input | undefined
  /**
   * How much may be queued for a reader that does not read before `send` waits. A character counts as a byte.
   * Default 1 MiB.
   */
  readonly highWaterMark?: ByteSize.Input | undefined
  /** How long closing waits for what is queued to be written. Default 2 seconds. */
  readonly flushTimeout?: Duration.Input | undefined
}

/**
 * A connection with what its transport needs to steer it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handle {
  readonly connection: Connection
  /** Changes how `incoming` is pulled from now on, also the pull that waits. */
  readonly replace: Gate["replace"]
  /**
   * Takes no more messages, and writes what is queued. `false` where that failed or took too long: then the pipe may
   * have been left in the middle of a message. Runs once; closing the scope runs it too.
   */
  readonly shutdown: Effect.Effect<boolean>
}

/**
 * What a pipe is to a connection: messages in, and somewhere to put text out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pipe {
  readonly incoming: Stream.Stream<unknown, McpError.McpError>
  /** A message as it goes out. */
  readonly encode: (frame: Frame) => string
  /** Writes all it pulls, one write for each array if it can, and completes when the last of it is written. */
  readonly drain: (
    texts: Pull.Pull<NonEmptyReadonlyArray<string>>
  ) => Effect.Effect<unknown, McpError.McpError>
}

const defaultHighWaterMark = 1024 * 1024

const notSent = (detail: string, cause: unknown): McpError.McpError =>
  McpError.make(new McpError.TransportError({ sent: "no", detail, cause }))

/**
 * The error of a pipe that failed under what was handed to it.
 *
 * @since 0.1.0
 * @category errors
 */
export const broken = (detail: string, cause: unknown): McpError.McpError =>
  McpError.make(new McpError.TransportError({ sent: "maybe", detail, cause }))

// What the senders hear after the connection has ended with this error.
const refusalOf = (error: McpError.McpError): McpError.McpError =>
  error.reason._tag === "TransportError" ? notSent(error.reason.detail, error) : error

// Turns of the event loop, in each of which the platform would hand over bytes if it had some.
const quietTurns = Effect.repeat(Effect.yieldNow, { times: 8 })

/**
 * A connection over a pipe, with its handle.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  pipe: Pipe,
  options: Options | undefined
) => Effect.Effect<Handle, never, Scope.Scope> = Effect.fnUntraced(function*(pipe, options) {
  const outbox = new Outbox<string>(Framing.bytes(options?.highWaterMark, defaultHighWaterMark))
  const gate = new Gate()
  let over = false
  const replace: Handle["replace"] = (change) => {
    if (!over) gate.replace(change)
  }
  // What has already arrived is still delivered.
  const end = (error: McpError.McpError) => {
    outbox.abandon(refusalOf(error))
    const failed = Effect.fail(error)
    replace((pull) => Effect.raceFirst(Pull.catchDone(pull, () => failed), Effect.andThen(quietTurns, failed)))
  }

  let closing = false
  const writer = yield* Effect.forkDetach(
    Effect.onExit(pipe.drain(outbox.pull), (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) {
          const error = Cause.findErrorOption(exit.cause)
          if (Option.isSome(error)) end(error.value)
          else if (!Cause.hasInterruptsOnly(exit.cause)) end(broken("Writing failed", Cause.squash(exit.cause)))
        } else if (!closing) {
          end(closed("The other side takes no more messages"))
        }
      })),
    { startImmediately: true }
  )

  let flushed: boolean | undefined
  const shutdown = Effect.suspend(() => {
    if (flushed !== undefined) return Effect.succeed(flushed)
    closing = true
    outbox.close(closed())
    return Fiber.await(writer).pipe(
      Effect.timeoutOption(options?.flushTimeout ?? "2 seconds"),
      Effect.map((exit) => {
        // Not awaited: a pipe that does not take what it is given may also not let go.
        if (Option.isNone(exit)) writer.interruptUnsafe()
        flushed = Option.isSome(exit) && Exit.isSuccess(exit.value)
        return flushed
      })
    )
  })

  yield* Effect.addFinalizer(() => {
    replace(() => Cause.done())
    over = true
    return shutdown
  })

  const connection: Connection = {
    incoming: Stream.transformPull(pipe.incoming, (pull) => Effect.succeed(gate.guard(pull))),
    send: (frame) =>
      Effect.suspend(() => {
        let text: string
        try {
          text = pipe.encode(frame)
        } catch (cause) {
          return Effect.fail(notSent("The message cannot be written as JSON", cause))
        }
        return outbox.offer(text, text.length)
      })
  }
  return { connection, replace, shutdown }
}, Effect.uninterruptible)

/**
 * Drains into a sink. Batches are joined, so that each is one element and one write.
 *
 * @since 0.1.0
 * @category constructors
 */
export const intoSink =
  <A, E>(sink: Sink.Sink<unknown, A, unknown, E>, from: (text: string) => A) =>
  (texts: Pull.Pull<NonEmptyReadonlyArray<string>>): Effect.Effect<unknown, E> =>
    Stream.run(Stream.fromPull(Effect.succeed(Effect.map(texts, (batch) => [from(join(batch))] as const))), sink)

/**
 * Drains into a function. Batches are joined, so that each is one call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const intoWrite =
  <E>(write: (text: string) => Effect.Effect<unknown, E>) =>
  (texts: Pull.Pull<NonEmptyReadonlyArray<string>>): Effect.Effect<unknown, E> =>
    Effect.flatMap(texts, (batch) => write(join(batch))).pipe(
      Effect.forever({ disableYield: true }),
      Pull.catchDone(() => Effect.void)
    )

const join = (batch: NonEmptyReadonlyArray<string>): string => batch.length === 1 ? batch[0] : batch.join("")

const utf8 = new TextEncoder()

/**
 * Text as UTF-8.
 *
 * @since 0.1.0
 * @category encoding
 */
export const toBytes = (text: string): Uint8Array => utf8.encode(text)

/**
 * Cuts bytes into messages, one array for each array of chunks.
 *
 * @since 0.1.0
 * @category decoding
 */
export const messages = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  options: Options | undefined,
  onError: (error: E) => McpError.McpError
): Stream.Stream<unknown, McpError.McpError> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.sync(() => {
      const maxFrameBytes = Framing.bytes(options?.maxFrameBytes, Framing.defaultMaxFrameBytes)
      const decoder = new Framing.Decoder(maxFrameBytes)
      let ended = false
      const next: Pull.Pull<NonEmptyReadonlyArray<unknown>, McpError.McpError> = Effect.suspend(() =>
        decoder.overflowed
          ? Effect.fail(Framing.frameTooLarge(maxFrameBytes))
          : ended
          ? Cause.done()
          : Effect.matchCauseEffect(pull, { onSuccess, onFailure })
      )
      const emit = (out: Array<unknown>) =>
        out.length > 0 ? Effect.succeed(out as unknown as NonEmptyReadonlyArray<unknown>) : next
      const onSuccess = (chunks: NonEmptyReadonlyArray<Uint8Array>) => {
        const out: Array<unknown> = []
        for (const chunk of chunks) decoder.push(chunk, out)
        return emit(out)
      }
      const onFailure = (cause: Cause.Cause<E | Cause.Done<void>>): typeof next => {
        if (!Pull.isDoneCause(cause)) {
          return Effect.failCause(Cause.map(cause as Cause.Cause<E>, onError))
        }
        const out: Array<unknown> = []
        decoder.end(out)
        ended = true
        return emit(out)
      }
      return next
    }))

/**
 * A connection over any stream of bytes in and any sink, or function, for bytes out: newline-delimited JSON, as on
 * stdio. Closing the scope writes what is queued, within `flushTimeout`, and then lets go of both.
 *
 * @example
 * ```ts
 * const connection = yield* StreamConnection.fromStreams({ incoming: serial.input, outgoing: serial.output })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-transports
 * @since 0.1.0
 * @category constructors
 */
export const fromStreams = <E, E2>(
  pipe: {
    readonly incoming: Stream.Stream<Uint8Array, E>
    readonly outgoing:
      | Sink.Sink<unknown, Uint8Array, unknown, E2>
      | ((bytes: Uint8Array) => Effect.Effect<unknown, E2>)
  },
  options?: Options
): Effect.Effect<Connection, never, Scope.Scope> => {
  const { incoming, outgoing } = pipe
  const drain = Sink.isSink(outgoing)
    ? intoSink(outgoing, toBytes)
    : intoWrite((text) => outgoing(toBytes(text)))
  return Effect.map(
    make({
      incoming: messages(incoming, options, (cause) => closed("Reading failed", cause)),
      encode: Framing.encode,
      drain: (texts) => Effect.mapError(drain(texts), (cause) => broken("Writing failed", cause))
    }, options),
    ({ connection }) => connection
  )
}
