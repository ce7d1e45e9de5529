/** A server whose one tool does what a test says, with a peer that is connected to it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as Tool from "../../src/api/Tool.ts"
import type { InputRequired, Invocation } from "../../src/era/Invocation.ts"
import type * as McpError from "../../src/protocol/McpError.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as AnsweringPeer from "./answeringPeer.ts"

class Api extends McpApi.make("api", {
  version: "1.0.0",
  tools: [Tool.make("ask")],
  prompts: [Prompt.make("p", { arguments: { a: Schema.String } })]
}) {}

export type Asking = Effect.Effect<Tool.ContentAnswer | InputRequired, McpError.McpError, Invocation>

export interface Options extends AnsweringPeer.Options {
  readonly server?: McpServer.Options
  /** What completes the argument of the prompt. */
  readonly complete?: Asking
}

export const serve = (ask: Asking, options: Options) =>
  Effect.gen(function*() {
    const handlers = Api.toLayer({
      tools: { ask: () => ask },
      prompts: { p: () => Effect.succeed("p") },
      completions: { prompts: { p: { a: () => Effect.as(options.complete ?? Effect.void, ["completed"]) } } }
    })
    const server = yield* Effect.provide(McpServer.make(Api, options.server), handlers)
    return yield* AnsweringPeer.make([server.endpoint], options)
  })

/** Calls the tool. */
export const call = (peer: AnsweringPeer.AnsweringPeer) => peer.call("tools/call", { name: "ask" })
