// The example server on standard input and output.
import { McpServer, StdioTransport } from "@effect-mcp/sdk"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { handlers } from "./handlers.ts"
import { Weather } from "./Weather.ts"

McpServer.serve(Weather).pipe(
  Effect.provide(handlers),
  Effect.provide(StdioTransport.layerServer.pipe(Layer.provide(NodeServices.layer))),
  NodeRuntime.runMain
)
