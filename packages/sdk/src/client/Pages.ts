/**
 * A list of many pages as one stream, which ends whatever the server does.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as McpError from "../protocol/McpError.ts"

/**
 * How the pages of a list are asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pages<A, R> {
  /** The name of the list, for errors. */
  readonly method: string
  /** Asks for one page; for the first without a cursor. */
  readonly page: (cursor: string | undefined) => Effect.Effect<R, McpError.McpError>
  readonly items: (result: R) => ReadonlyArray<A>
  /** Default: 1,000. */
  readonly maxPages?: number | undefined
}

/**
 * All items of a list, page after page as they are wanted. Fails with `InvalidPeerMessage` where a cursor comes a second
 * time, or where there are more pages than `maxPages`. The empty string is a cursor like any other.
 *
 * @example
 * ```ts
 * const slow = Pages.all({
 *   method: "tools/list",
 *   page: (cursor) => client.listTools({ cursor, timeout: "5 minutes" }),
 *   items: (result) => result.tools
 * })
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 * @since 0.1.0
 * @category constructors
 */
export const all = <A, R extends { readonly nextCursor?: string }>(
  { items, maxPages = 1000, method, page }: Pages<A, R>
): Stream.Stream<A, McpError.McpError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    const endless = (detail: string) =>
      Effect.fail(McpError.make(new McpError.InvalidPeerMessage({ detail: `${method} comes to no end: ${detail}` })))
    return Stream.paginate(undefined as string | undefined, (cursor) =>
      Effect.flatMap(page(cursor), (result) => {
        const { nextCursor } = result
        if (nextCursor === undefined) return Effect.succeed([items(result), Option.none()] as const)
        if (seen.has(nextCursor)) return endless("a cursor is repeated")
        seen.add(nextCursor)
        // The cursors are one fewer than the pages.
        if (seen.size >= maxPages) return endless(`it has more than ${maxPages} pages`)
        return Effect.succeed([items(result), Option.some<string | undefined>(nextCursor)] as const)
      }))
  })
