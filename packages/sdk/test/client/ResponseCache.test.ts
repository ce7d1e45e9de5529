/** The cache: laws against a model that keeps everything, then the client that uses it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { Change } from "../../src/api/Changes.ts"
import * as ResponseCache from "../../src/client/ResponseCache.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import type * as Scripted from "../utils/ScriptedServer.ts"
import { pair } from "./support.ts"

const small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

const Target = Schema.Union([
  Schema.Struct({
    method: Schema.Literals(["tools/list", "prompts/list", "resources/list", "resources/templates/list"]),
    params: Schema.Struct({ cursor: Schema.optionalKey(Schema.Literals(["", "a", "b"])) })
  }),
  Schema.Struct({
    method: Schema.Literal("resources/read"),
    params: Schema.Struct({ uri: Schema.Literals(["file:///a", "file:///a/b", "file:///ab"]) })
  })
])

const Step = Schema.Union([
  Schema.Struct({
    _: Schema.Literal("put"),
    target: Target,
    context: Schema.Literals(["me", "you"]),
    ttl: Schema.Literals([-1, 0, 1, 5, 1e15]),
    scope: Schema.Literals(["public", "private"]),
    value: small
  }),
  Schema.Struct({ _: Schema.Literal("get"), target: Target, context: Schema.Literals(["me", "you"]) }),
  Schema.Struct({ _: Schema.Literal("wait"), millis: small }),
  Schema.Struct({
    _: Schema.Literal("change"),
    change: Schema.Union([
      Schema.Struct({ _tag: Schema.Literals(["Tools", "Prompts", "Resources"]) }),
      Schema.Struct({ _tag: Schema.Literal("Resource"), uri: Schema.Literals(["file:///a", "file:///a/b"]) })
    ])
  })
])

interface Kept {
  readonly target: typeof Target.Type
  readonly context: string
  readonly scope: string
  readonly value: number
  readonly until: number
}

const same = (a: typeof Target.Type, b: typeof Target.Type) => JSON.stringify(a) === JSON.stringify(b)

const isStale = (change: Change, { method, params }: typeof Target.Type) => {
  switch (change._tag) {
    case "Tools":
      return method === "tools/list"
    case "Prompts":
      return method === "prompts/list"
    case "Resources":
      return method === "resources/list" || method === "resources/templates/list"
    case "Resource":
      // A part of a resource changes the resource; the names of files that begin alike do not.
      return method === "resources/read" &&
        (params.uri === change.uri || (change.uri === "file:///a/b" && params.uri === "file:///a"))
  }
}

/** Plays steps on the cache and on a list of all that was put; gives what each `get` gave. */
const play = (steps: ReadonlyArray<typeof Step.Type>, limits?: ResponseCache.Limits) => {
  const cache = ResponseCache.make(limits)
  let model: ReadonlyArray<Kept> = []
  let now = 0
  const got: Array<{ readonly real: Params | undefined; readonly model: number | undefined }> = []
  for (const step of steps) {
    switch (step._) {
      case "put": {
        const { context, scope, target, ttl, value } = step
        cache.begin({ ...target, context })({ value, ttlMs: ttl, cacheScope: scope }, now)
        model = model.filter((kept) =>
          !(same(kept.target, target) && (kept.scope === "public" || kept.context === context))
        )
        if (ttl > 0) model = [...model, { target, context, scope, value, until: now + ttl }]
        break
      }
      case "get": {
        const found = model.findLast((kept) =>
          same(kept.target, step.target) && kept.until > now &&
          (kept.scope === "public" || kept.context === step.context)
        )
        got.push({ real: cache.get({ ...step.target, context: step.context }, now), model: found?.value })
        break
      }
      case "wait":
        now += step.millis
        break
      case "change":
        cache.invalidate(step.change as Change)
        model = model.filter((kept) => !isStale(step.change as Change, kept.target))
    }
  }
  return { cache, got }
}

