/**
 * A Peer makes two-way calls of a Connection: ids, pending replies, a fiber per request, cancellation, time limits.
 * It knows JSON-RPC and no MCP.
 *
 * Reading never waits: a request gets a fiber of its own, a response wakes its caller, a notification that takes time
 * joins a queue. So a slow handler holds up nobody, and calls that wait for each other cannot lock.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as JsonRpc from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import type { Connection, SendOptions } from "./Connection.ts"
import * as Calls from "./internal/calls.ts"
import * as Mailbox from "./internal/mailbox.ts"

/**
 * How a call is made.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestOptions extends SendOptions {
  /** How long to wait for the answer. Default: that of the peer. `Infinity` waits for ever. */
  readonly timeout?: Duration.Input | undefined
  /** Whether a message delivered for the call starts the time anew. Default: true. */
  readonly resetTimeout?: boolean | undefined
  /** The most that the call may take, whatever is delivered for it. Default: that of the peer. */
  readonly maximumTimeout?: Duration.Input | undefined
  /**
   * Takes the messages delivered for this call, one at a time and in order, before the call returns. While it is
   * slower than the peer, the oldest of more than 1,024 waiting messages are dropped. The time limits of the call are
   * also those of what it does here, and the end of the connection stops it; an answer that has come by then counts.
   */
  readonly onMessage?: ((message: JsonRpc.Notification) => Effect.Effect<void>) | undefined
}

/**
 * What a Peer does with what it receives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handlers<R> {
  /**
   * Answers a request; `undefined` sends nothing, for the side that must not answer. Interrupted when the request is
   * cancelled; then nothing is sent either.
   */
  readonly onRequest: (request: JsonRpc.Request, peer: Peer) => Effect.Effect<JsonRpc.Response | undefined, never, R>
  /** Takes a notification: at once, or by an effect that runs after those of the notifications before it. */
  readonly onNotification: (
    notification: JsonRpc.Notification,
    peer: Peer
  ) => Effect.Effect<void, never, R> | undefined
  /** The other side has closed: what it has asked is still answered, and then `run` completes. */
  readonly onEnd?: (() => void) | undefined
  /** Tells the other side that a call is given up; `undefined` where the method must not be cancelled. */
  readonly cancelNotice: (id: JsonRpc.RequestId, method: string) => JsonRpc.Notification | undefined
  /** Whether a frame that is no valid message is answered with an error. A client never does. */
  readonly answersInvalid: boolean
  /** Whether arrays of messages are received, as revision 2025-03-26 wants. */
  readonly acceptsBatch: () => boolean
}

/**
 * Limits of a Peer, each with its default.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Wait for an answer. Default: 60 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** The most that a call may take. Default: 10 minutes. */
  readonly maximumTimeout?: Duration.Input | undefined
  /**
   * Whether the time of calls stands still while requests of the other side are being answered, but for the maximum:
   * what is asked in the middle of a call waits for this side. Default: false.
   */
  readonly holdWhileAnswering?: boolean | undefined
  /** Requests of the other side being answered at one time; more are refused. Default: 10,000. */
  readonly maxInFlight?: number | undefined
  /** How long handlers may run on after the other side has closed. Default: 3 seconds. */
  readonly drainTimeout?: Duration.Input | undefined
}

/**
 * One end of a conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Peer {
  /**
   * Calls the other side. Interruption sends the cancel notice. Fails with what the other side answered, or with
   * `RequestTimeout`, `ConnectionClosed` or `TransportError`.
   */
  readonly request: (
    method: string,
    params: JsonRpc.Params | undefined | ((id: JsonRpc.RequestId) => JsonRpc.Params | undefined),
    options?: RequestOptions
  ) => Effect.Effect<JsonRpc.Params, McpError.McpError>
  /** Sends a notification. */
  readonly notify: (
    method: string,
    params?: JsonRpc.Params,
    options?: SendOptions
  ) => Effect.Effect<void, McpError.McpError>
  /** Hands a message to the pending call with that id, and starts its time anew. `false` where there is none. */
  readonly deliver: (id: JsonRpc.RequestId, message: JsonRpc.Notification) => boolean
  /** Ends the pending call with that id, as if the other side had answered so. `false` where there is none. */
  readonly settle: (
    id: JsonRpc.RequestId,
    outcome: Effect.Effect<JsonRpc.Params, McpError.McpError>
  ) => boolean
  /** Interrupts the handler that answers the other side's request with that id, if there is one. */
  readonly cancel: (id: JsonRpc.RequestId) => void
  /** Whether the other side's request with that id waits for its answer. */
  readonly isAnswering: (id: JsonRpc.RequestId) => boolean
  /** Waits until the other side's request with that id is answered, or cancelled. */
  readonly answered: (id: JsonRpc.RequestId) => Effect.Effect<void>
  /** Reads until the other side has closed and the handlers have ended; fails when the connection broke. Run once. */
  readonly run: Effect.Effect<void, McpError.McpError>
}

