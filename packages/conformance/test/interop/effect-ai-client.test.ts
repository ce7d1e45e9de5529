// Our server, used by Effect's own experimental client. It can neither complete, report progress, log, listen nor be
// asked, so that the suite leaves these out.
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { McpClient, McpProtocol } from "effect/ai"
import { ChildProcess } from "effect/process"
import { ours } from "../support/commands.ts"
import { behaves, type Client, type ToolResult } from "./suite.ts"

const connect = (protocol: typeof McpProtocol.v2025_11_25 | typeof McpProtocol.v2026_07_28) =>
  Effect.gen(function*() {
    const { args, command } = ours()
    const services = yield* Layer.build(NodeServices.layer)
    const transport = yield* McpClient.stdio({ command: ChildProcess.make(command, args), protocol }).pipe(
      Effect.provideContext(services)
    )
    const client = yield* McpClient.make({ name: "effect-ai", version: "1.0.0" }).pipe(
      Effect.provideService(McpClient.Transport, transport)
    )
    const tools = yield* client.listTools()
    const prompts = yield* client.listPrompts()
    const find = <A extends { readonly name: string }>(from: ReadonlyArray<A>, name: string) =>
      Effect.fromNullishOr(from.find((feature) => feature.name === name))
    return {
      revision: client.protocolVersion,
      answers: [],
      tools: client.listTools(),
      call: (name, args) =>
        Effect.flatMap(find(tools, name), (tool) => client.callTool({ tool, arguments: args ?? {} })) as Effect.Effect<
          ToolResult,
          unknown
        >,
      resources: client.listResources(),
      read: (uri) => Effect.map(client.readResource({ uri }), ({ contents }) => contents) as ReturnType<Client["read"]>,
      prompts: client.listPrompts(),
      prompt: (name, args) =>
        Effect.flatMap(find(prompts, name), (prompt) =>
          Effect.map(
            client.getPrompt(args === undefined ? { prompt } : { prompt, arguments: args }),
            ({ messages }) => messages
          )) as ReturnType<Client["prompt"]>
    } satisfies Client
  })

behaves({ name: "effect/ai client", revision: "2025-11-25", connect: connect(McpProtocol.v2025_11_25) })
behaves({ name: "effect/ai client", revision: "2026-07-28", connect: connect(McpProtocol.v2026_07_28) })
