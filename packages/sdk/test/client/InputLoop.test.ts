/** Input in the middle of a call: laws over any server, then the readable cases. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as InputLoop from "../../src/client/InputLoop.ts"
import type { Params } from "../../src/protocol/JsonRpc.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as Scripted from "../utils/ScriptedServer.ts"
import { pair } from "./support.ts"

const Round = Schema.Struct({
  keys: Schema.Array(Schema.String).check(Schema.isMaxLength(4)),
  state: Schema.Union([Schema.String, Schema.Undefined])
})

const asked = ({ keys, state }: typeof Round.Type): Params => ({
  resultType: "input_required",
  // Not by assignment: a key may be "__proto__".
  ...(keys.length === 0
    ? {}
    : { inputRequests: Object.fromEntries(keys.map((key) => [key, { method: "roots/list", params: { of: key } }])) }),
  ...(state === undefined ? {} : { requestState: state })
})

/** Runs a loop against a server that asks so; gives what was sent and what came of it. */
const run = Effect.fnUntraced(function*(rounds: ReadonlyArray<typeof Round.Type>, limits?: InputLoop.Limits) {
  const sent: Array<Params> = []
  const results = [...rounds.map(asked), { content: ["done"] }]
  const exit = yield* Effect.exit(InputLoop.run(
    {
      method: "tools/call",
      params: { name: "t", arguments: { a: 1 } },
      send: (params) => Effect.sync(() => results[sent.push(params)]!),
      answer: (_, { of }) => Effect.succeed({ answerTo: of })
    },
    results[0]!,
    limits
  ))
  return { sent, exit }
})

describe("the loop", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow
  it.effect.prop(
    "sends each round its own answers and its own state, byte for byte or not at all",
    [Schema.Array(Round).check(Schema.isMaxLength(5))],
    ([rounds]) =>
      Effect.gen(function*() {
        const live = rounds.filter(({ keys, state }) => keys.length > 0 || state !== undefined)
        const running = yield* Effect.forkChild(run(live))
        yield* TestClock.adjust("1 hour")
        const { exit, sent } = yield* Fiber.join(running)
        assert.deepStrictEqual(exit, Exit.succeed<Params>({ content: ["done"] }))
        assert.lengthOf(sent, live.length)
        live.forEach(({ keys, state }, round) => {
          const { arguments: args, inputResponses, name, requestState, ...rest } = sent[round]!
          assert.deepStrictEqual([name, args, rest], ["t", { a: 1 }, {}])
          assert.strictEqual(requestState, state)
          assert.strictEqual("requestState" in sent[round]!, state !== undefined)
          if (keys.length === 0) return assert.isFalse("inputResponses" in sent[round]!)
          assert.deepStrictEqual(
            Object.entries(inputResponses as Params).toSorted(),
            [...new Set(keys)].map((key): [string, unknown] => [key, { answerTo: key }]).toSorted()
          )
        })
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect("ends at the limit of rounds", () =>
    Effect.gen(function*() {
      const rounds = Array.from({ length: 5 }, () => ({ keys: ["k"], state: "s" }))
      const exact = yield* run(rounds, { maxRounds: 5 })
      assert.isTrue(Exit.isSuccess(exact.exit))
      const { exit, sent } = yield* run(rounds, { maxRounds: 4 })
      assert.deepStrictEqual(
        exit,
        Exit.fail(McpError.make(new McpError.TooManyRounds({ method: "tools/call", rounds: 4 })))
      )
      assert.lengthOf(sent, 4)
    }))

  it.effect("refuses a result that asks for nothing, or for what is no question", () =>
    Effect.gen(function*() {
      for (
        const result of [
          {},
          { inputRequests: {} },
          { inputRequests: [] },
          { inputRequests: { k: "text" } },
          { inputRequests: { k: null } },
          { inputRequests: { k: { params: {} } } },
          { requestState: 5 }
        ]
      ) {
        const sent: Array<Params> = []
        const reason = yield* Scripted.reason(InputLoop.run({
          method: "tools/call",
          params: {},
          send: (params) => Effect.sync(() => (sent.push(params), {})),
          answer: () => Effect.succeed({})
        }, { resultType: "input_required", ...result }))
        assert.strictEqual(reason._tag, "InvalidPeerMessage")
        assert.lengthOf(sent, 0)
      }
    }))

  it.effect("asks a server that wants nothing at once, then ever more slowly", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(run(Array.from({ length: 3 }, () => ({ keys: [], state: "s" }))))
      yield* TestClock.adjust("599 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isDefined(fiber.pollUnsafe())
    }))

  it.effect("answers the questions of a round side by side; one failure ends the others", () =>
    Effect.gen(function*() {
      let stopped = 0
      const fiber = yield* Effect.forkChild(InputLoop.run(
        {
          method: "tools/call",
          params: {},
          send: () => Effect.succeed({}),
          answer: (_, { of }) =>
            of === "bad"
              ? Effect.delay(
                Effect.fail(McpError.make(new McpError.InputNotGiven({ method: "m", detail: "no" }))),
                "1 second"
              )
              : Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++))
        },
        asked({ keys: ["slow", "bad", "slower"], state: undefined })
      ))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.strictEqual(stopped, 2)
    }))
})

