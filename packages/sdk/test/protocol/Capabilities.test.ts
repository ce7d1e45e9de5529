import { assert, describe, it } from "@effect/vitest"
import * as Capabilities from "../../src/protocol/Capabilities.ts"
import * as LoggingLevel from "../../src/protocol/LoggingLevel.ts"

describe("client capabilities", () => {
  it("are declared by an object, and their parts likewise", () => {
    const declared = { sampling: { tools: {} }, roots: { listChanged: false } }
    assert.isTrue(Capabilities.clientHas(declared, "sampling"))
    assert.isTrue(Capabilities.clientHas(declared, "sampling.tools"))
    assert.isFalse(Capabilities.clientHas(declared, "sampling.context"))
    assert.isTrue(Capabilities.clientHas(declared, "roots"))
    assert.isFalse(Capabilities.clientHas(declared, "roots.listChanged"))
    assert.isFalse(Capabilities.clientHas(declared, "elicitation"))
  })

  it("mean a form by an elicitation without modes", () => {
    // https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
    assert.isTrue(Capabilities.clientHas({ elicitation: {} }, "elicitation.form"))
    assert.isFalse(Capabilities.clientHas({ elicitation: {} }, "elicitation.url"))
    assert.isFalse(Capabilities.clientHas({ elicitation: { url: {} } }, "elicitation.form"))
    assert.isTrue(Capabilities.clientHas({ elicitation: { form: {}, url: {} } }, "elicitation.form"))
    assert.isFalse(Capabilities.clientHas({}, "elicitation.form"))
  })

  it("that are missing are named as they would be declared", () => {
    for (
      const capability of [
        "roots",
        "roots.listChanged",
        "sampling",
        "sampling.tools",
        "elicitation",
        "elicitation.form",
        "elicitation.url"
      ] as const
    ) {
      assert.isTrue(Capabilities.clientHas(Capabilities.clientRequirement(capability), capability), capability)
    }
    assert.deepStrictEqual(Capabilities.clientRequirement("sampling.tools"), { sampling: { tools: {} } })
  })
})

describe("server capabilities", () => {
  it("are declared by an object, and their parts by true", () => {
    const declared = { resources: { subscribe: true }, logging: {} }
    assert.isTrue(Capabilities.serverHas(declared, "resources", "2025-11-25"))
    assert.isTrue(Capabilities.serverHas(declared, "resources.subscribe", "2025-11-25"))
    assert.isFalse(Capabilities.serverHas(declared, "resources.listChanged", "2025-11-25"))
    assert.isTrue(Capabilities.serverHas(declared, "logging", "2025-11-25"))
    assert.isFalse(Capabilities.serverHas(declared, "tools", "2025-11-25"))
  })

  it("had none for completion at first", () => {
    assert.isTrue(Capabilities.serverHas({}, "completions", "2024-11-05"))
    assert.isFalse(Capabilities.serverHas({}, "completions", "2025-03-26"))
    assert.isTrue(Capabilities.serverHas({ completions: {} }, "completions", "2025-03-26"))
  })
})

describe("logging levels", () => {
  it("are in the order of their gravity", () => {
    for (const [i, level] of LoggingLevel.all.entries()) {
      for (const [j, threshold] of LoggingLevel.all.entries()) {
        assert.strictEqual(LoggingLevel.atLeast(level, threshold), i >= j)
      }
    }
    assert.isTrue(LoggingLevel.atLeast("emergency", "debug"))
  })
})
