import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type * as Peer from "../../src/peer/Peer.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { failure } from "../transport/support/frames.ts"
import { byHand, cancelled, ok, progressed, request, settle, start, until } from "./support/peers.ts"

const never = () => Effect.never

/** What the server's own logger gets. */
const recorded = <A, E, R>(effect: (logs: Array<string>) => Effect.Effect<A, E, R>) => {
  const logs: Array<string> = []
  return Effect.provide(
    effect(logs),
    Logger.layer([Logger.make(({ cause, message }) => {
      logs.push([message, ...cause.reasons].flat().map(String).join(" "))
    })])
  )
}

describe("answers", () => {
  it.effect("come under the id as another type from some peers, and are taken", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const calling = yield* Effect.forkChild(peer.request("call", undefined), { startImmediately: true })
      const [{ id }] = yield* hand.frames(1)
      assert.strictEqual(typeof id, "number")
      // These only look like it.
      for (const other of [`0${id}`, `${id}.0`, ` ${id}`, `+${id}`]) {
        yield* hand.send({ jsonrpc: "2.0", id: other, result: { right: false } })
      }
      yield* hand.send({ jsonrpc: "2.0", id: String(id), result: { right: true } })
      assert.deepStrictEqual(yield* Fiber.join(calling), { right: true })
    }))

  it.effect("may say that they are none: the call fails at once, and its error tells why", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const malformed = [{ result: null }, { result: {}, error: {} }, { error: "no" }, { result: [] }]
      for (const [n, members] of malformed.entries()) {
        const calling = yield* Effect.forkChild(failure(peer.request("call", undefined)), { startImmediately: true })
        const { id } = (yield* hand.frames(n + 1))[n]
        yield* hand.send({ jsonrpc: "2.0", id, ...members })
        assert.strictEqual((yield* Fiber.join(calling))._tag, "InvalidPeerMessage")
      }
    }))

  it.effect("of requests that the other side sends under the id of a call of ours are no answers to it", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand({ answersInvalid: false })
      const calling = yield* Effect.forkChild(peer.request("call", undefined), { startImmediately: true })
      const [{ id }] = yield* hand.frames(1)
      yield* hand.send({ jsonrpc: "2.0", id, method: "malformed", params: [1] })
      yield* hand.send({ jsonrpc: "2.0", id, method: 5 })
      yield* hand.send({ jsonrpc: "2.0", id, result: { right: true } })
      assert.deepStrictEqual(yield* Fiber.join(calling), { right: true })
    }))

  it.effect("that cannot be written become an internal error: the caller does not wait in vain", () =>
    recorded((logs) =>
      Effect.gen(function*() {
        const [, hand] = yield* byHand({ onRequest: (asked) => Effect.succeed(ok(asked, { big: 1n })) })
        yield* hand.send(request(7))
        assert.deepStrictEqual(yield* hand.frames(1), [
          { jsonrpc: "2.0", id: 7, error: { code: -32603, message: "Internal error" } }
        ])
        assert.match(logs.join(), /cannot be written as JSON/)
      })
    ))
})

