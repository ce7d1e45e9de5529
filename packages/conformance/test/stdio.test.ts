// A server in a process of its own, and every byte on its pipes: framing, shutdown, cancellation, order.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ours, source } from "./support/commands.ts"
import { call, cancelled, handshake, type Message, type RawProcess, request, spawn } from "./support/RawProcess.ts"

const start = (...args: ReadonlyArray<string>) => spawn(ours(...args))

const text = (message: Message) => message.result?.content?.[0]?.text as string

const echo = (id: unknown, arg1: string) =>
  request(id, "prompts/get", { name: "test_prompt_with_arguments", arguments: { arg1, arg2: "" } })

const echoed = (message: Message) => message.result?.messages[0].content.text as string

let fences = 0

/** All that came for an id, up to an answer that was asked for later: what is not there by then never comes. */
const answersOf = (process: RawProcess, id: unknown) =>
  Effect.gen(function*() {
    const fence = `fence-${fences++}`
    yield* process.send(call(fence, "test_simple_text"))
    yield* process.answer(fence)
    return process.messages.filter((message) => message.id === id && message.method === undefined)
  })

type Count = "begun" | "interrupted" | "ended"

const count = (process: RawProcess, key: Count) => {
  const id = `counts-${fences++}`
  return Effect.map(
    Effect.andThen(process.send(call(id, "counts")), process.answer(id)),
    (message) => message.result.structuredContent[key] as number
  )
}

/** Asks until the server has counted so far. */
const until = (process: RawProcess, key: Count, expected: number) =>
  Effect.suspend(() => count(process, key)).pipe(
    Effect.repeat({ until: (seen) => seen >= expected, times: 2000 }),
    Effect.tap((seen) => Effect.sync(() => assert.strictEqual(seen, expected, key)))
  )

/** One process for all tests that leave it as it was. Ids are never used twice, but where that is the point. */
class Server extends Context.Service<Server, RawProcess>()("Server") {}

