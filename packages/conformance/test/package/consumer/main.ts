/** A server and its client in one process, on nothing but what the package exports. */
import { McpServer } from "@effect-mcp/sdk"
import * as Memory from "@effect-mcp/sdk/transport/Memory"
import { Console, Effect, Layer, Stream } from "effect"
import { Tides, Weather } from "./contract.ts"
import { built, handlers, Stations } from "./handlers.ts"

const stations = Layer.succeed(Stations, { highs: (city) => city === "Oslo" ? [14, 15, 16] : undefined })

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "consumer", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

const program = Effect.gen(function*() {
  const server = yield* McpServer.make([Weather, Tides])
  const [here, there] = yield* Memory.pair
  yield* Effect.forkScoped(server.endpoint.connect(there, { transport: "memory" }))
  const ask = (name: string, args: object) =>
    here.send({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name, arguments: args, _meta: meta } })
  yield* ask("forecast", { city: "Oslo", days: 2 })
  const answer = yield* Effect.flatMap(Stream.runHead(here.incoming), Effect.fromOption)
  const { result } = answer as { readonly result: { readonly structuredContent: unknown } }
  yield* Console.log(JSON.stringify(result.structuredContent))
})

Effect.runPromise(Effect.scoped(program).pipe(Effect.provide([handlers, built]), Effect.provide(stations)))
