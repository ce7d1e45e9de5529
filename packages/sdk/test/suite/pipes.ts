/**
 * A connection to the server of the suite over each kind of pipe.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import type { Connection } from "../../src/peer/Connection.ts"
import type { Endpoint } from "../../src/peer/ServerTransport.ts"
import type { McpError } from "../../src/protocol/McpError.ts"
import * as Memory from "../../src/transport/Memory.ts"
import * as StdioTransport from "../../src/transport/StdioTransport.ts"
import * as StreamConnection from "../../src/transport/StreamConnection.ts"
import * as BytePipe from "../transport/support/bytePipe.ts"
import { overSocket, overWebSocket } from "../transport/support/pipes.ts"
import { server, serverLog } from "./contract.ts"

type Open = Effect.Effect<Connection, McpError, Scope.Scope>

/** What happens on a connection goes to the log of the server, too. */
const logged = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  connect: (connection, facts) => Effect.provide(endpoint.connect(connection, facts), Logger.layer([serverLog]))
})

const serving = (endpoint: Endpoint, connection: Connection, transport: string) =>
  Effect.forkScoped(
    Effect.ignore(logged(endpoint).connect(connection, { transport })),
    { startImmediately: true }
  )

/** The program that serves the suite on its standard input and output. */
export const program = {
  command: process.execPath,
  args: ["--conditions=@effect-mcp/source", fileURLToPath(new URL("stdio.ts", import.meta.url))]
}

export const pipes: { readonly [name: string]: Open } = {
  memory: Effect.gen(function*() {
    const { endpoint } = yield* server
    const [client, other] = yield* Memory.pair
    yield* serving(endpoint, other, "memory")
    return client
  }),
  streams: Effect.gen(function*() {
    const { endpoint } = yield* server
    const there = yield* BytePipe.make([3, 1, 200])
    const back = yield* BytePipe.make([5, 64])
    const other = yield* StreamConnection.fromStreams({ incoming: there.readable, outgoing: back.write })
    yield* serving(endpoint, other, "streams")
    return yield* StreamConnection.fromStreams({ incoming: back.readable, outgoing: there.write })
  }),
  "a TCP socket": Effect.gen(function*() {
    const { endpoint } = yield* server
    const { open } = yield* overSocket({ port: 0, host: "127.0.0.1" }, logged(endpoint))
    return yield* open
  }),
  "a WebSocket": Effect.gen(function*() {
    const { endpoint } = yield* server
    const { open } = yield* overWebSocket(logged(endpoint))
    return yield* open
  }),
  "a child process": Effect.provide(StdioTransport.connectStdio(program), NodeServices.layer)
}
