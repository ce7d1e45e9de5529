import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import {
  at,
  fallback,
  lenient,
  project,
  requiredUntil,
  since,
  stampedSince,
  until
} from "../../src/protocol/Projection.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { CallToolResult, Tool } from "../../src/protocol/Tools.ts"

const Old = Schema.Struct({ kind: Schema.Literal("old") }).pipe(until("2025-03-26"))
const New = Schema.Struct({ kind: Schema.Literal("new") }).pipe(since("2025-06-18"))
const Later = Schema.Struct({ kind: Schema.String }).pipe(fallback)

const Sample = Schema.Struct({
  always: Schema.String,
  newer: Schema.Int.pipe(lenient, Schema.optionalKey, since("2025-06-18")),
  older: Schema.String.pipe(Schema.optionalKey, until("2025-03-26")),
  window: Schema.String.pipe(Schema.optionalKey, since("2025-03-26"), until("2025-11-25")),
  once: Schema.String.pipe(Schema.optionalKey, requiredUntil("2024-11-05")),
  stamped: Schema.String.pipe(Schema.optionalKey, since("2026-07-28"), stampedSince("2026-07-28")),
  members: Schema.Array(Schema.Union([Old, New, Later]))
})

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.map(({ name, type }) => `${String(name)}${SchemaAST.isOptional(type) ? "?" : ""}`)
    : []

describe("at", () => {
  it("has the fields of the revision, required as the revision says", () => {
    const keys = (revision: Revision.Revision) => keysOf(at(revision)(Sample).ast)
    assert.deepStrictEqual(keys("2024-11-05"), ["always", "older?", "once", "members"])
    assert.deepStrictEqual(keys("2025-03-26"), ["always", "older?", "window?", "once?", "members"])
    assert.deepStrictEqual(keys("2025-06-18"), ["always", "newer?", "window?", "once?", "members"])
    assert.deepStrictEqual(keys("2026-07-28"), ["always", "newer?", "once?", "stamped", "members"])
  })

  it("has the union members of the revision, and none that stands for later ones", () => {
    const accepts = (revision: Revision.Revision, kind: string) =>
      Schema.is(at(revision)(Sample))({ always: "a", once: "b", stamped: "c", members: [{ kind }] })
    assert.deepStrictEqual(Revision.all.map((revision) => accepts(revision, "old")), [true, true, false, false, false])
    assert.deepStrictEqual(Revision.all.map((revision) => accepts(revision, "new")), [false, false, true, true, true])
    assert.isFalse(Revision.all.some((revision) => accepts(revision, "unheard of")))
  })

  it("keeps the checks", () => {
    assert.isFalse(Schema.is(at("2025-06-18")(Sample))({ always: "a", newer: 1.5, members: [] }))
  })

  it("is the same value every time", () => {
    for (const revision of Revision.all) {
      assert.strictEqual(at(revision)(CallToolResult).ast, at(revision)(CallToolResult).ast)
    }
  })

  it("gives each revision's JSON Schema", () => {
    const properties = (revision: Revision.Revision): ReadonlyArray<string> => {
      const document = Schema.toJsonSchemaDocument(at(revision)(Tool))
      const root: any = document.definitions["Tool"] ?? document.schema
      return Object.keys(root.properties)
    }
    assert.deepStrictEqual(properties("2024-11-05"), ["name", "description", "inputSchema"])
    assert.include(properties("2025-11-25"), "execution")
    assert.notInclude(properties("2026-07-28"), "execution")
  })
})

describe("the views for reading and writing", () => {
  it("read the fields of every revision, and do not hold the reader to lenient checks", () => {
    const view = project(Sample.ast, "2024-11-05", "result")
    assert.deepStrictEqual(keysOf(view), [
      "always",
      "newer?",
      "older?",
      "window?",
      "once",
      "stamped?",
      "members"
    ])
    assert.isTrue(
      Schema.is(Schema.make<Schema.Codec<unknown>>(view))({ always: "a", once: "", newer: 1.5, members: [] })
    )
  })

  it("hold the reader to all other checks", () => {
    const view = project(Schema.Struct({ count: Schema.Int }).ast, "2026-07-28", "request")
    assert.isFalse(Schema.is(Schema.make<Schema.Codec<unknown>>(view))({ count: 1.5 }))
  })

  it("ask for stamps in requests only", () => {
    const optional = (view: "exact" | "write" | "request" | "result") =>
      keysOf(project(Sample.ast, "2026-07-28", view)).includes("stamped?")
    assert.isFalse(optional("exact"))
    assert.isTrue(optional("write"))
    assert.isFalse(optional("request"))
    assert.isTrue(optional("result"))
  })
})
