// A server as a process whose bytes the test holds in its own hands.
import { Duration, Effect, Schedule, type Scope } from "effect"
import * as ChildProcess from "node:child_process"
import { once } from "node:events"
import type { Command } from "./commands.ts"

/** A message as it came: nothing about it is taken for granted. */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any }
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface RawProcess {
  readonly pid: number
  /** Every message so far, in the order of the wire. */
  readonly messages: ReadonlyArray<Message>
  /** Every line so far that is no JSON. */
  readonly noise: ReadonlyArray<string>
  readonly stderr: () => string
  /** Writes bytes, and waits until the pipe has taken them. */
  readonly write: (data: string | Uint8Array) => Effect.Effect<void>
  readonly send: (...messages: ReadonlyArray<object>) => Effect.Effect<void>
  /** The first message that fits, of those that came already or come within the bound. */
  readonly find: (fits: (message: Message) => boolean) => Effect.Effect<Message>
  /** The answer to a request. */
  readonly answer: (id: string | number) => Effect.Effect<Message>
  readonly ask: (method: string, params?: object) => Effect.Effect<Message>
  /** Stops and resumes reading what the server writes. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Waits until the server has begun to write what is not read. */
  readonly blocked: Effect.Effect<void>
  /** Ends the server's input, after these messages. */
  readonly end: (...messages: ReadonlyArray<object>) => Effect.Effect<void>
  /** Closes the reading end of the server's output. */
  readonly hangUp: Effect.Effect<void>
  /** Waits until the process is gone and all it has written is read. */
  readonly exit: Effect.Effect<Exit>
  /** Waits until the process is gone. */
  readonly ended: Effect.Effect<Exit>
}

const bound = Duration.seconds(20)

/** A bound for what comes at once: long, for machines under load, but no wait is without one. */
const bounded = <A>(what: string, effect: Effect.Effect<A>, describe: () => string): Effect.Effect<A> =>
  Effect.timeoutOrElse(effect, {
    duration: bound,
    orElse: () => Effect.die(new Error(`Waited in vain for ${what}; ${describe()}`))
  })

export const spawn = ({ args, command }: Command): Effect.Effect<RawProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => make(ChildProcess.spawn(command, args, { stdio: "pipe" }))),
    ({ child, gone }) =>
      Effect.suspend(() => {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
        child.stdout.resume()
        return Effect.promise(() => gone)
      })
  )

const lines = (messages: ReadonlyArray<object>) => messages.map((message) => `${JSON.stringify(message)}\n`).join("")

const make = (child: ChildProcess.ChildProcessWithoutNullStreams) => {
  const messages: Array<Message> = []
  const noise: Array<string> = []
  const listeners = new Set<() => void>()
  let stderr = ""
  let rest = ""
  let ids = 0

  const exitOf = ([code, signal]: ReadonlyArray<any>): Exit => ({ code, signal })
  const gone = once(child, "close").then(exitOf)
  const ended = once(child, "exit").then(exitOf)
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      try {
        messages.push(JSON.parse(line))
      } catch {
        noise.push(line)
      }
    }
    for (const listener of listeners) listener()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  // A server that is gone is seen by its exit.
  child.stdin.on("error", () => {})

  const describe = () =>
    `exit ${child.exitCode}, last ${JSON.stringify(messages.at(-1))?.slice(0, 300)}, stderr ${stderr}`

  const write = (data: string | Uint8Array) =>
    Effect.callback<void>((resume) => {
      child.stdin.write(data, () => resume(Effect.void))
    })
  const find = (fits: (message: Message) => boolean) =>
    bounded(
      fits.toString(),
      Effect.callback<Message>((resume) => {
        let seen = 0
        const look = () => {
          for (; seen < messages.length; seen++) {
            const message = messages[seen]!
            if (!fits(message)) continue
            listeners.delete(look)
            return resume(Effect.succeed(message))
          }
        }
        listeners.add(look)
        look()
        return Effect.sync(() => {
          listeners.delete(look)
        })
      }),
      describe
    )
  const send = (...batch: ReadonlyArray<object>) => write(lines(batch))
  const answer = (id: string | number) => find((message) => message.id === id && message.method === undefined)

  return {
    child,
    gone,
    pid: child.pid!,
    messages,
    noise,
    stderr: () => stderr,
    write,
    send,
    find,
    answer,
    ask: (method: string, params?: object) => {
      const id = `ask-${ids++}`
      return Effect.andThen(send({ jsonrpc: "2.0", id, method, params }), answer(id))
    },
    pause: Effect.sync(() => {
      child.stdout.pause()
    }),
    resume: Effect.sync(() => {
      child.stdout.resume()
    }),
    blocked: bounded(
      "output that is not read",
      Effect.sync(() => child.stdout.readableLength > 0).pipe(
        Effect.repeat({ until: (begun) => begun, schedule: Schedule.spaced("5 millis") }),
        Effect.asVoid
      ),
      describe
    ),
    end: (...batch: ReadonlyArray<object>) =>
      Effect.sync(() => {
        child.stdin.end(lines(batch))
      }),
    hangUp: Effect.sync(() => {
      child.stdout.destroy()
    }),
    exit: bounded("the exit", Effect.promise(() => gone), describe),
    ended: bounded("the end of the process", Effect.promise(() => ended), describe)
  }
}

/** The `_meta` of a request of 2026-07-28. */
export const modern = (more?: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
  ...more
})

/** A request of 2026-07-28. */
export const request = (id: unknown, method: string, params: object = {}, meta?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params, _meta: modern(meta) }
})

export const call = (id: unknown, name: string, args: object = {}, meta?: object) =>
  request(id, "tools/call", { name, arguments: args }, meta)

export const cancelled = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId }
})

/** A handshake, and the notice after it. */
export const handshake = (process: RawProcess, protocolVersion = "2025-11-25", capabilities: object = {}) =>
  Effect.gen(function*() {
    const opened = yield* process.ask("initialize", {
      protocolVersion,
      capabilities,
      clientInfo: { name: "test", version: "1.0.0" }
    })
    yield* process.send({ jsonrpc: "2.0", method: "notifications/initialized" })
    return opened
  })
