// A server that breaks its word: its structured answer is not what its output schema says. Written by hand, since no SDK
// lets that happen.
import { createInterface } from "node:readline"

const results: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "broken", version: "1.0.0" }
  },
  "tools/list": {
    tools: [{
      name: "add",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }
    }]
  },
  "tools/call": { content: [{ type: "text", text: "three" }], structuredContent: { sum: "three" } }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method]
  const answer = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
}
