// A server of the official TypeScript SDK of both eras, written as its documentation says.
import {
  acceptedContent,
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })
const counts = { begun: 0, interrupted: 0 }
let extra = 0

const make = () => {
  const server = new McpServer({ name: "official-v2", version: "1.0.0" }, {
    capabilities: { logging: {}, tools: { listChanged: true } },
    instructions: "A peer for tests"
  })

  server.registerTool("add", {
    description: "Adds two numbers",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() })
  }, ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }))

  server.registerTool("fail", { description: "Fails" }, () => ({ ...text("It cannot be done"), isError: true }))

  server.registerTool("wait", { description: "Never answers" }, ({ mcpReq }) => {
    counts.begun++
    return new Promise((_, reject) =>
      mcpReq.signal.addEventListener("abort", () => {
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

  server.registerTool("steps", { description: "Reports progress" }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined) {
      for (let progress = 1; progress <= 3; progress++) {
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } })
      }
    }
    return text("Done")
  })

  server.registerTool("log", { description: "Logs" }, async ({ mcpReq }) => {
    await mcpReq.log("info", "said", "peer")
    return text("Logged")
  })

  const nameSchema = z.object({ name: z.string() })
  server.registerTool("greet", { description: "Asks for a name, a greeting and the roots" }, ({ mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, "name", nameSchema)
    const greeting = inputResponse(mcpReq.inputResponses, "greeting")
    const roots = inputResponse(mcpReq.inputResponses, "roots")
    if (name === undefined || greeting.kind !== "sampling" || roots.kind !== "roots") {
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({ message: "Your name?", requestedSchema: nameSchema }),
          greeting: inputRequired.createMessage({
            messages: [{ role: "user", content: { type: "text", text: "Greet" } }],
            maxTokens: 10
          }),
          roots: inputRequired.listRoots()
        }
      })
    }
    const { content } = greeting.result
    const said = !Array.isArray(content) && content.type === "text" ? content.text : "?"
    return text(`${said}, ${name.name}! ${roots.roots.length}`)
  })

  server.registerTool("change", { description: "Adds a tool" }, () => {
    server.registerTool(`extra${extra++}`, { description: "New" }, () => text("New"))
    return text("Changed")
  })

  server.registerResource("text", "peer://text", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "Text" }]
  }))

  server.registerResource("item", new ResourceTemplate("peer://item/{id}", { list: undefined }), {}, (uri, { id }) => ({
    contents: [{ uri: uri.href, text: `Item ${id}` }]
  }))

  server.registerPrompt("brief", {
    description: "Briefs",
    argsSchema: z.object({
      city: completable(z.string(), (typed) => ["Bergen", "Oslo"].filter((city) => city.startsWith(typed)))
    })
  }, ({ city }) => ({ messages: [{ role: "user", content: { type: "text", text: `Brief me on ${city}` } }] }))

  return server
}

serveStdio(make)
