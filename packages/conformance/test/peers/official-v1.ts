// A server of the official TypeScript SDK of the handshake era, written as its documentation says.
import { completable } from "@modelcontextprotocol/sdk/server/completable.js"
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { z } from "zod"

const server = new McpServer({ name: "official-v1", version: "1.0.0" }, {
  capabilities: { logging: {}, resources: { subscribe: true } },
  instructions: "A peer for tests"
})

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })
const counts = { begun: 0, interrupted: 0 }
const subscribed = new Set<string>()

server.registerTool("add", {
  description: "Adds two numbers",
  inputSchema: { a: z.number(), b: z.number() },
  outputSchema: { sum: z.number() }
}, ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }))

server.registerTool("fail", { description: "Fails" }, () => ({ ...text("It cannot be done"), isError: true }))

server.registerTool("wait", { description: "Never answers" }, ({ signal }) => {
  counts.begun++
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => {
      counts.interrupted++
      reject(new Error("cancelled"))
    })
  )
})

server.registerTool(
  "counts",
  { description: "How many calls of wait have begun and were interrupted" },
  () => text(JSON.stringify(counts))
)

server.registerTool("steps", { description: "Reports progress" }, async ({ _meta, sendNotification }) => {
  const progressToken = _meta?.progressToken
  if (progressToken !== undefined) {
    for (let progress = 1; progress <= 3; progress++) {
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3 } })
    }
  }
  return text("Done")
})

server.registerTool("log", { description: "Logs" }, async ({ sendNotification }) => {
  await sendNotification({ method: "notifications/message", params: { level: "info", logger: "peer", data: "said" } })
  return text("Logged")
})

server.registerTool("greet", { description: "Asks for a name, a greeting and the roots" }, async () => {
  const name = await server.server.elicitInput({
    message: "Your name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
  })
  const greeting = await server.server.createMessage({
    messages: [{ role: "user", content: { type: "text", text: "Greet" } }],
    maxTokens: 10
  })
  const { roots } = await server.server.listRoots()
  const said = greeting.content.type === "text" ? greeting.content.text : "?"
  return text(`${said}, ${name.content?.["name"]}! ${roots.length}`)
})

let extra = 0
server.registerTool("change", { description: "Adds a tool" }, () => {
  server.registerTool(`extra${extra++}`, { description: "New" }, () => text("New"))
  return text("Changed")
})

server.registerTool("touch", { description: "Tells subscribers of peer://text" }, async () => {
  if (subscribed.has("peer://text")) await server.server.sendResourceUpdated({ uri: "peer://text" })
  return text("Touched")
})

server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
  subscribed.add(params.uri)
  return {}
})
server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
  subscribed.delete(params.uri)
  return {}
})

server.registerResource("text", "peer://text", { mimeType: "text/plain" }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: "text/plain", text: "Text" }]
}))

server.registerResource("item", new ResourceTemplate("peer://item/{id}", { list: undefined }), {}, (uri, { id }) => ({
  contents: [{ uri: uri.href, text: `Item ${id}` }]
}))

server.registerPrompt("brief", {
  description: "Briefs",
  argsSchema: { city: completable(z.string(), (typed) => ["Bergen", "Oslo"].filter((city) => city.startsWith(typed))) }
}, ({ city }) => ({ messages: [{ role: "user", content: { type: "text", text: `Brief me on ${city}` } }] }))

await server.connect(new StdioServerTransport())