const closed = (detail: string): McpError.McpError => McpError.make(new McpError.ConnectionClosed({ detail }))

const failure = (id: JsonRpc.RequestId | undefined, code: number, message: string): JsonRpc.Failure =>
  id === undefined ? { jsonrpc: "2.0", error: { code, message } } : { jsonrpc: "2.0", id, error: { code, message } }

type Reply = (response: JsonRpc.Response) => Effect.Effect<void>

/**
 * Makes a Peer on a Connection. Closing the scope fails the calls that wait and interrupts what the Peer runs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*<R>(
  connection: Connection,
  handlers: Handlers<R>,
  options?: Options
): Effect.fn.Return<Peer, never, R | Scope.Scope> {
  const services: Context.Context<R> = yield* Effect.context<R>()
  const fork = Effect.runForkWith(services)
  const maxInFlight = options?.maxInFlight ?? 10_000
  const holds = options?.holdWhileAnswering === true

  /** What answers the other side's requests; no fiber yet while one begins. */
  const inFlight = new Map<JsonRpc.RequestId, Fiber.Fiber<void> | undefined>()
  /** What sends on the side. */
  const side = new Set<Fiber.Fiber<unknown, unknown>>()
  let onIdle: (() => void) | undefined

  const isIdle = () => inFlight.size === 0 && side.size === 0 && notifications.isIdle()
  const checkIdle = () => {
    if (onIdle !== undefined && isIdle()) onIdle()
  }
  const keep = (fiber: Fiber.Fiber<unknown, unknown>) => {
    if (fiber.pollUnsafe() !== undefined) return
    side.add(fiber)
    fiber.addObserver(() => {
      side.delete(fiber)
      checkIdle()
    })
  }
  const sendAside = (frame: JsonRpc.Frame) => keep(fork(Effect.ignore(connection.send(frame))))

  const calls = Calls.make({
    connection,
    clock: yield* Clock.Clock,
    cancelNotice: handlers.cancelNotice,
    fork,
    keep,
    isHeld: () => holds && inFlight.size > 0,
    timeout: options?.timeout,
    maximumTimeout: options?.maximumTimeout
  })

  // ---- requests of the other side

  const answerDefect = (id: JsonRpc.RequestId) => (cause: Cause.Cause<never>) =>
    Effect.as(
      Effect.logError("A request handler died", cause),
      failure(id, JsonRpc.Code.internalError, "Internal error")
    )

  /** Answers a request in a fiber of its own; returns that fiber while it runs. */
  const onRequest = (message: JsonRpc.Request, reply: Reply): Fiber.Fiber<void> | undefined => {
    const { id } = message
    const refusal = inFlight.has(id)
      ? failure(id, JsonRpc.Code.invalidRequest, `A request with id ${JSON.stringify(id)} is already being answered`)
      : inFlight.size >= maxInFlight
      ? failure(id, JsonRpc.Code.internalError, "Too many requests at one time; try again later")
      : undefined
    if (refusal !== undefined) {
      keep(fork(reply(refusal)))
      return undefined
    }
    inFlight.set(id, undefined)
    const fiber = fork(Effect.flatMap(
      Effect.catchCause(Effect.suspend(() => handlers.onRequest(message, peer)), answerDefect(id)),
      (response) => response === undefined ? Effect.void : reply(response)
    ))
    if (fiber.pollUnsafe() !== undefined) {
      inFlight.delete(id)
      return undefined
    }
    inFlight.set(id, fiber)
    fiber.addObserver(() => {
      inFlight.delete(id)
      if (holds && inFlight.size === 0) calls.renew()
      checkIdle()
    })
    return fiber
  }

  /** An answer that cannot be written must not leave its caller without any. */
  const replyAlone: Reply = (response) =>
    Effect.catch(
      connection.send(response, { relatedTo: response.id ?? undefined }),
      (error) =>
        "result" in response && error.reason._tag === "TransportError" && error.reason.sent === "no"
          ? Effect.andThen(
            Effect.logError("An answer could not be sent", error),
            Effect.ignore(connection.send(failure(response.id, JsonRpc.Code.internalError, "Internal error")))
          )
          : Effect.void
    )

  // ---- notifications of the other side, one after the other

  const notifications = Mailbox.make<Effect.Effect<void, never, R>>({
    capacity: 10_000,
    fork: (effect) => fork(effect as Effect.Effect<void, never, R>),
    handle: (effect) =>
      Effect.catchCause(effect, (cause) => Effect.logError("A notification handler died", cause)) as Effect.Effect<
        void
      >,
    onIdle: checkIdle
  })

  const onNotification = (message: JsonRpc.Notification) => {
    try {
      const effect = handlers.onNotification(message, peer)
      if (effect !== undefined) notifications.offer(effect)
    } catch (defect) {
      // Thrown here it would end the reader.
      notifications.offer(Effect.die(defect))
    }
  }

  // ---- frames

  const onResponse = (message: JsonRpc.Response) => {
    const { id } = message
    if (id === undefined || id === null) return
    calls.settle(
      id,
      "result" in message ? Effect.succeed(message.result) : Effect.fail(McpError.fromJsonRpc(message.error))
    )
  }

  const onInvalid = ({ id, why }: JsonRpc.Invalid, value: unknown, reply: Reply) => {
    if (looksLikeResponse(value)) {
      // Answering it could begin a ping-pong of errors; whoever waits for it must not wait on.
      const detail = `Not a response: ${why}`
      if (id !== undefined) calls.settle(id, Effect.fail(McpError.make(new McpError.InvalidPeerMessage({ detail }))))
    } else if (handlers.answersInvalid) {
      keep(fork(reply(failure(id, JsonRpc.Code.invalidRequest, `Invalid request: ${why}`))))
    }
  }

  const receive = (value: unknown, reply: Reply): Fiber.Fiber<void> | undefined => {
    const classified = JsonRpc.classify(value)
    switch (classified._tag) {
      case "Request":
        return onRequest(classified.message, reply)
      case "Notification":
        onNotification(classified.message)
        return undefined
      case "Response":
        onResponse(classified.message)
        return undefined
      case "Invalid":
        onInvalid(classified.invalid, value, reply)
        return undefined
    }
  }

  const refuseFrame = (code: number, why: string) => {
    if (handlers.answersInvalid) sendAside(failure(undefined, code, why))
  }

  const receiveBatch = (values: ReadonlyArray<unknown>) => {
    if (values.length === 0) return refuseFrame(JsonRpc.Code.invalidRequest, "Invalid request: an empty batch")
    if (!handlers.acceptsBatch()) {
      return refuseFrame(JsonRpc.Code.invalidRequest, "Invalid request: this revision has no batches")
    }
    // The answers leave together, once the last request has been answered or cancelled.
    const answers: Array<JsonRpc.Response> = []
    const collect: Reply = (response) =>
      Effect.sync(() => {
        answers.push(response)
      })
    const running = values.flatMap((value) => receive(value, collect) ?? [])
    let open = running.length
    const flush = () => {
      if (answers.length > 0) sendAside(answers)
    }
    if (open === 0) return flush()
    for (const fiber of running) {
      fiber.addObserver(() => {
        open--
        if (open === 0) flush()
      })
    }
  }

  const receiveAll = (values: ReadonlyArray<unknown>) => {
    for (const value of values) {
      if (Array.isArray(value)) receiveBatch(value)
      else if (value instanceof JsonRpc.Unparseable) {
        refuseFrame(JsonRpc.Code.parseError, "Parse error: the message is not valid JSON")
      } else receive(value, replyAlone)
    }
  }

  // ---- the end

  const idle = Effect.callback<void>((resume) => {
    if (isIdle()) return resume(Effect.void)
    onIdle = () => resume(Effect.void)
  })

  yield* Effect.addFinalizer(() =>
    Effect.withFiber((self) => {
      calls.end(closed("The connection was closed on this side"))
      const running = [...inFlight.values(), ...side, notifications.stop()].filter((fiber) => fiber !== undefined)
      // Who closes the scope from within a handler does not wait for itself.
      return Fiber.interruptAll(running.filter((fiber) => fiber !== self))
    })
  )

  const peer: Peer = {
    request: calls.request,
    notify: (method, params, sendOptions) =>
      connection.send(
        params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params },
        sendOptions
      ),
    deliver: calls.deliver,
    settle: calls.settle,
    cancel: (id) => inFlight.get(id)?.interruptUnsafe(),
    isAnswering: (id) => inFlight.has(id),
    answered: (id) =>
      Effect.suspend(() => {
        const fiber = inFlight.get(id)
        return fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(fiber))
      }),
    run: Stream.runForEachArray(connection.incoming, (values) => Effect.sync(() => receiveAll(values))).pipe(
      Effect.onExit((exit) => Effect.sync(() => calls.end(endOf(exit)))),
      Effect.tap(() => Effect.sync(() => handlers.onEnd?.())),
      // Answers to what was asked before the end are still wanted, within bounds.
      Effect.andThen(Effect.timeoutOption(idle, options?.drainTimeout ?? Duration.seconds(3))),
      Effect.asVoid
    )
  }
  return peer
})

/** What the calls that wait hear when reading has ended. */
const endOf = (exit: Exit.Exit<void, McpError.McpError>): McpError.McpError => {
  if (exit._tag === "Success") return closed("The other side closed the connection")
  return exit.cause.reasons.find(Cause.isFailReason)?.error ?? closed("The connection was closed on this side")
}

const looksLikeResponse = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !("method" in value) && ("result" in value || "error" in value)
