import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Codec from "../../src/protocol/Codec.ts"
import * as Content from "../../src/protocol/Content.ts"
import * as Elicitation from "../../src/protocol/Elicitation.ts"
import * as Input from "../../src/protocol/Input.ts"
import { isWire } from "../../src/protocol/internal/parser.ts"
import * as Lifecycle from "../../src/protocol/Lifecycle.ts"
import * as Method from "../../src/protocol/Method.ts"
import { at, project } from "../../src/protocol/Projection.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as Sampling from "../../src/protocol/Sampling.ts"
import * as Tools from "../../src/protocol/Tools.ts"
import { mutate } from "./support/mutate.ts"
import { sendable, toJson } from "./support/sendable.ts"

const models: ReadonlyArray<readonly [string, Schema.Codec<unknown, unknown>]> = [
  ["ListToolsResult", Tools.ListToolsResult],
  ["CallToolRequestParams", Tools.CallToolRequestParams],
  ["CallToolResult", Tools.CallToolResult],
  ["InitializeResult", Lifecycle.InitializeResult],
  ["DiscoverResult", Lifecycle.DiscoverResult],
  ["CancelledNotificationParams", Lifecycle.CancelledNotificationParams],
  ["ElicitRequestParams", Elicitation.ElicitRequestParams],
  ["ElicitResult", Elicitation.ElicitResult],
  ["CreateMessageRequestParams", Sampling.CreateMessageRequestParams],
  ["CreateMessageResult", Sampling.CreateMessageResult],
  ["InputRequiredResult", Input.InputRequiredResult]
]

const success = <A>(result: Result.Result<A, string>): A => {
  if (Result.isFailure(result)) assert.fail(result.failure)
  return result.success
}

const failure = (result: Result.Result<unknown, string>): string => {
  if (Result.isSuccess(result)) assert.fail(`read as ${JSON.stringify(result.success)}`)
  return result.failure
}

const viewOf = (schema: Schema.Codec<unknown, unknown>, revision: Revision.Revision, view: "result" | "write") =>
  Schema.make<Schema.Codec<unknown, unknown>>(project(schema.ast, revision, view))

describe("laws", () => {
  it("every model of the protocol is read by compiled checks", () => {
    for (const method of [...Method.requests, ...Method.notifications]) {
      assert.isTrue(isWire(method.params.ast), method.name)
      if (method._tag === "Request") assert.isTrue(isWire(method.result.ast), method.name)
    }
  })

  for (const [name, schema] of models) {
    const valid = Arbitrary.schema(sendable(at(Revision.latest)(schema)))

    it.effect.prop(
      `${name}: whatever is read has the type it is said to have`,
      [valid, Schema.Int, Revision.Revision],
      ([value, seed, revision]) =>
        Effect.sync(() => {
          const read = Codec.decode(schema, revision)(mutate(toJson(value), seed))
          if (Result.isSuccess(read)) {
            assert.isTrue(Schema.is(viewOf(schema, revision, "result"))(read.success), JSON.stringify(read.success))
          }
        }),
      { arbitrary: { runs: 150, size: 5 } }
    )

    it.effect.prop(
      `${name}: Effect's own parser of the same schema reads nothing that is not read, and nothing else into it`,
      [valid, Schema.Int, Revision.Revision],
      ([value, seed, revision]) =>
        Effect.sync(() => {
          const json = mutate(toJson(value), seed)
          const theirs = Schema.decodeUnknownResult(viewOf(schema, revision, "result"))(json)
          const ours = Codec.decode(schema, revision)(json)
          if (Result.isSuccess(theirs)) assert.deepStrictEqual<unknown>(success(ours), theirs.success)
          else if (Result.isSuccess(ours)) assert.notStrictEqual(ours.success, json)
        }),
      { arbitrary: { runs: 150, size: 5 } }
    )

    it.effect.prop(
      `${name}: what is written at a revision is of that revision, and is written again as it is`,
      [valid, Revision.Revision],
      ([value, revision]) =>
        Effect.sync(() => {
          const encode = Codec.encode(schema, revision)
          const written = encode(value)
          if (Result.isFailure(written)) return
          assert.isTrue(Schema.is(Schema.toEncoded(viewOf(schema, revision, "write")))(written.success))
          assert.strictEqual<unknown>(success(encode(written.success)), written.success)
        }),
      { arbitrary: { runs: 60, size: 5 } }
    )

    it.effect.prop(
      `${name}: nothing is copied where nothing changes`,
      [valid],
      ([value]) =>
        Effect.sync(() => {
          const json = toJson(value)
          assert.strictEqual<unknown>(success(Codec.decode(schema, Revision.latest)(json)), json)
          assert.strictEqual<unknown>(success(Codec.encode(schema, Revision.latest)(json)), json)
        }),
      { arbitrary: { runs: 40, size: 5 } }
    )
  }
})

