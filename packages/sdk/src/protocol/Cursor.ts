/**
 * Page cursors: where a list is to go on, opaque to the client and checked by the server.
 *
 * A cursor holds the keys of the two items that it lies between, so that it stays right while items are added or
 * removed, and means the same to every instance and after every restart. It is bound to the list that it was made for
 * by an unkeyed checksum: garbage, a damaged cursor and one of another list are refused.
 *
 * The checksum is no signature. Who reads this file can make a cursor, and a cursor says which item was the last: it
 * must not be what decides on what a client may see. Filter the list by what the request may see, then page it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 * @since 0.1.0
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as McpError from "./McpError.ts"

/**
 * Where a page ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface Position {
  /** The key of the last item of the page. */
  readonly after: string
  /** The key of the item that was to come next: where to go on when the last one is gone. */
  readonly next: string
  /** The index of that item, where nothing has changed since. */
  readonly index: number
}

/**
 * How an unusable cursor is answered: -32602.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#error-handling
 * @since 0.1.0
 * @category errors
 */
export const refused: McpError.McpError = McpError.make(
  new McpError.InvalidParams({ detail: "Invalid cursor: it is none of this list; begin again without a cursor" })
)

const maxLength = 8192

/** FNV-1a, twice with different starts: 64 bits that find chance and mistakes, not intent. */
const checksum = (text: string): string => {
  let a = 0x811c9dc5
  let b = 0xc9dc5811
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit ^ (a >>> 16), 0x01000193)
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")
}

const seal = (list: string, payload: string): string => checksum(JSON.stringify([list, payload]))

/**
 * Makes the cursor of a position. `list` tells lists apart: the method, and whatever else makes it another list.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode = (list: string, position: Position): string => {
  const payload = JSON.stringify([position.index, position.after, position.next])
  return Base64Url.encode(seal(list, payload) + payload)
}

/**
 * Reads a cursor of a list.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (list: string, cursor: string): Result.Result<Position, McpError.McpError> => {
  if (cursor.length > maxLength) return Result.fail(refused)
  const text = Result.getOrElse(Base64Url.decodeString(cursor), () => "")
  const payload = text.slice(16)
  // Every text of another spelling (padding, spaces) is another cursor, and none of ours.
  if (seal(list, payload) !== text.slice(0, 16) || Base64Url.encode(text) !== cursor) return Result.fail(refused)
  const position = read(payload)
  return position === undefined ? Result.fail(refused) : Result.succeed(position)
}

/** A cursor with a right checksum may still be made by hand. */
const read = (payload: string): Position | undefined => {
  try {
    const [index, after, next]: ReadonlyArray<unknown> = JSON.parse(payload)
    return Number.isSafeInteger(index) && typeof after === "string" && typeof next === "string"
      ? { index: index as number, after, next }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * One page of a list.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<out A> {
  readonly items: ReadonlyArray<A>
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/**
 * The page of a list that a request asks for, or the error that answers a cursor of another list.
 *
 * The list is in a fixed order, and its keys are unique. Without a `size` everything is one page, and there is no
 * cursor to be had. As long as those that stay keep their order, none of them is given twice or left out; what is added
 * before the cursor's place is not met by a client that is past it. When both items that a cursor lies between are gone,
 * it is refused.
 *
 * @since 0.1.0
 * @category paging
 */
export const page = <A>(list: string, items: ReadonlyArray<A>, options: {
  readonly cursor: string | undefined
  readonly size: number | undefined
  readonly key: (item: A) => string
}): Result.Result<Page<A>, McpError.McpError> => {
  const { cursor, key, size } = options
  if (size === undefined) return cursor === undefined ? Result.succeed({ items }) : Result.fail(refused)
  let start: number | undefined = 0
  if (cursor !== undefined) {
    const position = decode(list, cursor)
    if (Result.isFailure(position)) return Result.fail(position.failure)
    start = resume(items, position.success, key)
    if (start === undefined) return Result.fail(refused)
  }
  const end = start + Math.max(1, Math.floor(size))
  const slice = items.slice(start, end)
  const last = slice.at(-1)
  const next = items[end]
  return Result.succeed(
    last === undefined || next === undefined
      ? { items: slice }
      : { items: slice, nextCursor: encode(list, { after: key(last), next: key(next), index: end }) }
  )
}

const resume = <A>(
  items: ReadonlyArray<A>,
  { after, index, next }: Position,
  key: (item: A) => string
): number | undefined => {
  // Mostly nothing has changed.
  const before = items[index - 1]
  if (before !== undefined && key(before) === after) return index
  const last = items.findIndex((item) => key(item) === after)
  if (last !== -1) return last + 1
  const first = items.findIndex((item) => key(item) === next)
  return first === -1 ? undefined : first
}