describe("a request of the other side", () => {
  it.effect("under an id in flight is refused, and the first goes on; afterwards the id is free again", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const [, hand] = yield* byHand({ onRequest: (asked) => Effect.as(Deferred.await(gate), ok(asked)) })
      yield* hand.send(request("a"))
      yield* hand.send(request("a"))
      assert.strictEqual((yield* hand.frames(1))[0].error.code, -32600)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* hand.frames(2))[1], { jsonrpc: "2.0", id: "a", result: {} })
      yield* hand.send(request("a"))
      assert.deepStrictEqual((yield* hand.frames(3))[2], { jsonrpc: "2.0", id: "a", result: {} })
    }))

  it.effect("may have a number where another has the same digits as a string", () =>
    Effect.gen(function*() {
      const [, hand] = yield* byHand({ onRequest: never })
      yield* hand.send(request(1))
      yield* hand.send(request("1"))
      yield* settle
      assert.deepStrictEqual(hand.received, [])
      yield* hand.send(request(1))
      assert.strictEqual((yield* hand.frames(1))[0].id, 1)
    }))

  it.effect("is refused where too many are in flight, until one of them is answered", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const [, hand] = yield* byHand(
        { onRequest: (asked) => Effect.as(Deferred.await(gate), ok(asked)) },
        { maxInFlight: 2 }
      )
      for (const id of [1, 2, 3]) yield* hand.send(request(id))
      const [refused] = yield* hand.frames(1)
      assert.strictEqual(refused.id, 3)
      assert.strictEqual(refused.error.code, -32603)
      yield* Deferred.succeed(gate, undefined)
      yield* hand.frames(3)
      yield* hand.send(request(4))
      assert.deepStrictEqual((yield* hand.frames(4))[3], { jsonrpc: "2.0", id: 4, result: {} })
    }))

  it.effect("whose handler dies or throws gets an error without details, and the log has them all", () =>
    recorded((logs) =>
      Effect.gen(function*() {
        const [, hand] = yield* byHand({
          onRequest: ({ method }) => {
            if (method === "throw") throw new Error("secret of throw")
            return Effect.die(new Error(`secret of ${method}`))
          }
        })
        yield* hand.send(request(1, "die"))
        yield* hand.send(request(2, "throw"))
        const answers = yield* hand.frames(2)
        for (const { error } of answers) assert.deepStrictEqual(error, { code: -32603, message: "Internal error" })
        assert.match(logs.join("\n"), /secret of die/)
        assert.match(logs.join("\n"), /secret of throw/)
      })
    ))

  it.effect("whose handler interrupts itself is answered all the same", () =>
    recorded(() =>
      Effect.gen(function*() {
        const [, hand] = yield* byHand({ onRequest: () => Effect.interrupt })
        yield* hand.send(request(1))
        assert.strictEqual((yield* hand.frames(1))[0].error.code, -32603)
      })
    ))
})

describe("a notification", () => {
  it.effect("whose handler dies or throws is logged, and those after it are handled", () =>
    recorded((logs) =>
      Effect.gen(function*() {
        const handled: Array<string> = []
        const [, hand] = yield* byHand({
          onNotification: ({ method }) => {
            if (method === "throw") throw new Error("secret of throw")
            if (method === "die") return Effect.die(new Error("secret of die"))
            return Effect.sync(() => handled.push(method))
          }
        })
        for (const method of ["throw", "die", "n"]) yield* hand.send({ jsonrpc: "2.0", method })
        yield* until("the last is handled", () => handled.length === 1)
        assert.match(logs.join("\n"), /secret of throw/)
        assert.match(logs.join("\n"), /secret of die/)
        yield* hand.send(request(1))
        yield* hand.frames(1)
        assert.strictEqual(hand.received.length, 1)
      })
    ))

  it.effect("may itself lead to a call while another is under way", () =>
    Effect.gen(function*() {
      // A handler of list changes that lists: https://modelcontextprotocol.io/specification/2026-07-28/server/tools
      const [one, other] = yield* Memory.pair
      const lists: Array<unknown> = []
      const server = yield* start(other, {
        onRequest: (asked, peer) =>
          asked.method === "call"
            ? Effect.as(
              Effect.orDie(Effect.andThen(peer.notify("changed"), Effect.repeat(Effect.yieldNow, { times: 10 }))),
              ok(asked, { called: true })
            )
            : Effect.succeed(ok(asked, { listed: true }))
      })
      const client = yield* start(one, {
        onNotification: (_, peer) =>
          Effect.orDie(Effect.map(peer.request("list", undefined), (list) => void lists.push(list)))
      })
      assert.deepStrictEqual(yield* client.request("call", undefined), { called: true })
      yield* until("the list came", () => lists.length === 1)
      assert.deepStrictEqual(lists, [{ listed: true }])
      assert.isFalse(server.isDone())
    }))
})

