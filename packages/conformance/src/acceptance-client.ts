// Drives the client for the black-box acceptance suite: a command a line on standard input, an answer or event a line on
// standard output. A thin wrapper: what a command does, the client does.
import type * as Caller from "@effect-mcp/sdk/api/Caller"
import * as Progress from "@effect-mcp/sdk/api/Progress"
import * as McpClient from "@effect-mcp/sdk/client/McpClient"
import * as Pages from "@effect-mcp/sdk/client/Pages"
import type { ClientTransport } from "@effect-mcp/sdk/peer/ClientTransport"
import type { ElicitResult } from "@effect-mcp/sdk/protocol/Elicitation"
import type { Implementation } from "@effect-mcp/sdk/protocol/Implementation"
import type { LoggingLevel } from "@effect-mcp/sdk/protocol/LoggingLevel"
import * as McpError from "@effect-mcp/sdk/protocol/McpError"
import type { Revision } from "@effect-mcp/sdk/protocol/Revision"
import type { Root } from "@effect-mcp/sdk/protocol/Roots"
import type { CreateMessageResult } from "@effect-mcp/sdk/protocol/Sampling"
import * as HttpTransport from "@effect-mcp/sdk/transport/http/HttpClientTransport"
import * as StdioTransport from "@effect-mcp/sdk/transport/StdioClient"
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const target = process.argv.at(-1) ?? ""

type Json = { readonly [key: string]: unknown }
type Emit = (message: Json) => void

const [serverCommand = "", ...serverArgs] = target.slice("stdio:".length).split(" ")

const transportFor = (headers: { readonly [name: string]: string } | undefined): Layer.Layer<ClientTransport> =>
  target.startsWith("stdio:")
    ? StdioTransport.layerClient({
      command: serverCommand,
      args: serverArgs,
      stderr: (line) => Effect.sync(() => emit({ event: "stderr", bytes: Buffer.byteLength(line) + 1 }))
    }).pipe(
      Layer.provide(NodeChildProcessSpawner.layer),
      Layer.provide([NodeFileSystem.layer, NodePath.layer])
    )
    : HttpTransport.layerClient({ url: target, headers }).pipe(Layer.provide(FetchHttpClient.layer))

