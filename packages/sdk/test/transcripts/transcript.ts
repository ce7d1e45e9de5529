/**
 * Transcripts: conversations with a server as text, played against it line by line.
 *
 * `-> JSON` is sent, `<- JSON` must come next. A line that begins with white space goes on with the one before, a line
 * that begins with `#` is a comment. In what must come, `"…"` stands for any value, as the last item of an array for
 * any further items, and as a member of an object (`"…": "…"`) for any further members. At the end nothing more comes.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as McpServer from "../../src/server/McpServer.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { settle, until } from "../peer/support/peers.ts"

export interface Step {
  readonly direction: "->" | "<-"
  readonly json: unknown
  readonly line: number
}

export const parse = (text: string): ReadonlyArray<Step> => {
  const blocks: Array<{ readonly direction: Step["direction"]; json: string; readonly line: number }> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("#") || line.trim() === "") continue
    const direction = line.slice(0, 2)
    if (direction === "->" || direction === "<-") blocks.push({ direction, json: line.slice(2), line: index + 1 })
    else if (/^\s/.test(line) && blocks.length > 0) blocks.at(-1)!.json += line
    else throw new Error(`Line ${index + 1} is none of a transcript: ${line}`)
  }
  return blocks.map(({ direction, json, line }) => {
    try {
      return { direction, json: JSON.parse(json) as unknown, line }
    } catch (cause) {
      throw new Error(`Line ${line} is no JSON`, { cause })
    }
  })
}

const any = "…"

const isRecord = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** Where a value is not what is expected; `undefined` where it is. */
export const difference = (expected: unknown, actual: unknown, path = "$"): string | undefined => {
  if (expected === any) return undefined
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return path
    const open = expected.at(-1) === any
    const items = open ? expected.slice(0, -1) : expected
    if (actual.length < items.length || (!open && actual.length > items.length)) return `${path}.length`
    for (const [index, item] of items.entries()) {
      const found = difference(item, actual[index], `${path}[${index}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isRecord(expected)) {
    if (!isRecord(actual)) return path
    for (const [key, value] of Object.entries(expected)) {
      if (key === any) continue
      if (!Object.hasOwn(actual, key)) return `${path}.${key}`
      const found = difference(value, actual[key], `${path}.${key}`)
      if (found !== undefined) return found
    }
    const surplus = any in expected ? undefined : Object.keys(actual).find((key) => !Object.hasOwn(expected, key))
    return surplus === undefined ? undefined : `${path}.${surplus}`
  }
  return Object.is(expected, actual) ? undefined : path
}

/** Plays a transcript against a server. */
export const play = Effect.fnUntraced(function*(
  server: McpServer.McpServer["Service"],
  steps: ReadonlyArray<Step>
): Effect.fn.Return<void, never, Scope.Scope> {
  const [near, far] = yield* Memory.pairWith({ passing: "text" })
  yield* Effect.forkScoped(Effect.scoped(server.endpoint.connect(far, { transport: "memory" })), {
    startImmediately: true
  })
  const received: Array<unknown> = []
  yield* Effect.forkScoped(
    Stream.runForEach(near.incoming, (frame) => Effect.sync(() => void received.push(frame))),
    { startImmediately: true }
  )
  let taken = 0
  for (const { direction, json, line } of steps) {
    if (direction === "->") {
      yield* Effect.orDie(near.send(json as never))
      continue
    }
    yield* until(`what line ${line} says came`, () => received.length > taken)
    const actual = received[taken++]
    const where = difference(json, actual)
    if (where !== undefined) {
      assert.fail(
        `Line ${line} differs at ${where}\nexpected ${JSON.stringify(json)}\nreceived ${JSON.stringify(actual)}`
      )
    }
  }
  yield* settle
  assert.deepStrictEqual(received.slice(taken), [], "after the end of the transcript")
})