layer(Layer.effect(Server, start()), { excludeTestServices: true, timeout: "60 seconds" })("a pipe", (it) => {
  it.effect("takes a message byte by byte, in whatever alphabet", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const arg = "é 漢 😀"
      for (const byte of new TextEncoder().encode(`${JSON.stringify(echo("bytes", arg))}\n`)) {
        yield* server.write(Uint8Array.of(byte))
      }
      assert.strictEqual(echoed(yield* server.answer("bytes")), `Prompt with arguments: arg1='${arg}', arg2=''`)
    }))

  it.effect("ends a message at byte 0x0A and nowhere else", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const arg = "a\u2028b\u2029c\u0085d"
      // JSON.stringify leaves the three separators as they are.
      yield* server.send(echo("separators", arg))
      assert.include(echoed(yield* server.answer("separators")), `arg1='${arg}'`)
    }))

  it.effect("takes more than 64 KiB in a frame, together with a small one", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const arg = "y".repeat(200_000)
      yield* server.send(echo("large", arg), echo("small", "small"))
      assert.include(echoed(yield* server.answer("large")), arg)
      assert.include(echoed(yield* server.answer("small")), "small")
    }))

  // https://www.jsonrpc.org/specification#request_object
  it.effect("answers what is no request with an error, and keeps ids of both types as they came", () =>
    Effect.gen(function*() {
      const server = yield* Server
      for (const id of [null, true, 1.5, {}, [1]]) {
        const before = server.messages.length
        yield* server.send(request(id, "tools/list"))
        const error = yield* server.find((message) => server.messages.indexOf(message) >= before)
        assert.strictEqual(error.error?.code, -32600)
        assert.isUndefined(error.id)
      }
      for (const id of [0, "", "0", -1]) {
        yield* server.send(request(id, "tools/list"))
        assert.strictEqual((yield* server.answer(id)).id, id)
      }
    }))

  it.effect("never answers a notification, known or not", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const before = server.messages.length
      yield* server.send(
        { jsonrpc: "2.0", method: "notifications/unknown" },
        { jsonrpc: "2.0", method: "acme/event", params: { _meta: {} } },
        { jsonrpc: "2.0", method: "tools/list" },
        cancelled("nobody"),
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "nobody", progress: 1 } }
      )
      yield* answersOf(server, undefined)
      assert.lengthOf(server.messages.slice(before), 1)
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
  it.effect("carries progress in order and before the answer", () =>
    Effect.gen(function*() {
      const server = yield* Server
      for (const token of ["token", 1000]) {
        const from = server.messages.length
        yield* server.send(call(token, "test_tool_with_progress", {}, { progressToken: token }))
        const answer = yield* server.answer(token)
        const heard = server.messages.slice(from)
        assert.deepStrictEqual(
          heard.map(({ params }) => params && [params.progressToken, params.progress, params.total]),
          [[token, 0, 100], [token, 50, 100], [token, 100, 100], undefined]
        )
        assert.strictEqual(heard.at(-1), answer)
      }
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
  it.effect("carries no answer of a call that was cancelled, even where its handler ends as if nothing had happened", () =>
    Effect.gen(function*() {
      const server = yield* Server
      const [begun, ended, interrupted] = yield* Effect.all([
        count(server, "begun"),
        count(server, "ended"),
        count(server, "interrupted")
      ])
      yield* server.send(call("given up", "wait"))
      yield* until(server, "begun", begun + 1)
      yield* server.send(cancelled("given up"))
      yield* until(server, "interrupted", interrupted + 1)
      yield* server.send(call("stubborn", "stubborn"))
      yield* until(server, "begun", begun + 2)
      yield* server.send(cancelled("stubborn"))
      yield* until(server, "ended", ended + 1)
      assert.lengthOf(yield* answersOf(server, "given up"), 0)
      assert.lengthOf(yield* answersOf(server, "stubborn"), 0)
      // Both ids are free again.
      yield* server.send(call("given up", "test_simple_text"), call("stubborn", "test_simple_text"))
      yield* Effect.all([server.answer("given up"), server.answer("stubborn")])
    }))

  // https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
  it.effect("carries the text of a declared failure, although the tool has an output schema", () =>
    Effect.gen(function*() {
      const server = yield* Server
      yield* server.send(call("root of -1", "squareRoot", { value: -1 }), call("root of 4", "squareRoot", { value: 4 }))
      const failed = (yield* server.answer("root of -1")).result
      assert.strictEqual(failed.isError, true)
      assert.deepStrictEqual(failed.content, [{ type: "text", text: "-1 has no square root" }])
      assert.notProperty(failed, "structuredContent")
      const { content, structuredContent } = (yield* server.answer("root of 4")).result
      assert.deepStrictEqual(structuredContent, { root: 2 })
      assert.deepStrictEqual(JSON.parse(content[0].text), { root: 2 })
    }))
})

describe("limits and logs", () => {
  it.live("takes a frame just under the limit together with a small one", () =>
    Effect.scoped(Effect.gen(function*() {
      const limit = 4096
      const server = yield* start(`--maxFrameBytes=${limit}`)
      const empty = JSON.stringify(echo(1, "")).length
      yield* server.send(echo(1, "x".repeat(limit - 1 - empty)), echo(2, "small"))
      assert.include(echoed(yield* server.answer(1)), "xxx")
      assert.include(echoed(yield* server.answer(2)), "small")
    })), 60_000)

  it.live("ends once, and says why, when bytes never come to an end", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start("--maxFrameBytes=65536")
      yield* server.send(echo(1, "before"))
      yield* server.answer(1)
      // The pipe takes no more when the server is gone: what was written until then, the server has bounded.
      yield* server.write("z".repeat(8 * 1024 * 1024))
      const { code } = yield* server.exit
      assert.strictEqual(code, 1)
      assert.include(server.stderr(), "more than 65536 bytes")
      assert.lengthOf(server.noise, 0)
    })), 60_000)

  it.live("keeps standard output for messages, whatever a handler prints", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* server.send(call(1, "chatty"))
      assert.strictEqual(text(yield* server.answer(1)), "All said")
      yield* server.end()
      yield* server.exit
      assert.lengthOf(server.noise, 0)
      for (const said of ["console.log", "console.info", "Console.log", "Effect.log", "Effect.logError"]) {
        assert.include(server.stderr(), said)
      }
    })), 60_000)

  it.live("reports on standard error why it cannot start", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* spawn(source("test/peers/failing.ts"))
      assert.strictEqual((yield* server.exit).code, 1)
      assert.include(server.stderr(), "No database")
      assert.lengthOf(server.noise, 0)
    })), 60_000)
})

// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
describe("shutdown", () => {
  it.live("writes a queued megabyte to a slow reader before it exits", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* server.send(request(0, "server/discover"))
      yield* server.answer(0)
      yield* server.pause
      yield* server.end(call(1, "large", { size: 1_000_000 }))
      yield* server.blocked
      yield* server.resume
      assert.strictEqual(text(yield* server.answer(1)).length, 1_000_000)
      assert.strictEqual((yield* server.exit).code, 0)
    })), 60_000)

  it.live("gives up a reader that never reads", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* server.send(request(0, "server/discover"))
      yield* server.answer(0)
      yield* server.pause
      yield* server.end(call(1, "large", { size: 4_000_000 }))
      yield* server.blocked
      // Its pipe is still open at our end: what ends is the process.
      assert.strictEqual((yield* server.ended).code, 1)
      assert.include(server.stderr(), "Standard output")
    })), 60_000)

  it.live("does not crash when its reader is gone first", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* server.send(request(0, "server/discover"))
      yield* server.answer(0)
      yield* server.hangUp
      yield* server.send(call(1, "test_simple_text"))
      assert.strictEqual((yield* server.exit).code, 1)
      assert.notInclude(server.stderr(), "Unhandled")
    })), 60_000)

  it.live("answers what was asked before its input ended", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* server.end(...Array.from({ length: 20 }, (_, id) => call(id, "test_simple_text")), call(20, "stubborn"))
      assert.deepStrictEqual(yield* server.exit, { code: 0, signal: null })
      assert.sameMembers(server.messages.map(({ id }) => id), Array.from({ length: 21 }, (_, id) => id))
    })), 60_000)

  it.live(
    "interrupts what never ends, an open question and an open subscription included",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start()
        yield* server.send(
          call(1, "wait"),
          call(2, "test_input_required_result_elicitation", {}, {
            "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }
          }),
          request(3, "subscriptions/listen", { notifications: { toolsListChanged: true } })
        )
        yield* server.answer(2)
        yield* until(server, "begun", 1)
        yield* server.end()
        assert.strictEqual((yield* server.exit).code, 0)
        assert.isUndefined(server.messages.find(({ id }) => id === 1))
      })),
    60_000
  )
})

