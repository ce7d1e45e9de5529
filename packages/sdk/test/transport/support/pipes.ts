/**
 * A connected pair of connections over each transport, for the laws that hold for all of them.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as NetAddress from "effect/net/NetAddress"
import * as PlatformError from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as SocketServer from "effect/socket/SocketServer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { ClientTransport } from "../../../src/peer/ClientTransport.ts"
import type { Connection } from "../../../src/peer/Connection.ts"
import { type Endpoint, ServerTransport } from "../../../src/peer/ServerTransport.ts"
import type { McpError } from "../../../src/protocol/McpError.ts"
import * as Memory from "../../../src/transport/Memory.ts"
import * as SocketTransport from "../../../src/transport/SocketTransport.ts"
import * as StdioTransport from "../../../src/transport/StdioTransport.ts"
import * as StreamConnection from "../../../src/transport/StreamConnection.ts"
import * as WebSocketTransport from "../../../src/transport/WebSocketTransport.ts"
import * as BytePipe from "./bytePipe.ts"
import { echo } from "./frames.ts"

/** A connection to something that sends back whatever it gets. */
export type Echo = Effect.Effect<Connection, McpError, Scope.Scope>

/** What a server gives to a pipe, as far as pipes use it. */
export const pipe = (endpoint: Pick<Endpoint, "connect">): Endpoint => endpoint as Endpoint

/** The port or path of a socket server. */
export const target = (address: NetAddress.SocketAddress) =>
  address._tag === "UnixPathAddress" ? { path: address.path } : { host: "127.0.0.1", port: address.port }

/** A client of a socket server that listens here, with what the server does with a connection. */
export const overSocket = Effect.fnUntraced(function*(
  listen: ListenOptions,
  endpoint: Pick<Endpoint, "connect">,
  options?: { readonly server?: SocketTransport.ServerOptions; readonly client?: SocketTransport.ClientOptions }
) {
  const listening = yield* Effect.orDie(Layer.build(NodeSocketServer.layer(listen)))
  const server = yield* Layer.build(
    Layer.provide(SocketTransport.layerServer(options?.server), Layer.succeedContext(listening))
  )
  const serving = yield* Effect.forkScoped(Context.get(server, ServerTransport).serve(pipe(endpoint)))
  const { address } = Context.get(listening, SocketServer.SocketServer)
  const client = yield* Layer.build(
    SocketTransport.layerClient(NodeSocket.makeNet(target(address)), options?.client)
  )
  return { serving, ...Context.get(client, ClientTransport) }
})

type ListenOptions = Parameters<typeof NodeSocketServer.layer>[0]

/** The same with WebSockets. */
export const overWebSocket = Effect.fnUntraced(function*(
  endpoint: Pick<Endpoint, "connect">,
  options?: { readonly server?: WebSocketTransport.ServerOptions; readonly client?: WebSocketTransport.ClientOptions }
) {
  const listening = yield* Effect.orDie(
    Layer.build(NodeSocketServer.layerWebSocket({ port: 0, host: "127.0.0.1" }))
  )
  const server = yield* Layer.build(
    Layer.provide(WebSocketTransport.layerServer(options?.server), Layer.succeedContext(listening))
  )
  const serving = yield* Effect.forkScoped(Context.get(server, ServerTransport).serve(pipe(endpoint)))
  const { address } = Context.get(listening, SocketServer.SocketServer)
  const url = `ws://127.0.0.1:${target(address).port}`
  const client = yield* Layer.build(
    Layer.provide(WebSocketTransport.layerClient(url, options?.client), NodeSocket.layerWebSocketConstructor)
  )
  return { serving, url, ...Context.get(client, ClientTransport) }
})

/** A standard input and output in memory, and what is at their other ends. */
export const fakeStdio = Effect.fnUntraced(function*(cuts: ReadonlyArray<number>) {
  const stdin = yield* BytePipe.make(cuts)
  const stdout = yield* BytePipe.make(cuts)
  const utf8 = new TextEncoder()
  const failed = (method: string) => (cause: string) =>
    PlatformError.systemError({ _tag: "Unknown", module: "Stdio", method, cause })
  const layer = Stdio.layerTest({
    stdin: Stream.mapError(stdin.readable, failed("stdin")),
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.mapError(stdout.write(typeof chunk === "string" ? utf8.encode(chunk) : chunk), failed("stdout"))
      )
  })
  return { stdin, stdout, layer }
})

/** A program that sends back whatever it gets. */
export const cat = { command: process.execPath, args: ["-e", "process.stdin.pipe(process.stdout)"] }

/** Connections to something that sends back whatever it gets, over every transport. */
export const echoes = (cuts: ReadonlyArray<number>): { readonly [name: string]: Echo } => {
  const memory = (passing: Memory.Passing): Echo =>
    Effect.gen(function*() {
      const [client, server] = yield* Memory.pairWith({ passing, capacity: 3 })
      yield* Effect.forkScoped(echo(server))
      return client
    })
  const endpoint = pipe({ connect: echo })
  return {
    "memory, copied": memory("copy"),
    "memory, as text": memory("text"),
    "memory, shared": memory("share"),
    streams: Effect.gen(function*() {
      const there = yield* BytePipe.make(cuts)
      const back = yield* BytePipe.make(cuts)
      const client = { incoming: back.readable, outgoing: there.write }
      const server = { incoming: there.readable, outgoing: back.write }
      yield* Effect.forkScoped(Effect.flatMap(StreamConnection.fromStreams(server, { highWaterMark: 100 }), echo))
      return yield* StreamConnection.fromStreams(client, { highWaterMark: 100 })
    }),
    stdio: Effect.gen(function*() {
      const { layer, stdin, stdout } = yield* fakeStdio(cuts)
      const server = yield* Layer.build(Layer.provide(StdioTransport.layerServer, layer))
      yield* Effect.forkScoped(Context.get(server, ServerTransport).serve(pipe(endpoint)))
      return yield* StreamConnection.fromStreams({ incoming: stdout.readable, outgoing: stdin.write })
    }),
    "a child process": Effect.provide(StdioTransport.connectStdio(cat), NodeServices.layer),
    "a TCP socket": Effect.flatMap(overSocket({ port: 0, host: "127.0.0.1" }, endpoint), ({ open }) => open),
    "a Unix domain socket": Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const { open } = yield* overSocket({ path: `${directory}/mcp.sock` }, endpoint)
      return yield* open
    }).pipe(Effect.orDie, Effect.provide(NodeServices.layer)),
    "a WebSocket": Effect.flatMap(overWebSocket(endpoint), ({ open }) => open)
  }
}