const emit: Emit = (message) => {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

// ---- what the suite sends

interface Answering<A> {
  readonly result?: A
  readonly results?: Array<A>
  readonly answer?: A
  readonly answers?: Array<A>
  readonly delayMs?: number
  readonly error?: { readonly code: number; readonly message: string }
}

interface Settings {
  elicit: (Answering<ElicitResult> & { readonly modes?: ReadonlyArray<"form" | "url"> }) | undefined
  sample: (Answering<CreateMessageResult> & { readonly tools?: boolean; readonly context?: boolean }) | undefined
  roots:
    | {
      readonly roots: ReadonlyArray<Root>
      readonly listChanged?: boolean
      readonly error?: { readonly code: number; readonly message: string }
    }
    | undefined
  logLevel: LoggingLevel | undefined
  cache: boolean
}

interface Command {
  readonly id: number
  readonly cmd: string
  readonly [argument: string]: any
}

class Unsupported {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

/** An answer that leaves something behind, which `cancel` ends. */
class Kept {
  readonly result: Json
  readonly scope: Scope.Closeable
  constructor(result: Json, scope: Scope.Closeable) {
    this.result = result
    this.scope = scope
  }
}

type Outcome = Json | Kept | Unsupported
type Handler = (command: Command) => Effect.Effect<Outcome, McpError.McpError>

// ---- errors

const kinds: { readonly [reason: string]: string } = {
  RequestTimeout: "timeout",
  Cancelled: "cancelled",
  ConnectionClosed: "closed",
  TransportError: "closed",
  InvalidPeerMessage: "invalid",
  SpawnError: "spawn",
  NegotiationFailed: "negotiation",
  TooManyRounds: "rounds",
  CapabilityNotSupported: "capability"
}

const describe = (error: McpError.McpError): Json => {
  const { reason } = error
  if (reason._tag === "HttpStatus") return { kind: "http", status: reason.status, message: error.message }
  if (McpError.isLocal(error)) return { kind: kinds[reason._tag] ?? "other", message: error.message }
  const { code, data } = McpError.toJsonRpc(
    error,
    reason._tag === "UrlElicitationRequired" ? "2025-11-25" : "2026-07-28"
  )
  const original = "data" in reason ? reason.data : data
  return { kind: "rpc", code, message: error.message, ...(original === undefined ? {} : { data: original }) }
}

const describeCause = (cause: Cause.Cause<McpError.McpError>): Json => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return describe(failure.error)
  return Cause.hasInterruptsOnly(cause)
    ? { kind: "cancelled", message: "The command was cancelled" }
    : { kind: "other", message: Cause.pretty(cause) }
}

// ---- handlers

const answer = <A>(event: string, settings: () => Answering<A> | undefined) => (params: unknown) =>
  Effect.suspend(() => {
    emit({ event, params })
    const current = settings()
    const failure = current?.error
    const next = current?.answers?.shift() ?? current?.results?.shift() ?? current?.answer ?? current?.result
    return Effect.andThen(
      Effect.sleep(current?.delayMs ?? 0),
      failure !== undefined || next === undefined
        ? Effect.fail(McpError.make(
          new McpError.PeerError({ code: failure?.code ?? -32603, detail: failure?.message ?? "no answer is left" })
        ))
        : Effect.succeed(next)
    )
  })

const logger = Logger.make(({ cause, message }) =>
  emit({
    event: "warning",
    message: [
      ...(Array.isArray(message) ? message : [message]).map(String),
      ...(cause.reasons.length > 0
        ? [Cause.pretty(cause)]
        : [])
    ].join(" ")
  })
)

const callOptions = (command: Command): Caller.CallOptions => ({
  timeout: command["timeoutMs"],
  maximumTimeout: command["maxTotalTimeoutMs"],
  ...(command["resetOnProgress"] === true ? { resetTimeoutOnProgress: true } : {}),
  ...(command["refresh"] === true ? { refresh: true } : {}),
  ...(command["meta"] === undefined ? {} : { meta: command["meta"] })
})

const listening = (command: Command) => <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  command["progress"] === true
    ? Progress.onProgress((progress) => Effect.sync(() => emit({ event: "progress", of: command.id, ...progress })))(
      call
    )
    : call

// ---- commands

interface Connection {
  readonly client: McpClient.McpClient["Service"]
  readonly scope: Scope.Closeable
}

const makeHandlers = Effect.sync(() => {
  const settings: Settings = {
    elicit: undefined,
    sample: undefined,
    roots: undefined,
    logLevel: undefined,
    cache: true
  }
  let connection: Connection | undefined
  let connecting: Fiber.Fiber<Outcome, McpError.McpError> | undefined
  let rootsChanged: Queue.Queue<void> | undefined

  const withClient = <A>(use: (client: McpClient.McpClient["Service"]) => Effect.Effect<A, McpError.McpError>) =>
    Effect.suspend(() =>
      connection === undefined
        ? Effect.fail(McpError.make(new McpError.ConnectionClosed({ detail: "The client is not connected" })))
        : use(connection.client)
    )

  const options = (mode: "auto" | Revision, probeTimeout: number | undefined, changes: Queue.Queue<void>) => {
    const { elicit, roots, sample } = settings
    const modes = elicit?.modes ?? ["form"]
    const ask = answer("elicitation", () => settings.elicit)
    return {
      name: "acceptance-adapter",
      version: "1.0.0",
      negotiation: mode,
      probeTimeout,
      logLevel: settings.logLevel,
      ...(elicit !== undefined && modes.includes("form") ? { elicit: ask } : {}),
      ...(elicit !== undefined && modes.includes("url") ? { elicitUrl: ask } : {}),
      ...(sample === undefined ? {} : {
        sample: answer("sampling", () => settings.sample),
        sampling: { tools: sample.tools === true, context: sample.context === true }
      }),
      ...(roots === undefined ? {} : {
        roots: Effect.suspend(() => {
          emit({ event: "roots" })
          const failure = settings.roots?.error
          return failure === undefined
            ? Effect.succeed(settings.roots?.roots ?? [])
            : Effect.fail(McpError.make(new McpError.PeerError({ code: failure.code, detail: failure.message })))
        }),
        ...(roots.listChanged === true ? { rootsChanges: Stream.fromQueue(changes) } : {})
      })
    } satisfies McpClient.Options
  }

  const follow = (client: McpClient.McpClient["Service"]) =>
    Effect.all([
      Stream.runForEach(client.notifications, (notification) =>
        Effect.sync(() =>
          notification.method === "notifications/message"
            ? emit({ event: "log", ...notification.params })
            : emit({ event: "notification", method: notification.method, params: notification.params })
        )),
      Stream.runForEach(client.status, (status) =>
        Effect.sync(() => {
          if (status._tag === "Closed") {
            emit({ event: "closed" })
          }
        }))
    ], { concurrency: "unbounded", discard: true })

  const connect: Handler = Effect.fnUntraced(function*(command) {
    const scope = yield* Scope.make()
    const changes = yield* Queue.unbounded<void>()
    const opened = Effect.gen(function*() {
      const context = yield* Layer.build(transportFor(command["headers"]))
      return yield* Effect.provide(
        McpClient.make(options(command["mode"], command["probeTimeoutMs"], changes)),
        context
      )
    }).pipe(
      Effect.tap((client) => Effect.forkScoped(follow(client), { startImmediately: true })),
      Effect.timeoutOrElse({
        duration: command["timeoutMs"] ?? "60 seconds",
        orElse: () =>
          Effect.fail(McpError.make(
            new McpError.RequestTimeout({ method: "connect", millis: command["timeoutMs"] ?? 60_000, maximum: false })
          ))
      }),
      Scope.provide(scope),
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, Exit.void))
    )
    const client = yield* opened
    connection = { client, scope }
    rootsChanged = changes
    const { capabilities, instructions, revision, serverInfo } = yield* client.server
    const known: Json & { serverInfo?: Implementation } = {
      protocolVersion: revision,
      ...(serverInfo === undefined ? {} : { serverInfo }),
      ...(capabilities === undefined ? {} : { serverCapabilities: capabilities }),
      ...(instructions === undefined ? {} : { instructions })
    }
    return known
  })

  const list = <Key extends string>(
    key: Key,
    method: string,
    page: (
      client: McpClient.McpClient["Service"],
      options: McpClient.ListOptions
    ) => Effect.Effect<
      { readonly nextCursor?: string } & { readonly [K in Key]: ReadonlyArray<object> },
      McpError.McpError
    >
  ): Handler =>
  (command) =>
    listening(command)(withClient((client): Effect.Effect<Json, McpError.McpError> => {
      if (command["cursor"] !== undefined) {
        return Effect.map(
          page(client, { ...callOptions(command), cursor: command["cursor"] }),
          (result) => ({ ...result })
        )
      }
      return Effect.map(
        Stream.runCollect(Pages.all({
          method,
          page: (cursor) => page(client, { ...callOptions(command), cursor }),
          items: (result) => result[key]
        })),
        (items) => ({ [key]: items })
      )
    }))

  const one = (
    call: (
      client: McpClient.McpClient["Service"],
      command: Command,
      options: Caller.CallOptions
    ) => Effect.Effect<object | void, McpError.McpError>
  ): Handler =>
  (command) =>
    listening(command)(
      withClient((client) => Effect.map(call(client, command, callOptions(command)), (result) => ({ ...result })))
    )

  const close = Effect.suspend(() => {
    const current = connection
    const attempt = connecting
    connection = undefined
    connecting = undefined
    return Effect.andThen(
      attempt === undefined ? Effect.void : Fiber.interrupt(attempt),
      current === undefined ? Effect.void : Effect.andThen(current.client.close, Scope.close(current.scope, Exit.void))
    )
  })

  const listen: Handler = (command) =>
    withClient(Effect.fnUntraced(function*(client) {
      const scope = yield* Scope.make()
      const opening = client.listen(command["filter"], { resume: false }).pipe(
        Scope.provide(scope),
        Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, Exit.void))
      )
      const timeout = command["timeoutMs"]
      const subscription = yield* timeout === undefined ? opening : Effect.timeoutOrElse(opening, {
        duration: timeout,
        orElse: () =>
          Effect.fail(McpError.make(
            new McpError.RequestTimeout({ method: "subscriptions/listen", millis: timeout, maximum: false })
          ))
      })
      const told = Effect.onExit(subscription.ended, (exit) =>
        Effect.sync(() =>
          emit({
            event: "listenEnded",
            of: command.id,
            reason: Exit.isSuccess(exit)
              ? exit.value === "completed" ? "graceful" : "cancelled by the server"
              : Cause.hasInterruptsOnly(exit.cause)
              ? "local"
              : String(describeCause(exit.cause)["message"])
          })
        ))
      yield* Effect.forkIn(Effect.ignore(told), scope, { startImmediately: true })
      return new Kept({ honored: subscription.honoured }, scope)
    }))

  const handlers: { readonly [cmd: string]: Handler } = {
    setElicitation: ({ id: _, cmd: __, ...given }) => Effect.sync(() => ((settings.elicit = given), {})),
    setSampling: ({ id: _, cmd: __, ...given }) => Effect.sync(() => ((settings.sample = given), {})),
    setRoots: ({ id: _, cmd: __, ...given }) =>
      Effect.sync(() => {
        settings.roots = { roots: [], ...given }
        if (connection !== undefined && given["listChanged"] === true && rootsChanged !== undefined) {
          Queue.offerUnsafe(rootsChanged, undefined)
        }
        return {}
      }),
    setLog: (command) =>
      Effect.suspend(() => {
        settings.logLevel = command["level"]
        return connection === undefined
          ? Effect.succeed({})
          : Effect.as(connection.client.setLogLevel(command["level"]), {})
      }),
    cacheMode: () => Effect.succeed({}),
    connect: (command) =>
      Effect.flatMap(Effect.forkChild(connect(command), { startImmediately: true }), (fiber) => {
        connecting = fiber
        return Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
      }),
    close: () => Effect.as(close, {}),
    listTools: list("tools", "tools/list", (client, given) => client.listTools(given)),
    listResources: list("resources", "resources/list", (client, given) => client.listResources(given)),
    listResourceTemplates: list(
      "resourceTemplates",
      "resources/templates/list",
      (client, given) => client.listResourceTemplates(given)
    ),
    listPrompts: list("prompts", "prompts/list", (client, given) => client.listPrompts(given)),
    callTool: one((client, command, given) => client.callTool(command["name"], command["arguments"], given)),
    readResource: one((client, command, given) => client.readResource(command["uri"], given)),
    getPrompt: one((client, command, given) => client.getPrompt(command["name"], command["arguments"], given)),
    complete: one((client, { argument, context, ref }, given) =>
      client.complete({ ref, argument, ...(context === undefined ? {} : { context }) }, given)
    ),
    subscribe: one((client, command, given) => client.subscribe(command["uri"], given)),
    unsubscribe: one((client, command, given) => client.unsubscribe(command["uri"], given)),
    ping: one((client, _, given) => client.ping(given)),
    listen
  }
  return { handlers, close }
})

