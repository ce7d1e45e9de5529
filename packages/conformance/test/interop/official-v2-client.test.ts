// Our server, used by the official TypeScript SDK of both eras: the handshake, its own choice, and 2026-07-28 alone.
import { Client as OfficialClient, type VersionNegotiationMode } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Deferred, Effect } from "effect"
import { ours } from "../support/commands.ts"
import { behaves, type Client, type ToolResult } from "./suite.ts"

const attempt = <A>(f: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: f, catch: (error) => error })

const logLevel = "io.modelcontextprotocol/logLevel"

const connect = (mode: VersionNegotiationMode) =>
  Effect.gen(function*() {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new OfficialClient({ name: "official-v2", version: "1.0.0" }, {
          capabilities: { sampling: {}, roots: {}, elicitation: {} },
          versionNegotiation: { mode }
        })
      ),
      (client) => Effect.promise(() => client.close())
    )
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant" as const,
      content: { type: "text" as const, text: "Paris" },
      model: "test"
    }))
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///project" }] }))
    client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { name: "Ada" } }))
    const { args, command } = ours()
    yield* attempt(() => client.connect(new StdioClientTransport({ command, args: [...args], stderr: "ignore" })))
    const isModern = client.getProtocolEra() === "modern"
    return {
      revision: client.getNegotiatedProtocolVersion() ?? "none",
      answers: ["elicitation", "sampling", "roots"],
      ...(isModern ? {} : { ping: attempt(() => client.ping()) }),
      tools: Effect.map(attempt(() => client.listTools(undefined, { cacheMode: "refresh" })), ({ tools }) => tools),
      call: (name, args) =>
        attempt((signal) => client.callTool({ name, arguments: args ?? {} }, { signal })) as Effect.Effect<
          ToolResult,
          unknown
        >,
      resources: Effect.map(attempt(() => client.listResources()), ({ resources }) => resources),
      templates: Effect.map(
        attempt(() => client.listResourceTemplates()),
        ({ resourceTemplates }) => resourceTemplates
      ),
      read: (uri) => Effect.map(attempt(() => client.readResource({ uri })), ({ contents }) => contents),
      prompts: Effect.map(attempt(() => client.listPrompts()), ({ prompts }) => prompts),
      prompt: (name, args) =>
        Effect.map(
          attempt(() => client.getPrompt(args === undefined ? { name } : { name, arguments: args })),
          ({ messages }) => messages
        ),
      complete: (prompt, argument, value) =>
        Effect.map(
          attempt(() =>
            client.complete({ ref: { type: "ref/prompt", name: prompt }, argument: { name: argument, value } })
          ),
          ({ completion }) => completion.values
        ),
      progress: (name, notices) =>
        Effect.gen(function*() {
          const heard: Array<number> = []
          const enough = yield* Deferred.make<void>()
          const onprogress = ({ progress }: { readonly progress: number }) => {
            if (heard.length < notices) heard.push(progress)
            if (heard.length === notices) Deferred.doneUnsafe(enough, Effect.void)
          }
          yield* Effect.raceFirst(
            attempt((signal) => client.callTool({ name, arguments: {} }, { signal, onprogress })),
            Deferred.await(enough)
          )
          return heard
        }),
      logs: (name) =>
        Effect.gen(function*() {
          const heard: Array<unknown> = []
          client.setNotificationHandler("notifications/message", ({ params }) => {
            heard.push(params.data)
          })
          if (!isModern) yield* attempt(() => client.setLoggingLevel("info"))
          yield* attempt(() =>
            client.callTool({ name, arguments: {}, ...(isModern ? { _meta: { [logLevel]: "info" } } : {}) })
          )
          return heard
        }),
      hears: (notice, during) =>
        Effect.scoped(Effect.gen(function*() {
          const heard = yield* Deferred.make<void>()
          client.setNotificationHandler(notice, () => {
            Deferred.doneUnsafe(heard, Effect.void)
          })
          if (isModern) {
            yield* Effect.acquireRelease(
              attempt(() =>
                client.listen({
                  toolsListChanged: true,
                  promptsListChanged: true,
                  resourceSubscriptions: ["test://watched-resource"]
                })
              ),
              (subscription) => Effect.promise(() => subscription.close())
            )
          } else if (notice === "notifications/resources/updated") {
            yield* attempt(() => client.subscribeResource({ uri: "test://watched-resource" }))
          }
          yield* during
          yield* Effect.timeout(Deferred.await(heard), "20 seconds")
        }))
    } satisfies Client
  })

behaves({ name: "official v2 client, legacy", revision: "2025-11-25", connect: connect("legacy") })
behaves({ name: "official v2 client, auto", revision: "2026-07-28", connect: connect("auto") })
behaves({ name: "official v2 client, pinned", revision: "2026-07-28", connect: connect({ pin: "2026-07-28" }) })