describe("frames that are no messages", () => {
  const invalid = [
    ["no JSON", "{", -32700],
    ["a number", 5, -32600],
    ["null", null, -32600],
    ["no version", { id: 1, method: "m" }, -32600],
    ["another version", { jsonrpc: "1.0", id: 1, method: "m" }, -32600],
    ["a null id", { jsonrpc: "2.0", id: null, method: "m" }, -32600],
    ["a fraction as id", { jsonrpc: "2.0", id: 1.5, method: "m" }, -32600],
    ["a boolean as id", { jsonrpc: "2.0", id: true, method: "m" }, -32600],
    ["an id that a double cannot hold", { jsonrpc: "2.0", id: 2 ** 53, method: "m" }, -32600],
    ["a method that is no string", { jsonrpc: "2.0", id: 1, method: 5 }, -32600],
    ["params that are no object", { jsonrpc: "2.0", id: 1, method: "m", params: [1] }, -32600],
    ["neither method nor result", { jsonrpc: "2.0", id: 1 }, -32600]
  ] as const

  for (const [name, frame, code] of invalid) {
    it.effect(`${name}: a server answers, a client never does, both go on`, () =>
      Effect.gen(function*() {
        const [, server] = yield* byHand()
        yield* server.send(frame)
        yield* server.send(request("after"))
        const [error, after] = yield* server.frames(2)
        assert.strictEqual(error.error.code, code)
        assert.isFalse("result" in error)
        // An id is given back where there was one, and never made up.
        const id = typeof frame === "object" && frame !== null && "id" in frame ? frame.id : undefined
        assert.strictEqual(error.id, id === 1 ? 1 : undefined)
        assert.strictEqual(after.id, "after")

        const [, client] = yield* byHand({ answersInvalid: false })
        yield* client.send(frame)
        yield* client.send(request("after"))
        assert.deepStrictEqual((yield* client.frames(1)).map(({ id }) => id), ["after"])
      }))
  }

  it.effect("sent between two servers die out", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Memory.pair
      const left = yield* start(one)
      const right = yield* start(other)
      yield* one.send({ jsonrpc: "2.0", id: null, method: "m" } as never)
      yield* other.send([] as never)
      yield* settle
      assert.strictEqual(left.sent.length, 1)
      assert.strictEqual(right.sent.length, 1)
    }))
})

describe("a batch", () => {
  // https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
  const gated = Effect.map(Deferred.make<void>(), (gate) => ({
    open: Deferred.succeed(gate, undefined),
    onRequest: (asked: { readonly method: string; readonly id: string | number }) =>
      asked.method === "slow"
        ? Effect.as(Deferred.await(gate), ok(asked as never))
        : Effect.succeed(ok(asked as never))
  }))

  it.effect("is answered by one, when the last of its requests is", () =>
    Effect.gen(function*() {
      const { onRequest, open } = yield* gated
      const notified: Array<string> = []
      const [, hand] = yield* byHand({
        onRequest,
        onNotification: ({ method }) => Effect.sync(() => void notified.push(method))
      })
      yield* hand.send([
        request(1, "slow"),
        { jsonrpc: "2.0", method: "n" },
        request("2"),
        5,
        { jsonrpc: "2.0", id: 99, result: {} },
        [request(3)]
      ])
      yield* settle
      assert.deepStrictEqual(notified, ["n"])
      assert.deepStrictEqual(hand.received, [])
      yield* open
      const [answers] = yield* hand.frames(1)
      assert.sameDeepMembers(answers.map(({ error, id }: any) => [id, error?.code]), [
        [1, undefined],
        ["2", undefined],
        [undefined, -32600],
        [undefined, -32600]
      ])
    }))

  it.effect("of notifications alone is answered by nothing", () =>
    Effect.gen(function*() {
      const [, hand] = yield* byHand()
      yield* hand.send([{ jsonrpc: "2.0", method: "n" }, { jsonrpc: "2.0", method: "n" }])
      yield* hand.send(request(1))
      assert.deepStrictEqual((yield* hand.frames(1)).map(({ id }) => id), [1])
    }))

  it.effect("leaves out what was cancelled; with nothing left it is answered by nothing", () =>
    Effect.gen(function*() {
      const [, hand] = yield* byHand({
        onRequest: (asked) => asked.method === "slow" ? Effect.never : Effect.succeed(ok(asked))
      })
      yield* hand.send([request(1, "slow"), request(2)])
      yield* hand.send([request(3, "slow")])
      yield* hand.send({ jsonrpc: "2.0", method: cancelled, params: { requestId: 3 } })
      yield* hand.send({ jsonrpc: "2.0", method: cancelled, params: { requestId: 1 } })
      yield* hand.frames(1)
      yield* settle
      assert.deepStrictEqual(hand.received, [[{ jsonrpc: "2.0", id: 2, result: {} }]])
    }))

  it.effect("with an id twice answers the second by an error", () =>
    Effect.gen(function*() {
      const { onRequest, open } = yield* gated
      const [, hand] = yield* byHand({ onRequest })
      yield* hand.send([request(1, "slow"), request(1)])
      yield* settle
      yield* open
      const [answers] = yield* hand.frames(1)
      assert.sameMembers(answers.map((answer: any) => "error" in answer ? answer.error.code : "ok"), [-32600, "ok"])
    }))

  it.effect("is refused where it is empty, and where the revision has none", () =>
    Effect.gen(function*() {
      const [, hand] = yield* byHand()
      yield* hand.send([])
      const [empty] = yield* hand.frames(1)
      assert.strictEqual(empty.error.code, -32600)
      const [, other] = yield* byHand({ acceptsBatch: () => false })
      yield* other.send([request(1), request(2)])
      yield* other.send(request(3))
      const [refused, answer] = yield* other.frames(2)
      assert.strictEqual(refused.error.code, -32600)
      assert.isFalse("id" in refused)
      assert.strictEqual(answer.id, 3)
    }))

  it.effect("of answers answers the calls", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand({ answersInvalid: false })
      const calling = yield* Effect.forkChild(
        Effect.all([peer.request("a", undefined), peer.request("b", undefined)], { concurrency: 2 }),
        { startImmediately: true }
      )
      const [a, b] = yield* hand.frames(2)
      yield* hand.send([
        { jsonrpc: "2.0", id: b.id, result: { of: "b" } },
        { jsonrpc: "2.0", id: a.id, result: { of: "a" } }
      ])
      assert.deepStrictEqual(yield* Fiber.join(calling), [{ of: "a" }, { of: "b" }])
    }))
})

