// Our server for tests: the everything-server, and beside it a few tools that only tests need. `--maxFrameBytes=N` sets
// the frame limit.
import { Content, McpApi, McpServer, Progress, StdioTransport, Tool } from "@effect-mcp/sdk"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Ref, Schema } from "effect"
import { Everything, handlers as everything } from "../../src/everything.ts"

export class Negative extends Schema.TaggedError<Negative>()("Negative", { value: Schema.Finite }) {
  override get message() {
    return `${this.value} has no square root`
  }
}

export class Extras extends McpApi.make("extras", {
  version: "1.0.0",
  tools: [
    Tool.make("wait", { description: "Never answers" }),
    Tool.make("stubborn", { description: "Answers after 100 ms, cancelled or not" }),
    Tool.make("counts", {
      description: "How many calls of the two tools above have begun, were interrupted and have ended",
      success: Schema.Struct({ begun: Schema.Int, interrupted: Schema.Int, ended: Schema.Int })
    }),
    Tool.make("squareRoot", {
      description: "Has a structured answer, and a failure that it declares",
      parameters: { value: Schema.Finite },
      success: Schema.Struct({ root: Schema.Finite }),
      failure: Negative
    }),
    Tool.make("numbers", {
      description: "Has a structured answer that is no object",
      success: Schema.Array(Schema.Int)
    }),
    Tool.make("large", { description: "Answers with that much text", parameters: { size: Schema.Int } }),
    Tool.make("restless", { description: "Reports progress until it is cancelled" }),
    Tool.make("chatty", { description: "Prints to the console in every way there is" })
  ]
}) {}

export const extras = Extras.toLayer(Effect.gen(function*() {
  const counts = yield* Ref.make({ begun: 0, interrupted: 0, ended: 0 })
  const add = (key: "begun" | "interrupted" | "ended") =>
    Ref.update(counts, (counts) => ({ ...counts, [key]: counts[key] + 1 }))
  return Extras.of({
    tools: {
      wait: () => Effect.andThen(add("begun"), Effect.never).pipe(Effect.onInterrupt(() => add("interrupted"))),
      stubborn: () =>
        add("begun").pipe(
          Effect.andThen(Effect.sleep("100 millis")),
          Effect.andThen(add("ended")),
          Effect.as("Done, whatever you say"),
          Effect.uninterruptible
        ),
      counts: () => Ref.get(counts),
      squareRoot: ({ value }) =>
        value < 0 ? Effect.fail(new Negative({ value })) : Effect.succeed({ root: Math.sqrt(value) }),
      numbers: () => Effect.succeed([1, 2, 3]),
      large: ({ size }) => Effect.succeed(Content.text("x".repeat(size))),
      restless: () =>
        Ref.make(0).pipe(
          Effect.flatMap((step) =>
            Ref.updateAndGet(step, (n) => n + 1).pipe(
              Effect.flatMap((progress) => Progress.report({ progress })),
              Effect.andThen(Effect.sleep("10 millis")),
              Effect.forever
            )
          )
        ),
      chatty: Effect.fnUntraced(function*() {
        console.log("console.log")
        console.info("console.info")
        console.table([{ a: 1 }])
        yield* Console.log("Console.log")
        yield* Effect.log("Effect.log")
        yield* Effect.logError("Effect.logError")
        return "All said"
      })
    }
  })
}))

if (import.meta.main) {
  const limit = process.argv.find((arg) => arg.startsWith("--maxFrameBytes="))?.split("=")[1]
  McpServer.serve([Everything, Extras]).pipe(
    Effect.provide([everything, extras]),
    Effect.provide(
      StdioTransport.layerServerWith(limit === undefined ? {} : { maxFrameBytes: Number(limit) }).pipe(
        Layer.provide(NodeServices.layer)
      )
    ),
    NodeRuntime.runMain
  )
}
