/** Subscriptions: one stream in every era, taken up again after a loss. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Params, RequestId } from "../../src/protocol/JsonRpc.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Scripted from "../utils/ScriptedServer.ts"
import { eras, pair } from "./support.ts"

const key = "io.modelcontextprotocol/subscriptionId"

/** Sends a notice: on a subscription in the modern era, to all before. */
const tell = (
  server: Scripted.ScriptedServer,
  id: RequestId | undefined,
  method: string,
  params: Params = {}
): Effect.Effect<void> =>
  server.line().send({
    jsonrpc: "2.0",
    method: `notifications/${method}`,
    params: id === undefined ? params : { ...params, _meta: { [key]: id } }
  })

const idsOf = (server: Scripted.ScriptedServer) => server.received("subscriptions/listen").map(({ id }) => id)

describe("a subscription", () => {
  it.effect("hears what it asked for, and nothing else, in every era", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era })
        const { events, honoured } = yield* client.listen({
          toolsListChanged: true,
          resourceSubscriptions: ["file:///a"]
        })
        assert.deepStrictEqual(honoured, { toolsListChanged: true, resourceSubscriptions: ["file:///a"] })
        const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(events, 2)))
        const [id] = idsOf(server)
        if (era !== "modern") {
          // Whoever did not ask for it does not hear of it.
          yield* tell(server, id, "prompts/list_changed")
          yield* tell(server, id, "resources/updated", { uri: "file:///b" })
        }
        yield* tell(server, id, "resources/updated", { uri: "file:///a" })
        yield* tell(server, id, "tools/list_changed")
        assert.deepStrictEqual(yield* Fiber.join(heard), [{ _tag: "Resource", uri: "file:///a" }, { _tag: "Tools" }])
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#acknowledgment
  it.effect("tells how much of it is honoured", () =>
    Effect.gen(function*() {
      const modern = yield* pair({
        on: {
          "subscriptions/listen": (turn) =>
            Effect.as(
              turn.notify("notifications/subscriptions/acknowledged", {
                _meta: { [key]: turn.id },
                notifications: { toolsListChanged: true }
              }),
              undefined
            )
        }
      })
      const old = yield* pair({
        era: "2025-11-25",
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
        on: {
          "resources/subscribe": (turn) =>
            turn.params["uri"] === "file:///a" ? {} : Effect.as(turn.fail(-32002, "unknown"), undefined)
        }
      })
      const filter = {
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ["file:///a", "file:///b"]
      }
      assert.deepStrictEqual((yield* modern.client.listen(filter)).honoured, { toolsListChanged: true })
      assert.deepStrictEqual((yield* old.client.listen(filter)).honoured, {
        toolsListChanged: true,
        resourceSubscriptions: ["file:///a"]
      })
    }))

  it.effect("hears only its own notices, by the id of its request, even where that comes back as text", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({})
      const one = yield* client.listen({ toolsListChanged: true })
      const two = yield* client.listen({ toolsListChanged: true })
      const [first, second] = idsOf(server)
      yield* tell(server, String(second), "tools/list_changed")
      yield* tell(server, first, "acme/changed", { a: 1 })
      const [heard] = yield* Stream.runCollect(Stream.take(one.events, 1))
      assert.isTrue(heard?._tag === "Notification" && heard.notification.method === "notifications/acme/changed")
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(two.events, 1)), [{ _tag: "Tools" }])
    }))

  it.effect("tells a slow reader of equal changes once", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({})
      const { events } = yield* client.listen({ toolsListChanged: true, promptsListChanged: true })
      const [id] = idsOf(server)
      for (let i = 0; i < 100; i++) yield* tell(server, id, "tools/list_changed")
      yield* tell(server, id, "prompts/list_changed")
      yield* client.callTool("echo")
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(events, 2)), [{ _tag: "Tools" }, { _tag: "Prompts" }])
    }))

  it.effect("closed by its scope is cancelled at the server", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era })
        const filter = { resourceSubscriptions: ["file:///a"] }
        const scope = yield* Scope.make()
        yield* Scope.provide(client.listen(filter), scope)
        const other = yield* Scope.make()
        yield* Scope.provide(client.listen(filter), other)
        yield* Scope.close(scope, Exit.void)
        if (era === "modern") {
          yield* server.until("notifications/cancelled")
          assert.strictEqual(server.received("notifications/cancelled")[0]!.params["requestId"], idsOf(server)[0])
        } else {
          // Somebody else still wants it.
          assert.lengthOf(server.received("resources/unsubscribe"), 0)
          yield* Scope.close(other, Exit.void)
          yield* server.until("resources/unsubscribe")
          assert.lengthOf(server.received("resources/subscribe"), 1)
        }
      }
    }))

  it.effect("outlives the timeout of requests; only its opening is waited for", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({}, { timeout: "1 second" })
      const { events } = yield* client.listen({ toolsListChanged: true })
      yield* TestClock.adjust("1 day")
      yield* tell(server, idsOf(server)[0], "tools/list_changed")
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(events, 1)), [{ _tag: "Tools" }])

      const mute = yield* pair({ on: { "subscriptions/listen": () => undefined } }, { timeout: "1 second" })
      const opening = yield* Effect.forkChild(Scripted.reason(mute.client.listen({})))
      yield* mute.server.until("subscriptions/listen")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(opening))._tag, "RequestTimeout")
    }))

  it.effect("fails at once where the server refuses it", () =>
    Effect.gen(function*() {
      const { client } = yield* pair({
        on: { "subscriptions/listen": (turn) => Effect.as(turn.fail(-32603, "no"), undefined) }
      })
      assert.strictEqual((yield* Scripted.reason(client.listen({})))._tag, "InternalError")
    }))
})

