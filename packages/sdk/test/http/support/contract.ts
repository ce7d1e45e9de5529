/** A server whose calls can be seen to run, to wait and to be interrupted. */
import { Deferred, Effect, Schema } from "effect"
import * as Changes from "../../../src/api/Changes.ts"
import * as Elicit from "../../../src/api/Elicit.ts"
import * as McpApi from "../../../src/api/McpApi.ts"
import * as Progress from "../../../src/api/Progress.ts"
import * as ResourceTemplate from "../../../src/api/ResourceTemplate.ts"
import * as Tool from "../../../src/api/Tool.ts"
import { Invocation } from "../../../src/era/Invocation.ts"
import * as McpServer from "../../../src/server/McpServer.ts"

export class Web extends McpApi.make("web", {
  version: "1.0.0",
  tools: [
    Tool.make("echo", { description: "Says it again", parameters: { text: Schema.String } }),
    Tool.make("steps", { description: "Reports one to n", parameters: { n: Schema.Int } }),
    Tool.make("gate", { description: "Reports, waits for the gate, reports" }),
    Tool.make("ask", { description: "Asks for a name" }),
    Tool.make("change", { description: "Tells that the tools have changed" }),
    Tool.make("who", { description: "Names the principal" }),
    Tool.make("region", {
      description: "Mirrored in a header",
      parameters: { region: Schema.String.annotate({ "x-mcp-header": "Region" }) }
    })
  ],
  resources: [ResourceTemplate.make("page", "page://{name}", { mimeType: "text/plain" })]
}) {}

/** What happens to the calls of `gate`. */
export interface Gate {
  readonly entered: Deferred.Deferred<void>
  readonly open: Deferred.Deferred<void>
  readonly interrupted: Deferred.Deferred<void>
}

const handlers = (gate: Gate) =>
  Web.toLayer({
    tools: {
      echo: ({ text }) => Effect.succeed(text),
      steps: Effect.fnUntraced(function*({ n }) {
        for (let step = 1; step <= n; step++) yield* Progress.report({ progress: step, total: n })
        return "done"
      }),
      gate: () =>
        Progress.report({ progress: 1 }).pipe(
          Effect.andThen(Deferred.succeed(gate.entered, undefined)),
          Effect.andThen(Deferred.await(gate.open)),
          Effect.andThen(Progress.report({ progress: 2 })),
          Effect.as("through"),
          Effect.onInterrupt(() => Deferred.succeed(gate.interrupted, undefined))
        ),
      ask: () =>
        Effect.map(
          Elicit.form("Your name?", { name: Schema.String }),
          (outcome) => outcome.action === "accept" ? `Hello ${outcome.content.name}` : "Nobody"
        ),
      change: () =>
        Effect.as(Effect.flatMap(Changes.Changes, (changes) => changes.publish({ _tag: "Tools" })), "changed"),
      who: () => Effect.map(Invocation, ({ principal }) => principal?.subject ?? "nobody"),
      region: ({ region }) => Effect.succeed(region)
    },
    resources: { page: ({ name }) => Effect.succeed(`The page ${name}`) }
  })

export const make = Effect.gen(function*() {
  const gate: Gate = {
    entered: yield* Deferred.make<void>(),
    open: yield* Deferred.make<void>(),
    interrupted: yield* Deferred.make<void>()
  }
  const server = yield* McpServer.make(Web).pipe(Effect.provide(handlers(gate)))
  return { server, gate }
})
