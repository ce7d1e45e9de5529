import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Method from "../../src/protocol/Method.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { generate } from "./support/fromJsonSchema.ts"
import { counterpart, definitionsOf, examples, invalid, type Json, present, without } from "./support/official.ts"
import { sendable, toJson } from "./support/sendable.ts"

const assertSame = (result: Result.Result<unknown, string>, json: unknown): void => {
  if (Result.isFailure(result)) assert.fail(result.failure)
  assert.deepStrictEqual(result.success, json)
}

const methodsOf = (definitions: Json, union: string): ReadonlyArray<string> => {
  const definition: Json = definitions[union] ?? {}
  const members: ReadonlyArray<Json> = definition["anyOf"] ?? (definition["type"] === undefined ? [] : [definition])
  return members.map((member) => {
    const name = (member["$ref"] as string | undefined)?.split("/").at(-1)
    return (name === undefined ? member : definitions[name]).properties.method.const
  })
}

const laws = (revision: Revision.Revision) => {
  const definitions = definitionsOf(revision)

  it("names nothing that has no counterpart here and no reason for that", () => {
    const missing = Object.keys(definitions).filter((name) =>
      counterpart(name, revision) === undefined && without[name] === undefined
    )
    assert.deepStrictEqual(missing, [])
  })

  it("has the messages of the table of methods, each from the same sender", () => {
    for (const sender of ["Client", "Server"] as const) {
      for (const tag of ["Request", "Notification"] as const) {
        const published = methodsOf(definitions, `${sender}${tag}`).filter((name) => !name.includes("tasks/"))
        const ours = [...Method.requests, ...Method.notifications].filter((method) =>
          method._tag === tag && Method.isAvailable(method, revision, sender === "Client" ? "client" : "server")
        )
        assert.deepStrictEqual(ours.map((method) => method.name).sort(), [...published].sort(), `${sender}${tag}`)
      }
    }
  })

  for (const name of Object.keys(definitions)) {
    const ours = counterpart(name, revision)
    if (ours === undefined) continue

    it.effect.prop(
      `${name}: what is valid there is read, and written as it was`,
      [Schema.Int],
      ([seed]) =>
        Effect.sync(() => {
          const json = generate(definitions, name, seed)
          assert.isUndefined(invalid(revision, name, json), "the generator is wrong")
          assertSame(ours.roundTrip(json), json)
        }),
      { arbitrary: { runs: 40 } }
    )

    if (ours.sends === undefined) continue

    it.effect.prop(
      `${name}: what is sent is valid there, and read as it was`,
      [Arbitrary.schema(sendable(ours.sends))],
      ([value]) =>
        Effect.sync(() => {
          const json = toJson(value)
          assert.isUndefined(invalid(revision, name, json))
          assertSame(ours.roundTrip(json), json)
        }),
      { arbitrary: { runs: 20, size: 5 } }
    )
  }
}

// https://modelcontextprotocol.io/specification/2026-07-28/schema, and that of every revision before.
describe("the published schemas", () => {
  if (present) {
    for (const revision of Revision.all) describe(revision, () => laws(revision))

    for (const [name, file, json] of examples()) {
      it(`the example ${name}/${file} is read, and written as it was`, () => {
        const ours = counterpart(name, "2026-07-28")
        if (ours === undefined) assert.fail(`${name} has no counterpart`)
        assertSame(ours.roundTrip(json), json)
      })
    }
  } else {
    it("are not on this machine: nothing is compared with them", () => {
      assert.isFalse(present)
    })
  }
})
