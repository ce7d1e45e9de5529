// Our client, used with the reference servers from npm.
import { McpClient, Progress, StdioTransport } from "@effect-mcp/sdk"
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Path, Stream } from "effect"
import * as url from "node:url"

const entry = (name: string) =>
  url.fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))

const temporary = Effect.flatMap(
  FileSystem.FileSystem,
  (fs) => Effect.flatMap(fs.makeTempDirectoryScoped(), fs.realPath)
)

const connected = (
  name: string,
  options: (directory: string) => { readonly args?: ReadonlyArray<string>; readonly env?: Record<string, string> }
) =>
  Layer.unwrap(Effect.map(temporary, (directory) => {
    const { args = [], env } = options(directory)
    return McpClient.layer({
      name: "test",
      version: "1.0.0",
      elicit: () => Effect.succeed({ action: "accept", content: { name: "Ada", check: true } }),
      sample: () => Effect.succeed({ role: "assistant", content: { type: "text", text: "Sampled" }, model: "test" }),
      roots: [{ uri: url.pathToFileURL(directory).href, name: "temporary" }]
    }).pipe(
      Layer.provide(StdioTransport.layerClient({ command: process.execPath, args: [entry(name), ...args], env }))
    )
  })).pipe(Layer.provideMerge(NodeServices.layer))

const textOf = (result: { readonly content: ReadonlyArray<{ readonly type: string }> }) =>
  result.content.map((block) => "text" in block ? block.text : "").join("\n")

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

layer(connected("everything", () => ({ args: ["stdio"] })), options)("server-everything", (it) => {
  it.effect("negotiates the handshake, lists and calls", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.strictEqual(yield* client.revision, "2025-11-25")
      const tools = (yield* Stream.runCollect(client.tools)).map(({ name }) => name)
      assert.includeMembers(tools, ["echo", "get-sum", "trigger-elicitation-request", "trigger-sampling-request"])
      assert.strictEqual(textOf(yield* client.callTool("echo", { message: "é 漢 😀" })), "Echo: é 漢 😀")
      assert.include(textOf(yield* client.callTool("get-sum", { a: 2, b: 3 })), "5")
      const weather = yield* client.callTool("get-structured-content", { location: "Chicago" })
      assert.hasAllKeys(weather.structuredContent, ["temperature", "conditions", "humidity"])
      const image = yield* client.callTool("get-tiny-image")
      assert.include(image.content.map(({ type }) => type), "image")
      const links = yield* client.callTool("get-resource-links", { count: 2 })
      assert.lengthOf(links.content.filter(({ type }) => type === "resource_link"), 2)
    }), 60_000)

  it.effect("reads, prompts and completes", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const [resource] = yield* Stream.runCollect(client.resources)
      assert.isNotEmpty((yield* client.readResource(resource!.uri)).contents)
      assert.isNotEmpty(yield* Stream.runCollect(client.resourceTemplates))
      const prompts = (yield* Stream.runCollect(client.prompts)).map(({ name }) => name)
      assert.includeMembers(prompts, ["simple-prompt", "completable-prompt"])
      assert.isNotEmpty((yield* client.getPrompt("simple-prompt")).messages)
      const { completion } = yield* client.complete({
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "department", value: "E" }
      })
      assert.include(completion.values, "Engineering")
    }), 60_000)

  it.effect("hears of progress, cancels, answers", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const heard: Array<number> = []
      yield* client.callTool("trigger-long-running-operation", { duration: 0.1, steps: 4 }).pipe(
        Progress.onProgress(({ progress }) => Effect.sync(() => heard.push(progress)))
      )
      assert.deepStrictEqual(heard, [1, 2, 3, 4])
      const long = yield* Effect.forkChild(
        client.callTool("trigger-long-running-operation", { duration: 60, steps: 1 })
      )
      yield* client.ping()
      yield* Fiber.interrupt(long)
      yield* client.ping()
      assert.include(textOf(yield* client.callTool("trigger-sampling-request", { prompt: "?" })), "Sampled")
      assert.include(textOf(yield* client.callTool("trigger-elicitation-request")), "Ada")
      assert.include(textOf(yield* client.callTool("get-roots-list")), "temporary")
    }), 60_000)
})

layer(connected("filesystem", (directory) => ({ args: [directory] })), options)("server-filesystem", (it) => {
  it.effect("writes, reads and lists within its folder, and nowhere else", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      const path = yield* Path.Path
      yield* Stream.runDrain(client.tools)
      const allowed = textOf(yield* client.callTool("list_allowed_directories"))
      const directory = allowed.split("\n").at(-1)!
      const file = path.join(directory, "a.txt")
      yield* client.callTool("write_file", { path: file, content: "Written" })
      const read = yield* client.callTool("read_text_file", { path: file })
      assert.strictEqual(textOf(read), "Written")
      assert.deepStrictEqual(read.structuredContent, { content: "Written" })
      assert.include(textOf(yield* client.callTool("list_directory", { path: directory })), "a.txt")
      const outside = yield* client.callTool("read_text_file", { path: "/etc/hostname" })
      assert.strictEqual(outside.isError, true)
      // Held against the advertised draft-07 schema before anything is sent.
      const refused = yield* Effect.flip(client.callTool("read_text_file", { path: 5 }))
      assert.strictEqual(refused.reason._tag, "InvalidArguments")
    }), 60_000)
})

const memory = connected("memory", (directory) => ({ env: { MEMORY_FILE_PATH: `${directory}/memory.jsonl` } }))

layer(memory, options)("server-memory", (it) => {
  it.effect("remembers a graph", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      yield* Stream.runDrain(client.tools)
      const ada = { name: "Ada", entityType: "person", observations: ["wrote programs"] }
      yield* client.callTool("create_entities", { entities: [ada] })
      const graph = yield* client.callTool("read_graph")
      assert.deepStrictEqual(graph.structuredContent, { entities: [ada], relations: [] })
      const found = yield* client.callTool("search_nodes", { query: "programs" })
      assert.deepStrictEqual(found.structuredContent, { entities: [ada], relations: [] })
    }), 60_000)
})

layer(connected("sequential-thinking", () => ({})), options)("server-sequential-thinking", (it) => {
  it.effect("takes a thought", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      yield* Stream.runDrain(client.tools)
      const { structuredContent } = yield* client.callTool("sequentialthinking", {
        thought: "First",
        nextThoughtNeeded: false,
        thoughtNumber: 1,
        totalThoughts: 1
      })
      assert.deepInclude(structuredContent, { thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false })
    }), 60_000)
})
