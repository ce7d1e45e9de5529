/** What a handler asks: the questions that wait for their answer, and the answers that are already there. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import type { Asked, State } from "../InputState.ts"
import type { AskOptions, CheckedAskOptions } from "../Invocation.ts"
import * as Once from "../Once.ts"
import * as Question from "../Question.ts"

export type Answers = { readonly [key: string]: unknown }

export type Outcome = Effect.Effect<Params, McpError.McpError>

/** A question that waits for its answer. */
interface Open {
  readonly key: string
  readonly question: Question.Question
  readonly check: CheckedAskOptions["check"]
  readonly resume: (outcome: Outcome) => void
}

/** An answer that has been read. */
interface Read {
  readonly open: Open
  readonly raw: unknown
  readonly answer: Params
}

const timedOut = (method: string, millis: number) =>
  Effect.fail(McpError.make(new McpError.RequestTimeout({ method, millis, maximum: false })))

/** Two rolling hashes of 32 bits: questions of one request are told apart by it, and no secret is kept by it. */
const digest = (text: string): string => {
  let a = 0x9e3779b9
  let b = 0x85ebca6b
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b + unit, 0xc2b2ae35) ^ (b >>> 15)
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36)
}

const baseOf = ({ method, params }: Question.Question): string =>
  `${method.name.slice(0, method.name.indexOf("/"))}-${digest(JSON.stringify(params))}`

export class Questions {
  /** Those that wait, by key, in the order in which they were asked. */
  private readonly open = new Map<string, Open>()
  /** The answers that were good, by key, as the client gave them. */
  private readonly answers: Map<string, unknown>
  /** The answers of a replay that nobody has asked for yet. */
  private readonly fresh: Map<string, unknown>
  /** When the askers of questions without an answer give up, or gave up. */
  private readonly deadlines = new Map<string, Asked & { readonly until: number }>()
  private readonly keys = new Set<string>()
  /** Waits that only the end of the run ends. */
  private readonly stranded = new Set<(outcome: Outcome) => void>()
  /** What becomes of whoever waits when the run has ended. */
  private over: Outcome | undefined
  private readonly isRetry: boolean
  private readonly onChange: () => void
  /** How many have been asked in all, so that a pause in asking can be seen. */
  asked = 0
  /** What is wrong with an answer of a replay: an error of the round, not of the handler. */
  refusal: McpError.McpError | undefined

  constructor(state: State | undefined, answers: Answers, onChange: () => void) {
    for (const [key, asked] of Object.entries(state?.asked ?? {})) {
      if (asked.until !== undefined) this.deadlines.set(key, { method: asked.method, until: asked.until })
    }
    for (const { asked } of Object.values(state?.once ?? {})) for (const key of asked) this.keys.add(key)
    this.answers = new Map(Object.entries(state?.answers ?? {}))
    this.fresh = new Map(Object.entries(answers))
    this.isRetry = state !== undefined
    this.onChange = onChange
  }

  get areOpen(): boolean {
    return this.open.size > 0
  }

  get all(): ReadonlyArray<readonly [key: string, question: Question.Question]> {
    return Array.from(this.open.values(), ({ key, question }) => [key, question] as const)
  }

  /** What a replay needs to know of them, where it knows the results of some effects. */
  remember(once: State["once"]): Pick<State, "asked" | "answers"> {
    const spent = new Set(Object.values(once).flatMap(({ asked }) => asked))
    const asked = new Map<string, Asked>(this.deadlines)
    for (const { key, question } of this.open.values()) {
      asked.set(key, this.deadlines.get(key) ?? { method: question.method.name })
    }
    return {
      asked: Object.fromEntries(asked),
      // What a client made up, without having been asked, is not worth remembering.
      answers: Object.fromEntries(
        [...this.isRetry ? this.fresh : [], ...this.answers].filter(([key]) => !spent.has(key))
      )
    }
  }

  /** Ends them all. */
  end(outcome: Outcome): void {
    this.over ??= outcome
    const waiting = [...Array.from(this.open.values(), ({ resume }) => resume), ...this.stranded]
    this.open.clear()
    this.stranded.clear()
    for (const resume of waiting) resume(outcome)
  }

