import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import type * as Input from "../../src/era/Input.ts"
import type { Invocation } from "../../src/era/Invocation.ts"
import { InputRequired } from "../../src/era/Invocation.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import type * as McpError from "../../src/protocol/McpError.ts"
import { type Asked, engine, finalizers, isAsked, question, rest, round, yes } from "./support/rounds.ts"

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))

/** What a handler does, one after the other, or side by side. */
const Step = Schema.Literals([
  "ask",
  "ask with a timeout",
  "ask for a resource",
  "ask once",
  "ask aside",
  "ask in a race",
  "ask by hand",
  "work once",
  "sleep",
  "fail",
  "die"
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(4))
const Handler = Schema.Struct({ steps: Steps, together: Schema.Boolean })

const Command = Schema.Union([
  Schema.Struct({ do: Schema.Literal("call"), handler: Handler, subject: Schema.Literals(["ada", "eve", ""]) }),
  Schema.Struct({
    do: Schema.Literal("retry"),
    which: Small,
    answers: Schema.Literals(["all", "some", "none", "bad", "foreign"])
  }),
  Schema.Struct({ do: Schema.Literal("cancel"), which: Small }),
  Schema.Struct({ do: Schema.Literal("wait"), seconds: Schema.Literals([0, 1, 30, 400]) })
])

/** Whether the next command comes before what needs the event loop has come to rest. */
const Commands = Schema.Array(Schema.Struct({ command: Command, hurried: Schema.Boolean })).check(
  Schema.isMinLength(12),
  Schema.isMaxLength(24)
)

/** What has been begun, and what of it has come to its end. */
class Tally {
  readonly open = new Map<string, number>()
  count<A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const add = (n: number) => Effect.sync(() => this.open.set(what, (this.open.get(what) ?? 0) + n))
    return Effect.acquireUseRelease(add(1), () => effect, () => add(-1))
  }
  get left() {
    return [...this.open].filter(([, n]) => n !== 0)
  }
}

const handlerOf = ({ steps, together }: typeof Handler.Type, tally: Tally): Input.Handler => (it) =>
  tally.count(
    "handler",
    Effect.scoped(Effect.gen(function*() {
      const byHand = steps.includes("ask by hand")
      yield* Effect.forEach(steps, (step, n) => perform(step, n, it, tally), {
        concurrency: together ? "unbounded" : 1,
        discard: true
      })
      return byHand && (it.received?.state as number ?? 0) < 2
        ? new InputRequired({ hand: { method: "roots/list" } }, (it.received?.state as number ?? 0) + 1)
        : {}
    }))
  ) as Effect.Effect<Params | InputRequired, McpError.McpError>

const perform = (
  step: typeof Step.Type,
  n: number,
  it: Invocation["Service"],
  tally: Tally
): Effect.Effect<unknown, unknown, Scope.Scope> => {
  const ask = (options?: { readonly timeout?: Duration.Input; readonly key?: string }) =>
    tally.count("question", it.ask("elicitation/create", question(`${step} ${n}`), options))
  switch (step) {
    case "ask":
      return ask()
    case "ask with a timeout":
      return Effect.ignore(ask({ timeout: "20 seconds", key: "timed" }))
    case "ask for a resource":
      return Effect.acquireRelease(ask(), () => Effect.yieldNow)
    case "ask once":
      return it.once("ask", Effect.asVoid(ask()))
    case "ask aside":
      return Effect.forkDetach(Effect.ignore(ask()), { startImmediately: true })
    case "ask in a race":
      return Effect.race(ask(), Effect.sleep("25 seconds"))
    case "work once":
      return it.once("work", tally.count("work", Effect.sleep("15 seconds")))
    case "sleep":
      return tally.count("sleep", Effect.sleep("10 seconds"))
    case "fail":
      return Effect.fail("by design")
    case "die":
      return Effect.die("by design")
    case "ask by hand":
      return Effect.void
  }
}

const answersTo = (asked: Asked, how: "all" | "some" | "none" | "bad" | "foreign") => {
  const answers = Object.entries(asked.inputRequests ?? {}).map(([key, { method }], n) => {
    const good = method === "roots/list" ? { roots: [] } : yes(n)
    return how === "bad" ? [key, { action: n }] : how === "foreign" ? [`${key}?`, good] : [key, good]
  })
  return Object.fromEntries(how === "none" ? [] : how === "some" ? answers.slice(1) : answers)
}

/** How rounds have ended, in all runs. */
const outcomes = { asked: 0, "asked again": 0, ended: 0, failed: 0, interrupted: 0 }

