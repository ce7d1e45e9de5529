/**
 * The server of the suite on standard input and output.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { ServerTransport } from "../../src/peer/ServerTransport.ts"
import * as StdioTransport from "../../src/transport/StdioTransport.ts"
import { server, serverLog } from "./contract.ts"

const program = Effect.gen(function*() {
  const { endpoint } = yield* server
  yield* (yield* ServerTransport).serve(endpoint)
}).pipe(
  Effect.scoped,
  Effect.provide(Logger.layer([serverLog])),
  Effect.provide(Layer.provide(StdioTransport.layerServer, NodeStdio.layer))
)

NodeRuntime.runMain(program)
