import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { Connection } from "../../src/peer/Connection.ts"
import * as StdioTransport from "../../src/transport/StdioTransport.ts"
import { failure, numbered, numbers, sendAll, take } from "./support/frames.ts"
import { cat } from "./support/pipes.ts"

// A program in JavaScript; `say` prints a message with these parameters.
const program = (source: string) => ({
  command: process.execPath,
  args: [
    "-e",
    `const say = (params) => console.log(JSON.stringify({ jsonrpc: "2.0", method: "m", params }));\n${source}`
  ]
})

const connect = (options: StdioTransport.ClientOptions) => StdioTransport.connectStdio(options)

const first = (connection: Connection) =>
  Effect.map(take(connection, 1), (values) => (values[0] as { readonly params: any }).params)

// Where nobody waits for an orphan it stays in the table of processes, dead.
const isZombie = (pid: number) => {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch {
    return false
  }
}

describe("a stdio client", { timeout: 20_000 }, () => {
  describe("starting", () => {
    it.live("a missing program is a SpawnError", () =>
      Effect.gen(function*() {
        const reason = yield* failure(connect({ command: "no-such-program-anywhere" }))
        assert.isTrue(reason._tag === "SpawnError" && reason.command === "no-such-program-anywhere")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("so are a file that is no program, a bad working directory and a bad argument", () =>
      Effect.gen(function*() {
        for (
          const options of [
            { command: import.meta.filename },
            { ...cat, cwd: "/no/such/directory" },
            { ...cat, cwd: import.meta.filename },
            { command: process.execPath, args: ["a\0b"] },
            { command: process.execPath, args: ["x".repeat(10_000_000)] }
          ]
        ) {
          assert.strictEqual((yield* failure(connect(options)))._tag, "SpawnError")
        }
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("runs in the given directory, with the given arguments", () =>
      Effect.gen(function*() {
        const { args, command } = program(
          "say({ cwd: process.cwd(), last: process.argv.at(-1) }); process.stdin.resume()"
        )
        const connection = yield* connect({
          command,
          args: [...args, "--", "an argument; with $odd \"parts\""],
          cwd: "/"
        })
        assert.deepStrictEqual(yield* first(connection), { cwd: "/", last: "an argument; with $odd \"parts\"" })
      }).pipe(Effect.provide(NodeServices.layer)))
  })

  describe("the environment", () => {
    const environment = (options: Partial<StdioTransport.ClientOptions>) =>
      Effect.scoped(
        Effect.flatMap(connect({ ...program("say(process.env); process.stdin.resume()"), ...options }), first)
      ).pipe(Effect.provide(NodeServices.layer))

    it.live("has what any program may see, and no secret of this process", () =>
      Effect.gen(function*() {
        process.env["MCP_TEST_SECRET"] = "secret"
        process.env["LC_TEST"] = "C.UTF-8"
        const seen = yield* environment({})
        assert.notProperty(seen, "MCP_TEST_SECRET")
        assert.strictEqual(seen.PATH, process.env["PATH"])
        assert.strictEqual(seen.LC_TEST, "C.UTF-8")
      }))

    it.live("has what is given besides", () =>
      Effect.gen(function*() {
        const seen = yield* environment({ env: { TOKEN: "token", HOME: "/elsewhere", PATH: undefined } })
        assert.strictEqual(seen.TOKEN, "token")
        assert.strictEqual(seen.HOME, "/elsewhere")
        assert.notProperty(seen, "PATH")
      }))

    it.live("is that of this process where the client says so", () =>
      Effect.gen(function*() {
        process.env["MCP_TEST_SECRET"] = "secret"
        const seen = yield* environment({ inheritEnv: true, env: { TOKEN: "token" } })
        assert.strictEqual(seen.MCP_TEST_SECRET, "secret")
        assert.strictEqual(seen.TOKEN, "token")
      }))
  })

  describe("standard error", () => {
    // More than any pipe holds: a server whose standard error nobody reads stands still here.
    const talkative = program(`
      const line = "x".repeat(99) + "\\n"
      process.stderr.write(line.repeat(50_000), () => say({ done: true }))
      process.stdin.resume()`)

    for (
      const [name, stderr] of Object.entries<StdioTransport.Stderr>({
        "by default": "log",
        "when ignored": "ignore",
        "when a function dies": () => Effect.die("no"),
        "when a function never returns": () => Effect.never,
        "when a sink fails": Sink.fail("no"),
        "when a sink ends early": Sink.take(1)
      })
    ) {
      it.live(`is read to its end ${name}`, () =>
        Effect.gen(function*() {
          const connection = yield* connect({ ...talkative, stderr })
          assert.deepStrictEqual(yield* first(connection), { done: true })
        }).pipe(Effect.provide(NodeServices.layer)))
    }

    it.live("comes line by line, cut after 8 KiB", () =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const done = yield* Deferred.make<void>()
        yield* connect({
          ...program(
            `process.stderr.write("one\\r\\ntwo\\n\\né" + "x".repeat(10_000) + "\\nlast\\n"); process.stdin.resume()`
          ),
          stderr: (line) =>
            Effect.suspend(() => {
              lines.push(line)
              return line === "last" ? Deferred.succeed(done, undefined) : Effect.void
            })
        })
        yield* Deferred.await(done)
        assert.deepStrictEqual(lines, ["one", "two", "é" + "x".repeat(8191), "last"])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("is logged at level Debug by default", () =>
      Effect.gen(function*() {
        const logged = yield* Deferred.make<readonly [string, unknown]>()
        const logger = Logger.make(({ logLevel, message }) => {
          Deferred.doneUnsafe(logged, Effect.succeed([logLevel, message] as const))
        })
        yield* connect(program("process.stderr.write(\"hello\\n\"); process.stdin.resume()")).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Debug")
        )
        assert.deepStrictEqual(yield* Deferred.await(logged), ["Debug", ["hello"]])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("goes as bytes into a sink", () =>
      Effect.gen(function*() {
        const bytes = yield* Deferred.make<string>()
        yield* connect({
          ...program("process.stderr.write(\"hello\\n\"); process.stdin.resume()"),
          stderr: Sink.forEach((chunk: Uint8Array) => Deferred.succeed(bytes, new TextDecoder().decode(chunk)))
        })
        assert.strictEqual(yield* Deferred.await(bytes), "hello\n")
      }).pipe(Effect.provide(NodeServices.layer)))
  })

  describe("an unexpected end", () => {
    const collect = Effect.fnUntraced(function*(options: StdioTransport.ClientOptions) {
      const connection = yield* connect(options)
      const got: Array<unknown> = []
      const reason = yield* failure(
        Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push((value as any).params)))
      )
      return { connection, got, reason }
    })

    it.live("tells the exit code and the last words, after what was written before", () =>
      Effect.gen(function*() {
        const { connection, got, reason } = yield* collect(program(`
          for (let n = 1; n <= 3000; n++) say({ n, fill: "x".repeat(100) })
          console.error("no database")
          process.exitCode = 3`))
        assert.strictEqual(got.length, 3000)
        assert.strictEqual(reason._tag, "ConnectionClosed")
        assert.include(reason.message, "exited with code 3")
        assert.include(reason.message, "no database")
        const later = yield* failure(Effect.forever(connection.send(numbered(1))))
        assert.strictEqual(later._tag, "ConnectionClosed")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("tells the signal", () =>
      Effect.gen(function*() {
        const { reason } = yield* collect(program("process.kill(process.pid, \"SIGKILL\")"))
        assert.strictEqual(reason._tag, "ConnectionClosed")
        assert.include(reason.message, "SIGKILL")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("is an end with code 0 as well", () =>
      Effect.gen(function*() {
        const { got, reason } = yield* collect(program("say({ bye: true })"))
        assert.deepStrictEqual(got, [{ bye: true }])
        assert.include(reason.message, "exited with code 0")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("does not wait for a descendant that holds the output open", () =>
      Effect.gen(function*() {
        const { got, reason } = yield* collect({
          command: "/bin/sh",
          args: ["-c", "sleep 1000 & echo \"{\\\"params\\\":$!}\"; exit 0"]
        })
        assert.strictEqual(got.length, 1)
        assert.include(reason.message, "exited with code 0")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("is told as well where the server only closes its output", () =>
      Effect.gen(function*() {
        const { reason } = yield* collect({ command: "/bin/sh", args: ["-c", "exec >&-; read line"] })
        assert.strictEqual(reason._tag, "ConnectionClosed")
        assert.include(reason.message, "closed its output")
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("reaches those who send to a server that no longer reads", () =>
      Effect.gen(function*() {
        const connection = yield* connect({
          command: "/bin/sh",
          args: ["-c", "exec <&-; sleep 1000"],
          shutdownTimeout: 0
        })
        const sending = failure(Effect.forever(connection.send(numbered(1, 100_000))))
        const [reason, incoming] = yield* Effect.all([sending, failure(Stream.runDrain(connection.incoming))], {
          concurrency: 2
        })
        assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
        assert.isTrue(incoming._tag === "TransportError" && incoming.sent === "maybe")
      }).pipe(Effect.provide(NodeServices.layer)))
  })

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
  describe("shutdown", () => {
    it.live("writes what is queued, ends the input and waits for the exit", () =>
      Effect.gen(function*() {
        const stderr: Array<string> = []
        yield* Effect.scoped(Effect.gen(function*() {
          const connection = yield* connect({
            ...program(`
              let n = 0
              process.stdin.on("data", (data) => n += data.length)
              process.stdin.on("end", () => console.error("got " + n))`),
            stderr: (line) => Effect.sync(() => stderr.push(line))
          })
          yield* sendAll(connection, Array.from({ length: 100 }, (_, n) => numbered(n, 9000)))
        }))
        assert.match(stderr[0]!, /^got 9\d{5}$/)
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("is the same where the user is interrupted", () =>
      Effect.gen(function*() {
        const stderr: Array<string> = []
        const connected = yield* Deferred.make<void>()
        const user = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
          const connection = yield* connect({
            ...program(`process.stdin.resume().on("end", () => console.error("end")); say({})`),
            stderr: (line) => Effect.sync(() => stderr.push(line))
          })
          yield* first(connection)
          yield* Deferred.succeed(connected, undefined)
          yield* Effect.never
        })))
        yield* Deferred.await(connected)
        yield* Fiber.interrupt(user)
        assert.deepStrictEqual(stderr, ["end"])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("reads on while the server says a long goodbye", () =>
      Effect.gen(function*() {
        const stderr: Array<string> = []
        yield* Effect.scoped(
          connect({
            ...program(`
              process.stdin.resume().on("end", () => {
                process.stdout.write("x".repeat(1_000_000), () => console.error("said"))
              })`),
            stderr: (line) => Effect.sync(() => stderr.push(line))
          })
        )
        assert.deepStrictEqual(stderr, ["said"])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("sends SIGTERM to a server that does not exit", () =>
      Effect.gen(function*() {
        const stderr: Array<string> = []
        yield* Effect.scoped(Effect.gen(function*() {
          const connection = yield* connect({
            ...program(`
              process.on("SIGTERM", () => { console.error("SIGTERM"); process.exit() })
              setTimeout(() => {}, 1e6)
              say({})`),
            shutdownTimeout: "20 millis",
            stderr: (line) => Effect.sync(() => stderr.push(line))
          })
          yield* first(connection)
        }))
        assert.deepStrictEqual(stderr, ["SIGTERM"])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("kills a whole family that ignores SIGTERM", () =>
      Effect.gen(function*() {
        const stubborn = `process.on("SIGTERM", () => {}); setTimeout(() => {}, 1e6)`
        const pids = yield* Effect.scoped(Effect.gen(function*() {
          const connection = yield* connect({
            command: "/bin/sh",
            args: [
              "-c",
              "\"$0\" -e \"$1\"; exit 1",
              process.execPath,
              `
              ${stubborn}
              const child = require("node:child_process").spawn(
                process.execPath,
                ["-e", ${JSON.stringify(stubborn + "; console.log(1)")}],
                { stdio: ["inherit", "pipe", "inherit"] }
              )
              child.stdout.once("data", () =>
                console.log(JSON.stringify({ params: [process.ppid, process.pid, child.pid] })))`
            ],
            shutdownTimeout: "20 millis",
            killTimeout: "50 millis"
          })
          const pids: ReadonlyArray<number> = yield* first(connection)
          assert.isTrue(pids.every(isAlive))
          return pids
        }))
        assert.strictEqual(pids.length, 3)
        assert.deepStrictEqual(pids.filter(isAlive), [])
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("ends the descendants of a server that has exited in order", () =>
      Effect.gen(function*() {
        const pid = yield* Effect.scoped(Effect.gen(function*() {
          const connection = yield* connect({
            command: "/bin/sh",
            args: ["-c", "sleep 1000 >/dev/null & echo \"{\\\"params\\\":$!}\"; read line; exit 0"]
          })
          const pid: number = yield* first(connection)
          assert.isTrue(isAlive(pid))
          return pid
        }))
        assert.isFalse(isAlive(pid))
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("is bounded where the server reads nothing", () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const connection = yield* Scope.provide(
          connect({
            ...program("setTimeout(() => {}, 1e6); say({})"),
            highWaterMark: "1 KiB",
            flushTimeout: "20 millis",
            shutdownTimeout: "20 millis"
          }),
          scope
        )
        yield* first(connection)
        const sender = yield* Effect.forkChild(failure(Effect.forever(connection.send(numbered(1, 100_000)))), {
          startImmediately: true
        })
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* Fiber.join(sender))._tag, "ConnectionClosed")
      }).pipe(Effect.provide(NodeServices.layer)))
  })

  describe("layerClient", () => {
    it.live("starts a process for each connection, and carries the restart policy", () =>
      Effect.gen(function*() {
        const restart = Schedule.recurs(3)
        const transport = yield* Effect.map(
          Layer.build(
            StdioTransport.layerClient({ ...program("say({ pid: process.pid }); process.stdin.resume()"), restart })
          ),
          Context.get(ClientTransport)
        )
        assert.strictEqual(transport.kind, "stdio")
        assert.strictEqual(transport.restart, restart)
        const pids = yield* Effect.all([Effect.flatMap(transport.open, first), Effect.flatMap(transport.open, first)])
        assert.notStrictEqual(pids[0].pid, pids[1].pid)
      }).pipe(Effect.provide(NodeServices.layer)))

    it.live("takes back the process where opening is interrupted", () =>
      Effect.gen(function*() {
        const connection = yield* connect(cat)
        const opening = yield* Effect.forkChild(Effect.scoped(connect(cat)), { startImmediately: true })
        yield* Fiber.interrupt(opening)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(opening)))
        yield* connection.send(numbered(1))
        assert.deepStrictEqual(numbers(yield* take(connection, 1)), [1])
      }).pipe(Effect.provide(NodeServices.layer)))
  })
})
