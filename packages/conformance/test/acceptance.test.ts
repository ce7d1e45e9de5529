// The product is held to the acceptance suites: all of MUST and SHOULD, and QUALITY but for what has a stated reason.
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Acceptance from "../src/acceptance.ts"

describe("acceptance", () => {
  layer(NodeServices.layer)((it) => {
    it.effect("passes every suite that is there", () =>
      Effect.gen(function*() {
        const outcomes = yield* Acceptance.run
        if (outcomes.length === 0) {
          yield* Effect.logInfo("No folder with acceptance suites beside this project: nothing to pass")
        }
        for (const { counts, problems, suite } of outcomes) assert.deepStrictEqual(problems, [], `${suite}: ${counts}`)
      }), 1_500_000)
  })
})
