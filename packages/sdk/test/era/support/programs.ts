/** Handlers as small programs, so that a property can generate them: what they ask, side by side and one by one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Input from "../../../src/era/Input.ts"
import type { Invocation } from "../../../src/era/Invocation.ts"
import type * as McpError from "../../../src/protocol/McpError.ts"
import { question } from "./rounds.ts"

export type Program =
  | { readonly _: "ask"; readonly text: number }
  | { readonly _: "named"; readonly text: number }
  | { readonly _: "roots" }
  | { readonly _: "pure"; readonly value: number }
  | { readonly _: "fail"; readonly text: number }
  | { readonly _: "seq" | "par"; readonly of: ReadonlyArray<Program> }
  | { readonly _: "branch"; readonly on: Program; readonly even: Program; readonly odd: Program }
  | { readonly _: "once"; readonly key: number; readonly of: Program }
  | { readonly _: "attempt"; readonly of: Program }

const Text = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const Ask = Schema.Struct({ _: Schema.Literals(["ask", "named"]), text: Text })
const Roots = Schema.Struct({ _: Schema.Literal("roots") })
const Pure = Schema.Struct({ _: Schema.Literal("pure"), value: Text })
const Fail = Schema.Struct({ _: Schema.Literal("fail"), text: Text })

// What is there twice is twice as likely.
const Leaf = Schema.Union([Ask, Ask, Ask, Ask, Roots, Pure])

const several = (of: Schema.Codec<Program>) =>
  Schema.Struct({
    _: Schema.Literals(["seq", "par"]),
    of: Schema.Array(of).check(Schema.isMinLength(2), Schema.isMaxLength(4))
  })

const grown = (of: Schema.Codec<Program>): Schema.Codec<Program> =>
  Schema.Union([
    Leaf,
    several(of),
    several(of),
    Schema.Struct({ _: Schema.Literal("branch"), on: of, even: of, odd: of }),
    Schema.Struct({ _: Schema.Literal("once"), key: Text, of }),
    Schema.Struct({ _: Schema.Literal("attempt"), of: Schema.Union([of, Fail]) })
  ])

/** Programs of some storeys. */
export const Program: Schema.Codec<Program> = several(
  Schema.Union([grown(grown(Leaf)), grown(grown(Leaf)), grown(Leaf), Leaf, Leaf, Fail])
)

/** How often each effect within a `once` has been run. */
export type Runs = Map<string, number>

const sum = (values: ReadonlyArray<number>) => values.reduce((a, b) => a * 31 + b, 7) % 1_000_003

const run = (
  program: Program,
  invocation: Invocation["Service"],
  runs: Runs,
  path: string
): Effect.Effect<number, McpError.McpError | number> => {
  const inner = (of: Program, at: string | number) => run(of, invocation, runs, `${path}/${at}`)
  switch (program._) {
    case "ask":
      return Effect.map(invocation.ask("elicitation/create", question(`ask ${program.text}`)), valueOf)
    case "named":
      return Effect.map(
        invocation.ask("elicitation/create", question(`named ${program.text} at ${path}`), { key: path }),
        valueOf
      )
    case "roots":
      return Effect.map(invocation.ask("roots/list", {}), ({ roots }) => (roots as ReadonlyArray<unknown>).length)
    case "pure":
      return Effect.succeed(program.value)
    case "fail":
      return Effect.fail(program.text)
    case "seq":
      return Effect.map(Effect.forEach(program.of, inner), sum)
    case "par":
      return Effect.map(Effect.forEach(program.of, inner, { concurrency: "unbounded" }), sum)
    case "branch":
      return Effect.flatMap(
        inner(program.on, "on"),
        (value) => value % 2 === 0 ? inner(program.even, "even") : inner(program.odd, "odd")
      )
    case "once":
      // A key of its own for each place: what is asked by two under one key depends on who comes first.
      return invocation.once(
        `${program.key}${path}`,
        Effect.suspend(() => {
          runs.set(path, (runs.get(path) ?? 0) + 1)
          return inner(program.of, "once") as Effect.Effect<number, McpError.McpError>
        })
      ) as Effect.Effect<number, McpError.McpError | number>
    case "attempt":
      return Effect.catch(
        inner(program.of, "attempt"),
        (error) => Effect.succeed(typeof error === "number" ? error : 99)
      )
  }
}

const valueOf = (answer: { readonly [key: string]: any }): number =>
  answer["action"] === "accept" ? answer["content"]["n"] : answer["action"] === "decline" ? 50 : 60

export const handler = (program: Program, runs: Runs = new Map()): Input.Handler => (invocation) =>
  Effect.match(run(program, invocation, runs, ""), {
    onFailure: (error) => ({ failed: typeof error === "number" ? error : error.reason._tag }),
    onSuccess: (value) => ({ value })
  })

/** Answers by what is asked alone: the same question gets the same answer, whoever of two asks it. */
export const answer = (seed: number) => (request: { readonly method: string; readonly params: any }): unknown => {
  if (request.method === "roots/list") return { roots: [{ uri: "file:///a" }] }
  const text: string = request.params.message
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 9973
  return hash % 5 === 0 ? { action: "decline" } : hash % 7 === 0 ? { action: "cancel" } : {
    action: "accept",
    content: { n: hash % 11 }
  }
}
