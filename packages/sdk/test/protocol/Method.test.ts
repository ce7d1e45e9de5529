import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Method from "../../src/protocol/Method.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as Wire from "../../src/protocol/Wire.ts"

const all: ReadonlyArray<Method.Any> = [...Method.requests, ...Method.notifications]

describe("lookup", () => {
  it("finds every method under its name, requests apart from notifications", () => {
    for (const method of Method.requests) {
      assert.strictEqual<unknown>(Method.request(method.name), method)
      assert.isUndefined(Method.notification(method.name as string))
    }
    for (const method of Method.notifications) {
      assert.strictEqual<unknown>(Method.notification(method.name), method)
      assert.isUndefined(Method.request(method.name as string))
    }
    assert.strictEqual(new Set(all.map((method) => method.name)).size, all.length)
    assert.isUndefined(Method.request("tools/dance" as string))
    assert.isUndefined(Method.request("constructor" as string))
  })

  it("knows the type of a method by its name", () => {
    const decoded = Method.decodeParams(Method.request("tools/call"), "2025-11-25")({ name: "a" })
    assert.strictEqual(Result.getOrThrow(decoded).name, "a")
  })
})

describe("the table", () => {
  const names = (filter: (method: Method.AnyRequest) => boolean) =>
    Method.requests.filter(filter).map((method) => method.name).sort()

  it("says which requests may be answered by asking back", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
    assert.deepStrictEqual(names((method) => method.acceptsInput), ["prompts/get", "resources/read", "tools/call"])
  })

  it("says which results have cache hints", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
    assert.deepStrictEqual(names((method) => method.cacheable), [
      "prompts/list",
      "resources/list",
      "resources/read",
      "resources/templates/list",
      "server/discover",
      "tools/list"
    ])
  })

  it("says what a request is about where HTTP has to know", () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers
    assert.deepStrictEqual(
      Object.fromEntries(
        Method.requests.flatMap(({ name, subject }) => subject === undefined ? [] : [[name, subject]])
      ),
      { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }
    )
  })

  it("says who sends what, when", () => {
    const available = (name: Method.RequestName, sender?: Method.Side) =>
      Revision.all.filter((revision) => Method.isAvailable(Method.request(name), revision, sender))
    assert.deepStrictEqual(available("ping", "client"), Revision.handshake)
    assert.deepStrictEqual(available("ping", "server"), Revision.handshake)
    assert.deepStrictEqual(available("server/discover"), Revision.modern)
    assert.deepStrictEqual(available("tools/call"), [...Revision.all])
    assert.deepStrictEqual(available("tools/call", "server"), [])
    assert.deepStrictEqual(available("elicitation/create", "server"), ["2025-06-18", "2025-11-25"])
    const progress = (sender: Method.Side) =>
      Revision.all.filter((revision) => Method.isAvailable(Method.Progress, revision, sender))
    assert.deepStrictEqual(progress("client"), Revision.handshake)
    assert.deepStrictEqual(progress("server"), [...Revision.all])
  })

  it("has params that every revision can write empty or says why not", () => {
    for (const method of all) {
      for (const revision of Revision.all) {
        const written = Method.encodeParams(method, revision)({})
        if (Result.isFailure(written)) assert.match(written.failure, /is missing/, `${method.name} at ${revision}`)
        else assert.deepStrictEqual(written.success, {})
      }
    }
  })
})

describe("a method of one's own", () => {
  const Params = Wire.struct<{ readonly taskId: string; readonly note?: string }>("GetTaskParams", {
    taskId: Schema.String,
    note: Schema.optionalKey(Schema.String)
  })
  const GetTask = Method.makeRequest("tasks/get", {
    direction: "client to server",
    since: "2026-07-28",
    params: Params,
    result: Wire.JsonObject
  })

  it("has the codecs of the protocol's own", () => {
    const decode = Method.decodeParams(GetTask, "2026-07-28")
    assert.deepStrictEqual(
      decode({ taskId: "1", more: 2, note: null }),
      Result.succeed({ taskId: "1", more: 2 } as any)
    )
    assert.deepStrictEqual(decode({}), Result.fail("taskId: is missing, expected a string"))
    assert.deepStrictEqual(Method.encodeResult(GetTask, "2026-07-28")({ a: 1 }), Result.succeed({ a: 1 }))
    assert.isFalse(Method.isAvailable(GetTask, "2025-11-25"))
  })

  it("may have transformations", () => {
    const Due = Method.makeNotification("notifications/due", {
      direction: "both",
      params: Schema.Struct({ at: Schema.NumberFromString, tags: Schema.Tuple([Schema.String]) })
    })
    const json = { at: "5", tags: ["a"] }
    const value = { at: 5, tags: ["a"] as const }
    assert.deepStrictEqual(Method.decodeParams(Due, "2026-07-28")(json), Result.succeed(value))
    assert.deepStrictEqual(Method.encodeParams(Due, "2026-07-28")(value), Result.succeed(json))
    assert.deepStrictEqual(
      Method.decodeParams(Due, "2026-07-28")({ at: "5", tags: [1] }),
      Result.fail("tags[0]: Expected string")
    )
  })

  it("builds a codec once", () => {
    assert.strictEqual(Method.decodeParams(GetTask, "2026-07-28"), Method.decodeParams(GetTask, "2026-07-28"))
    assert.strictEqual(Method.encodeResult(GetTask, "2026-07-28"), Method.encodeResult(GetTask, "2026-07-28"))
  })
})
