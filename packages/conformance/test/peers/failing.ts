// A server that cannot start: what its handlers need is not there.
import { McpApi, McpServer, StdioTransport, Tool } from "@effect-mcp/sdk"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"

class Failing extends McpApi.make("failing", { version: "1.0.0", tools: [Tool.make("query")] }) {}

const database = Effect.fail("No database") as Effect.Effect<string, string>

const handlers = Failing.toLayer(
  Effect.map(database, (answer) => Failing.of({ tools: { query: () => Effect.succeed(answer) } }))
)

McpServer.serve(Failing).pipe(
  Effect.provide(handlers),
  Effect.provide(StdioTransport.layerServer.pipe(Layer.provide(NodeServices.layer))),
  NodeRuntime.runMain
)