describe("cancellation", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation#behavior-requirements
  it.effect("by interruption sends one notice; the handler's finalizers run and nothing is answered", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Memory.pair
      const events: Array<string> = []
      const server = yield* start(other, {
        onRequest: () =>
          Effect.never.pipe(
            Effect.onInterrupt(() => Effect.andThen(Effect.yieldNow, Effect.sync(() => events.push("released"))))
          )
      })
      const client = yield* start(one)
      const calling = yield* Effect.forkChild(client.request("call", undefined), { startImmediately: true })
      yield* until("the call has come", () => server.isAnswering(client.sent[0].id))
      yield* Fiber.interrupt(calling)
      yield* until("the handler is gone", () => !server.isAnswering(client.sent[0].id))
      assert.deepStrictEqual(events, ["released"])
      assert.deepStrictEqual(client.sent.slice(1), [
        { jsonrpc: "2.0", method: cancelled, params: { requestId: client.sent[0].id } }
      ])
      assert.deepStrictEqual(server.sent, [])
    }))

  it.effect("of a handler that ends normally all the same leaves its request without an answer", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let ended = false
      const [, hand] = yield* byHand({
        onRequest: (asked) =>
          Deferred.await(gate).pipe(
            Effect.andThen(Effect.sync(() => {
              ended = true
            })),
            Effect.as(ok(asked)),
            Effect.uninterruptible
          )
      })
      yield* hand.send(request(1))
      yield* hand.send({ jsonrpc: "2.0", method: cancelled, params: { requestId: 1 } })
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      yield* until("the handler has ended", () => ended)
      yield* settle
      assert.deepStrictEqual(hand.received, [])
    }))

  it.effect("of what is unknown, answered, malformed or never was is passed over", () =>
    Effect.gen(function*() {
      const [, hand] = yield* byHand()
      yield* hand.send(request(1))
      yield* hand.frames(1)
      for (const params of [{ requestId: 1 }, { requestId: "x" }, { requestId: null }, {}, undefined]) {
        yield* hand.send({ jsonrpc: "2.0", method: cancelled, ...(params && { params }) })
      }
      yield* hand.send(request(2))
      assert.deepStrictEqual((yield* hand.frames(2)).map(({ id }) => id), [1, 2])
    }))

  it.effect("sends no notice for a call that is answered, nor for one that must not be cancelled", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const calling = yield* Effect.forkChild(peer.request("call", undefined), { startImmediately: true })
      const [{ id }] = yield* hand.frames(1)
      yield* hand.send({ jsonrpc: "2.0", id, result: {} })
      yield* Fiber.join(calling)
      yield* Fiber.interrupt(calling)
      const opening = yield* Effect.forkChild(peer.request("initialize", undefined), { startImmediately: true })
      yield* hand.frames(2)
      yield* Fiber.interrupt(opening)
      yield* settle
      assert.deepStrictEqual(hand.received.map(({ method }) => method), ["call", "initialize"])
      // And its late answer finds nobody.
      yield* hand.send({ jsonrpc: "2.0", id: hand.received[1].id, result: {} })
      yield* hand.send(request("after"))
      yield* hand.frames(3)
    }))

  it.effect("of a call that is answered while its listener is still at work stops the listener, without a notice", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      let stopped = false
      const calling = yield* Effect.forkChild(
        peer.request("call", undefined, {
          onMessage: () =>
            Effect.onInterrupt(Effect.never, () =>
              Effect.andThen(
                Effect.yieldNow,
                Effect.sync(() => {
                  stopped = true
                })
              ))
        }),
        { startImmediately: true }
      )
      const [{ id }] = yield* hand.frames(1)
      yield* hand.send({ jsonrpc: "2.0", method: progressed, params: { progressToken: id } })
      yield* hand.send({ jsonrpc: "2.0", id, result: {} })
      yield* settle
      yield* Fiber.interrupt(calling)
      assert.isTrue(stopped)
      assert.strictEqual(hand.received.length, 1)
    }))

  it.effect("in a race: the winner's answer comes, the loser is told", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const racing = yield* Effect.forkChild(
        Effect.raceFirst(peer.request("slow", undefined), peer.request("fast", undefined)),
        { startImmediately: true }
      )
      const [slow, fast] = yield* hand.frames(2)
      yield* hand.send({ jsonrpc: "2.0", id: fast.id, result: { won: "fast" } })
      assert.deepStrictEqual(yield* Fiber.join(racing), { won: "fast" })
      assert.deepStrictEqual((yield* hand.frames(3))[2].params, { requestId: slow.id })
    }))
})

