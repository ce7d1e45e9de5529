// A tour: starts the example server as a child process and shows, step by step, what a client does with it.
import { McpClient, Progress, StdioTransport } from "@effect-mcp/sdk"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { fileURLToPath } from "node:url"
import * as Show from "./show.ts"
import { Weather } from "./Weather.ts"

/** The server's last words about the call that was cancelled; it writes them to its standard error. */
const interrupted = Deferred.makeUnsafe<string>()

const transport = StdioTransport.layerClient({
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(new URL("./stdio.ts", import.meta.url))],
  stderr: (line) => line.includes("interrupted") ? Deferred.succeed(interrupted, line) : Effect.void
})

const client = McpClient.layer({ name: "tour", version: "1.0.0" }).pipe(
  Layer.provide(transport),
  Layer.provide(NodeServices.layer)
)

const tour = Effect.gen(function*() {
  const mcp = yield* McpClient.McpClient
  const { prompts, resources, tools } = yield* Weather.client

  yield* Show.step("Negotiate")
  const server = yield* mcp.server
  yield* Show.line(`${server.serverInfo?.title} ${server.serverInfo?.version} speaks ${server.revision}`)
  yield* Show.line(server.instructions ?? "")

  yield* Show.step("List what it offers")
  yield* mcp.tools.pipe(Stream.runForEach((tool) => Show.line(`tool      ${tool.name}: ${tool.description}`)))
  yield* mcp.resources.pipe(Stream.runForEach((resource) => Show.line(`resource  ${resource.uri}`)))
  yield* mcp.resourceTemplates.pipe(Stream.runForEach((template) => Show.line(`template  ${template.uriTemplate}`)))
  yield* mcp.prompts.pipe(Stream.runForEach((prompt) => Show.line(`prompt    ${prompt.name}`)))

  yield* Show.step("Call a tool, and hear how far it is")
  const { highs } = yield* tools.forecast({ city: "Oslo", days: 8 }).pipe(Progress.onProgress(Show.bar))
  yield* Show.line(`Highs in Oslo: ${highs.join(", ")} °C`)

  yield* Show.step("Read a resource")
  const page = yield* resources.city({ name: "Bergen" })
  for (const contents of page.contents) if ("text" in contents) yield* Show.line(contents.text)

  yield* Show.step("Get a prompt")
  const briefing = yield* prompts.briefing({ city: "Lima" })
  for (const { content, role } of briefing.messages) {
    yield* Show.line(`${role}: ${content.type === "text" ? content.text : content.type}`)
  }

  yield* Show.step("Complete an argument")
  const { completion } = yield* mcp.complete({
    ref: { type: "ref/prompt", name: "briefing" },
    argument: { name: "city", value: "O" }
  })
  yield* Show.line(`O… could be ${completion.values.join(", ")}`)

  yield* Show.step("Cancel a call that takes a minute")
  const slow = yield* Effect.forkChild(tools.simulate())
  yield* Effect.sleep("300 millis")
  yield* Fiber.interrupt(slow)
  yield* Show.line(`The server says: ${(yield* Deferred.await(interrupted)).replace(/^.*?(simulate)/, "$1")}`)

  yield* Show.step("Catch a failure by its type")
  yield* tools.forecast({ city: "Atlantis", days: 1 }).pipe(
    Effect.flatMap(({ highs }) => Show.line(`Highs in Atlantis: ${highs.join(", ")}`)),
    Effect.catchTag("UnknownCity", ({ city }) => Show.line(`UnknownCity: no station reports from ${city}`))
  )

  yield* Show.done
})

tour.pipe(Effect.provide(client), Effect.timeout("14 seconds"), NodeRuntime.runMain)
