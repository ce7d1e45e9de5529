/** One behaviour, whatever way in: every test runs over a listener of node:http, a route of an HttpRouter, a web handler. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Agent } from "node:http"
import type { Principal } from "../../src/peer/ServerTransport.ts"
import { type Authenticator, refuse } from "../../src/transport/http/Exchange.ts"
import type * as HttpEndpoint from "../../src/transport/http/HttpEndpoint.ts"
import * as SessionStore from "../../src/transport/http/SessionStore.ts"
import { adapters } from "./support/adapters.ts"
import { json, modern, type Reply, send, session } from "./support/client.ts"
import * as Contract from "./support/contract.ts"

const initialize = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}
const media = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** Whoever the header `authorization` names. */
const authenticator: Authenticator = {
  authenticate: (head) => {
    const subject = head.header("authorization")
    return subject === undefined
      ? Effect.fail(refuse(401, -32600, "Who are you?", { headers: { "www-authenticate": "Bearer" } }))
      : Effect.succeed<Principal>({ subject: subject.split("/")[0]! })
  },
  authorize: (principal, { method }) =>
    principal?.subject === "guest" && method === "tools/call" ? refuse(403, -32600, "Not for guests") : undefined
}

const code = (reply: Reply) => Effect.map(json(reply), (body) => body?.error?.code)

