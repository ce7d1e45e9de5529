/**
 * A client of a server that runs as a child process, on the child's standard input and output.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { type ChildProcessHandle, ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import type * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../peer/ClientTransport.ts"
import type { Connection } from "../peer/Connection.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Framing from "./Framing.ts"
import { closed } from "./internal/Outbox.ts"
import { LastLines, Lines } from "./internal/StderrLines.ts"
import { safeEnvironment } from "./SafeEnvironment.ts"
import * as StreamConnection from "./StreamConnection.ts"

/**
 * What becomes of a server's standard error. However it is used it is always read, so that no server blocks on it.
 *
 * - `"log"`: each line is logged at level Debug.
 * - `"inherit"`: it is this process's standard error.
 * - `"ignore"`: it is thrown away.
 * - a function: run for each line, one after the other. A line is cut after 8 KiB.
 * - a sink: gets the bytes.
 *
 * @since 0.1.0
 * @category models
 */
export type Stderr =
  | "log"
  | "inherit"
  | "ignore"
  | ((line: string) => Effect.Effect<unknown>)
  | Sink.Sink<unknown, Uint8Array, unknown, unknown>

/**
 * How to run a server as a child process.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClientOptions extends StreamConnection.Options {
  /** The program, found on the PATH of this process where it is no path. No shell is involved. */
  readonly command: string
  /** Its arguments. Default none. */
  readonly args?: ReadonlyArray<string | Redacted.Redacted<string>> | undefined
  /** Its working directory. Default that of this process. */
  readonly cwd?: string | undefined
  /**
   * Variables beyond the safe ones (`PATH`, `HOME`, `LANG`, … see `safeEnvironment`): a server gets no secret of this
   * process by default. `undefined` takes a variable away.
   */
  readonly env?: { readonly [name: string]: string | Redacted.Redacted<string> | undefined } | undefined
  /** Whether the server gets the whole environment of this process. Default `false`. */
  readonly inheritEnv?: boolean | undefined
  /** What becomes of its standard error. Default `"log"`. */
  readonly stderr?: Stderr | undefined
  /**
   * How long a server may take to exit after its input has ended, before it and its descendants get SIGTERM.
   * Default 5 seconds.
   */
  readonly shutdownTimeout?: Duration.Input | undefined
  /** How long they may take after SIGTERM, before SIGKILL. Default 2 seconds. */
  readonly killTimeout?: Duration.Input | undefined
  /** When a client starts the server again after it has ended unexpectedly. Default: what the client says. */
  readonly restart?: Schedule.Schedule<unknown, McpError.McpError> | undefined
}

// How long the parts of an ending may lag behind each other: exit status, end of output, last words.
const lag = Duration.millis(250)

const spawn = (options: ClientOptions, killTimeout: Duration.Duration) =>
  Effect.flatMap(
    ChildProcessSpawner,
    (spawner) =>
      spawner.spawn(ChildProcess.make(options.command, options.args ?? [], {
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        env: { ...(options.inheritEnv === true ? {} : safeEnvironment()), ...options.env },
        extendEnv: options.inheritEnv === true,
        stderr: options.stderr === "inherit" || options.stderr === "ignore" ? options.stderr : "pipe",
        killSignal: "SIGTERM",
        forceKillAfter: killTimeout,
        windowsHide: true
      }))
  ).pipe(
    // A spawner may also throw, such as for a NUL byte or arguments that are too long.
    Effect.catchDefect((cause) => Effect.fail(cause)),
    Effect.mapError((cause) => McpError.make(new McpError.SpawnError({ command: options.command, cause })))
  )

// Ends what is left of the process group, in bounded time whatever the spawner waits for.
const terminate = (scope: Scope.Closeable, killTimeout: Duration.Duration) =>
  Effect.flatMap(
    Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true }),
    (closing) => Effect.timeoutOption(Fiber.await(closing), Duration.sum(killTimeout, Duration.seconds(2)))
  )

const describeExit = (handle: ChildProcessHandle): Effect.Effect<string> =>
  Effect.match(handle.exitCode, {
    onSuccess: (code) => `exited with code ${code}`,
    onFailure: (error) => {
      const signal = /\bSIG[A-Z0-9]+\b/.exec(String(error.cause))
      return signal === null ? `ended: ${error.message}` : `was ended by ${signal[0]}`
    }
  })

// How many lines may wait for one who is slower than the server.
const longestBacklog = 1024

// Reads the standard error to its end, whatever happens to those who listen.
const readStderr = Effect.fnUntraced(function*(
  handle: ChildProcessHandle,
  last: LastLines,
  options: ClientOptions
) {
  const pull = yield* Stream.toPull(handle.stderr)
  const lines = new Lines()
  const backlog = yield* Queue.sliding<string, Cause.Done>(longestBacklog)
  const take = (text: ReadonlyArray<string>) => {
    for (const line of text) {
      last.add(line)
      Queue.offerUnsafe(backlog, line)
    }
  }
  const source = pull.pipe(
    Effect.tap((chunks) => Effect.sync(() => take(lines.push(chunks)))),
    Effect.onError(() =>
      Effect.sync(() => {
        take(lines.end())
        Queue.endUnsafe(backlog)
      })
    )
  )
  const drain = Effect.ignoreCause(Effect.forever(source, { disableYield: true }))
  const stderr = options.stderr ?? "log"
  if (Sink.isSink(stderr)) {
    yield* Effect.ignoreCause(Stream.run(Stream.fromPull(Effect.succeed(source)), stderr))
    return yield* drain
  }
  const onLine = typeof stderr === "function"
    ? stderr
    : (line: string) => Effect.annotateLogs(Effect.logDebug(line), "mcp.server", options.command)
  const listener = yield* Effect.flatMap(
    Queue.take(backlog),
    (line) => Effect.ignoreCause(Effect.suspend(() => onLine(line)))
  ).pipe(Effect.forever, Effect.ignore, Effect.forkScoped)
  yield* drain
  yield* Fiber.await(listener)
})