describe("the end of a subscription", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure
  it.effect("by the server is the end of the stream, in whichever of both ways it says so", () =>
    Effect.gen(function*() {
      for (const way of ["completed", "cancelled"] as const) {
        const { client, server } = yield* pair({})
        const { ended, events } = yield* client.listen({ toolsListChanged: true })
        const [id] = idsOf(server)
        yield* tell(server, id, "tools/list_changed")
        yield* way === "completed"
          ? server.line().send({ jsonrpc: "2.0", id: id!, result: { resultType: "complete", _meta: { [key]: id } } })
          : tell(server, undefined, "cancelled", { requestId: id })
        assert.deepStrictEqual(yield* Stream.runCollect(events), [{ _tag: "Tools" }])
        assert.strictEqual(yield* ended, way)
        yield* client.callTool("echo")
      }
    }))

  it.effect("by a loss is told, and so is that it is over", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era }, { restart: Schedule.spaced("1 second") })
        const { events } = yield* client.listen({ toolsListChanged: true, resourceSubscriptions: ["file:///a"] })
        const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(events, 3)))
        yield* server.line().drop
        yield* TestClock.adjust("2 seconds")
        yield* server.until(era === "modern" ? "subscriptions/listen" : "resources/subscribe", 2)
        yield* client.callTool("echo")
        yield* tell(server, idsOf(server)[1], "tools/list_changed")
        const [lost, resumed, change] = yield* Fiber.join(heard)
        assert.isTrue(lost?._tag === "Lost" && lost.error.reason._tag === "ConnectionClosed")
        assert.deepStrictEqual(resumed, {
          _tag: "Resumed",
          honoured: { toolsListChanged: true, resourceSubscriptions: ["file:///a"] }
        })
        assert.deepStrictEqual(change, { _tag: "Tools" })
      }
    }))

  it.effect("by a loss is a failure where nothing takes it up again", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client, server } = yield* pair({ era }, { restart: Schedule.spaced("1 second") })
        const { events } = yield* client.listen({ toolsListChanged: true }, { resume: false })
        yield* server.line().drop
        assert.strictEqual((yield* Scripted.reason(Stream.runDrain(events)))._tag, "ConnectionClosed")
      }
    }))

  it.effect("for good is a failure: the client is closed, or its schedule says no more", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const closed = yield* pair({ era })
        const one = yield* closed.client.listen({ toolsListChanged: true })
        yield* closed.client.close
        assert.strictEqual((yield* Scripted.reason(Stream.runDrain(one.events)))._tag, "ConnectionClosed")

        const refused = yield* pair({ era }, { restart: Schedule.upTo(Schedule.spaced("1 second"), { times: 1 }) })
        const two = yield* refused.client.listen({ toolsListChanged: true })
        const end = yield* Effect.forkChild(Scripted.reason(Stream.runDrain(two.events)))
        yield* refused.server.line().drop
        yield* Effect.repeat(TestClock.adjust("1 second"), Schedule.recurs(5))
        yield* refused.server.line().drop
        yield* Effect.repeat(TestClock.adjust("1 second"), Schedule.recurs(5))
        assert.strictEqual((yield* Fiber.join(end))._tag, "ConnectionClosed")
      }
    }))
})

describe("a resource that changes", () => {
  it.effect("is read now, and again after each change and each loss", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        let version = 0
        const { client, server } = yield* pair({
          era,
          on: {
            "resources/read": ({ params }) => ({
              contents: [{ uri: String(params["uri"]), text: `v${++version}` }],
              ttlMs: 60_000,
              cacheScope: "private"
            })
          }
        }, { restart: Schedule.spaced("1 second") })
        const seen: Array<unknown> = []
        const following = yield* Effect.forkChild(
          Stream.runForEach(client.resourceChanges("file:///a"), ({ contents: [content] }) =>
            Effect.sync(() => seen.push((content as unknown as Params)["text"])))
        )
        yield* server.until("resources/read")
        yield* tell(server, idsOf(server)[0], "resources/updated", { uri: "file:///a" })
        yield* server.until("resources/read", 2)
        yield* client.callTool("echo")
        yield* server.line().drop
        yield* TestClock.adjust("5 seconds")
        yield* server.until("resources/read", 3)
        yield* client.callTool("echo")
        assert.deepStrictEqual(seen, ["v1", "v2", "v3"])
        yield* Fiber.interrupt(following)
      }
    }))

  it.effect("cannot be followed where the server does not watch it", () =>
    Effect.gen(function*() {
      for (const era of eras) {
        const { client } = yield* pair({
          era,
          capabilities: { resources: {} },
          on: {
            "subscriptions/listen": (turn) =>
              Effect.as(
                turn.notify("notifications/subscriptions/acknowledged", {
                  _meta: { [key]: turn.id },
                  notifications: {}
                }),
                undefined
              )
          }
        })
        const reason = yield* Scripted.reason(Stream.runDrain(client.resourceChanges("file:///a")))
        assert.deepInclude(
          reason,
          new McpError.CapabilityNotSupported({
            capability: "resources.subscribe",
            method: "subscriptions/listen"
          })
        )
      }
    }))
})
