import { assert, describe, it } from "@effect/vitest"
import * as core from "@modelcontextprotocol/core"
import * as v1 from "@modelcontextprotocol/sdk/types.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Revision from "../../src/protocol/Revision.ts"
import { counterpart, names } from "./support/official.ts"
import { sendable, toJson } from "./support/sendable.ts"

interface Parser {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: unknown }
}

// What the schemas of the official SDK do not say as the specification does, and why that is no matter here.
const apart = (name: string, revision: Revision.Revision): string | undefined => {
  switch (name) {
    case "EmptyResult":
      return "strict there: the specification lets an empty result carry more"
    case "ElicitRequest":
    case "ElicitRequestParams":
    case "ElicitRequestURLParams":
      return revision === "2026-07-28" ? "still requires the elicitationId of 2025-11-25" : undefined
    default:
      return undefined
  }
}

// The result of sampling is two schemas there: without tools, and with them.
const nameOf = (name: string, revision: Revision.Revision): string =>
  name === "CreateMessageResult" && Revision.atLeast(revision, "2025-11-25") ? "CreateMessageResultWithTools" : name

const laws = (schemas: { readonly [name: string]: unknown }, revisions: ReadonlyArray<Revision.Revision>) => {
  for (const revision of revisions) {
    describe(revision, () => {
      for (const name of names) {
        const ours = counterpart(name, revision)
        const theirs = schemas[`${nameOf(name, revision)}Schema`] as Parser | undefined
        if (ours?.sends === undefined || !ours.available || theirs === undefined) continue
        if (apart(name, revision) !== undefined) continue

        it.effect.prop(
          `${name}: what is sent is read`,
          [Arbitrary.schema(sendable(ours.sends))],
          ([value]) =>
            Effect.sync(() => {
              const parsed = theirs.safeParse(toJson(value))
              assert.isTrue(parsed.success, String(parsed.error))
            }),
          { arbitrary: { runs: 12, size: 5 } }
        )
      }
    })
  }
}

describe("the official SDK, version 1", () => laws(v1, Revision.handshake))

describe("the official SDK, version 2", () => laws(core, Revision.all))
