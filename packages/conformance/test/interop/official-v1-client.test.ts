// Our server, used by the official TypeScript SDK of the handshake era, at each revision that it speaks.
import { assert, it } from "@effect/vitest"
import { Client as OfficialClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  ToolListChangedNotificationSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Deferred, Effect } from "effect"
import { ours } from "../support/commands.ts"
import { behaves, type Client, type ToolResult } from "./suite.ts"

/** The client always asks for its newest revision: this transport asks for another one in its place. */
class PinnedTransport extends StdioClientTransport {
  readonly #revision: string
  constructor(revision: string) {
    const { args, command } = ours()
    super({ command, args: [...args], stderr: "ignore" })
    this.#revision = revision
  }
  override send(message: Parameters<StdioClientTransport["send"]>[0]) {
    return super.send(
      "method" in message && message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion: this.#revision } }
        : message
    )
  }
}

const notices = {
  "notifications/tools/list_changed": ToolListChangedNotificationSchema,
  "notifications/prompts/list_changed": PromptListChangedNotificationSchema,
  "notifications/resources/updated": ResourceUpdatedNotificationSchema
}

const attempt = <A>(f: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: f, catch: (error) => error })

const connect = (revision: string) =>
  Effect.gen(function*() {
    const hasElicitation = revision >= "2025-06-18"
    const client = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new OfficialClient({ name: "official-v1", version: "1.0.0" }, {
          capabilities: { sampling: {}, roots: {}, ...(hasElicitation ? { elicitation: {} } : {}) }
        })
      ),
      (client) => Effect.promise(() => client.close())
    )
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      content: { type: "text", text: "Paris" },
      model: "test"
    }))
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///project" }] }))
    if (hasElicitation) {
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }))
    }
    yield* attempt(() => client.connect(new PinnedTransport(revision)))
    return {
      revision,
      answers: hasElicitation ? ["elicitation", "sampling", "roots"] : ["sampling", "roots"],
      ping: attempt(() => client.ping()),
      tools: Effect.map(attempt(() => client.listTools()), ({ tools }) => tools),
      call: (name, args) =>
        attempt((signal) => client.callTool({ name, arguments: args ?? {} }, undefined, { signal })) as Effect.Effect<
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
            attempt((signal) => client.callTool({ name, arguments: {} }, undefined, { signal, onprogress })),
            Deferred.await(enough)
          )
          return heard
        }),
      logs: (name) =>
        Effect.gen(function*() {
          const heard: Array<unknown> = []
          client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
            heard.push(params.data)
          })
          yield* attempt(() => client.setLoggingLevel("info"))
          yield* attempt(() => client.callTool({ name, arguments: {} }))
          return heard
        }),
      hears: (notice, during) =>
        Effect.gen(function*() {
          const heard = yield* Deferred.make<void>()
          client.setNotificationHandler(notices[notice], () => {
            Deferred.doneUnsafe(heard, Effect.void)
          })
          if (notice === "notifications/resources/updated") {
            yield* attempt(() => client.subscribeResource({ uri: "test://watched-resource" }))
          }
          yield* during
          yield* Effect.timeout(Deferred.await(heard), "20 seconds")
        })
    } satisfies Client
  })

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

for (const revision of revisions) behaves({ name: "official v1 client", revision, connect: connect(revision) })

it("speaks no revision that is not tested here, but a draft that no specification has", () => {
  assert.sameMembers(SUPPORTED_PROTOCOL_VERSIONS, [...revisions, "2024-10-07"])
})
