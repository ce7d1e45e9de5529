// The everything-server on standard input and output.
import { McpServer, StdioTransport } from "@effect-mcp/sdk"
// By module, not by barrel: a server that is started anew for each client should start quickly.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Everything, handlers } from "./everything.ts"

McpServer.serve(Everything).pipe(
  Effect.provide(handlers),
  Effect.provide(StdioTransport.layerServer.pipe(Layer.provide(NodeServices.layer))),
  NodeRuntime.runMain
)
