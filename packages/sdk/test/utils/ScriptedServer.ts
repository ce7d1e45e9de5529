/**
 * A server that does what a test tells it, message by message, on connections in memory.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { Connection } from "../../src/peer/Connection.ts"
import type { Notification, Params, Request, RequestId, Response } from "../../src/protocol/JsonRpc.ts"
import type { McpError, Reason } from "../../src/protocol/McpError.ts"
import * as Memory from "../../src/transport/Memory.ts"

type Message = Request | Notification | Response

/** One request of the client, and the ways to react to it. */
export interface Turn {
  readonly id: RequestId
  readonly method: string
  readonly params: Params
  readonly meta: Params
  readonly line: Line
  readonly notify: (method: string, params?: Params) => Effect.Effect<void>
  /** Progress for this request. */
  readonly progress: (progress: number, total?: number) => Effect.Effect<void>
  readonly reply: (result: Params) => Effect.Effect<void>
  readonly fail: (code: number, message: string, data?: unknown) => Effect.Effect<void>
  /** Makes a request of the client and waits for its response. */
  readonly ask: (id: RequestId, method: string, params?: Params) => Effect.Effect<Response>
}

/** One connection, as the server sees it. */
export interface Line {
  readonly send: (message: Message) => Effect.Effect<void>
  /** Ends the connection. */
  readonly drop: Effect.Effect<void>
  readonly received: Array<Message>
}

/** What is given is the result; `undefined` says nothing. */
export type React = (turn: Turn) => Effect.Effect<Params | undefined, never, Scope.Scope> | Params | undefined

export interface Script {
  /** `"modern"`, or a handshake that agrees on this revision. Default: modern. */
  readonly era?: string | undefined
  readonly capabilities?: Params | undefined
  readonly on?: { readonly [method: string]: React } | undefined
  /** Takes what nothing else takes. Default: -32601. */
  readonly otherwise?: React | undefined
}

export interface ScriptedServer {
  readonly transport: ClientTransport["Service"]
  readonly lines: ReadonlyArray<Line>
  /** The connection that was opened last. */
  readonly line: () => Line
  /** Requests and notifications of a method, over all connections. */
  readonly received: (method: string) => ReadonlyArray<{ readonly id?: RequestId; readonly params: Params }>
  /** All that the client has sent, over all connections. */
  readonly all: () => ReadonlyArray<Message>
  /** Waits until so many requests or notifications of a method have come. */
  readonly until: (method: string, count?: number) => Effect.Effect<void>
}

export const everything: Params = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {}
}

export const text = (value: string): Params => ({ content: [{ type: "text", text: value }] })

const defaults = (script: Script): { readonly [method: string]: React } => {
  const capabilities = script.capabilities ?? everything
  const era = script.era ?? "modern"
  const lists = {
    "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    "tools/call": (turn: Turn) => text(`ok ${String(turn.params["name"])}`),
    "resources/list": () => ({ resources: [{ uri: "file:///a", name: "a" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "file:///{p}", name: "t" }] }),
    "resources/read": (turn: Turn) => ({ contents: [{ uri: String(turn.params["uri"]), text: "body" }] }),
    "prompts/list": () => ({ prompts: [{ name: "p" }] }),
    "prompts/get": () => ({ messages: [] }),
    "completion/complete": () => ({ completion: { values: ["one"] } })
  }
  return era === "modern"
    ? {
      ...lists,
      "server/discover": () => ({
        supportedVersions: ["2026-07-28"],
        capabilities,
        instructions: "be kind",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } }
      }),
      "subscriptions/listen": (turn) =>
        Effect.as(
          turn.notify("notifications/subscriptions/acknowledged", {
            _meta: { "io.modelcontextprotocol/subscriptionId": turn.id },
            notifications: turn.params["notifications"]
          }),
          undefined
        )
    }
    : {
      ...lists,
      initialize: () => ({
        protocolVersion: era,
        capabilities,
        serverInfo: { name: "scripted", version: "1" },
        instructions: "be kind"
      }),
      ping: () => ({}),
      "logging/setLevel": () => ({}),
      "resources/subscribe": () => ({}),
      "resources/unsubscribe": () => ({})
    }
}

const isRequest = (message: Message): message is Request => "method" in message && "id" in message
const isCall = (message: Message): message is Request | Notification => "method" in message