describe("reading", () => {
  const callTool = Method.decodeParams(Method.CallTool, "2025-11-25")
  const result = Method.decodeResult(Method.CallTool, "2025-06-18")
  const tools = Method.decodeResult(Method.ListTools, "2025-11-25")

  it("keeps what is not known, at every depth", () => {
    const json = {
      tools: [{
        name: "a",
        inputSchema: { type: "object", "x-order": 1 },
        annotations: { vendor: [] },
        extra: { a: 1 }
      }],
      _meta: { "com.example/a": { b: 1 } },
      more: null
    }
    assert.deepStrictEqual<unknown>(success(tools(json)), json)
  })

  it("keeps the tasks of 2025-11-25, which are not modelled", () => {
    const params = { name: "a", task: { ttl: 1000 } }
    assert.deepStrictEqual<unknown>(success(callTool(params)), params)
    const capabilities = { tasks: { list: {}, requests: { tools: { call: {} } } } }
    const initialized = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } }
    assert.deepStrictEqual<unknown>(
      success(Method.decodeResult(Method.Initialize, "2025-11-25")(initialized)),
      initialized
    )
  })

  it("takes absent params for empty ones", () => {
    assert.deepStrictEqual<unknown>(success(Method.decodeParams(Method.ListTools, "2025-11-25")(undefined)), {})
  })

  it("takes null for an optional member as its absence", () => {
    assert.deepStrictEqual<unknown>(success(callTool({ name: "a", arguments: null, _meta: null })), { name: "a" })
    assert.deepStrictEqual<unknown>(
      success(tools({ tools: [{ name: "a", description: null, inputSchema: { type: "object" } }], nextCursor: null })),
      { tools: [{ name: "a", inputSchema: { type: "object" } }] }
    )
    assert.strictEqual<unknown>(failure(callTool({ name: null })), "name: expected a string, received null")
  })

  it("takes an empty list for an empty object", () => {
    assert.deepStrictEqual<unknown>(success(callTool({ name: "a", arguments: [] })), { name: "a", arguments: {} })
    assert.deepStrictEqual<unknown>(
      success(tools({ tools: [{ name: "a", inputSchema: { type: "object", properties: [] } }] })),
      { tools: [{ name: "a", inputSchema: { type: "object", properties: {} } }] }
    )
  })

  it("passes over malformed hints", () => {
    assert.deepStrictEqual<unknown>(
      success(tools({
        tools: [{ name: "a", inputSchema: { type: "object" }, icons: "x", annotations: { readOnlyHint: "yes" } }]
      })),
      { tools: [{ name: "a", inputSchema: { type: "object" } }] }
    )
    assert.deepStrictEqual<unknown>(
      success(callTool({ name: "a", _meta: { traceparent: 5, progressToken: 1 } })),
      { name: "a", _meta: { progressToken: 1 } }
    )
  })

  it("keeps the fields of later revisions where they are what they would be, and passes over them otherwise", () => {
    const decode = Method.decodeResult(Method.CallTool, "2024-11-05")
    const newer = { content: [{ type: "audio", data: "", mimeType: "audio/wav" }], structuredContent: { a: 1 } }
    assert.deepStrictEqual<unknown>(success(decode(newer)), newer)
    assert.deepStrictEqual<unknown>(
      success(Method.decodeParams(Method.CallTool, "2024-11-05")({ name: "a", inputResponses: 5, requestState: {} })),
      { name: "a" }
    )
  })

  it("takes structured content of any kind, since old servers send it", () => {
    const json = { content: [], structuredContent: [1] }
    assert.deepStrictEqual<unknown>(success(result(json)), json)
  })

  it("takes a result without content for one with none", () => {
    assert.deepStrictEqual<unknown>(success(result({ structuredContent: { a: 1 } })), {
      structuredContent: { a: 1 },
      content: []
    })
  })

  it("does not hold the reader to ranges", () => {
    const json = { content: [{ type: "text", text: "a", annotations: { priority: 7 } }] }
    assert.deepStrictEqual<unknown>(success(result(json)), json)
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
    const listed = { tools: [], ttlMs: -1, cacheScope: "private" }
    assert.deepStrictEqual<unknown>(success(Method.decodeResult(Method.ListTools, "2026-07-28")(listed)), listed)
    assert.strictEqual<unknown>(
      failure(Method.encodeResult(Method.ListTools, "2026-07-28")({ tools: [], ttlMs: -1 })),
      "ttlMs: expected a value greater than or equal to 0, received -1"
    )
  })

  it("reads results that older servers send without stamps, and params only with them", () => {
    assert.deepStrictEqual<unknown>(success(Method.decodeResult(Method.ListTools, "2026-07-28")({ tools: [] })), {
      tools: []
    })
    const decode = Method.decodeParams(Method.ListTools, "2026-07-28")
    assert.strictEqual<unknown>(failure(decode({})), "_meta: is missing, expected an object")
    assert.strictEqual<unknown>(
      failure(decode({ _meta: { "io.modelcontextprotocol/clientCapabilities": {} } })),
      "_meta[\"io.modelcontextprotocol/protocolVersion\"]: is missing, expected a string"
    )
  })

  it("wraps a block of unknown type, alone, and writes it as it came", () => {
    const json = { content: [{ type: "text", text: "a" }, { type: "video", url: "https://example.com", n: 1 }] }
    const read = success(result(json))
    assert.deepStrictEqual<unknown>(read, {
      content: [{ type: "text", text: "a" }, { type: "unknown", block: json.content[1] as {} }]
    })
    for (const revision of Revision.all) {
      assert.deepStrictEqual<unknown>(success(Method.encodeResult(Method.CallTool, revision)(read)), json)
    }
    // Even where its type is "unknown" on the wire.
    const literally = { content: [{ type: "unknown", block: { type: "text" } }] }
    const again = success(result(literally))
    assert.deepStrictEqual<unknown>(success(Method.encodeResult(Method.CallTool, "2026-07-28")(again)), literally)
  })

  it("says where and why it cannot", () => {
    assert.strictEqual<unknown>(failure(callTool({})), "name: is missing, expected a string")
    assert.strictEqual<unknown>(failure(callTool(5)), "params: expected an object, received 5")
    assert.strictEqual<unknown>(
      failure(callTool({ name: "a", arguments: "b" })),
      "arguments: expected an object, received \"b\""
    )
    assert.strictEqual<unknown>(
      failure(result({ content: [{ type: "text", text: "a" }, { type: "image", data: "" }] })),
      "content[1].mimeType: is missing, expected a string"
    )
    assert.strictEqual<unknown>(failure(result({ content: ["a"] })), "content[0]: expected an object, received \"a\"")
    assert.strictEqual<unknown>(
      failure(Method.decodeParams(Method.SetLevel, "2025-11-25")({ level: "loud" })),
      "level: expected \"debug\" or \"info\" or \"notice\" or \"warning\" or \"error\" or \"critical\" or \"alert\" " +
        "or \"emergency\", received \"loud\""
    )
    assert.strictEqual<unknown>(
      failure(
        Method.decodeParams(Method.Elicit, "2025-11-25")({
          message: "m",
          requestedSchema: { type: "object", properties: { a: { type: "object" } } }
        })
      ),
      "requestedSchema.properties.a.type: expected \"string\", received \"object\""
    )
  })
})

