/**
 * Raw clients of a server in this process.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ConnectionFacts } from "../../../src/peer/ServerTransport.ts"
import type * as McpServer from "../../../src/server/McpServer.ts"
import * as Memory from "../../../src/transport/Memory.ts"
import * as RawClient from "../../utils/rawClient.ts"

export const modern = "2026-07-28"
export const handshake = "2025-11-25"

export interface Options extends Partial<RawClient.Options> {
  readonly facts?: ConnectionFacts
  /** Frames that may lie unread before the server waits. */
  readonly capacity?: number
}

/** A client that is connected to a server, at the newest revision where nothing else is said. */
export const connect = (server: McpServer.McpServer["Service"], options: Options = {}) =>
  Effect.map(connectWith(server, options), ({ client }) => client)

/** The same with the fiber that serves it. */
export const connectWith = Effect.fnUntraced(
  function*(server: McpServer.McpServer["Service"], options: Options = {}) {
    const [near, far] = yield* Memory.pairWith({ capacity: options.capacity })
    const serving = yield* Effect.forkScoped(
      Effect.scoped(server.endpoint.connect(far, options.facts ?? { transport: "memory" })),
      { startImmediately: true }
    )
    const client = yield* RawClient.make(near, { revision: modern, ...options })
    return { client, serving, stop: Fiber.interrupt(serving) }
  }
)

export const toolNames = (client: RawClient.RawClient) =>
  Effect.map(
    client.request("tools/list"),
    ({ tools }): ReadonlyArray<string> => tools.map((tool: RawClient.Json) => tool["name"])
  )

export const text = (result: RawClient.Json): string => result["content"][0].text
