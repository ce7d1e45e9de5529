// The everything-server over HTTP, in every revision: `node src/everything-http.ts [--port N]`.
import { McpServer } from "@effect-mcp/sdk"
import { NodeHttp } from "@effect-mcp/sdk/node"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { Everything, handlers } from "./everything.ts"

const argument = process.argv.indexOf("--port")

const transport = NodeHttp.layerServer({
  port: argument < 0 ? 3000 : Number(process.argv[argument + 1]),
  // The one fixture whose client has to come back for its answer.
  pollInterval: ({ params }) => params?.["name"] === "test_reconnection" ? "20 millis" : undefined,
  retryInterval: "500 millis"
})

const server = Effect.gen(function*() {
  const { url } = yield* NodeHttp.HttpAddress
  yield* Console.log(`Listening at ${url}`)
  yield* McpServer.serve(Everything)
})

server.pipe(Effect.provide(Layer.merge(handlers, transport)), NodeRuntime.runMain)