const ask = (requests: Params, state?: string): Params => ({
  resultType: "input_required",
  inputRequests: requests,
  ...(state === undefined ? {} : { requestState: state })
})

describe("a client", () => {
  const roots = { method: "roots/list" }

  it.effect("answers and retries with a new id; the state goes to no other call", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({
        on: {
          "tools/call": ({ params }) =>
            params["name"] === "ask" && params["inputResponses"] === undefined
              ? ask({ r: roots }, "blob")
              : Scripted.text("done")
        }
      }, { roots: Effect.delay(Effect.succeed([{ uri: "file:///p" }]), "1 second") })
      const asking = yield* Effect.forkChild(client.callTool("ask"))
      yield* server.until("tools/call")
      yield* client.callTool("other")
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(asking), Scripted.text("done"))
      const calls = server.received("tools/call")
      assert.lengthOf(new Set(calls.map(({ id }) => id)), 3)
      assert.isFalse("requestState" in calls[1]!.params || "inputResponses" in calls[1]!.params)
      assert.strictEqual(calls[2]!.params["requestState"], "blob")
      assert.deepStrictEqual(calls[2]!.params["inputResponses"], { r: { roots: [{ uri: "file:///p" }] } })
    }))

  it.effect("is not in a hurry while its user thinks", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const { client } = yield* pair({
        on: {
          "tools/call": ({ params }) =>
            params["inputResponses"] === undefined ? ask({ r: roots }) : Scripted.text("done")
        }
      }, { roots: Effect.andThen(Deferred.succeed(asked, undefined), Effect.delay(Effect.succeed([]), "5 minutes")) })
      const call = yield* Effect.forkChild(client.callTool("ask", {}, { timeout: "1 second" }))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(yield* Fiber.join(call), Scripted.text("done"))
    }))

  it.effect("gives up a call whose question gets no answer in time", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const { client } = yield* pair({ on: { "tools/call": () => ask({ r: roots }) } }, {
        roots: Effect.andThen(Deferred.succeed(asked, undefined), Effect.never),
        inputTimeout: "3 minutes"
      })
      const call = yield* Effect.forkChild(Scripted.reason(client.callTool("ask")))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("3 minutes")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "InputNotGiven", method: "roots/list" })
    }))

  it.effect("interrupted while it answers stops the handler and sends nothing more", () =>
    Effect.gen(function*() {
      let stopped = false
      const asked = yield* Deferred.make<void>()
      const { client, server } = yield* pair({ on: { "tools/call": () => ask({ r: roots }, "s") } }, {
        roots: Effect.andThen(
          Deferred.succeed(asked, undefined),
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true)))
        )
      })
      const call = yield* Effect.forkChild(client.callTool("ask"))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(call)
      assert.isTrue(stopped)
      assert.lengthOf(server.received("tools/call"), 1)
    }))

  it.effect("fails locally where its handler fails, where it cannot be asked so, and where only three methods may ask", () =>
    Effect.gen(function*() {
      const { client, server } = yield* pair({
        on: {
          "tools/call": ({ params }) => ask({ k: { method: String(params["name"]), params: {} } }),
          "tools/list": () => ask({ r: roots })
        }
      }, {
        roots: Effect.fail(McpError.make(new McpError.PeerError({ code: -1, detail: "User rejected" })))
      })
      const failed = yield* Scripted.reason(client.callTool("roots/list"))
      assert.deepInclude(failed, { _tag: "InputNotGiven", method: "roots/list", detail: "User rejected" })
      for (const method of ["sampling/createMessage", "elicitation/create", "foo/bar"]) {
        assert.strictEqual((yield* Scripted.reason(client.callTool(method)))._tag, "InvalidPeerMessage")
      }
      assert.strictEqual((yield* Scripted.reason(client.listTools()))._tag, "InvalidPeerMessage")
      assert.lengthOf(server.received("tools/call"), 4)
    }))
})
