// Our client and our server, with two pipes between them, at every revision; and what only a client of a contract sees.
import { McpClient, Progress, Revision, StdioTransport } from "@effect-mcp/sdk"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { Extras } from "../peers/ours.ts"
import { type Command, ours, source } from "../support/commands.ts"
import { behaves, type Client, type ToolResult } from "./suite.ts"

const make = <const O extends Partial<McpClient.Options>>({ args, command }: Command, options: O) =>
  Effect.gen(function*() {
    const transport = yield* Layer.build(
      StdioTransport.layerClient({ command, args }).pipe(Layer.provide(NodeServices.layer))
    )
    return yield* McpClient.make({ name: "test", version: "1.0.0", ...options } as McpClient.Options).pipe(
      Effect.provideContext(transport)
    )
  })

const connect = (negotiation: Revision.Revision) =>
  Effect.gen(function*() {
    const hasElicitation = Revision.atLeast(negotiation, "2025-06-18")
    const client = yield* make(ours(), {
      negotiation,
      ...(hasElicitation
        ? { elicit: () => Effect.succeed({ action: "accept" as const, content: { name: "Ada" } }) }
        : {}),
      sample: () =>
        Effect.succeed({
          role: "assistant" as const,
          content: { type: "text" as const, text: "Paris" },
          model: "test",
          stopReason: "endTurn"
        }),
      roots: [{ uri: "file:///project" }]
    })
    return {
      revision: yield* client.revision,
      answers: hasElicitation ? ["elicitation", "sampling", "roots"] : ["sampling", "roots"],
      ...(Revision.isModern(negotiation) ? {} : { ping: client.ping() }),
      tools: Stream.runCollect(client.tools),
      call: (name, args) => client.callTool(name, args) as Effect.Effect<ToolResult, unknown>,
      resources: Stream.runCollect(client.resources),
      templates: Stream.runCollect(client.resourceTemplates),
      read: (uri) => Effect.map(client.readResource(uri), ({ contents }) => contents),
      prompts: Stream.runCollect(client.prompts),
      prompt: (name, args) =>
        Effect.map(client.getPrompt(name, args), ({ messages }) => messages) as ReturnType<Client["prompt"]>,
      complete: (prompt, name, value) =>
        Effect.map(
          client.complete({ ref: { type: "ref/prompt", name: prompt }, argument: { name, value } }),
          ({ completion }) => completion.values
        ),
      progress: (name, notices) =>
        Progress.stream(client.callTool(name)).pipe(
          Stream.take(notices),
          Stream.runCollect,
          Effect.map((events) => events.map((event) => event._tag === "Progress" ? event.progress : Number.NaN))
        ),
      logs: (name) =>
        Effect.gen(function*() {
          yield* client.setLogLevel("info")
          const logs = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.logs, 3)), {
            startImmediately: true
          })
          yield* client.callTool(name)
          return (yield* Effect.timeout(Fiber.join(logs), "20 seconds")).map(({ data }) => data)
        }),
      hears: (notice, during) =>
        Effect.scoped(Effect.gen(function*() {
          const { events } = yield* client.listen({
            toolsListChanged: true,
            promptsListChanged: true,
            resourceSubscriptions: ["test://watched-resource"]
          })
          const tag = {
            "notifications/tools/list_changed": "Tools",
            "notifications/prompts/list_changed": "Prompts",
            "notifications/resources/updated": "Resource"
          }[notice]
          yield* during
          yield* Effect.timeout(
            Stream.runHead(Stream.filter(events, (event) => event._tag === tag)),
            "20 seconds"
          )
        }))
    } satisfies Client
  })

for (const revision of Revision.all) behaves({ name: "our client", revision, connect: connect(revision) })

describe("a client of a contract", () => {
  it.live("catches a declared failure by its tag", () =>
    Effect.scoped(Effect.gen(function*() {
      const { tools } = Extras.clientOf(yield* make(ours(), {}))
      assert.deepStrictEqual(yield* tools.squareRoot({ value: 4 }), { root: 2 })
      const caught = yield* tools.squareRoot({ value: -1 }).pipe(
        Effect.catchTag("Negative", ({ value }) => Effect.succeed(value))
      )
      assert.strictEqual(caught, -1)
      assert.deepStrictEqual(yield* tools.numbers(), [1, 2, 3])
    })), 60_000)

  it.live("gives up a call that tells of progress for ever", () =>
    Effect.scoped(Effect.gen(function*() {
      const client = yield* make(ours(), {})
      const failure = yield* client.callTool("restless", {}, { timeout: "5 seconds", maximumTimeout: "200 millis" })
        .pipe(
          Progress.onProgress(() => Effect.void),
          Effect.flip
        )
      assert.deepInclude(failure.reason, { _tag: "RequestTimeout", maximum: true })
      // The connection goes on.
      yield* client.callTool("test_simple_text")
    })), 60_000)

  it.live(
    "may list tools when it hears of a change, while a call is under way",
    () =>
      Effect.scoped(Effect.gen(function*() {
        for (const negotiation of ["2025-11-25", "2026-07-28"] as const) {
          const listed = yield* Deferred.make<ReadonlyArray<string>>()
          const self = yield* Deferred.make<McpClient.McpClient["Service"]>()
          const client = yield* make(ours(), {
            negotiation,
            onToolsChanged: Deferred.await(self).pipe(
              Effect.flatMap(({ tools }) => Stream.runCollect(tools)),
              Effect.flatMap((tools) => Deferred.succeed(listed, tools.map(({ name }) => name))),
              Effect.orDie,
              Effect.asVoid
            )
          })
          yield* Deferred.succeed(self, client)
          const slow = yield* Effect.forkChild(client.callTool("stubborn"))
          yield* client.callTool("test_trigger_tool_change")
          assert.include(yield* Effect.timeout(Deferred.await(listed), "20 seconds"), "test_temporary_tool")
          yield* Fiber.join(slow)
        }
      })),
    60_000
  )

  // https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
  it.live(
    "refuses a structured answer that breaks the tool's output schema",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const client = yield* make(source("test/peers/broken.ts"), {})
        yield* Stream.runDrain(client.tools)
        const failure = yield* Effect.flip(client.callTool("add"))
        assert.strictEqual(failure.reason._tag, "InvalidPeerMessage")
        assert.include(failure.message, "sum")
      })),
    60_000
  )

  it.live(
    "fails what is under way when its server ends, and says what the server said last",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const client = yield* make(ours("--maxFrameBytes=4096"), { restart: false })
        const waiting = yield* Effect.forkChild(Effect.flip(client.callTool("wait")))
        yield* client.callTool("test_simple_text")
        const tooLarge = yield* Effect.flip(client.getPrompt("test_prompt_with_arguments", {
          arg1: "x".repeat(5000),
          arg2: ""
        }))
        for (const failure of [tooLarge, yield* Fiber.join(waiting)]) {
          assert.strictEqual(failure.reason._tag, "ConnectionClosed")
          assert.include(failure.message, "more than 4096 bytes")
        }
      })),
    60_000
  )
})