export const make = Effect.fnUntraced(function*(script: Script = {}) {
  const scope = yield* Effect.scope
  const lines: Array<Line> = []
  const waiting = new Set<() => void>()
  const reactions = { ...defaults(script), ...script.on }
  const modern = (script.era ?? "modern") === "modern"

  const received = (method: string) =>
    lines.flatMap((line) =>
      line.received.flatMap((message) =>
        isCall(message) && message.method === method
          ? [{ ...("id" in message ? { id: message.id } : {}), params: message.params ?? {} }]
          : []
      )
    )

  const until = (method: string, count = 1): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const look = () => {
        if (received(method).length < count) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      look()
    })

  const serve = (connection: Connection, line: Line, asked: Map<RequestId, Deferred.Deferred<Response>>) => {
    const turnOf = (message: Request): Turn => {
      const params = message.params ?? {}
      const meta = (params["_meta"] ?? {}) as Params
      const notify: Turn["notify"] = (method, notified) =>
        line.send({ jsonrpc: "2.0", method, ...(notified === undefined ? {} : { params: notified }) })
      return {
        id: message.id,
        method: message.method,
        params,
        meta,
        line,
        notify,
        progress: (progress, total) =>
          notify("notifications/progress", {
            progressToken: meta["progressToken"],
            progress,
            ...(total === undefined ? {} : { total })
          }),
        reply: (result) => line.send({ jsonrpc: "2.0", id: message.id, result }),
        fail: (code, text, data) =>
          line.send({
            jsonrpc: "2.0",
            id: message.id,
            error: data === undefined ? { code, message: text } : { code, message: text, data }
          }),
        ask: (id, method, asking) =>
          Effect.suspend(() => {
            const answer = Deferred.makeUnsafe<Response>()
            asked.set(id, answer)
            return Effect.andThen(
              line.send({ jsonrpc: "2.0", id, method, ...(asking === undefined ? {} : { params: asking }) }),
              Deferred.await(answer)
            )
          })
      }
    }
    const react = (message: Request): Effect.Effect<void, never, Scope.Scope> => {
      const turn = turnOf(message)
      const reaction = reactions[message.method] ?? script.otherwise
      if (reaction === undefined) return turn.fail(-32601, "Method not found")
      const outcome = reaction(turn)
      return Effect.flatMap(
        Effect.isEffect(outcome) ? outcome : Effect.succeed(outcome),
        (result) =>
          result === undefined ? Effect.void : turn.reply(modern ? { resultType: "complete", ...result } : result)
      )
    }
    return Stream.runForEach(connection.incoming, (value) => {
      const message = value as Message
      line.received.push(message)
      for (const look of [...waiting]) look()
      if (isRequest(message)) return Effect.asVoid(Effect.forkIn(Scope.provide(react(message), scope), scope))
      if (!isCall(message) && message.id !== undefined && message.id !== null) {
        const answer = asked.get(message.id)
        if (answer !== undefined) Deferred.doneUnsafe(answer, Effect.succeed(message))
      }
      return Effect.void
    })
  }

  const open: ClientTransport["Service"]["open"] = Effect.gen(function*() {
    const pair = yield* Scope.fork(scope)
    const [client, server] = yield* Scope.provide(Memory.pair, pair)
    yield* Effect.addFinalizer(() => Scope.close(pair, Exit.void))
    const line: Line = {
      send: (message) => Effect.ignore(server.send(message)),
      drop: Scope.close(pair, Exit.void),
      received: []
    }
    lines.push(line)
    yield* Effect.forkIn(Effect.ignore(serve(server, line, new Map())), scope, { startImmediately: true })
    return client
  })

  const server: ScriptedServer = {
    transport: { kind: "memory", open },
    lines,
    line: () => lines.at(-1)!,
    received,
    all: () => lines.flatMap((line) => line.received),
    until
  }
  return server
})

/** The transport of a scripted server, for whatever needs one. */
export const layer = (server: ScriptedServer): Layer.Layer<ClientTransport> =>
  Layer.succeedContext(Context.make(ClientTransport, server.transport))

/** The reason of the failure of an effect that fails with an `McpError`. */
export const reason = <A, R>(effect: Effect.Effect<A, McpError, R>): Effect.Effect<Reason, A, R> =>
  Effect.map(Effect.flip(effect), (error) => error.reason)