interface Request {
  readonly handler: Input.Handler
  readonly subject: string
}

const play = Effect.fnUntraced(function*(
  commands: typeof Commands.Type,
  inputTimeout: number
) {
  const scope = yield* Scope.make()
  const tally = new Tally()
  const inputs = yield* Effect.provideService(
    engine({ maxKept: 3, maxKeptPerPrincipal: 2, maxRounds: 5, inputTimeout: Duration.seconds(inputTimeout) }),
    Scope.Scope,
    scope
  )
  const before = finalizers(scope)
  const states: Array<Request & { readonly asked: Asked }> = []
  const rounds: Array<Fiber.Fiber<void>> = []

  const start = (request: Request, options: Parameters<typeof round>[0]) => {
    const { handler, subject } = request
    const run = inputs.run(round({ ...options, ...(subject === "" ? {} : { subject }) }), handler)
    return Effect.map(
      Effect.forkDetach(
        Effect.flatMap(Effect.exit(run), (exit) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit)) outcomes[Exit.hasInterrupts(exit) ? "interrupted" : "failed"]++
            else if (!isAsked(exit.value)) outcomes.ended++
            else {
              outcomes[options?.requestState === undefined ? "asked" : "asked again"]++
              states.push({ ...request, asked: exit.value })
            }
          })),
        { startImmediately: true }
      ),
      (fiber) => {
        rounds.push(fiber)
      }
    )
  }

  for (const { command, hurried } of commands) {
    switch (command.do) {
      case "call":
        yield* start({ handler: handlerOf(command.handler, tally), subject: command.subject }, {})
        break
      case "retry": {
        const state = states[command.which % (states.length || 1)]
        if (state === undefined) break
        yield* start(state, {
          requestState: state.asked.requestState,
          responses: answersTo(state.asked, command.answers)
        })
        break
      }
      case "cancel":
        yield* Effect.forkDetach(Effect.forEach(rounds.slice(command.which, command.which + 1), Fiber.interrupt))
        break
      case "wait":
        yield* TestClock.adjust(`${command.seconds} seconds`)
        break
    }
    if (!hurried) yield* rest
    assert.isAtMost(yield* inputs.kept, 3)
  }
  return { before, inputs, rounds, scope, tally }
})

/** Lets time pass until all rounds have ended, but not for ever. */
const end = Effect.fnUntraced(function*(rounds: ReadonlyArray<Fiber.Fiber<void>>) {
  const open = () => rounds.filter((fiber) => fiber.pollUnsafe() === undefined)
  for (let n = 0; n < 100 && open().length > 0; n++) {
    yield* rest
    yield* TestClock.adjust("10 seconds")
  }
  assert.strictEqual(open().length, 0, "rounds that do not end")
})

describe("whatever happens to requests that ask", () => {
  it.effect.prop(
    "in the end, time leaves no handler, no question, no timer",
    { commands: Commands, inputTimeout: Schema.Literals([0, 60]) },
    ({ commands, inputTimeout }) =>
      Effect.gen(function*() {
        const { before, inputs, rounds, scope, tally } = yield* play(commands, inputTimeout)
        yield* end(rounds)
        // Whoever is kept is given up in the end.
        yield* TestClock.adjust("100 seconds")
        yield* rest
        assert.deepStrictEqual(tally.left, [])
        assert.strictEqual(yield* inputs.kept, 0)
        assert.strictEqual(yield* inputs.running, 0)
        assert.strictEqual(finalizers(scope), before)
        yield* Scope.close(scope, Exit.void)
      }),
    { timeout: 60_000, arbitrary: { runs: 300 } }
  )

  it.effect.prop(
    "closing the server leaves no handler, no question, no round",
    { commands: Commands, inputTimeout: Schema.Literals([0, 60]) },
    ({ commands, inputTimeout }) =>
      Effect.gen(function*() {
        const { inputs, rounds, scope, tally } = yield* play(commands, inputTimeout)
        yield* Scope.close(scope, Exit.void)
        // What was on its way when the server closed finds it closed, and keeps nothing.
        yield* Effect.forkDetach(Effect.forEach(rounds, Fiber.interrupt, { concurrency: "unbounded" }))
        yield* end(rounds)
        yield* rest
        assert.strictEqual(yield* inputs.running, 0)
        assert.deepStrictEqual(tally.left, [])
      }),
    { timeout: 60_000, arbitrary: { runs: 300 } }
  )

  it("was much", () => {
    for (const [outcome, times] of Object.entries(outcomes)) assert.isAbove(times, 50, outcome)
  })
})
