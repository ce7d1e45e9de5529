import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as net from "node:net"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { Connection } from "../../src/peer/Connection.ts"
import { Unparseable } from "../../src/protocol/JsonRpc.ts"
import * as SocketTransport from "../../src/transport/SocketTransport.ts"
import { echo, failure, numbered, numbers, reasonOf, take } from "./support/frames.ts"
import { overSocket } from "./support/pipes.ts"

const loopback = { port: 0, host: "127.0.0.1" }

// A raw server: what it does with a socket is up to the test.
const rawServer = (onSocket: (socket: net.Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly sockets: Set<net.Socket>; readonly server: net.Server }>(
      (resume) => {
        const sockets = new Set<net.Socket>()
        const server = net.createServer((socket) => {
          sockets.add(socket)
          socket.on("error", () => {})
          onSocket(socket)
        })
        server.listen(0, "127.0.0.1", () => {
          resume(Effect.succeed({ port: (server.address() as net.AddressInfo).port, sockets, server }))
        })
      }
    ),
    ({ server, sockets }) =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

const connectTo = (port: number, options?: SocketTransport.ClientOptions) =>
  Effect.flatMap(NodeSocket.makeNet({ host: "127.0.0.1", port }), (socket) => SocketTransport.connect(socket, options))

// How a connection that was opened this way ends, and with what before.
const ending = Effect.fnUntraced(function*(connection: Connection) {
  const got: Array<unknown> = []
  const exit = yield* Effect.exit(
    Stream.runForEach(connection.incoming, (value) => Effect.sync(() => got.push(value)))
  )
  return { got, exit }
})

describe("a socket", () => {
  it.live("that nobody listens on is a TransportError: surely not sent", () =>
    Effect.gen(function*() {
      const port = yield* Effect.scoped(Effect.map(rawServer(() => {}), ({ port }) => port))
      const reason = yield* failure(connectTo(port))
      assert.isTrue(reason._tag === "TransportError" && reason.sent === "no")
    }))

  it.live("that is closed in order ends incoming, after what was written", () =>
    Effect.gen(function*() {
      const { port } = yield* rawServer((socket) => socket.end("1\nno JSON\n2"))
      const { exit, got } = yield* Effect.flatMap(connectTo(port), ending)
      assert.deepStrictEqual(exit, Exit.void)
      assert.deepStrictEqual(got.map((value) => value instanceof Unparseable ? "unparseable" : value), [
        1,
        "unparseable",
        2
      ])
    }))

  it.live("that is reset fails incoming with ConnectionClosed", () =>
    Effect.gen(function*() {
      const { port } = yield* rawServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
      const connection = yield* connectTo(port)
      yield* connection.send(numbered(1))
      const { exit } = yield* ending(connection)
      assert.strictEqual(reasonOf(exit)._tag, "ConnectionClosed")
    }))

  it.live("that sends a frame over the limit, ended or not, fails incoming with InvalidPeerMessage", () =>
    Effect.gen(function*() {
      const { port } = yield* rawServer((socket) => socket.write("1\n" + "x".repeat(2000)))
      const { exit, got } = yield* Effect.flatMap(connectTo(port, { maxFrameBytes: "1 KiB" }), ending)
      assert.deepStrictEqual(got, [1])
      assert.strictEqual(reasonOf(exit)._tag, "InvalidPeerMessage")
    }))

  it.live("whose other side does not read lets send wait, and still receives; closing it is bounded", () =>
    Effect.gen(function*() {
      const { port } = yield* rawServer((socket) => socket.pause().write("1\n"))
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(
        connectTo(port, { highWaterMark: "1 KiB", flushTimeout: "20 millis" }),
        scope
      )
      let sent = 0
      // Stops when a send has not come back for a while of turns in which others would have.
      const sender = yield* Effect.forkChild(
        failure(Effect.forever(Effect.tap(connection.send(numbered(1, 1_000_000)), () => Effect.sync(() => sent++)))),
        { startImmediately: true }
      )
      assert.deepStrictEqual(yield* take(connection, 1), [1])
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(sender))._tag, "ConnectionClosed")
      // What the kernel holds, and not all the memory there is.
      assert.isBelow(sent, 50)
    }))

  it.live("carries what was queued when its side closes", () =>
    Effect.gen(function*() {
      const received = yield* Deferred.make<string>()
      const { port } = yield* rawServer((socket) => {
        let text = ""
        socket.on("data", (data) => (text += data))
        socket.on("end", () => Deferred.doneUnsafe(received, Effect.succeed(text)))
      })
      yield* Effect.scoped(
        Effect.flatMap(connectTo(port), (connection) =>
          Effect.forEach([1, 2, 3], (n) => connection.send(numbered(n, 500_000)), { discard: true }))
      )
      const lines = (yield* Deferred.await(received)).trimEnd().split("\n")
      assert.deepStrictEqual(
        numbers(lines.map((line) =>
          JSON.parse(line)
        )),
        [1, 2, 3]
      )
    }))

  it.live("layerClient opens a socket for each connection, and carries the restart policy", () =>
    Effect.gen(function*() {
      const { port, sockets } = yield* rawServer((socket) => socket.pipe(socket))
      const restart = Schedule.recurs(3)
      const transport = yield* Effect.map(
        Layer.build(SocketTransport.layerClient(NodeSocket.makeNet({ host: "127.0.0.1", port }), { restart })),
        Context.get(ClientTransport)
      )
      assert.strictEqual(transport.kind, "socket")
      assert.strictEqual(transport.restart, restart)
      const first = yield* transport.open
      yield* Effect.scoped(Effect.gen(function*() {
        const second = yield* transport.open
        yield* second.send(numbered(2))
        assert.deepStrictEqual(numbers(yield* take(second, 1)), [2])
      }))
      yield* first.send(numbered(1))
      assert.deepStrictEqual(numbers(yield* take(first, 1)), [1])
      assert.strictEqual(sockets.size, 2)
    }))
})

