import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Cursor from "../../src/protocol/Cursor.ts"
import * as McpError from "../../src/protocol/McpError.ts"

const list = "tools/list"
const key = (item: string) => item
const page = (items: ReadonlyArray<string>, cursor: string | undefined, size: number | undefined, name = list) =>
  Cursor.page(name, items, { cursor, size, key })
const isRefused = (result: Result.Result<unknown, unknown>) =>
  Result.isFailure(result) && result.failure === Cursor.refused

/** All pages, with a change of the list between each two. */
const walk = (
  items: ReadonlyArray<string>,
  size: number,
  change: (items: ReadonlyArray<string>, round: number) => ReadonlyArray<string> = (items) => items
) => {
  const seen: Array<string> = []
  let current = items
  let cursor: string | undefined
  for (let round = 0;; round++) {
    const { items, nextCursor } = Result.getOrThrow(page(current, cursor, size))
    seen.push(...items)
    if (nextCursor === undefined) return seen
    cursor = nextCursor
    current = change(current, round)
  }
}

const Names = Schema.Array(Schema.String).check(Schema.isMaxLength(20))
const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))
const Position = Schema.Struct({
  after: Schema.String,
  next: Schema.String,
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
})

describe("Cursor", () => {
  it.effect.prop(
    "comes back as it was made",
    { name: Schema.String, position: Position },
    ({ name, position }) =>
      Effect.sync(() => {
        const cursor = Cursor.encode(name, position)
        assert.match(cursor, /^[A-Za-z0-9_-]+$/)
        assert.deepStrictEqual(Cursor.decode(name, cursor), Result.succeed(position))
      })
  )

  it.effect.prop(
    "is refused where it is another list's, damaged, or garbage",
    { position: Position, garbage: Schema.String, at: Schema.Int, other: Schema.String },
    ({ at, garbage, other, position }) =>
      Effect.sync(() => {
        const cursor = Cursor.encode(list, position)
        if (other !== list) assert.isTrue(isRefused(Cursor.decode(other, cursor)))
        if (garbage !== cursor) assert.isTrue(isRefused(Cursor.decode(list, garbage)))
        const i = Math.abs(at) % cursor.length
        const damaged = cursor.slice(0, i) + (cursor[i] === "A" ? "B" : "A") + cursor.slice(i + 1)
        for (const wrong of [damaged, cursor.slice(0, i), `${cursor}A`, `${cursor}=`, ` ${cursor}`, ""]) {
          assert.isTrue(isRefused(Cursor.decode(list, wrong)), wrong)
        }
      })
  )

  it.effect.prop(
    "the pages together are the list",
    { names: Names, size: Size },
    ({ names, size }) =>
      Effect.sync(() => {
        const items = Array.from(new Set(names))
        assert.deepStrictEqual(walk(items, size), items)
        assert.deepStrictEqual(Result.getOrThrow(page(items, undefined, undefined)), { items })
      })
  )

  it.effect.prop(
    "what stays is met exactly once, whatever is added and removed between the pages",
    { count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })), size: Size, seed: Schema.Int },
    ({ count, seed, size }) =>
      Effect.sync(() => {
        const items = Array.from({ length: count }, (_, i) => `item-${i}`)
        const stays = items.filter((_, i) => i % 2 === 0)
        // At any place something is added, and one of the others goes: of two neighbours one always stays.
        const seen = walk(items, size, (items, round) => {
          // What is added before every next page can be read for ever: it has to end at some time.
          if (round > 2 * count) return items
          const at = Math.abs(seed + round * 7) % (items.length + 1)
          const gone = items.find((item) => !stays.includes(item) && item.startsWith("item-"))
          return items.toSpliced(at, 0, `new-${round}`).filter((item) => item !== gone)
        })
        assert.deepStrictEqual(seen.filter((item) => stays.includes(item)), stays)
      })
  )

  it("is bound to its list, and needs a page size", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#error-handling
    const { nextCursor } = Result.getOrThrow(page(["a", "b", "c"], undefined, 2))
    assert.isDefined(nextCursor)
    assert.deepStrictEqual(Result.getOrThrow(page(["a", "b", "c"], nextCursor, 2)), { items: ["c"] })
    assert.isTrue(isRefused(page(["a", "b", "c"], nextCursor, 2, "prompts/list")))
    assert.isTrue(isRefused(page(["a", "b", "c"], nextCursor, undefined)))
    assert.strictEqual(McpError.toJsonRpc(Cursor.refused, "2026-07-28").code, -32602)
  })

  it("goes on from the next item when the last one is gone, and is refused when both are", () => {
    const items = ["a", "b", "c", "d"]
    const { nextCursor } = Result.getOrThrow(page(items, undefined, 2))
    assert.deepStrictEqual(Result.getOrThrow(page(["c", "d"], nextCursor, 2)).items, ["c", "d"])
    assert.deepStrictEqual(Result.getOrThrow(page(["x", "a", "b", "y", "d"], nextCursor, 2)).items, ["y", "d"])
    assert.isTrue(isRefused(page(["a", "d"], nextCursor, 2)))
  })

  it("one made by hand is read as what it is, or refused", () => {
    const forged = (position: { readonly [key: string]: unknown }) =>
      Cursor.encode(list, position as unknown as Cursor.Position)
    for (
      const position of [{ index: "1", after: "a", next: "b" }, { index: 1 }, { index: 0.5, after: "a", next: "b" }]
    ) {
      assert.isTrue(isRefused(Cursor.decode(list, forged(position))), JSON.stringify(position))
    }
    for (const index of [-1, 1e15]) {
      assert.deepStrictEqual(Result.getOrThrow(page(["a", "b"], forged({ index, after: "a", next: "b" }), 2)).items, [
        "b"
      ])
    }
  })

  it("an oversized cursor is not read", () => {
    assert.isTrue(isRefused(Cursor.decode(list, "A".repeat(1_000_000))))
  })
})