describe("calls after a handshake", () => {
  it.live("reports progress in order and before the answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* start()
      yield* handshake(server)
      const from = server.messages.length
      const answer = yield* server.ask("tools/call", {
        name: "test_tool_with_progress",
        arguments: {},
        _meta: { progressToken: 0 }
      })
      const heard = server.messages.slice(from)
      assert.deepStrictEqual(heard.map(({ params }) => params?.progress), [0, 50, 100, undefined])
      assert.strictEqual(heard.at(-1), answer)
    })), 60_000)

  it.live(
    "interrupts what is cancelled, and leaves alone what has another id",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start()
        yield* handshake(server)
        const wait = (id: unknown) => ({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "wait", arguments: {} }
        })
        yield* server.send(wait(5), wait("6"))
        yield* until(server, "begun", 2)
        // "5" is not 5.
        yield* server.send(cancelled("5"), cancelled("6"), cancelled("6"), cancelled("nobody"))
        yield* until(server, "interrupted", 1)
        yield* server.send(cancelled(5))
        yield* until(server, "interrupted", 2)
        assert.lengthOf(yield* answersOf(server, 5), 0)
        assert.lengthOf(yield* answersOf(server, "6"), 0)
      })),
    60_000
  )

  // https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
  it.live(
    "serves both eras on one pipe: what changes in a session, a subscription of the other era hears",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start()
        yield* server.send(request("modern", "subscriptions/listen", { notifications: { toolsListChanged: true } }))
        yield* server.find(({ method }) => method === "notifications/subscriptions/acknowledged")
        yield* handshake(server)
        const answer = yield* server.ask("tools/call", { name: "test_trigger_tool_change", arguments: {} })
        assert.notProperty(answer.result, "resultType")
        const heard = () => server.messages.filter(({ method }) => method === "notifications/tools/list_changed")
        yield* server.find(() => heard().length === 2)
        // One for the subscription, stamped with its id, and one for the session, which has none.
        assert.sameDeepMembers(heard().map(({ params }) => params?._meta), [
          { "io.modelcontextprotocol/subscriptionId": "modern" },
          undefined
        ])
        yield* server.send(cancelled("modern"))
        yield* server.ask("tools/call", { name: "test_trigger_tool_change", arguments: {} })
        yield* server.find(() => heard().length === 3)
        yield* server.send(call("fence", "test_simple_text"))
        const fence = yield* server.answer("fence")
        assert.strictEqual(fence.result.resultType, "complete")
        assert.lengthOf(heard(), 3)
      })),
    60_000
  )

  it.live(
    "lists tools for a client that hears of a change while its call is under way",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start()
        yield* handshake(server)
        yield* server.send({
          jsonrpc: "2.0",
          id: "slow",
          method: "tools/call",
          params: { name: "stubborn", arguments: {} }
        })
        yield* server.ask("tools/call", { name: "test_trigger_tool_change", arguments: {} })
        yield* server.find(({ method }) => method === "notifications/tools/list_changed")
        const listed = yield* server.ask("tools/list")
        assert.include(listed.result.tools.map(({ name }: { name: string }) => name), "test_temporary_tool")
        yield* server.answer("slow")
      })),
    60_000
  )

  // https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
  it.live(
    "wraps a structured answer that is no object for the revisions that take objects only",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* start()
        yield* server.send(call(1, "numbers"))
        assert.deepStrictEqual((yield* server.answer(1)).result.structuredContent, [1, 2, 3])
        yield* handshake(server)
        const tool = (yield* server.ask("tools/list")).result.tools.find(({ name }: { name: string }) =>
          name === "numbers"
        )
        assert.strictEqual(tool.outputSchema.type, "object")
        const answer = yield* server.ask("tools/call", { name: "numbers", arguments: {} })
        assert.deepStrictEqual(answer.result.structuredContent, { result: [1, 2, 3] })
      })),
    60_000
  )
})
