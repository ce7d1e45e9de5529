import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ServerTransport } from "../../src/peer/ServerTransport.ts"
import * as Framing from "../../src/transport/Framing.ts"
import * as StdioTransport from "../../src/transport/StdioTransport.ts"
import { echo, failure, numbered, numbers } from "./support/frames.ts"
import { fakeStdio, pipe } from "./support/pipes.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const start = Effect.fnUntraced(function*(options?: StdioTransport.ServerOptions) {
  const stdio = yield* fakeStdio([65_536])
  const layer = Layer.provide(StdioTransport.layerServerWith(options), stdio.layer)
  const transport = Context.get(yield* Layer.build(layer), ServerTransport)
  return { ...stdio, transport }
})

describe("a stdio server", () => {
  it.effect("answers what was asked just before the end of the input, and then completes", () =>
    Effect.gen(function*() {
      const { stdin, stdout, transport } = yield* start()
      stdin.feed(Array.from({ length: 20 }, (_, n) => Framing.encode(numbered(n))).join(""))
      yield* stdin.end
      const facts: Array<unknown> = []
      yield* transport.serve(pipe({
        connect: (connection, fact) => {
          facts.push(fact)
          return echo(connection)
        }
      }))
      assert.deepStrictEqual(facts, [{ transport: "stdio" }])
      assert.deepStrictEqual(
        numbers(stdout.writes.join("").trimEnd().split("\n").map((line) => JSON.parse(line))),
        Array.from({ length: 20 }, (_, n) => n)
      )
    }))

  it.effect("fails when its output breaks", () =>
    Effect.gen(function*() {
      const { stdin, stdout, transport } = yield* start()
      stdout.breakWriting("EPIPE")
      stdin.feed(Framing.encode(numbered(1)))
      const reason = yield* failure(transport.serve(pipe({ connect: echo })))
      assert.strictEqual(reason._tag, "TransportError")
    }))

  it.effect("fails when its output is not read in time", () =>
    Effect.gen(function*() {
      const { stdin, stdout, transport } = yield* start({ flushTimeout: "3 seconds" })
      yield* stdout.reading.close
      stdin.feed(Framing.encode(numbered(1)))
      yield* stdin.end
      const serving = yield* Effect.forkChild(failure(transport.serve(pipe({ connect: echo }))))
      yield* settle
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(serving.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(serving))._tag, "TransportError")
    }))

  it.effect("fails on a frame over the limit, after it has answered what came before", () =>
    Effect.gen(function*() {
      const { stdin, stdout, transport } = yield* start({ maxFrameBytes: "1 KiB" })
      stdin.feed(Framing.encode(numbered(1)) + Framing.encode(numbered(2, 2000)))
      const reason = yield* failure(transport.serve(pipe({ connect: echo })))
      assert.strictEqual(reason._tag, "InvalidPeerMessage")
      assert.strictEqual(stdout.writes.length, 1)
    }))

  it.effect("gives the connection a scope of its own", () =>
    Effect.gen(function*() {
      const { stdin, transport } = yield* start()
      yield* stdin.end
      let closed = false
      yield* transport.serve(pipe({
        connect: () => Effect.addFinalizer(() => Effect.sync(() => (closed = true)))
      }))
      assert.isTrue(closed)
    }))

  it.effect("redirects the console while the layer lives, and puts it back, however many hold it", () =>
    Effect.gen(function*() {
      const { log, table } = globalThis.console
      const first = yield* Scope.make()
      const second = yield* Scope.make()
      yield* Scope.provide(start(), first)
      assert.notStrictEqual(globalThis.console.log, log)
      yield* Scope.provide(start(), second)
      yield* Scope.close(first, Exit.void)
      assert.notStrictEqual(globalThis.console.log, log)
      yield* Scope.close(second, Exit.void)
      assert.strictEqual(globalThis.console.log, log)
      assert.strictEqual(globalThis.console.table, table)
    }))

  it.effect("lets Effect's loggers print to standard error", () =>
    Effect.gen(function*() {
      const printed: Array<string> = []
      const console = {
        ...globalThis.console,
        log: () => printed.push("log"),
        error: () => printed.push("error")
      } as Console.Console
      const stdio = yield* fakeStdio([1])
      for (const logger of [Logger.consolePretty(), Logger.defaultLogger]) {
        yield* Effect.log("hello").pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provide(Layer.provide(StdioTransport.layerServer, stdio.layer)),
          Effect.provideService(Console.Console, console)
        )
      }
      assert.deepStrictEqual(printed, ["error", "error"])
    }))
})

const source = fileURLToPath(new URL("./support/stdioServer.ts", import.meta.url))

