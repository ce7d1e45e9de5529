/** What no real client does on time: a reader that stalls, frames of any number, time that passes. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Incoming, Outgoing } from "../../src/transport/http/Exchange.ts"
import * as HttpEndpoint from "../../src/transport/http/HttpEndpoint.ts"
import * as SessionStore from "../../src/transport/http/SessionStore.ts"
import * as Contract from "./support/contract.ts"

const call = (tool: string, args: object, meta: object): Incoming => {
  const headers: { readonly [name: string]: string } = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": tool
  }
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta
  }
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args, _meta } }
  return {
    method: "POST",
    url: "/mcp",
    header: (name) => headers[name],
    body: () => Effect.succeed(JSON.stringify(body))
  }
}

/** Takes `room` pieces, then says that it is full. */
const reader = (room: number) => {
  const state = { written: 0, aborted: false, ended: false, drain: () => {} }
  const outgoing: Outgoing = {
    send: () => {},
    stream: (_, __, onDrain) => {
      state.drain = onDrain
      return {
        write: () => ++state.written <= room,
        end: () => {
          state.ended = true
        },
        abort: () => {
          state.aborted = true
        }
      }
    }
  }
  return { state, outgoing }
}

const progress = { progressToken: 1 }

describe("a reader that stalls", () => {
  it.effect("holds its own call up, is waited for within bounds, and is let go", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const { handle } = yield* HttpEndpoint.make(server.endpoint, { stallTimeout: "30 seconds", keepAlive: 0 })
      const { outgoing, state } = reader(3)
      const fiber = yield* Effect.forkChild(handle(call("steps", { n: 1000 }, progress), outgoing), {
        startImmediately: true
      })
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual([state.written, state.aborted], [4, false])
      yield* TestClock.adjust("1 second")
      assert.isTrue(state.aborted)
      yield* Fiber.await(fiber)
      assert.strictEqual(state.written, 4)
    }))

  it.effect("that catches up gets everything, in its time", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const { handle } = yield* HttpEndpoint.make(server.endpoint, { keepAlive: 0 })
      const { outgoing, state } = reader(0)
      const fiber = yield* Effect.forkChild(handle(call("steps", { n: 10 }, progress), outgoing), {
        startImmediately: true
      })
      for (let step = 1; step <= 10; step++) {
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(state.written, step)
        state.drain()
      }
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([state.written, state.ended, state.aborted], [11, true, false])
    }))

  it.effect("is found by the keep-alive too, where nobody writes", () =>
    Effect.gen(function*() {
      const { gate, server } = yield* Contract.make
      const { handle } = yield* HttpEndpoint.make(server.endpoint, {
        stallTimeout: "1 hour",
        keepAlive: "10 seconds"
      })
      const { outgoing, state } = reader(1)
      const fiber = yield* Effect.forkChild(handle(call("gate", {}, progress), outgoing), { startImmediately: true })
      yield* Deferred.await(gate.entered)
      yield* TestClock.adjust("10 seconds")
      // The comment was one too many: nothing is written any more, and in the end the stream is closed.
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual([state.written, state.aborted], [2, false])
      yield* TestClock.adjust("31 minutes")
      assert.isTrue(state.aborted)
      yield* Fiber.interrupt(fiber)
    }))
})

describe("keep-alive", () => {
  it.effect("comments on streams that are quiet, not on those that are not", () =>
    Effect.gen(function*() {
      const { gate, server } = yield* Contract.make
      const { handle } = yield* HttpEndpoint.make(server.endpoint, { keepAlive: "20 seconds" })
      const { outgoing, state } = reader(Infinity)
      const fiber = yield* Effect.forkChild(handle(call("gate", {}, progress), outgoing), { startImmediately: true })
      yield* Deferred.await(gate.entered)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(state.written, 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(state.written, 2)
      yield* Deferred.succeed(gate.open, undefined)
      yield* Fiber.join(fiber)
      const { written } = state
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(state.written, written)
    }))
})

describe("a session store", () => {
  it.effect("is told of a session when it begins, again while it is used, and when it ends", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const log: Array<string> = []
      const store: SessionStore.SessionStore["Service"] = {
        save: (_, { revision, subject }, timeToLive) =>
          Effect.sync(() => {
            log.push(`save ${revision} ${subject} ${Duration.toMinutes(timeToLive)}`)
          }),
        load: () => Effect.succeed(Option.none()),
        remove: () =>
          Effect.sync(() => {
            log.push("remove")
          })
      }
      const { handle } = yield* HttpEndpoint.make(server.endpoint, { sessionTimeout: "10 minutes" }).pipe(
        Effect.provideService(SessionStore.SessionStore, store)
      )
      let session: string | undefined
      const send = (method: string, body: unknown) =>
        handle({
          method,
          url: "/mcp",
          header: (name) =>
            name === "mcp-session-id" ? session : name === "content-type" ? "application/json" : undefined,
          body: () => Effect.succeed(JSON.stringify(body))
        }, {
          send: (_, headers) => {
            session ??= headers["mcp-session-id"]
          },
          stream: () => {
            throw new Error("no streams here")
          }
        })
      const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
      yield* send("POST", {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
      assert.deepStrictEqual(log, ["save 2025-06-18 undefined 10"])
      yield* send("POST", ping)
      yield* TestClock.adjust("6 minutes")
      yield* send("POST", ping)
      yield* send("POST", ping)
      assert.strictEqual(log.length, 2)
      yield* send("DELETE", undefined)
      assert.deepStrictEqual(log.slice(2), ["remove"])
    }))
})