// ---- the loop

const program = Effect.gen(function*() {
  const { close, handlers } = yield* makeHandlers
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const running = new Map<number, Fiber.Fiber<unknown, unknown>>()
  const kept = new Map<number, Scope.Closeable>()

  const cancel = (of: number) => {
    running.get(of)?.interruptUnsafe()
    const scope = kept.get(of)
    kept.delete(of)
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  }

  const run = (command: Command) =>
    Effect.matchCause(
      Effect.suspend((): Effect.Effect<Outcome, McpError.McpError> =>
        handlers[command.cmd]?.(command) ?? Effect.succeed(new Unsupported(`no command ${command.cmd}`))
      ),
      {
        onFailure: (cause) => emit({ id: command.id, ok: false, error: describeCause(cause) }),
        onSuccess: (outcome) => {
          if (outcome instanceof Unsupported) emit({ id: command.id, ok: false, unsupported: true, why: outcome.why })
          else if (outcome instanceof Kept) {
            kept.set(command.id, outcome.scope)
            emit({ id: command.id, ok: true, result: outcome.result })
          } else emit({ id: command.id, ok: true, result: outcome })
        }
      }
    )

  const onLine = (line: string) => {
    if (line.trim() === "") return
    const command = JSON.parse(line) as Command
    if (command.cmd === "cancel") {
      fork(Effect.andThen(cancel(command["of"]), Effect.sync(() => emit({ id: command.id, ok: true, result: {} }))))
      return
    }
    const fiber = fork(run(command))
    running.set(command.id, fiber)
    fiber.addObserver((exit) => {
      running.delete(command.id)
      // An interrupted fiber runs no more of its own.
      if (Exit.isFailure(exit)) {
        emit({ id: command.id, ok: false, error: describeCause(exit.cause as Cause.Cause<never>) })
      }
    })
  }

  yield* Effect.callback<void>((resume) => {
    let rest = ""
    process.stdin.setEncoding("utf8")
    process.stdin.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      lines.forEach(onLine)
    })
    process.stdin.on("end", () => resume(Effect.void))
  })
  yield* close
})

for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    emit({ event: "crash", message: error instanceof Error ? error.stack : String(error) })
    process.exit(70)
  })
}

program.pipe(Effect.provide(Logger.layer([logger])), NodeRuntime.runMain)