describe("writing", () => {
  const result: Tools.CallToolResult = {
    content: [Content.text("a", { _meta: { a: 1 }, annotations: { lastModified: "2025-01-01T00:00:00Z" } })],
    structuredContent: { a: 1 },
    resultType: "complete"
  }

  it("leaves out what the revision does not have", () => {
    const at = (revision: Revision.Revision) => success(Method.encodeResult(Method.CallTool, revision)(result))
    assert.strictEqual<unknown>(at("2026-07-28"), result)
    assert.deepStrictEqual<unknown>(at("2025-06-18"), { content: result.content, structuredContent: { a: 1 } })
    assert.deepStrictEqual<unknown>(at("2024-11-05"), { content: [{ type: "text", text: "a", annotations: {} }] })
  })

  it("leaves the value that it was given alone", () => {
    const copy = structuredClone(result)
    success(Method.encodeResult(Method.CallTool, "2024-11-05")(result))
    assert.deepStrictEqual<unknown>(result, copy)
  })

  it("keeps what no revision knows, extensions included", () => {
    const params = {
      protocolVersion: "2024-11-05",
      capabilities: { extensions: { "io.modelcontextprotocol/ui": {} }, vendor: true },
      clientInfo: { name: "c", version: "1" }
    }
    assert.strictEqual<unknown>(success(Method.encodeParams(Method.Initialize, "2024-11-05")(params)), params)
  })

  it("writes a tool's execution at 2025-11-25 only", () => {
    const tool = {
      name: "a",
      inputSchema: { type: "object" as const },
      execution: { taskSupport: "optional" as const }
    }
    const { execution: _, ...rest } = tool
    for (const revision of Revision.all) {
      assert.deepStrictEqual<unknown>(
        success(Method.encodeResult(Method.ListTools, revision)({ tools: [tool] })),
        { tools: [revision === "2025-11-25" ? tool : rest] },
        revision
      )
    }
  })

  it("does not ask for what the era stamps", () => {
    assert.deepStrictEqual<unknown>(success(Method.encodeParams(Method.CallTool, "2026-07-28")({ name: "a" })), {
      name: "a"
    })
    assert.deepStrictEqual<unknown>(success(Method.encodeResult(Method.ListTools, "2026-07-28")({ tools: [] })), {
      tools: []
    })
  })

  it("passes over undefined members, which JSON leaves out", () => {
    const value = { content: [], structuredContent: undefined } as unknown as Tools.CallToolResult
    assert.deepStrictEqual<unknown>(success(Method.encodeResult(Method.CallTool, "2025-11-25")(value)), value)
  })

  it("refuses what the revision cannot say", () => {
    assert.strictEqual<unknown>(
      failure(Method.encodeResult(Method.CallTool, "2024-11-05")({ content: [Content.audio("", "audio/wav")] })),
      "content[0].type: expected \"text\" or \"image\" or \"resource\", received \"audio\""
    )
    assert.strictEqual<unknown>(
      failure(Method.encodeResult(Method.CallTool, "2025-11-25")({ content: [], structuredContent: [1] })),
      "structuredContent: expected an object, received an array of 1 item"
    )
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#response-format
    assert.match(
      failure(
        Method.encodeResult(Method.Complete, "2025-11-25")({
          completion: { values: Array.from({ length: 101 }, String) }
        })
      ),
      /^completion\.values: expected .*100, received an array of 101 items$/
    )
    assert.strictEqual<unknown>(
      failure(
        Method.encodeParams(Method.Elicit, "2025-11-25")({ mode: "url", message: "m", url: "https://a.example" })
      ),
      "elicitationId: is missing, expected a string"
    )
    assert.strictEqual<unknown>(
      failure(Method.encodeParams(Method.Cancelled, "2026-07-28")({ reason: "r" })),
      "requestId: is missing, expected a string or an integer"
    )
  })
})
