// Our client, used with servers that others have written, at every revision that they speak.
import { McpClient, McpError, Progress, type Revision, StdioTransport } from "@effect-mcp/sdk"
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { type Command, source } from "../support/commands.ts"

const connected = ({ args, command }: Command, negotiation: "auto" | Revision.Revision) =>
  McpClient.layer({
    name: "test",
    version: "1.0.0",
    negotiation,
    elicit: () => Effect.succeed({ action: "accept", content: { name: "Ada" } }),
    sample: () =>
      Effect.succeed({
        role: "assistant",
        content: { type: "text", text: "Hi" },
        model: "test",
        stopReason: "endTurn"
      }),
    roots: [{ uri: "file:///project" }]
  }).pipe(
    Layer.provide(StdioTransport.layerClient({ command, args })),
    Layer.provide(NodeServices.layer)
  )

interface Peer {
  readonly name: string
  readonly file: string
  readonly negotiation: "auto" | Revision.Revision
  readonly revision: Revision.Revision
  /** What the peer can do besides answering: what it cannot is not asked for. */
  readonly can: ReadonlyArray<"progress" | "log" | "ask" | "change" | "touch">
}

const textOf = (result: { readonly content: ReadonlyArray<{ readonly type: string }> }) =>
  result.content.map((block) => "text" in block ? block.text : "").join("\n")

/** Asks until the server has counted so far: one round trip a time, bounded. */
const until = (client: McpClient.McpClient["Service"], key: "begun" | "interrupted", expected: number) =>
  client.callTool("counts").pipe(
    Effect.map((result) => JSON.parse(textOf(result))[key] as number),
    Effect.repeat({ until: (seen) => seen >= expected, times: 2000 }),
    Effect.tap((seen) => Effect.sync(() => assert.isAtLeast(seen, expected, key)))
  )