  // ---- asking

  ask(
    method: string,
    params: Params,
    options: CheckedAskOptions | undefined,
    asked: Question.Asked,
    fiber: Fiber.Fiber<unknown, unknown>
  ): Outcome {
    const made = Question.make(method, params, asked)
    if (Result.isFailure(made)) return Effect.fail(made.failure)
    const question = made.success
    const within = fiber.getRef(Once.Within)
    const key = this.keyOf(question, options)
    for (const run of within) run.asked.push(key)
    const given = this.take(key, question, options?.check, asked)
    if (given !== undefined) return given
    const wait = this.wait({ key, question, check: options?.check }, within)
    if (options?.timeout === undefined) return wait
    const millis = Duration.toMillis(Duration.fromInputUnsafe(options.timeout))
    const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const until = this.deadlines.get(key)?.until ?? now + millis
    this.deadlines.set(key, { method, until })
    return until <= now
      ? timedOut(method, millis)
      : Effect.timeoutOrElse(wait, { duration: until - now, orElse: () => timedOut(method, millis) })
  }

  /** The same question twice is two questions; in a replay the first is the first again. */
  private keyOf(question: Question.Question, options: AskOptions | undefined): string {
    const base = options?.key ?? baseOf(question)
    let key = base
    for (let use = 2; this.keys.has(key); use++) key = `${base}-${use}`
    this.keys.add(key)
    return key
  }

  /** The answer that is already there, in a replay. */
  private take(
    key: string,
    { method }: Question.Question,
    check: CheckedAskOptions["check"],
    { revision }: Question.Asked
  ): Outcome | undefined {
    if (this.answers.has(key)) {
      const known = Question.decodeAnswer(method, this.answers.get(key), revision, check)
      if (Result.isSuccess(known)) return Effect.succeed(known.success)
      // It was good once, for a handler that has changed since.
      this.answers.delete(key)
    }
    if (!this.fresh.has(key)) return undefined
    const answer = Question.decodeAnswer(method, this.fresh.get(key), revision, check)
    if (Result.isSuccess(answer)) {
      this.answered(key, this.fresh.get(key))
      return Effect.succeed(answer.success)
    }
    // A kept handler would not hear of it either.
    this.refusal = answer.failure
    this.onChange()
    return Effect.callback((resume) => {
      if (this.over !== undefined) resume(this.over)
      else this.stranded.add(resume)
    })
  }

  private wait(open: Omit<Open, "resume">, within: ReadonlyArray<Once.Run>): Outcome {
    return Effect.callback((resume) => {
      if (this.over !== undefined) return resume(this.over)
      const proceed = Once.pause(within)
      this.asked++
      this.open.set(open.key, { ...open, resume })
      this.onChange()
      return Effect.sync(() => {
        proceed()
        this.open.delete(open.key)
      })
    })
  }

  // ---- answering

  /** Reads answers to what waits; what fits no question is passed over. Gives what is wrong with them, if anything. */
  read(answers: Answers, asked: Question.Asked): ReadonlyArray<Read> | McpError.McpError {
    const all: Array<Read> = []
    for (const open of this.open.values()) {
      const { check, key, question } = open
      if (!Object.hasOwn(answers, key)) {
        // It will be asked again, of a client that may have changed its mind.
        const missing = Question.missing(asked, question.capability)
        if (missing !== undefined) return missing
        continue
      }
      const raw = answers[key]
      const answer = Question.decodeAnswer(question.method, raw, asked.revision, check)
      if (Result.isFailure(answer)) return answer.failure
      all.push({ open, raw, answer: answer.success })
    }
    return all
  }

  /** Hands answers to those who wait for them. */
  deliver(all: ReadonlyArray<Read>): void {
    for (const { answer, open, raw } of all) {
      this.answered(open.key, raw)
      this.open.delete(open.key)
      open.resume(Effect.succeed(answer))
    }
  }

  private answered(key: string, answer: unknown): void {
    this.answers.set(key, answer)
    this.fresh.delete(key)
    this.deadlines.delete(key)
  }
}
