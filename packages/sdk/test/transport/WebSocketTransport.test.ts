import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AddressInfo } from "node:net"
import type { Connection } from "../../src/peer/Connection.ts"
import { Unparseable } from "../../src/protocol/JsonRpc.ts"
import * as WebSocketTransport from "../../src/transport/WebSocketTransport.ts"
import { echo, failure, numbered, numbers, reasonOf, take } from "./support/frames.ts"
import { overWebSocket } from "./support/pipes.ts"

// A raw server: what it does with a WebSocket is up to the test.
const rawServer = (onSocket: (socket: NodeWS.WebSocket, protocol: string) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly server: NodeWS.WebSocketServer }>((resume) => {
      const server = new NodeWS.WebSocketServer({ port: 0, host: "127.0.0.1" })
      server.on("connection", (socket) => onSocket(socket, socket.protocol))
      server.on("listening", () => {
        resume(Effect.succeed({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, server }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => resume(Effect.void))
      })
  )

const connectTo = (url: string, options?: WebSocketTransport.ClientOptions) =>
  Effect.provide(WebSocketTransport.connect(url, options), NodeSocket.layerWebSocketConstructor)

const ending = Effect.fnUntraced(function*(connection: Connection) {
  const got: Array<unknown> = []
  const exit = yield* Effect.exit(
    Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push(value)))
  )
  return { got, exit }
})

describe("a WebSocket", () => {
  it.live("that cannot be opened is a TransportError: surely not sent", () =>
    Effect.gen(function*() {
      const url = yield* Effect.scoped(Effect.map(rawServer(() => {}), ({ url }) => url))
      for (const target of [url, "no URL"]) {
        const reason = yield* failure(connectTo(target))
        assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
      }
    }))

  it.live("offers the subprotocol mcp, and sends the headers it is given", () =>
    Effect.gen(function*() {
      const opened = yield* Deferred.make<readonly [string, string | undefined]>()
      const { server, url } = yield* rawServer(() => {})
      server.on("connection", (socket, request) => {
        Deferred.doneUnsafe(opened, Effect.succeed([socket.protocol, request.headers["x-test"] as string] as const))
      })
      yield* connectTo(url, { headers: { "x-test": "yes" } })
      assert.deepStrictEqual(yield* Deferred.await(opened), ["mcp", "yes"])
    }))

  it.live("carries one JSON text a message", () =>
    Effect.gen(function*() {
      const received = yield* Deferred.make<ReadonlyArray<string>>()
      const texts: Array<string> = []
      const { url } = yield* rawServer((socket) => {
        socket.on("message", (data, binary) => {
          texts.push(`${binary ? "binary" : "text"} ${String(data)}`)
          if (texts.length === 2) Deferred.doneUnsafe(received, Effect.succeed(texts))
        })
      })
      const connection = yield* connectTo(url)
      yield* connection.send(numbered(1))
      yield* connection.send(numbered(2))
      assert.deepStrictEqual(
        yield* Deferred.await(received),
        [numbered(1), numbered(2)].map((message) => `text ${JSON.stringify(message)}`)
      )
    }))

  it.live("delivers text and binary messages, and what is no JSON as such", () =>
    Effect.gen(function*() {
      const { url } = yield* rawServer((socket) => {
        socket.send("{\"a\":\"é\\n\"}\n")
        socket.send(new TextEncoder().encode("{\"b\":\"漢\"}"))
        socket.send("")
        socket.send("no JSON")
        socket.send("1\n2")
        socket.close(1000)
      })
      const { exit, got } = yield* Effect.flatMap(connectTo(url), ending)
      assert.deepStrictEqual(exit, Exit.void)
      assert.deepStrictEqual(got.map((value) => value instanceof Unparseable ? "unparseable" : value), [
        { a: "é\n" },
        { b: "漢" },
        "unparseable",
        "unparseable"
      ])
    }))

  for (const [code, reason] of [[1000, ""], [1001, "bye"]] as const) {
    it.live(`that is closed with ${code} ends incoming`, () =>
      Effect.gen(function*() {
        const { url } = yield* rawServer((socket) => {
          socket.send("1")
          socket.close(code, reason)
        })
        assert.deepStrictEqual(yield* Effect.flatMap(connectTo(url), ending), { got: [1], exit: Exit.void })
      }))
  }

  it.live("that is closed without a code ends incoming", () =>
    Effect.gen(function*() {
      const { url } = yield* rawServer((socket) => socket.close())
      assert.deepStrictEqual((yield* Effect.flatMap(connectTo(url), ending)).exit, Exit.void)
    }))

  for (
    const [code, reason, words] of [
      [1011, "out of memory", ["1011", "internal error", "out of memory"]],
      [1008, "", ["1008", "policy violation"]],
      [1013, "", ["1013", "try again later"]],
      [4001, "token expired", ["4001", "token expired"]]
    ] as const
  ) {
    it.live(`that is closed with ${code} fails incoming with ConnectionClosed, and says why`, () =>
      Effect.gen(function*() {
        const { url } = yield* rawServer((socket) => {
          socket.send("1")
          socket.close(code, reason)
        })
        const { exit, got } = yield* Effect.flatMap(connectTo(url), ending)
        assert.deepStrictEqual(got, [1])
        const closed = reasonOf(exit)
        assert.strictEqual(closed._tag, "ConnectionClosed")
        for (const word of words) assert.include(closed.message, word)
      }))
  }

  it.live("that is lost fails incoming with ConnectionClosed", () =>
    Effect.gen(function*() {
      const { url } = yield* rawServer((socket) => socket.once("message", () => socket.terminate()))
      const connection = yield* connectTo(url)
      yield* connection.send(numbered(1))
      assert.strictEqual(reasonOf((yield* ending(connection)).exit)._tag, "ConnectionClosed")
    }))

  it.live("that brings a message over the limit fails incoming with InvalidPeerMessage, and is closed with 4009", () =>
    Effect.gen(function*() {
      const code = yield* Deferred.make<number>()
      const { url } = yield* rawServer((socket) => {
        socket.on("close", (closed) => Deferred.doneUnsafe(code, Effect.succeed(closed)))
        socket.send(JSON.stringify("x".repeat(998)))
        // Longer in bytes than in characters.
        socket.send(JSON.stringify("é".repeat(500)))
      })
      const connection = yield* connectTo(url, { maxFrameBytes: 1000 })
      const { exit, got } = yield* ending(connection)
      assert.deepStrictEqual(got, ["x".repeat(998)])
      assert.strictEqual(reasonOf(exit)._tag, "InvalidPeerMessage")
      // What a browser's WebSocket has for 1009.
      assert.strictEqual(yield* Deferred.await(code), 4009)
    }))

  it.live("whose other side does not read lets send wait; closing it is bounded", () =>
    Effect.gen(function*() {
      const { url } = yield* rawServer((socket) => {
        socket.pause()
        socket.send("1")
      })
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(
        connectTo(url, { highWaterMark: "1 KiB", flushTimeout: "20 millis" }),
        scope
      )
      let sent = 0
      const sender = yield* Effect.forkChild(
        failure(Effect.forever(Effect.tap(connection.send(numbered(1, 1_000_000)), () => Effect.sync(() => sent++)))),
        { startImmediately: true }
      )
      assert.deepStrictEqual(yield* take(connection, 1), [1])
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(sender))._tag, "ConnectionClosed")
      assert.isBelow(sent, 50)
    }))

  it.live("carries what was queued when its side closes, and is closed with 1000", () =>
    Effect.gen(function*() {
      const closed = yield* Deferred.make<readonly [number, number]>()
      const { url } = yield* rawServer((socket) => {
        let messages = 0
        socket.on("message", () => messages++)
        socket.on("close", (code) => Deferred.doneUnsafe(closed, Effect.succeed([code, messages] as const)))
      })
      yield* Effect.scoped(
        Effect.flatMap(connectTo(url), (connection) =>
          Effect.forEach([1, 2, 3], (n) => connection.send(numbered(n, 500_000)), { discard: true }))
      )
      assert.deepStrictEqual(yield* Deferred.await(closed), [1000, 3])
    }))
})