/**
 * Starts a server as a child process and connects to it. Closing the scope ends its input, waits `shutdownTimeout`
 * for its exit, then ends it and its descendants by SIGTERM and, after `killTimeout`, by SIGKILL.
 *
 * Fails with reason `SpawnError` where the process cannot be started. When the process ends unexpectedly, `incoming`
 * first delivers what it has written and then fails with reason `ConnectionClosed`, which tells the exit code or the
 * signal and the last lines of its standard error.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
 * @since 0.1.0
 * @category constructors
 */
export const connectStdio: (
  options: ClientOptions
) => Effect.Effect<Connection, McpError.McpError, Scope.Scope | ChildProcessSpawner> = Effect.fnUntraced(
  function*(options) {
    // What the server says is read until it is gone, and not only while somebody asks for messages: a server must not
    // block on its output when it is about to exit.
    const pipes = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const scope = yield* Scope.make()
    const killTimeout = Duration.fromInputUnsafe(options.killTimeout ?? "2 seconds")
    const last = new LastLines()
    const silent = yield* Deferred.make<void>()
    const lastWords = Effect.timeoutOption(Deferred.await(silent), lag)
    let connected = false
    const handle = yield* Effect.acquireRelease(
      Scope.provide(spawn(options, killTimeout), scope),
      (handle) =>
        Effect.exit(handle.exitCode).pipe(
          // Without a connection nothing has told it to exit.
          Effect.timeoutOption(connected ? options.shutdownTimeout ?? "5 seconds" : 0),
          Effect.andThen(terminate(scope, killTimeout)),
          Effect.andThen(lastWords)
        )
    )
    yield* Scope.provide(readStderr(handle, last, options), pipes).pipe(
      Effect.ensuring(Deferred.succeed(silent, undefined)),
      Effect.forkIn(pipes)
    )

    const exited = yield* Deferred.make<string>()
    // Why the pipe is closed, or `None` where the process goes on without it.
    const why = Deferred.await(exited).pipe(
      Effect.timeoutOption(lag),
      Effect.tap(() => lastWords),
      Effect.map(Option.map((how) => {
        const words = last.text
        return closed(
          `The server "${options.command}" ${how}${words === "" ? "" : `; the end of its standard error:\n${words}`}`
        )
      }))
    )
    const failWith = (orElse: () => McpError.McpError) =>
      Effect.flatMap(why, (error) => Effect.fail(Option.getOrElse(error, orElse)))

    const stdout = yield* Scope.provide(Stream.toPull(handle.stdout), pipes)
    const intoStdin = StreamConnection.intoSink(handle.stdin, StreamConnection.toBytes)
    const { connection, replace } = yield* StreamConnection.make({
      incoming: StreamConnection.messages(
        Stream.fromPull(Effect.succeed(stdout)),
        options,
        (cause) => closed(`Reading from the server "${options.command}" failed`, cause)
      ).pipe(
        Stream.concat(Stream.fromEffect(failWith(() => closed(`The server "${options.command}" closed its output`))))
      ),
      encode: Framing.encode,
      drain: (texts) =>
        intoStdin(texts).pipe(
          Effect.catch((cause) => failWith(() => StreamConnection.broken("Writing to the server failed", cause)))
        )
    }, options)
    connected = true
    yield* Effect.addFinalizer(() =>
      Effect.forkIn(Effect.ignore(Effect.forever(stdout, { disableYield: true })), pipes)
    )

    // A descendant may hold the output open after the server's exit: then it ends when it has been quiet for a while.
    yield* describeExit(handle).pipe(
      Effect.flatMap((how) => Deferred.succeed(exited, how)),
      Effect.andThen(
        Effect.sync(() =>
          replace((pull) => Effect.timeoutOrElse(pull, { duration: lag, orElse: () => failWith(() => closed()) }))
        )
      ),
      Effect.forkIn(pipes, { startImmediately: true })
    )
    return connection
  }
)

/**
 * A transport to a server that runs as a child process: each connection starts a process of its own.
 *
 * @example
 * ```ts
 * const transport = StdioTransport.layerClient({ command: "npx", args: ["-y", "some-mcp-server"] }).pipe(
 *   Layer.provide(NodeServices.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (options: ClientOptions): Layer.Layer<ClientTransport, never, ChildProcessSpawner> =>
  Layer.effect(
    ClientTransport,
    Effect.map(ChildProcessSpawner, (spawner) => ({
      kind: "stdio",
      open: Effect.provideService(connectStdio(options), ChildProcessSpawner, spawner),
      restart: options.restart
    }))
  )