describe("a listener of a call", () => {
  it.effect("that dies ends the call with its defect, and the other side is told", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const calling = yield* Effect.forkChild(
        Effect.exit(peer.request("call", undefined, { onMessage: () => Effect.die("no listener") })),
        { startImmediately: true }
      )
      const [{ id }] = yield* hand.frames(1)
      yield* hand.send({ jsonrpc: "2.0", method: progressed, params: { progressToken: id } })
      assert.deepStrictEqual(yield* Fiber.join(calling), Exit.die("no listener"))
      assert.deepStrictEqual((yield* hand.frames(2))[1].params, { requestId: id })
    }))

  it.effect("that is stuck keeps its call no longer than its time, and then the answer that is there counts", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const stuck = (options: Peer.RequestOptions) =>
        Effect.gen(function*() {
          const before = hand.received.length
          const calling = yield* Effect.forkChild(
            peer.request("call", undefined, { onMessage: () => Effect.never, ...options }),
            { startImmediately: true }
          )
          const { id } = (yield* hand.frames(before + 1))[before]
          yield* hand.send({ jsonrpc: "2.0", method: progressed, params: { progressToken: id } })
          yield* hand.send({ jsonrpc: "2.0", id, result: { of: id } })
          yield* settle
          assert.isUndefined(calling.pollUnsafe())
          return { calling, answer: { of: id } }
        })
      const timed = yield* stuck({ timeout: 1000 })
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(yield* Fiber.join(timed.calling), timed.answer)
      const closed = yield* stuck({ timeout: Infinity })
      const sent = hand.received.length
      yield* hand.close
      assert.deepStrictEqual(yield* Fiber.join(closed.calling), closed.answer)
      // What was answered is not cancelled.
      assert.strictEqual(hand.received.length, sent)
    }))

  it.effect("that is stuck loses the oldest messages and not the newest, and the reader goes on", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const gate = yield* Deferred.make<void>()
      const heard: Array<number> = []
      const calling = yield* Effect.forkChild(
        peer.request("call", undefined, {
          onMessage: ({ params }) =>
            Effect.andThen(Deferred.await(gate), Effect.sync(() => heard.push(params?.["n"] as number)))
        }),
        { startImmediately: true }
      )
      const [{ id }] = yield* hand.frames(1)
      for (let n = 0; n < 3000; n++) {
        yield* hand.send({ jsonrpc: "2.0", method: progressed, params: { progressToken: id, n } })
      }
      yield* hand.send({ jsonrpc: "2.0", id, result: {} })
      yield* hand.send(request("while it is stuck"))
      yield* hand.frames(2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(calling)
      // The first was at work already; of the others the last 1,024 are kept.
      assert.deepStrictEqual(heard, [0, ...Array.from({ length: 1024 }, (_, i) => 3000 - 1024 + i)])
    }))
})