describe("a server on WebSockets", () => {
  it.live("tells its endpoint what carries the messages", () =>
    Effect.gen(function*() {
      const facts: Array<unknown> = []
      const { open } = yield* overWebSocket({
        connect: (connection, fact) => {
          facts.push(fact)
          return echo(connection)
        }
      })
      const connection = yield* open
      yield* connection.send(numbered(1))
      assert.deepStrictEqual(numbers(yield* take(connection, 1)), [1])
      assert.deepStrictEqual(facts, [{ transport: "websocket" }])
    }))

  it.live("closes one connection too many with code 1013", () =>
    Effect.gen(function*() {
      const { open } = yield* overWebSocket({ connect: echo }, { server: { maxConnections: 1 } })
      const first = yield* open
      yield* first.send(numbered(1))
      assert.deepStrictEqual(numbers(yield* take(first, 1)), [1])
      const reason = reasonOf((yield* Effect.flatMap(open, ending)).exit)
      assert.strictEqual(reason._tag, "ConnectionClosed")
      assert.include(reason.message, "1013")
    }))

  it.live("closes a client that sends a message over the limit with code 1009", () =>
    Effect.gen(function*() {
      const { open } = yield* overWebSocket({ connect: echo }, { server: { maxFrameBytes: "1 KiB" } })
      const connection = yield* open
      yield* connection.send(numbered(1, 2000))
      const reason = reasonOf((yield* ending(connection)).exit)
      assert.strictEqual(reason._tag, "ConnectionClosed")
      assert.include(reason.message, "1009")
    }))

  it.live("lets send wait for a client that does not read", () =>
    Effect.gen(function*() {
      let sent = 0
      const { url } = yield* overWebSocket({
        connect: (connection) =>
          Effect.forever(Effect.tap(connection.send(numbered(1, 1_000_000)), () => Effect.sync(() => sent++)))
      }, { server: { highWaterMark: "1 KiB", flushTimeout: 0 } })
      const client = new NodeWS.WebSocket(url, "mcp")
      client.on("open", () => client.pause())
      yield* Effect.addFinalizer(() => Effect.sync(() => client.terminate()))
      yield* Effect.repeat(Effect.yieldNow, { until: () => sent > 1 })
      // A send that waits for nobody would come back in each of these turns.
      yield* Effect.repeat(Effect.yieldNow, { times: 1000 })
      assert.isBelow(sent, 50)
    }))
})
