// A server of Effect's own experimental module, written as its documentation says. It does not ask its clients anything
// in the modern era, and tells of neither progress nor changes.
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer, Logger, Ref, Schema } from "effect"
import { McpProtocol, McpSchema, McpServer, Tool, Toolkit } from "effect/ai"

const Tools = Toolkit.make(
  Tool.make("add", {
    description: "Adds two numbers",
    parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
    success: Schema.Struct({ sum: Schema.Finite })
  }),
  Tool.make("fail", { description: "Fails", failure: Schema.String }),
  Tool.make("wait", { description: "Never answers" }),
  Tool.make("counts", {
    description: "How many calls of wait have begun and were interrupted",
    success: Schema.Struct({ begun: Schema.Int, interrupted: Schema.Int })
  })
)

const handlers = Tools.toLayer(Effect.gen(function*() {
  const counts = yield* Ref.make({ begun: 0, interrupted: 0 })
  const add = (key: "begun" | "interrupted") => Ref.update(counts, (counts) => ({ ...counts, [key]: counts[key] + 1 }))
  return Tools.of({
    add: ({ a, b }) => Effect.succeed({ sum: a + b }),
    fail: () => Effect.fail("It cannot be done"),
    wait: () => Effect.andThen(add("begun"), Effect.never).pipe(Effect.onInterrupt(() => add("interrupted"))),
    counts: () => Ref.get(counts)
  })
}))

const registrations = Layer.mergeAll(
  McpServer.toolkit(Tools).pipe(Layer.provide(handlers)),
  McpServer.resource({ uri: "peer://text", name: "text", mimeType: "text/plain", content: Effect.succeed("Text") }),
  McpServer.resource`peer://item/${McpSchema.param("id", Schema.String)}`({
    name: "item",
    content: (_uri, id) => Effect.succeed(`Item ${id}`)
  }),
  McpServer.prompt({
    name: "brief",
    description: "Briefs",
    parameters: { city: Schema.String },
    completion: { city: (typed) => Effect.succeed(["Bergen", "Oslo"].filter((city) => city.startsWith(typed))) },
    content: ({ city }) => Effect.succeed(`Brief me on ${city}`)
  })
)

McpServer.layerStdio({
  name: "effect-ai",
  version: "1.0.0",
  instructions: "A peer for tests",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26],
  registrations
}).pipe(
  Layer.provide(NodeServices.layer),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true)),
  Layer.launch,
  NodeRuntime.runMain
)
