// The black-box acceptance suites, where their folder lies beside the project: runs them and judges what they say.
// `npm run acceptance` runs this file; a test of this package does the same.
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Array, Config, Console, Effect, FileSystem, Option, Path, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

const Level = Schema.Literals(["MUST", "SHOULD", "QUALITY"])
type Level = typeof Level.Type

/** One check of a suite. The server's suite says `level` and `got` where the client's says `class` and `client`. */
const Check = Schema.Struct({
  id: Schema.String,
  level: Schema.optionalKey(Level),
  class: Schema.optionalKey(Level),
  status: Schema.Literals(["pass", "fail", "skip"]),
  got: Schema.optionalKey(Schema.String),
  client: Schema.optionalKey(Schema.String),
  link: Schema.optionalKey(Schema.String)
})
type Check = typeof Check.Type

const Report = Schema.fromJsonString(
  Schema.Struct({ stopped: Schema.optionalKey(Schema.String), results: Schema.Array(Check) })
)

/** By suite and check, why a QUALITY check fails and is let fail. */
const Exceptions = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.NonEmptyString))
)

const levelOf = (check: Check): Level => check.level ?? check.class ?? "MUST"

/** What a suite needs to be there, and how it is run. */
interface Suite {
  readonly name: string
  readonly subject: string
  readonly script: string
  readonly args: (subject: string, spec: string) => ReadonlyArray<string>
  /** Which checks. */
  readonly only: ReadonlyArray<string>
  /** Whether the subject is a server to be started first: the suite is given the address that it prints. */
  readonly listens?: boolean
}

const source = ["--conditions=@effect-mcp/source"]

const suites: ReadonlyArray<Suite> = [
  {
    name: "server-stdio",
    subject: "src/everything-stdio.ts",
    script: "server/run.mjs",
    args: (subject, spec) => [
      "--stdio",
      [process.execPath, ...source, subject].map((word) => `"${word}"`).join(" "),
      "--spec",
      spec
    ],
    only: ["--era", "stdio"]
  },
  {
    name: "server-http",
    subject: "src/everything-http.ts",
    script: "server/run.mjs",
    args: (url, spec) => ["--url", url, "--spec", spec],
    only: [],
    listens: true
  },
  {
    name: "client",
    subject: "src/acceptance-client.ts",
    script: "client/run.mjs",
    args: (subject) => ["--adapter", [process.execPath, ...source, subject].join(" ")],
    only: ["--jobs", "2"]
  }
]

/** The outcome of one suite. `problems` is empty where all is as it should be. */
export interface Outcome {
  readonly suite: string
  readonly counts: string
  readonly problems: ReadonlyArray<string>
}

type Reasons = { readonly [id: string]: string }

const unexpected = (checks: ReadonlyArray<Check>, exceptions: Reasons): ReadonlyArray<Check> =>
  checks.filter(({ id, status }) => status === "fail" && exceptions[id] === undefined)

const judge = (checks: ReadonlyArray<Check>, exceptions: Reasons): ReadonlyArray<string> => [
  ...unexpected(checks, exceptions).map((check) =>
    `${levelOf(check)} ${check.id} fails: ${check.got ?? check.client ?? ""} (${check.link ?? ""})`
  ),
  ...Object.keys(exceptions).flatMap((id) => {
    const check = checks.find((check) => check.id === id)
    if (check === undefined) return [`${id} is excepted, but no check has this name`]
    if (levelOf(check) !== "QUALITY") return [`${id} is excepted, but it is a ${levelOf(check)}`]
    return check.status === "fail" ? [] : [`${id} is excepted, but does not fail any more: strike it off the list`]
  })
]

const count = (checks: ReadonlyArray<Check>) => {
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status).length
  return `${of("pass")} passed, ${of("fail")} failed, ${of("skip")} skipped`
}

/** Runs every suite whose files and whose subject are there; none where the folder is not. */
export const run = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const home = path.resolve(import.meta.dirname, "..")
  const shared = path.resolve(home, "../../../shared")
  const exceptions = yield* Schema.decodeEffect(Exceptions)(
    yield* fs.readFileString(path.join(home, "acceptance-exceptions.json"))
  )
  // Hundreds of processes are started from the same sources: what was compiled once need not be again.
  const cache = yield* Config.String("NODE_COMPILE_CACHE").pipe(
    Config.withDefault(path.resolve(home, "../../node_modules/.cache/node"))
  )

  const runChecks = Effect.fnUntraced(function*(file: string, args: ReadonlyArray<string>) {
    const output = yield* spawner.string(
      ChildProcess.make(process.execPath, [file, ...args, "--json"], {
        env: { NODE_COMPILE_CACHE: cache },
        extendEnv: true,
        stderr: "inherit"
      })
    )
    return yield* Schema.decodeEffect(Report)(output)
  })

  /** Starts a server, which lives as long as the scope; gives the address that it prints. */
  const start = Effect.fnUntraced(function*(target: string) {
    const handle = yield* spawner.spawn(
      ChildProcess.make(process.execPath, [...source, target, "--port", "0"], { extendEnv: true, stderr: "inherit" })
    )
    const line = yield* handle.stdout.pipe(Stream.decodeText, Stream.splitLines, Stream.runHead)
    return Option.getOrThrow(line).replace(/^.*(?=http:)/, "")
  })

  const runSuite = Effect.fnUntraced(function*({ args, listens = false, name, only, script, subject }: Suite) {
    const file = path.join(shared, "acceptance", script)
    const target = path.join(home, subject)
    if (!(yield* fs.exists(file)) || !(yield* fs.exists(target))) return []
    const common = args(listens ? yield* start(target) : target, path.join(shared, "spec"))
    const { results, stopped } = yield* runChecks(file, [...common, ...only])
    const failed = unexpected(results, exceptions[name] ?? {})
    // The suites' bounds are real time, and this machine may be busy: what fails has a second try, alone.
    const again = failed.length === 0 || stopped !== undefined
      ? []
      : (yield* runChecks(file, [...common, "--only", failed.map(({ id }) => id).join(",")])).results
    const final = results.map((check) => again.find(({ id }) => id === check.id) ?? check)
    const recovered = again.filter(({ status }) => status === "pass").length
    const outcome: Outcome = {
      suite: name,
      counts: `${count(final)}${recovered === 0 ? "" : `; ${recovered} of them passed at the second try`}`,
      problems: [...Array.fromNullishOr(stopped), ...judge(final, exceptions[name] ?? {})]
    }
    return [outcome]
  }, Effect.scoped)

  return Array.flatten(yield* Effect.forEach(suites, runSuite))
})

const main = Effect.gen(function*() {
  const outcomes = yield* run
  if (outcomes.length === 0) yield* Console.log("There is no folder with acceptance suites beside this project.")
  for (const { counts, problems, suite } of outcomes) {
    yield* Console.log([`${suite}: ${counts}`, ...problems.map((problem) => `  ${problem}`)].join("\n"))
  }
  if (outcomes.some(({ problems }) => problems.length > 0)) process.exitCode = 1
})

if (import.meta.main) main.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
