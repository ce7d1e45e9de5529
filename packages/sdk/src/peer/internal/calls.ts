/** The calls of one side: their ids, the answers they wait for, their time limits, how they are given up. */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Notification, Params, Request, RequestId } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { Connection } from "../Connection.ts"
import type { Handlers, Options as PeerOptions, Peer } from "../Peer.ts"
import * as Deadlines from "./deadlines.ts"
import * as Mailbox from "./mailbox.ts"

type Outcome = Effect.Effect<Params, McpError.McpError>

export interface Calls extends Pick<Peer, "request" | "deliver" | "settle"> {
  /** Starts the time of all calls anew. */
  readonly renew: () => void
  /** Fails the calls that wait, at once, and all that are made later. */
  readonly end: (error: McpError.McpError) => void
}

export interface Options extends Pick<PeerOptions, "timeout" | "maximumTimeout"> {
  readonly connection: Connection
  readonly clock: Clock.Clock
  readonly cancelNotice: Handlers<never>["cancelNotice"]
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Whether the calls wait for this side, so that their time stands still. */
  readonly isHeld: () => boolean
  /** Owns a fiber that runs on the side. */
  readonly keep: (fiber: Fiber.Fiber<unknown, unknown>) => void
}

interface Call extends Deadlines.Entry {
  readonly id: number
  readonly method: string
  readonly mailbox: Mailbox.Mailbox<Notification> | undefined
  sending: Fiber.Fiber<void, McpError.McpError> | undefined
  /** Set once it is known how the call ends; the call is over when the messages that came before are handled. */
  outcome: Outcome | undefined
  readonly finish: (outcome: Outcome) => void
}

export const make = (options: Options): Calls => {
  const { cancelNotice, clock, connection, fork, keep } = options
  const defaultTimeout = Duration.toMillis(options.timeout ?? Duration.seconds(60))
  const defaultMaximum = Duration.toMillis(options.maximumTimeout ?? Duration.minutes(10))
  /** Calls that are not over. */
  const calls = new Map<RequestId, Call>()
  let nextId = 0
  let ended: McpError.McpError | undefined

  /** Takes back what was not sent yet; of what was sent, the other side is told that nobody waits any more. */
  const giveUp = ({ id, method, sending }: Call) => {
    const notice = cancelNotice(id, method)
    sending?.interruptUnsafe()
    sending?.addObserver((exit) => {
      if (exit._tag === "Success" && notice !== undefined) keep(fork(Effect.ignore(connection.send(notice))))
    })
  }

  const finishIfIdle = (call: Call) => {
    if (call.mailbox === undefined || call.mailbox.isIdle()) call.finish(call.outcome!)
  }

  /** Ends a call once the messages that came before are handled. */
  const settle = (call: Call, outcome: Outcome) => {
    call.outcome = outcome
    finishIfIdle(call)
  }

  /** Ends a call now: with its answer where that is there, and only the listener still at work. Gives the listener. */
  const abort = (call: Call, outcome: Outcome, andTell: boolean): Fiber.Fiber<void> | undefined => {
    const isOpen = call.outcome === undefined
    call.outcome ??= outcome
    if (isOpen && andTell) giveUp(call)
    const listening = call.mailbox?.stop()
    finishIfIdle(call)
    return listening
  }

  const deadlines = Deadlines.make<Call>(clock, fork, calls, (call, maximum) => {
    if (calls.get(call.id) !== call) return
    const millis = maximum ? call.maximum : call.timeout
    const timedOut = McpError.make(new McpError.RequestTimeout({ method: call.method, millis, maximum }))
    abort(call, Effect.fail(timedOut), true)
  }, options.isHeld)

  const request: Peer["request"] = (method, params, requestOptions) =>
    Effect.withFiber((caller) =>
      Effect.callback<Params, McpError.McpError>((resume) => {
        if (ended !== undefined) return resume(Effect.fail(ended))
        const run = Effect.runForkWith(caller.context)
        const id = nextId++
        const actual = typeof params === "function" ? params(id) : params
        const message: Request = actual === undefined
          ? { jsonrpc: "2.0", id, method }
          : { jsonrpc: "2.0", id, method, params: actual }
        const onMessage = requestOptions?.onMessage
        const mailbox = onMessage === undefined ? undefined : Mailbox.make<Notification>({
          capacity: 1024,
          fork: run,
          handle: onMessage,
          onIdle: (exit) => {
            const stopped = call.outcome !== undefined && exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause)
            if (exit._tag === "Failure" && !stopped) {
              // The listener died: so does the call.
              const died = Effect.failCause(exit.cause)
              abort(call, died, true)
              call.finish(died)
            } else if (call.outcome !== undefined) call.finish(call.outcome)
          }
        })
        const now = clock.currentTimeMillisUnsafe()
        const timeout = toMillis(requestOptions?.timeout, defaultTimeout)
        const maximum = toMillis(requestOptions?.maximumTimeout, Math.max(defaultMaximum, timeout))
        const call: Call = {
          id,
          method,
          mailbox,
          sending: undefined,
          outcome: undefined,
          timeout,
          maximum,
          resets: requestOptions?.resetTimeout !== false,
          deadline: now + timeout,
          hardDeadline: now + maximum,
          finish: (outcome) => {
            calls.delete(id)
            resume(outcome)
          }
        }
        calls.set(id, call)
        deadlines.watch(call)
        const sending = run(connection.send(message, requestOptions))
        call.sending = sending
        keep(sending)
        sending.addObserver((exit) => {
          if (exit._tag === "Failure" && call.outcome === undefined) abort(call, Effect.failCause(exit.cause), false)
        })
        return Effect.suspend(() => {
          const listening = abort(call, Effect.interrupt, true)
          return listening === undefined ? Effect.void : Effect.asVoid(Fiber.await(listening))
        })
      })
    )

  /** The call that waits for an answer under this id. */
  const find = (id: RequestId): Call | undefined => {
    const call = calls.get(id) ?? (typeof id === "string" ? echoed(id) : undefined)
    return call?.outcome === undefined ? call : undefined
  }

  /** Some peers echo a number as a string. */
  const echoed = (id: string): Call | undefined => {
    const call = calls.get(Number(id))
    return call !== undefined && String(call.id) === id ? call : undefined
  }

  return {
    request,
    deliver: (id, message) => {
      const call = find(id)
      if (call === undefined) return false
      deadlines.touch(call)
      call.mailbox?.offer(message)
      return true
    },
    settle: (id, outcome) => {
      const call = find(id)
      if (call === undefined) return false
      settle(call, outcome)
      return true
    },
    renew: deadlines.renew,
    end: (error) => {
      if (ended !== undefined) return
      ended = error
      deadlines.stop()
      const failed = Effect.fail(error)
      for (const call of [...calls.values()]) {
        abort(call, failed, false)
        call.sending?.interruptUnsafe()
      }
    }
  }
}

const toMillis = (input: Duration.Input | undefined, orElse: number): number =>
  input === undefined ? orElse : Duration.toMillis(input)
