/**
 * Roots: a handler asks which folders the client lets it work in.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type AskOptions, Invocation } from "../era/Invocation.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { ListRootsResult, Root } from "../protocol/Roots.ts"

/**
 * The client's roots, with options.
 *
 * @since 0.1.0
 * @category asking
 */
export const listWith = (options: AskOptions): Effect.Effect<ReadonlyArray<Root>, McpError, Invocation> =>
  Effect.flatMap(Invocation, (invocation) =>
    Effect.map(
      invocation.ask("roots/list", {}, options),
      (answer) => (answer as unknown as ListRootsResult).roots
    ))

/**
 * The client's roots. Fails with `MissingClientCapability` where the client has none to tell.
 *
 * @since 0.1.0
 * @category asking
 */
export const list: Effect.Effect<ReadonlyArray<Root>, McpError, Invocation> = listWith({})
