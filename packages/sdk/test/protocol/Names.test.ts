import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as MetaKey from "../../src/protocol/MetaKey.ts"
import * as ToolName from "../../src/protocol/ToolName.ts"

describe("ToolName", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
  it("takes what the specification names as valid", () => {
    for (const name of ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a", "a-b", "x".repeat(128)]) {
      assert.isTrue(ToolName.isConforming(name), name)
      assert.isUndefined(ToolName.advice(name))
    }
  })

  it("says what is wrong with any other, and what would do", () => {
    assert.match(ToolName.advice("")!, /empty/)
    assert.match(ToolName.advice("x".repeat(129))!, /129 characters, 128 are the most/)
    assert.match(ToolName.advice("weather forecast")!, /"weather_forecast" would do/)
    assert.match(ToolName.advice("météo,paris/now")!, /"meteo_paris_now" would do/)
    for (const name of ["a\n", "a b", "a,b", "ä", "a/b", " a"]) assert.isFalse(ToolName.isConforming(name), name)
  })

  it.effect.prop(
    "conform gives a name that conforms, and leaves one that does",
    { name: Schema.String },
    ({ name }) =>
      Effect.sync(() => {
        assert.isTrue(ToolName.isConforming(ToolName.conform(name)))
        assert.strictEqual(ToolName.conform(ToolName.conform(name)), ToolName.conform(name))
        assert.strictEqual(ToolName.advice(name) === undefined, ToolName.isConforming(name))
        if (ToolName.isConforming(name)) assert.strictEqual(ToolName.conform(name), name)
      })
  )
})

describe("MetaKey", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
  it("reads prefix and name", () => {
    assert.deepStrictEqual(
      MetaKey.parse("com.example/trace-id"),
      Result.succeed({ prefix: "com.example", name: "trace-id" })
    )
    assert.deepStrictEqual(MetaKey.parse("progressToken"), Result.succeed({ prefix: undefined, name: "progressToken" }))
    assert.deepStrictEqual(MetaKey.parse("a-1.b/"), Result.succeed({ prefix: "a-1.b", name: "" }))
  })

  it("refuses the rest, saying why", () => {
    for (const key of ["/a", "1a/b", "a-/b", "-a/b", "a..b/c", ".a/b", "a./b", "a_b/c", "ä/b"]) {
      const parsed = MetaKey.parse(key)
      assert.isTrue(Result.isFailure(parsed) && /labels of a prefix/.test(parsed.failure.message), key)
    }
    for (const key of ["-a", "a-", "_a", "a.", "a/b/c", "a b", "com.example/ä", "a\n"]) {
      const parsed = MetaKey.parse(key)
      assert.isTrue(Result.isFailure(parsed) && /a name begins/.test(parsed.failure.message), key)
    }
  })

  it.effect.prop(
    "any string is a key or is refused, and what is read is what was written",
    { key: Schema.String },
    ({ key }) =>
      Effect.sync(() => {
        const parsed = MetaKey.parse(key)
        if (Result.isFailure(parsed)) return
        const { name, prefix } = parsed.success
        assert.strictEqual(prefix === undefined ? name : `${prefix}/${name}`, key)
      })
  )

  it("knows what MCP keeps for itself", () => {
    const reserved = [
      "io.modelcontextprotocol/a",
      "dev.mcp/a",
      "org.modelcontextprotocol.api/a",
      "com.mcp.tools/a",
      "progressToken",
      "traceparent",
      "tracestate",
      "baggage"
    ]
    for (const key of reserved) assert.isTrue(MetaKey.isReserved(key), key)
    for (const key of ["com.example.mcp/a", "mcp/a", "com.example/mcp", "a", "mcp.dev/a", "not a key"]) {
      assert.isFalse(MetaKey.isReserved(key), key)
    }
    // https://modelcontextprotocol.io/specification/2025-06-18/basic#meta
    for (const key of ["modelcontextprotocol.io/a", "mcp.dev/a", "api.modelcontextprotocol.org/a", "tools.mcp.com/a"]) {
      assert.isTrue(MetaKey.isReserved(key, "2025-06-18"), key)
    }
    assert.isFalse(MetaKey.isReserved("com.example.mcp/a", "2025-06-18"))
  })

  it("an extension has a prefix and a name", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
    for (const id of ["io.modelcontextprotocol/ui", "com.example/feature.v2"]) assert.isTrue(MetaKey.isExtensionId(id))
    for (const id of ["ui", "com.example/", "/ui", "com.example/a b"]) assert.isFalse(MetaKey.isExtensionId(id), id)
  })
})