const uses = ({ can, file, name, negotiation, revision }: Peer) =>
  layer(connected(source(file), negotiation), { excludeTestServices: true, timeout: "60 seconds" })(
    `${name}, ${negotiation}`,
    (it) => {
      it.effect("agrees on the revision, lists everything", () =>
        Effect.gen(function*() {
          const client = yield* McpClient.McpClient
          assert.strictEqual(yield* client.revision, revision)
          const tools = yield* Stream.runCollect(client.tools)
          assert.includeMembers(tools.map(({ name }) => name), ["add", "fail", "wait"])
          const resources = yield* Stream.runCollect(client.resources)
          assert.deepStrictEqual(resources.map(({ uri }) => uri), ["peer://text"])
          const templates = yield* Stream.runCollect(client.resourceTemplates)
          assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["peer://item/{id}"])
          const prompts = yield* Stream.runCollect(client.prompts)
          assert.deepStrictEqual(prompts.map(({ name }) => name), ["brief"])
          if (revision !== "2026-07-28") yield* client.ping()
        }), 60_000)

      it.effect("calls, reads, prompts and completes", () =>
        Effect.gen(function*() {
          const client = yield* McpClient.McpClient
          const sum = yield* client.callTool("add", { a: 1, b: 2 })
          assert.deepStrictEqual(JSON.parse(textOf(sum)), { sum: 3 })
          if (revision >= "2025-06-18") assert.deepStrictEqual(sum.structuredContent, { sum: 3 })
          const failed = yield* client.callTool("fail")
          assert.strictEqual(failed.isError, true)
          assert.include(textOf(failed), "It cannot be done")
          const { contents: [text] } = yield* client.readResource("peer://text")
          assert.deepInclude(text, { uri: "peer://text", text: "Text" })
          const { contents: [item] } = yield* client.readResource("peer://item/7")
          assert.deepInclude(item, { text: "Item 7" })
          const notFound = yield* Effect.flip(client.readResource("peer://nothing"))
          assert.isFalse(McpError.isLocal(notFound))
          const { messages: [message] } = yield* client.getPrompt("brief", { city: "Oslo" })
          assert.deepInclude(message?.content, { type: "text", text: "Brief me on Oslo" })
          const { completion } = yield* client.complete({
            ref: { type: "ref/prompt", name: "brief" },
            argument: { name: "city", value: "B" }
          })
          assert.deepStrictEqual(completion.values, ["Bergen"])
        }), 60_000)

      it.effect("cancels by interruption and by timeout; the connection goes on", () =>
        Effect.gen(function*() {
          const client = yield* McpClient.McpClient
          const waiting = yield* Effect.forkChild(client.callTool("wait"))
          yield* until(client, "begun", 1)
          yield* Fiber.interrupt(waiting)
          yield* until(client, "interrupted", 1)
          const late = yield* Effect.flip(client.callTool("wait", undefined, { timeout: "50 millis" }))
          assert.strictEqual(late.reason._tag, "RequestTimeout")
          yield* until(client, "interrupted", 2)
        }), 60_000)

      if (can.includes("progress")) {
        it.effect("hears of all progress, also of what comes together with the answer", () =>
          Effect.gen(function*() {
            const client = yield* McpClient.McpClient
            const heard: Array<number> = []
            const done = yield* client.callTool("steps").pipe(
              Progress.onProgress(({ progress }) => Effect.sync(() => heard.push(progress)))
            )
            assert.deepStrictEqual(heard, [1, 2, 3])
            assert.strictEqual(textOf(done), "Done")
          }), 60_000)
      }

      if (can.includes("log")) {
        it.effect("hears log messages", () =>
          Effect.gen(function*() {
            const client = yield* McpClient.McpClient
            yield* client.setLogLevel("info")
            const logs = yield* Effect.forkChild(Stream.runHead(client.logs), { startImmediately: true })
            yield* client.callTool("log")
            const message = yield* Effect.fromOption(yield* Effect.timeout(Fiber.join(logs), "20 seconds"))
            assert.deepInclude(message, { level: "info", logger: "peer", data: "said" })
          }), 60_000)
      }

      if (can.includes("ask")) {
        it.effect("answers what the server asks", () =>
          Effect.gen(function*() {
            const client = yield* McpClient.McpClient
            assert.strictEqual(textOf(yield* client.callTool("greet")), "Hi, Ada! 1")
          }), 60_000)
      }

      if (can.includes("change")) {
        it.effect("hears of a change and lists anew, while a call is under way", () =>
          Effect.gen(function*() {
            const client = yield* McpClient.McpClient
            const before = yield* Stream.runCount(client.tools)
            const waiting = yield* Effect.forkChild(client.callTool("wait"))
            const { events } = yield* client.listen({ toolsListChanged: true })
            yield* client.callTool("change")
            yield* Effect.timeout(Stream.runHead(events), "20 seconds")
            assert.strictEqual(yield* Stream.runCount(client.tools), before + 1)
            yield* Fiber.interrupt(waiting)
          }), 60_000)
      }

      if (can.includes("touch")) {
        it.effect("hears of a resource that changes", () =>
          Effect.gen(function*() {
            const client = yield* McpClient.McpClient
            const readings = yield* client.resourceChanges("peer://text").pipe(
              Stream.tap(() => client.callTool("touch")),
              Stream.take(2),
              Stream.runCollect,
              Effect.timeout("20 seconds")
            )
            assert.lengthOf(readings, 2)
          }), 60_000)
      }
    }
  )

const handshakes = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const

const v1 = { name: "official v1 server", file: "test/peers/official-v1.ts" }
uses({ ...v1, negotiation: "auto", revision: "2025-11-25", can: ["progress", "log", "ask", "change", "touch"] })
for (const revision of handshakes) {
  uses({
    ...v1,
    negotiation: revision,
    revision,
    can: ["progress", "log", "change", "touch", ...(revision >= "2025-06-18" ? ["ask" as const] : [])]
  })
}

const v2 = { name: "official v2 server", file: "test/peers/official-v2.ts" }
uses({ ...v2, negotiation: "auto", revision: "2026-07-28", can: ["progress", "log", "ask", "change"] })
for (const revision of handshakes) {
  uses({
    ...v2,
    negotiation: revision,
    revision,
    can: ["progress", "log", "change", ...(revision >= "2025-06-18" ? ["ask" as const] : [])]
  })
}

const effectAi = { name: "effect/ai server", file: "test/peers/effect-ai.ts" }
uses({ ...effectAi, negotiation: "auto", revision: "2026-07-28", can: [] })
for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"] as const) {
  uses({ ...effectAi, negotiation: revision, revision, can: [] })
}