describe("the end", () => {
  it.effect("of the other side fails every call that waits, at once, and all later ones", () =>
    Effect.gen(function*() {
      const [peer, hand] = yield* byHand()
      const calls = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.forkChild(
          failure(peer.request("call", { n }, n === 2 ? { onMessage: () => Effect.never } : undefined)),
          { startImmediately: true }
        ))
      yield* hand.frames(3)
      // The second call's listener is stuck; that must not keep it.
      yield* hand.send({ jsonrpc: "2.0", method: progressed, params: { progressToken: hand.received[1].id } })
      yield* hand.close
      for (const reason of yield* Effect.forEach(calls, Fiber.join)) {
        assert.strictEqual(reason._tag, "ConnectionClosed")
        assert.match(reason.message, /other side/)
      }
      assert.strictEqual((yield* failure(peer.request("late", undefined)))._tag, "ConnectionClosed")
    }))

  it.effect("of this side says so", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const [peer, hand] = yield* Scope.provide(byHand(), scope)
      const calling = yield* Effect.forkChild(failure(peer.request("call", undefined)), { startImmediately: true })
      yield* hand.frames(1)
      yield* Scope.close(scope, Exit.void)
      const reason = yield* Fiber.join(calling)
      assert.strictEqual(reason._tag, "ConnectionClosed")
      assert.match(reason.message, /on this side/)
    }))

  it.effect("by a broken connection fails the calls with what broke it", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Memory.pair
      const broken = failureOf("the cable")
      const peer = yield* start({
        ...one,
        incoming: Stream.concat(Stream.take(one.incoming, 1), Stream.fail(broken))
      })
      const calling = yield* Effect.forkChild(failure(peer.request("call", undefined)), { startImmediately: true })
      yield* other.send({ jsonrpc: "2.0", method: "n" })
      assert.strictEqual(yield* Fiber.join(calling), broken.reason)
    }))

  it.effect("lets what was asked before it be answered, batches and notices included, and then is done", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const handled: Array<string> = []
      const [peer, hand] = yield* byHand({
        onRequest: (asked) => Effect.as(Deferred.await(gate), ok(asked)),
        onNotification: ({ method }) =>
          Effect.andThen(Deferred.await(gate), Effect.sync(() => void handled.push(method)))
      })
      yield* hand.send(request(1))
      yield* hand.send([request(2), request(3)])
      yield* hand.send({ jsonrpc: "2.0", method: "n" })
      yield* hand.close
      yield* settle
      assert.isFalse(peer.isDone())
      yield* Deferred.succeed(gate, undefined)
      const [alone, batch] = yield* hand.frames(2)
      assert.deepStrictEqual([alone.id, batch.map(({ id }: any) => id)], [1, [2, 3]])
      yield* until("it is done", () => peer.isDone())
      assert.deepStrictEqual(handled, ["n"])
    }))

  it.effect("waits for the handlers that it interrupts, but not for the one that closes the scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const released: Array<string> = []
      const [, hand] = yield* Scope.provide(
        byHand({
          onRequest: ({ method }) =>
            method === "close"
              ? Effect.never.pipe(Effect.raceFirst(Scope.close(scope, Exit.void)), Effect.andThen(Effect.never))
              : Effect.onInterrupt(Effect.never, () =>
                Effect.andThen(settle, Effect.sync(() => void released.push(method))))
        }),
        scope
      )
      yield* hand.send(request(1, "slow"))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(released, ["slow"])
    }))
})

const failureOf = (detail: string) => McpError.make(new McpError.ConnectionClosed({ detail }))