describe("a server on sockets", () => {
  it.live("serves several connections at once, each in a scope of its own", () =>
    Effect.gen(function*() {
      const facts: Array<unknown> = []
      const closed = yield* Deferred.make<void>()
      const { open } = yield* overSocket(loopback, {
        connect: (connection, fact) => {
          facts.push(fact)
          return Effect.andThen(Effect.addFinalizer(() => Deferred.succeed(closed, undefined)), echo(connection))
        }
      })
      const first = yield* open
      yield* Effect.scoped(Effect.gen(function*() {
        const second = yield* open
        yield* second.send(numbered(2))
        assert.deepStrictEqual(numbers(yield* take(second, 1)), [2])
      }))
      yield* Deferred.await(closed)
      yield* first.send(numbered(1))
      assert.deepStrictEqual(numbers(yield* take(first, 1)), [1])
      assert.deepStrictEqual(facts, [{ transport: "socket" }, { transport: "socket" }])
    }))

  it.live("closes one connection too many at once, and takes a new one when another has ended", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const { open } = yield* overSocket(
        loopback,
        { connect: (connection) => Effect.ensuring(echo(connection), Deferred.succeed(ended, undefined)) },
        { server: { maxConnections: 1 } }
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const first = yield* open
        yield* first.send(numbered(1))
        assert.deepStrictEqual(numbers(yield* take(first, 1)), [1])
        assert.deepStrictEqual((yield* Effect.flatMap(open, ending)).got, [])
      }))
      yield* Deferred.await(ended)
      const second = yield* open
      yield* second.send(numbered(2))
      assert.deepStrictEqual(numbers(yield* take(second, 1)), [2])
    }))

  it.live("goes on when one connection fails", () =>
    Effect.gen(function*() {
      const { open } = yield* overSocket(loopback, { connect: echo }, { server: { maxFrameBytes: "1 KiB" } })
      const first = yield* open
      yield* first.send(numbered(1, 2000))
      assert.deepStrictEqual((yield* ending(first)).got, [])
      const second = yield* open
      yield* second.send(numbered(2))
      assert.deepStrictEqual(numbers(yield* take(second, 1)), [2])
    }))

  it.live("ends its connections when it is stopped", () =>
    Effect.gen(function*() {
      const { open, serving } = yield* overSocket(loopback, { connect: echo })
      const connection = yield* open
      yield* connection.send(numbered(1))
      assert.deepStrictEqual(numbers(yield* take(connection, 1)), [1])
      yield* Fiber.interrupt(serving)
      const second = yield* Effect.exit(Effect.forever(connection.send(numbered(2, 100_000))))
      assert.isTrue(Exit.isFailure(second))
    }))
})
