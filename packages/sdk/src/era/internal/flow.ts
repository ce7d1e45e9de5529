/** A flow is one run of a handler over the rounds of its request. */
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as LoggingLevel from "../../protocol/LoggingLevel.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { State } from "../InputState.ts"
import type { CheckedAskOptions, InputRequired, Invocation, Received } from "../Invocation.ts"
import type * as Once from "../Once.ts"
import type * as Question from "../Question.ts"
import { type Answers, type Outcome, Questions } from "./questions.ts"

export type { Answers } from "./questions.ts"

type Reply = Params | InputRequired

/** What a flow begins with. */
export interface Start {
  readonly invocation: Invocation["Service"]
  /** What was remembered of the rounds before, where this is not the first. */
  readonly state: State | undefined
  /** The answers that came with the request. */
  readonly answers: Answers
  readonly received: Received | undefined
  readonly once: Once.Once
}

const cancelled = Effect.fail(McpError.make(
  new McpError.Cancelled({ detail: "The request has ended; nobody is there to be asked any more" })
))

const none: Pick<State, "asked" | "answers"> = { asked: {}, answers: {} }

/** What a handler knows of its request: facts that change from round to round are changed in place. */
type Seen = { -readonly [K in keyof Invocation["Service"]]: Invocation["Service"][K] }

export class Flow {
  private readonly once: Once.Once
  private readonly received: Received | undefined
  /** Made with the first question: most requests ask none. */
  private questions: Questions | undefined
  private readonly seen: Seen
  private readonly first: Invocation["Service"]
  /** The round that is being answered, or was last. */
  private current: Invocation["Service"]
  /** Whether a round is open: between rounds nobody hears what the handler sends. */
  private heard = true
  private ended = false
  private onChange: (() => void) | undefined
  private fiber!: Fiber.Fiber<Reply, McpError.McpError>

  constructor({ answers, invocation, once, received, state }: Start) {
    this.first = invocation
    this.current = invocation
    this.once = once
    this.received = received
    if (state !== undefined || Object.keys(answers).length > 0) this.asking(state, answers)
    this.seen = {
      ...invocation,
      notify: (method, params) => Effect.suspend(() => this.send(method, params)),
      ask: (method, params, options) => this.ask(method, params, options),
      once: once.run,
      received
    }
  }

  start(
    handler: (invocation: Invocation["Service"]) => Effect.Effect<Reply, McpError.McpError>,
    context: Context.Context<never>
  ): void {
    this.fiber = Effect.runForkWith(context)(Effect.suspend(() => handler(this.seen)))
    this.fiber.addObserver(() => {
      this.end(cancelled)
    })
  }

  onEnd(f: () => void): void {
    this.fiber.addObserver(f)
  }

  /** Whether the handler has ended, or is made to. */
  get isOver(): boolean {
    return this.ended
  }

  /** What the handler ended with. */
  get result(): Effect.Effect<Reply, McpError.McpError> {
    return this.fiber.pollUnsafe() ?? Fiber.join(this.fiber)
  }

  // ---- asking

  private asking(state: State | undefined, answers: Answers): Questions {
    const questions = new Questions(state, answers, () => this.changed())
    this.questions = questions
    this.once.onChange = () => this.changed()
    return questions
  }

  private ask(method: string, params: Params, options: CheckedAskOptions | undefined): Outcome {
    return Effect.withFiber((fiber) =>
      this.ended
        ? cancelled
        : (this.questions ?? this.asking(undefined, {})).ask(method, params, options, this.current, fiber)
    )
  }

  /** The questions that wait, by key. */
  get open(): ReadonlyArray<readonly [key: string, question: Question.Question]> {
    return this.questions?.all ?? []
  }

  /** What a replay needs to know of this run. */
  remember(): Pick<State, "asked" | "answers" | "once" | "received"> {
    const once = this.once.results
    return { ...this.questions?.remember(once) ?? none, once, received: this.received }
  }

  // ---- rounds

  /** Goes on with a retry. Gives what is wrong with it, and then nothing has happened. */
  resume(invocation: Invocation["Service"], answers: Answers): McpError.McpError | undefined {
    const read = this.questions?.read(answers, invocation) ?? []
    if (read instanceof McpError.McpError) return read
    const { client, logLevel, progressToken, requestId } = invocation
    this.current = invocation
    this.heard = true
    Object.assign(this.seen, { client, logLevel, progressToken, requestId } satisfies Partial<Seen>)
    this.questions?.deliver(read)
    return undefined
  }

  /** Nobody hears the handler until the next round. */
  rest(): void {
    this.heard = false
  }

  /** Middleware may have copied the invocation, so what is sent is made to fit the round it is sent in. */
  private send(method: string, params: Params): Effect.Effect<void> {
    const { current } = this
    if (!this.heard) return Effect.void
    if (current === this.first) return current.notify(method, params)
    switch (method) {
      case "notifications/progress": {
        const { progressToken } = current
        return progressToken === undefined ? Effect.void : current.notify(method, { ...params, progressToken })
      }
      case "notifications/message": {
        const level = params["level"] as LoggingLevel.LoggingLevel
        return current.logLevel !== undefined && LoggingLevel.atLeast(level, current.logLevel)
          ? current.notify(method, params)
          : Effect.void
      }
      default:
        return current.notify(method, params)
    }
  }

  /**
   * Completes when the handler has ended, or asks and has paused asking. Fails where an answer did not fit. A patient
   * one lets effects finish that are not to be repeated, for some time.
   */
  settled(patience: Duration.Input | undefined): Effect.Effect<void, McpError.McpError> {
    return Effect.gen({ self: this }, function*() {
      let patient = patience !== undefined
      while (true) {
        yield* this.until(() => this.isSettled)
        if (this.ended) return
        if (this.questions?.refusal !== undefined) return yield* Effect.fail(this.questions.refusal)
        // Questions asked side by side go out together: wait until no more come.
        const asked = this.questions?.asked
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        if (!this.isSettled || this.ended || this.questions?.refusal || this.questions?.asked !== asked) continue
        if (!patient || !this.once.isBusy) return
        patient = false
        yield* Effect.timeoutOption(this.until(() => this.ended || !this.once.isBusy), patience!)
      }
    })
  }

  private get isSettled(): boolean {
    const { questions } = this
    return this.ended || questions !== undefined && (questions.areOpen || questions.refusal !== undefined)
  }

  /** Completes when a condition holds that only what happens to this flow can change. One at a time. */
  private until(holds: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (holds()) return resume(Effect.void)
      this.onChange = () => {
        if (!holds()) return
        this.onChange = undefined
        resume(Effect.void)
      }
    })
  }

  private changed(): void {
    this.onChange?.()
  }

  // ---- the end

  private end(outcome: Outcome): void {
    this.ended = true
    this.heard = false
    this.questions?.end(outcome)
    this.changed()
  }

  /** Interrupts the handler, and whatever asks on its behalf where it cannot be interrupted. */
  halt(): void {
    this.ended = true
    this.fiber.interruptUnsafe()
    this.end(Effect.interrupt)
  }

  /** `halt`, and waits until the handler has cleaned up. */
  get stop(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.halt()
      return Effect.asVoid(Fiber.await(this.fiber))
    })
  }
}