describe("the cache", () => {
  it.effect.prop(
    "gives what was put last, while it is fresh, and to whom it may",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.sync(() => {
        for (const { model, real } of play(steps).got) {
          if (model === undefined) assert.isUndefined(real)
          else assert.strictEqual(real!["value"], model)
        }
      }),
    { arbitrary: { runs: 3000 } }
  )

  it.effect.prop(
    "never has more than it may, and then only forgets",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.sync(() => {
        const { cache, got } = play(steps, { maxEntries: 2 })
        assert.isAtMost(cache.size(), 2)
        for (const { model, real } of got) {
          if (real !== undefined) assert.strictEqual(real["value"], model)
        }
      }),
    { arbitrary: { runs: 1000 } }
  )

  it("keeps what was wanted last", () => {
    const cache = ResponseCache.make({ maxEntries: 2 })
    const read = (uri: string) => ({ method: "resources/read", params: { uri }, context: "" })
    const put = (uri: string) => cache.begin(read(uri))({ ttlMs: 1000, uri }, 0)
    put("a")
    put("b")
    assert.isDefined(cache.get(read("a"), 1))
    put("c")
    assert.isUndefined(cache.get(read("b"), 1))
    assert.isDefined(cache.get(read("a"), 1))
  })

  it("is bounded by size, and keeps nothing that is larger than all of it", () => {
    const cache = ResponseCache.make({ maxSize: 1000 })
    const put = (uri: string, length: number) =>
      cache.begin({ method: "resources/read", params: { uri }, context: "" })({ ttlMs: 9, text: "x".repeat(length) }, 0)
    put("a", 600)
    put("b", 600)
    assert.strictEqual(cache.size(), 1)
    put("c", 2000)
    assert.strictEqual(cache.size(), 1)
  })

  it("does not keep what was asked for before a change and came after it", () => {
    const cache = ResponseCache.make()
    const request = { method: "tools/list", params: {}, context: "" }
    const keep = cache.begin(request)
    cache.invalidate({ _tag: "Tools" })
    keep({ tools: [], ttlMs: 1000 }, 0)
    assert.isUndefined(cache.get(request, 1))
  })

  // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key
  it("does not know requests with input", () => {
    const cache = ResponseCache.make()
    for (const extra of [{ inputResponses: {} }, { requestState: "" }]) {
      const request = { method: "resources/read", params: { uri: "a", ...extra }, context: "" }
      cache.begin(request)({ contents: [], ttlMs: 1000 }, 0)
      assert.isUndefined(cache.get(request, 1))
    }
  })

  it("gives each caller a copy", () => {
    const cache = ResponseCache.make()
    const request = { method: "tools/list", params: {}, context: "" }
    const result = { tools: [{ name: "a" }], ttlMs: 1000 }
    cache.begin(request)(result, 0)
    result.tools[0]!.name = "b"
    const first = cache.get(request, 1) as typeof result
    first.tools.length = 0
    assert.deepStrictEqual(cache.get(request, 1), { tools: [{ name: "a" }], ttlMs: 1000 })
  })
})

/** A server that counts, so that an answer tells when it was given. */
const counting = (hints: Params): Scripted.Script => {
  let count = 0
  return {
    on: {
      "tools/list": () => ({ tools: [{ name: `t${++count}`, inputSchema: { type: "object" } }], ...hints }),
      "resources/read": ({ params }) => ({ contents: [{ uri: String(params["uri"]), text: `v${++count}` }], ...hints })
    }
  }
}

describe("a client", () => {
  it.effect("asks again when a result is stale", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(counting({ ttlMs: 1000, cacheScope: "private" }))
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* client.listTools()).tools[0]!.name, "t1")
      yield* TestClock.adjust("999 millis")
      yield* client.listTools()
      assert.lengthOf(server.received("tools/list"), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* client.listTools()).tools[0]!.name, "t2")
    }))

  it.effect("asks again when it is told to, and when a notice says so", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair(counting({ ttlMs: 1000, cacheScope: "private" }))
      yield* client.listTools()
      yield* client.listTools({ refresh: true })
      assert.lengthOf(server.received("tools/list"), 2)
      yield* server.line().send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      yield* Effect.yieldNow
      yield* client.listTools()
      assert.lengthOf(server.received("tools/list"), 3)
    }))

  it.effect("without a cache asks every time; so does one whose server says nothing of freshness", () =>
    Effect.gen(function*() {
      const without = yield* pair(counting({ ttlMs: 1000 }), { cache: false })
      const silent = yield* pair(counting({}))
      for (const { client, server } of [without, silent]) {
        yield* client.listTools()
        yield* client.listTools()
        assert.lengthOf(server.received("tools/list"), 2)
      }
    }))

  it.effect("keeps results apart by who asks", () =>
    Effect.gen(function*() {
      let user = "me"
      const { client, server } = yield* pair(counting({ ttlMs: 1000, cacheScope: "private" }), {
        cache: { context: Effect.sync(() => user) }
      })
      yield* client.readResource("file:///a")
      user = "you"
      yield* client.readResource("file:///a")
      user = "me"
      yield* client.readResource("file:///a")
      assert.lengthOf(server.received("resources/read"), 2)
    }))

  it.effect("does not keep what came of a question", () =>
    Effect.gen(function*() {
      let count = 0
      const { client, server } = yield* pair({
        on: {
          "resources/read": ({ params }) =>
            params["inputResponses"] === undefined
              ? { resultType: "input_required", inputRequests: { r: { method: "roots/list" } } }
              : { contents: [{ uri: "a", text: `v${++count}` }], ttlMs: 1000, cacheScope: "private" }
        }
      }, { roots: [] })
      for (const version of ["v1", "v2"]) {
        assert.deepInclude((yield* client.readResource("a")).contents[0], { text: version })
      }
      assert.lengthOf(server.received("resources/read"), 4)
    }))

  it.effect("forgets all pages when a cursor is refused", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({
        on: {
          "tools/list": (turn) =>
            turn.params["cursor"] === undefined
              ? { tools: [], nextCursor: "p2", ttlMs: 1000 }
              : Effect.as(turn.fail(-32602, "no such cursor"), undefined)
        }
      })
      yield* client.listTools()
      yield* Effect.exit(client.listTools({ cursor: "p2" }))
      yield* client.listTools()
      assert.lengthOf(server.received("tools/list"), 3)
    }))
})