interface Run {
  readonly process: ChildProcessWithoutNullStreams
  readonly exit: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Reads the standard output from now on. */
  readonly read: Effect.Effect<void>
  /** Waits for the first bytes of an answer, and leaves them unread. */
  readonly answering: Effect.Effect<void>
}

// Runs the program with answers of this size. Its output is not read until the test says so.
const run = (size: number) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const process_ = spawn(process.execPath, ["--conditions=@effect-mcp/source", source, String(size)])
      const exit = yield* Deferred.make<{ readonly code: number | null; readonly signal: string | null }>()
      const answering = yield* Deferred.make<void>()
      let stdout = ""
      let stderr = ""
      process_.stdin.on("error", () => {})
      process_.stderr.on("data", (data) => (stderr += data))
      process_.stdout.once("readable", () => Deferred.doneUnsafe(answering, Effect.void))
      // "close" comes after the exit and the end of all output; where nobody reads the output it would not come.
      process_.on("exit", (code, signal) => {
        const done = () => Deferred.doneUnsafe(exit, Effect.succeed({ code, signal }))
        if (process_.stdout.readableFlowing === true && !process_.stdout.readableEnded) {
          process_.stdout.once("end", done)
        } else done()
      })
      return {
        process: process_,
        exit: Deferred.await(exit),
        answering: Deferred.await(answering),
        stdout: () => stdout,
        stderr: () => stderr,
        read: Effect.sync(() => {
          process_.stdout.setEncoding("utf8").on("data", (data) => (stdout += data)).resume()
        })
      } satisfies Run
    }),
    ({ process }) => Effect.sync(() => process.kill("SIGKILL"))
  )

const messages = (text: string) => text.trimEnd().split("\n").map((line) => JSON.parse(line))

describe("a process that is a stdio server", { timeout: 20_000 }, () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
  it.live("writes nothing but messages to its standard output, and prints the rest to standard error", () =>
    Effect.gen(function*() {
      const server = yield* run(1)
      yield* server.read
      server.process.stdin.end(Framing.encode(numbered(1)))
      yield* server.exit
      assert.deepStrictEqual(numbers(messages(server.stdout())), [1])
      const words = [
        "effect log",
        "effect console",
        ...["log", "info", "debug", "dir", "dirxml", "table", "group", "count", "timeLog"].map((name) =>
          `console.${name}`
        )
      ]
      for (const word of words) assert.include(server.stderr(), word)
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
  it.live("answers requests written just before the end of its input, then exits with code 0", () =>
    Effect.gen(function*() {
      const server = yield* run(10)
      yield* server.read
      server.process.stdin.end(Array.from({ length: 20 }, (_, n) => Framing.encode(numbered(n))).join(""))
      assert.deepStrictEqual(yield* server.exit, { code: 0, signal: null })
      assert.deepStrictEqual(numbers(messages(server.stdout())), Array.from({ length: 20 }, (_, n) => n))
    }))

  it.live("exits with code 0 when its input ends inside a line", () =>
    Effect.gen(function*() {
      const server = yield* run(10)
      yield* server.read
      server.process.stdin.end("{\"jsonrpc\":\"2.0\",\"id\":1,\"meth")
      assert.deepStrictEqual(yield* server.exit, { code: 0, signal: null })
    }))

  it.live("writes out 1 MB to a reader that is late, after its input has ended, then exits with code 0", () =>
    Effect.gen(function*() {
      const server = yield* run(1_000_000)
      server.process.stdin.end(Framing.encode(numbered(1)))
      yield* server.answering
      yield* server.read
      assert.deepStrictEqual(yield* server.exit, { code: 0, signal: null })
      assert.strictEqual((messages(server.stdout())[0] as { params: { fill: string } }).params.fill.length, 1_000_000)
    }))

  it.live("exits promptly when nobody ever reads its answer", () =>
    Effect.gen(function*() {
      const server = yield* run(1_000_000)
      server.process.stdin.end(Framing.encode(numbered(1)))
      const { code, signal } = yield* server.exit
      assert.strictEqual(signal, null)
      assert.strictEqual(code, 1)
    }))

  for (const input of ["open", "ended"]) {
    it.live(`exits without a crash when the reader of its output is gone and its input is ${input}`, () =>
      Effect.gen(function*() {
        const server = yield* run(1_000_000)
        server.process.stdout.destroy()
        server.process.stdin.write(Framing.encode(numbered(1)))
        if (input === "ended") server.process.stdin.end()
        const { signal } = yield* server.exit
        assert.strictEqual(signal, null)
        assert.notInclude(server.stderr(), "Unhandled")
      }))
  }
})