for (const [name, adapter] of Object.entries(adapters)) {
  const start = Effect.fnUntraced(function*(options?: HttpEndpoint.Options) {
    const { gate, server } = yield* Contract.make
    return { url: yield* adapter(server, options), gate, server }
  })

  describe(`a modern request, ${name}`, () => {
    // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages
    it.effect.prop("gets its own answer as JSON, whatever the text and however many come at once", {
      texts: Schema.Array(Schema.String).check(Schema.isMaxLength(8))
    }, ({ texts }) =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const replies = yield* Effect.forEach(texts, (text, index) =>
          modern(url, "tools/call", { name: "echo", arguments: { text } }, { id: `id-${index}` }), {
          concurrency: "unbounded"
        })
        for (const [index, reply] of replies.entries()) {
          const { id, result } = yield* json(reply)
          assert.strictEqual(reply.headers["content-type"], "application/json")
          assert.strictEqual(id, `id-${index}`)
          assert.deepStrictEqual(result.content, JSON.parse(JSON.stringify([{ type: "text", text: texts[index] }])))
        }
      }), { arbitrary: { runs: 12 } })

    it.effect("is answered by a stream once it has something to say before", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const call = { name: "steps", arguments: { n: 5 } }
        const reply = yield* modern(url, "tools/call", call, { meta: { progressToken: "t" } })
        assert.strictEqual(reply.headers["content-type"], "text/event-stream")
        assert.strictEqual(reply.headers["x-accel-buffering"], "no")
        assert.strictEqual(reply.headers["cache-control"], "no-cache, no-transform")
        const messages = yield* reply.messages
        assert.deepStrictEqual(messages.slice(0, -1).map(({ params }) => params.progress), [1, 2, 3, 4, 5])
        assert.strictEqual(messages.at(-1).result.content[0].text, "done")
      }))

    it.effect("gets what its client can read", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const call = { name: "steps", arguments: { n: 2 } }
        const onlyJson = yield* modern(url, "tools/call", call, {
          meta: { progressToken: 1 },
          headers: { accept: "application/json" }
        })
        assert.strictEqual((yield* json(onlyJson)).result.content[0].text, "done")
        const onlySse = yield* modern(url, "tools/list", {}, { headers: { accept: "text/event-stream" } })
        assert.strictEqual(onlySse.headers["content-type"], "text/event-stream")
        assert.strictEqual((yield* onlySse.messages).length, 1)
        const neither = yield* modern(url, "tools/list", {}, { headers: { accept: "text/plain" } })
        assert.strictEqual(neither.status, 406)
        const listen = { notifications: { toolsListChanged: true } }
        assert.strictEqual(
          (yield* modern(url, "subscriptions/listen", listen, { headers: { accept: "application/json" } })).status,
          406
        )
      }))

    it.effect("has the status of its error", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const cases: ReadonlyArray<readonly [Effect.Effect<Reply, Error, Scope.Scope>, number, number]> = [
          [modern(url, "no/such"), 404, -32601],
          [modern(url, "ping"), 404, -32601],
          [modern(url, "tools/call", { name: "nope" }), 200, -32602],
          [modern(url, "resources/read", { uri: "other://x" }), 200, -32602],
          [modern(url, "tools/call", {}), 400, -32602],
          [modern(url, "tools/list", {}, { headers: { "mcp-method": "prompts/list" } }), 400, -32020],
          [modern(url, "tools/list", {}, { headers: { "mcp-protocol-version": undefined } }), 400, -32020],
          [modern(url, "tools/call", { name: "region", arguments: { region: "eu" } }), 400, -32020],
          [
            modern(url, "tools/list", {}, {
              headers: { "mcp-protocol-version": "1999-01-01" },
              meta: { "io.modelcontextprotocol/protocolVersion": "1999-01-01" }
            }),
            400,
            -32022
          ],
          [modern(url, "tools/list", {}, { meta: { "io.modelcontextprotocol/clientCapabilities": 5 } }), 400, -32602],
          [modern(url, "tools/call", { name: "ask" }), 400, -32021],
          [modern(url, "tools/list", {}, { body: "{\"jsonrpc\":" }), 400, -32700],
          [modern(url, "tools/list", {}, { body: "null" }), 400, -32600],
          [modern(url, "tools/list", {}, { body: [] }), 400, -32600],
          [modern(url, "tools/list", {}, { body: { jsonrpc: "2.0", id: null, method: "tools/list" } }), 400, -32600],
          [modern(url, "tools/list", {}, { body: { jsonrpc: "2.0", id: 1, result: {} } }), 400, -32600]
        ]
        for (const [index, [request, status, expected]] of cases.entries()) {
          const reply = yield* request
          assert.deepStrictEqual([index, reply.status, yield* code(reply)], [index, status, expected])
        }
      }))

    it.effect("reads encoded headers: a URI beyond ASCII, and a marked argument", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const encoded = `=?base64?${Buffer.from("page://日本").toString("base64")}?=`
        const page = yield* modern(url, "resources/read", { uri: "page://日本" }, { headers: { "mcp-name": encoded } })
        assert.strictEqual((yield* json(page)).result.contents[0].text, "The page 日本")
        const call = { name: "region", arguments: { region: "eu" } }
        const region = yield* modern(url, "tools/call", call, { headers: { "mcp-param-region": "eu" } })
        assert.strictEqual((yield* json(region)).result.content[0].text, "eu")
      }))

    it.effect("knows no sessions: an id is ignored and none is given", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const reply = yield* modern(url, "tools/list", {}, {
          headers: { "mcp-session-id": "none", "last-event-id": "1" }
        })
        assert.strictEqual(reply.status, 200)
        assert.isUndefined(reply.headers["mcp-session-id"])
      }))

    // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation
    it.effect("ends with its client: the handler is interrupted", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const reply = yield* modern(url, "tools/call", { name: "gate" }, { meta: { progressToken: 1 } })
        yield* reply.message
        yield* Deferred.await(gate.entered)
        yield* reply.close
        yield* Deferred.await(gate.interrupted)
      }))

    it.effect("ends with its client before there is an answer, too", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const fiber = yield* Effect.forkChild(modern(url, "tools/call", { name: "gate" }))
        yield* Deferred.await(gate.entered)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gate.interrupted)
      }))

    it.effect("may be a notification, which is accepted and not answered", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const body = { jsonrpc: "2.0", method: "notifications/anything", params: {} }
        const reply = yield* modern(url, "notifications/anything", {}, { body })
        assert.strictEqual(reply.status, 202)
        assert.strictEqual(yield* reply.text, "")
      }))

    it.effect("that listens hears changes, and gets its result when the server ends", () =>
      Effect.gen(function*() {
        const { gate: _, server } = yield* Contract.make
        const scope = yield* Scope.make()
        const url = yield* Scope.provide(adapter(server), scope)
        const reply = yield* modern(url, "subscriptions/listen", { notifications: { toolsListChanged: true } })
        assert.strictEqual((yield* reply.message).method, "notifications/subscriptions/acknowledged")
        yield* modern(url, "tools/call", { name: "change" })
        assert.strictEqual((yield* reply.message).method, "notifications/tools/list_changed")
        yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        // A router's server waits for its requests before it ends what serves them, and then breaks them off.
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* reply.messages).at(-1)?.result !== undefined, name !== "router")
      }))

    it.effect("that listens in silence gets comments", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ keepAlive: "10 seconds" })
        const reply = yield* modern(url, "subscriptions/listen", { notifications: {} })
        yield* reply.message
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* reply.next, { comment: "" })
      }))
  })

  describe(`the guards, ${name}`, () => {
    it.effect("stand before the body is parsed", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ allowedHosts: ["localhost"], allowedOrigins: ["https://app.example"] })
        const status = (headers: Record<string, string>, method = "POST") =>
          Effect.map(
            send(url, { method, headers: { ...media, ...headers }, body: method === "POST" ? "{" : undefined }),
            (reply) => reply.status
          )
        assert.strictEqual(yield* status({ origin: "https://evil.example" }), 403)
        assert.strictEqual(yield* status({ origin: "null" }), 403)
        assert.strictEqual(yield* status({ host: "evil.example" }), 403)
        assert.strictEqual(yield* status({ origin: "https://evil.example" }, "GET"), 403)
        assert.strictEqual(yield* status({ origin: "https://app.example" }), 400)
        assert.strictEqual(yield* status({ "content-type": "text/plain" }), 415)
        assert.strictEqual(yield* status({ accept: "image/png" }), 406)
      }))

    it.effect("name the methods that there are", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        for (const method of ["PUT", "PATCH", "OPTIONS"]) {
          const reply = yield* send(url, { method })
          assert.deepStrictEqual([reply.status, reply.headers.allow], [405, "GET, POST, DELETE"])
        }
      }))

    it.effect("answer pages that may call with CORS", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ cors: true, allowedOrigins: ["https://app.example"] })
        const headers = { origin: "https://app.example" }
        const preflight = yield* send(url, { method: "OPTIONS", headers })
        assert.strictEqual(preflight.status, 204)
        for (
          const reply of [
            preflight,
            yield* modern(url, "tools/list", {}, { headers }),
            yield* modern(url, "no/such", {}, { headers })
          ]
        ) {
          assert.strictEqual(reply.headers["access-control-allow-origin"], "https://app.example")
          assert.include(reply.headers["access-control-expose-headers"], "Mcp-Session-Id")
        }
      }))

    it.effect("refuse a body over the limit, and the connection goes on", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ maxBodyBytes: "10 KiB" })
        const agent = yield* Effect.acquireRelease(
          Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
          (agent) => Effect.sync(() => agent.destroy())
        )
        const call = (text: string, headers?: { readonly [name: string]: string | undefined }) =>
          modern(url, "tools/call", { name: "echo", arguments: { text } }, { agent, headers: headers ?? {} })
        const over = yield* call("x".repeat(20 * 1024))
        assert.strictEqual(over.status, 413)
        yield* over.text
        const chunked = yield* call("x".repeat(20 * 1024), {
          "transfer-encoding": "chunked",
          "content-length": undefined
        })
        assert.strictEqual(chunked.status, 413)
        yield* chunked.text
        const under = yield* call("x".repeat(5 * 1024))
        assert.strictEqual(under.status, 200)
        yield* under.text
      }))

    it.effect("refuse bytes that are no UTF-8", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const reply = yield* modern(url, "tools/list", {}, { body: new Uint8Array([0x22, 0xc3, 0x28, 0x22]) })
        assert.deepStrictEqual([reply.status, yield* code(reply)], [400, -32700])
      }))

    it.effect("ask who it is, and what they may do", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ authenticator })
        const as = (authorization: string | undefined) =>
          modern(url, "tools/call", { name: "who" }, { headers: { authorization } })
        const nobody = yield* as(undefined)
        assert.deepStrictEqual([nobody.status, nobody.headers["www-authenticate"]], [401, "Bearer"])
        assert.strictEqual((yield* as("guest")).status, 403)
        assert.strictEqual((yield* json(yield* as("alice"))).result.content[0].text, "alice")
      }))
  })

  describe(`a session, ${name}`, () => {
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
    it.effect("begins with initialize and ends with DELETE", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const one = yield* session(url)
        assert.match(one.id, /^[\x21-\x7e]{20,}$/)
        const { result } = yield* json(yield* one.request("tools/call", { name: "echo", arguments: { text: "é" } }))
        assert.deepStrictEqual(result, { content: [{ type: "text", text: "é" }] })
        assert.strictEqual((yield* one.delete).status, 204)
        for (const request of [one.request("ping"), one.get(), one.delete]) {
          assert.strictEqual((yield* request).status, 404)
        }
      }))

    it.effect("is named in every request: missing is 400, unknown is 404", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        for (const method of ["POST", "GET", "DELETE"]) {
          const body = method === "POST" ? { jsonrpc: "2.0", id: 1, method: "ping" } : undefined
          const accept = method === "GET" ? "text/event-stream" : media.accept
          assert.strictEqual((yield* send(url, { method, body, headers: { ...media, accept } })).status, 400)
          const headers = { ...media, accept, "mcp-session-id": "unknown" }
          assert.strictEqual((yield* send(url, { method, body, headers })).status, 404)
        }
      }))

    it.effect("is not begun by an initialize that is refused, and not twice", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const broken = yield* send(url, { headers: media, body: { ...initialize, params: {} } })
        assert.isUndefined(broken.headers["mcp-session-id"])
        const one = yield* session(url)
        assert.isDefined((yield* json(yield* one.post(initialize))).error)
        assert.strictEqual((yield* one.request("ping")).status, 200)
      }))

    it.effect("refuses a version that nobody speaks", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const one = yield* session(url)
        const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
        assert.strictEqual((yield* one.post(ping, { "mcp-protocol-version": "1999-01-01" })).status, 400)
        assert.strictEqual((yield* one.post(ping, { "mcp-protocol-version": undefined })).status, 200)
      }))

    it.effect("belongs to who began it, with whatever token", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ authenticator })
        const one = yield* session(url, { headers: { authorization: "alice/1" } })
        const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
        assert.strictEqual((yield* one.post(ping, { authorization: "alice/2" })).status, 200)
        assert.strictEqual((yield* one.post(ping, { authorization: "bob" })).status, 404)
        assert.strictEqual((yield* one.get({ authorization: "bob" })).status, 404)
        assert.strictEqual(
          (yield* send(url, { method: "DELETE", headers: { "mcp-session-id": one.id, authorization: "bob" } })).status,
          404
        )
        assert.strictEqual((yield* one.request("ping")).status, 200)
      }))

    it.effect("expires when it is idle, and not while somebody listens", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ sessionTimeout: "10 minutes", keepAlive: 0 })
        const idle = yield* session(url)
        const used = yield* session(url)
        const listening = yield* session(url)
        const stream = yield* listening.get()
        yield* stream.next
        yield* TestClock.adjust("9 minutes")
        assert.strictEqual((yield* used.request("ping")).status, 200)
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(
          yield* Effect.forEach([idle, used, listening], (one) =>
            Effect.map(one.request("ping"), ({ status }) => status)),
          [404, 200, 200]
        )
      }))

    it.effect("gives way to one more than there may be, when it is idle the longest", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ maxSessions: 2 })
        const first = yield* session(url)
        const second = yield* session(url)
        yield* Effect.forEach([first, second], (one) => Effect.flatMap(one.get(), (stream) => stream.next))
        assert.strictEqual((yield* send(url, { headers: media, body: initialize })).status, 503)
        yield* second.delete
        const third = yield* session(url)
        yield* session(url)
        assert.strictEqual((yield* third.request("ping")).status, 404)
        assert.strictEqual((yield* first.request("ping")).status, 200)
      }))

    it.effect("may go on in another instance that shares its store", () =>
      Effect.gen(function*() {
        const context = yield* Layer.build(SessionStore.layerMemory)
        const [here, there] = yield* Effect.provideContext(Effect.all([start(), start()]), context)
        const one = yield* session(here.url)
        const { result } = yield* json(
          yield* send(there.url, {
            headers: { ...media, "mcp-session-id": one.id },
            body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: { text: "hop" } } }
          })
        )
        assert.strictEqual(result.content[0].text, "hop")
      }))

    it.effect("asks its client on the stream of the call, and takes the answer by POST", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const one = yield* session(url, { capabilities: { elicitation: {} } })
        const other = yield* session(url)
        const call = yield* one.request("tools/call", { name: "ask" }, "call")
        const question = yield* call.message
        assert.strictEqual(question.method, "elicitation/create")
        const answer = (name: string) => ({
          jsonrpc: "2.0",
          id: question.id,
          result: { action: "accept", content: { name } }
        })
        yield* other.post(answer("Mallory"))
        const accepted = yield* one.post(answer("Alice"))
        assert.deepStrictEqual([accepted.status, yield* accepted.text], [202, ""])
        assert.strictEqual((yield* call.message).result.content[0].text, "Hello Alice")
        assert.isUndefined(yield* call.message)
      }))

    it.effect("hears of changes on its own stream, also of those before it listened", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const one = yield* session(url)
        yield* (yield* one.request("tools/call", { name: "change" })).text
        const stream = yield* one.get()
        assert.strictEqual((yield* stream.message).method, "notifications/tools/list_changed")
        yield* (yield* one.request("tools/call", { name: "change" })).text
        assert.strictEqual((yield* stream.message).method, "notifications/tools/list_changed")
      }))

    // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
    it.effect("ends the stream of a cancelled call without an answer, and interrupts its handler", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const one = yield* session(url)
        const call = yield* one.request("tools/call", { name: "gate", _meta: { progressToken: 1 } }, 7)
        yield* call.message
        yield* one.notify("notifications/cancelled", { requestId: "7" })
        yield* one.notify("notifications/cancelled", { requestId: 7 })
        assert.isUndefined(yield* call.message)
        yield* Deferred.await(gate.interrupted)
      }))

    it.effect("ends its calls with it", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const one = yield* session(url)
        const call = yield* one.request("tools/call", { name: "gate", _meta: { progressToken: 1 } })
        yield* call.message
        yield* one.delete
        assert.isUndefined(yield* call.message)
        yield* Deferred.await(gate.interrupted)
      }))

    it.effect("answers one request at a time under one id", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const one = yield* session(url)
        const call = yield* one.request("tools/call", { name: "gate", _meta: { progressToken: 1 } }, 1)
        yield* call.message
        assert.strictEqual((yield* one.request("ping", {}, 1)).status, 400)
        assert.strictEqual((yield* one.request("ping", {}, "1")).status, 200)
        yield* Deferred.succeed(gate.open, undefined)
        assert.strictEqual((yield* call.messages).at(-1).result.content[0].text, "through")
      }))

    // https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
    it.effect("of 2025-03-26 takes batches, and no other", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const batch = [
          { jsonrpc: "2.0", id: 1, method: "ping" },
          { jsonrpc: "2.0", method: "notifications/unknown" },
          { jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "echo", arguments: { text: "x" } } },
          { jsonrpc: "2.0", id: 3, method: "no/such" }
        ]
        const old = yield* session(url, { revision: "2025-03-26" })
        const answers = yield* json(yield* old.post(batch))
        assert.sameMembers(answers.map(({ id }: any) => id), [1, "two", 3])
        assert.strictEqual((yield* old.post([batch[1]])).status, 202)
        assert.strictEqual((yield* old.post([])).status, 400)
        assert.strictEqual((yield* old.post([batch[0], batch[0]])).status, 400)
        assert.strictEqual((yield* old.post([initialize])).status, 400)
        const mixed = yield* old.post([{
          jsonrpc: "2.0",
          id: "s",
          method: "tools/call",
          params: { name: "steps", arguments: { n: 1 }, _meta: { progressToken: 1 } }
        }])
        const messages = yield* mixed.messages
        assert.strictEqual(messages[0].method, "notifications/progress")
        assert.strictEqual(messages[1][0].id, "s")
        const young = yield* session(url)
        assert.strictEqual((yield* young.post(batch)).status, 400)
      }))
  })

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
  describe(`a stream that broke off, ${name}`, () => {
    const broken = Effect.fnUntraced(function*(url: string) {
      const one = yield* session(url)
      const call = yield* one.request("tools/call", { name: "gate", _meta: { progressToken: "p" } }, "call")
      const primed = (yield* call.next)!
      assert.strictEqual(primed.data, "")
      const event = yield* call.next
      yield* call.close
      return { one, primed: primed.id!, event: event!.id! }
    })

    it.effect("cancels nothing, and goes on after the event that its client has", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const { event, one, primed } = yield* broken(url)
        const live = yield* one.get({ "last-event-id": event })
        yield* live.next
        yield* Deferred.succeed(gate.open, undefined)
        const rest = yield* live.messages
        assert.deepStrictEqual(rest.map((message) => message.params?.progress ?? message.result.content[0].text), [
          2,
          "through"
        ])
        const again = yield* (yield* one.get({ "last-event-id": primed })).messages
        assert.deepStrictEqual(again.map((message) => message.params?.progress ?? message.result.content[0].text), [
          1,
          2,
          "through"
        ])
      }))

    it.effect("of another session, or of no session at all, replays nothing", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start()
        const { event } = yield* broken(url)
        yield* Deferred.succeed(gate.open, undefined)
        const other = yield* session(url)
        assert.deepStrictEqual(yield* (yield* other.get({ "last-event-id": event })).messages, [])
        assert.deepStrictEqual(yield* (yield* other.get({ "last-event-id": "99-1" })).messages, [])
      }))

    it.effect("was two streams: each replays its own events", () =>
      Effect.gen(function*() {
        const { url } = yield* start()
        const one = yield* session(url)
        const steps = (token: string) =>
          one.request("tools/call", { name: "steps", arguments: { n: 3 }, _meta: { progressToken: token } }, token)
        const [a, b] = yield* Effect.all([steps("a"), steps("b")], { concurrency: 2 })
        const ids: Array<string> = []
        for (const call of [a, b]) {
          yield* call.next
          ids.push((yield* call.next)!.id!)
          yield* call.messages
        }
        for (const [index, token] of ["a", "b"].entries()) {
          const replayed = yield* (yield* one.get({ "last-event-id": ids[index]! })).messages
          assert.deepStrictEqual(replayed.map(({ params }) => params?.progress), [2, 3, undefined])
          assert.isTrue(replayed.every(({ id, params }) => id === token || params.progressToken === token))
        }
      }))

    it.effect("may be the server's wish: it says when to come back, and the answer waits", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start({ pollInterval: "5 seconds", retryInterval: "2 seconds" })
        const one = yield* session(url)
        const fiber = yield* Effect.forkChild(one.request("tools/call", { name: "gate" }, "call"))
        yield* Deferred.await(gate.entered)
        yield* TestClock.adjust("5 seconds")
        const call = yield* Fiber.join(fiber)
        const primed = (yield* call.next)!
        assert.deepStrictEqual([primed.data, (yield* call.next)?.retry, yield* call.next], ["", "2000", undefined])
        yield* Deferred.succeed(gate.open, undefined)
        const rest = yield* (yield* one.get({ "last-event-id": primed.id! })).messages
        assert.deepStrictEqual(rest.map(({ id }) => id), ["call"])
      }))

    it.effect("is kept only so far back as it may be", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ maxStreamEvents: 2 })
        const one = yield* session(url)
        const call = yield* one.request("tools/call", {
          name: "steps",
          arguments: { n: 9 },
          _meta: { progressToken: 1 }
        })
        const first = yield* call.next
        yield* call.messages
        const rest = yield* (yield* one.get({ "last-event-id": first!.id! })).messages
        assert.deepStrictEqual(rest.map(({ params }) => params?.progress), [9, undefined])
      }))
  })

  describe(`other ways, ${name}`, () => {
    it.effect("without sessions each request of the handshake era stands for itself", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ stateless: true })
        const opened = yield* send(url, { headers: media, body: initialize })
        assert.isUndefined(opened.headers["mcp-session-id"])
        assert.strictEqual((yield* json(opened)).result.protocolVersion, "2025-11-25")
        const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: { text: "x" } } }
        for (const version of [undefined, "2025-06-18"]) {
          const reply = yield* send(url, { headers: { ...media, "mcp-protocol-version": version }, body })
          assert.strictEqual((yield* json(reply)).result.content[0].text, "x")
        }
        for (const method of ["GET", "DELETE"]) {
          const reply = yield* send(url, { method, headers: { accept: "text/event-stream" } })
          assert.deepStrictEqual([reply.status, reply.headers.allow], [405, "POST"])
        }
      }))

    it.effect("a modern server refuses the handshake and says what it speaks", () =>
      Effect.gen(function*() {
        const { url } = yield* start({ modernOnly: true })
        const reply = yield* send(url, { headers: media, body: initialize })
        const { error, id } = yield* json(reply)
        assert.deepStrictEqual([reply.status, id, error.code, error.data.supported], [400, "init", -32022, [
          "2026-07-28"
        ]])
        assert.strictEqual((yield* send(url, { method: "GET" })).status, 405)
        assert.strictEqual((yield* modern(url, "tools/list")).status, 200)
      }))

    // https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
    it.effect("HTTP+SSE of 2024-11-05: the stream names where to post, and carries every answer", () =>
      Effect.gen(function*() {
        const { gate, url } = yield* start({ legacySse: true })
        const stream = yield* send(url, { method: "GET", headers: { accept: "text/event-stream" } })
        const endpoint = (yield* stream.next)!
        assert.strictEqual(endpoint.event, "endpoint")
        const target = new URL(endpoint.data!, url).href
        const post = (body: unknown) => Effect.map(send(target, { headers: media, body }), ({ status }) => status)
        const old = { ...initialize, params: { ...initialize.params, protocolVersion: "2024-11-05" } }
        assert.strictEqual(yield* post(old), 202)
        assert.strictEqual((yield* stream.message).result.protocolVersion, "2024-11-05")
        yield* post({ jsonrpc: "2.0", method: "notifications/initialized" })
        yield* post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: { text: "x" } } })
        assert.strictEqual((yield* stream.message).result.content[0].text, "x")
        yield* post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "gate" } })
        yield* Deferred.await(gate.entered)
        yield* stream.close
        yield* Deferred.await(gate.interrupted)
        assert.strictEqual(yield* post({ jsonrpc: "2.0", id: 3, method: "ping" }), 404)
      }))
  })

  describe(`the end, ${name}`, () => {
    it.effect("lets what runs finish", () =>
      Effect.gen(function*() {
        const { gate, server } = yield* Contract.make
        const scope = yield* Scope.make()
        const url = yield* Scope.provide(adapter(server), scope)
        const call = yield* Effect.forkChild(Effect.flatMap(modern(url, "tools/call", { name: "gate" }), json))
        yield* Deferred.await(gate.entered)
        const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* Deferred.succeed(gate.open, undefined)
        assert.strictEqual((yield* Fiber.join(call)).result.content[0].text, "through")
        yield* Fiber.join(ending)
      }))

    it.effect("does not wait for ever: what runs on is interrupted", () =>
      Effect.gen(function*() {
        const { gate, server } = yield* Contract.make
        const scope = yield* Scope.make()
        const url = yield* Scope.provide(adapter(server, { shutdownTimeout: "3 seconds" }), scope)
        const one = yield* session(url)
        const stream = yield* one.get()
        yield* stream.next
        const call = yield* Effect.forkChild(Effect.option(modern(url, "tools/call", { name: "gate" })))
        yield* Deferred.await(gate.entered)
        const ending = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        assert.isUndefined(yield* stream.message)
        yield* Deferred.await(gate.interrupted)
        const reply = Option.getOrUndefined(yield* Fiber.join(call))
        assert.include([undefined, 503], reply?.status)
        yield* Fiber.join(ending)
      }))
  })
}
