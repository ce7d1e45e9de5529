import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { difference, parse, play } from "../transcripts/transcript.ts"
import { weather } from "../transcripts/weather.ts"

const folder = new URL("../transcripts/", import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"))

describe("transcripts", () => {
  for (const file of files) {
    it.effect(
      file,
      () => Effect.flatMap(weather, (server) => play(server, parse(readFileSync(new URL(file, folder), "utf8"))))
    )
  }

  it("there is one for each revision", () => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
      assert.include(files, `${revision}.txt`)
    }
  })

  it("say where a frame is another than the one that was expected", () => {
    const cases: ReadonlyArray<readonly [unknown, unknown, string | undefined]> = [
      ["…", { any: 1 }, undefined],
      [{ a: 1 }, { a: 1 }, undefined],
      [{ a: 1 }, { a: 2 }, "$.a"],
      [{ a: 1 }, { a: 1, b: 2 }, "$.b"],
      [{ a: 1, "…": "…" }, { a: 1, b: 2 }, undefined],
      [{ a: 1, "…": "…" }, { b: 2 }, "$.a"],
      [[1, 2], [1], "$.length"],
      [[1], [1, 2], "$.length"],
      [[1, "…"], [1, 2, 3], undefined],
      [[1, "…"], [2], "$[0]"],
      [{ a: [{ b: null }] }, { a: [{ b: 0 }] }, "$.a[0].b"],
      [1, "1", "$"]
    ]
    for (const [expected, actual, where] of cases) {
      assert.strictEqual(difference(expected, actual), where, JSON.stringify([expected, actual]))
    }
    assert.throws(() => parse("hello"), /Line 1/)
    assert.throws(() => parse("\n-> {"), /Line 2 is no JSON/)
  })
})
