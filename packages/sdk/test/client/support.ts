/** A client of a scripted server. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as McpClient from "../../src/client/McpClient.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { McpError } from "../../src/protocol/McpError.ts"
import * as Scripted from "../utils/ScriptedServer.ts"

export type Client = McpClient.McpClient["Service"]

export const connect = (
  server: Scripted.ScriptedServer,
  options: Partial<McpClient.Options> = {}
): Effect.Effect<Client, McpError, Scope.Scope> =>
  Effect.provideService(
    McpClient.make({ name: "test", version: "1", ...options }),
    ClientTransport,
    server.transport
  )

/** A server by its script, and a client of it. */
export const pair = Effect.fnUntraced(function*(script: Scripted.Script, options: Partial<McpClient.Options> = {}) {
  const server = yield* Scripted.make(script)
  return { server, client: yield* connect(server, options) }
})

/** Both eras, for what holds in both. */
export const eras = ["modern", "2025-11-25"] as const
