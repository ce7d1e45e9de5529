/**
 * What a client and a server of this SDK do together, whatever the revision and the pipe: the typed client of the
 * contract, and the client itself for what no contract says.
 */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Progress from "../../src/api/Progress.ts"
import * as McpClient from "../../src/client/McpClient.ts"
import { ClientTransport } from "../../src/peer/ClientTransport.ts"
import type { Connection } from "../../src/peer/Connection.ts"
import type { McpError, Reason } from "../../src/protocol/McpError.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { DivisionByZero, Echo, Poke, Suite } from "./contract.ts"

class Client extends Context.Service<Client, McpClient.McpClient["Service"]>()("test/suite/McpClient") {}

const reason = <A, E extends { readonly reason: Reason }>(effect: Effect.Effect<A, E>): Effect.Effect<Reason> =>
  Effect.map(Effect.flip(effect), (error) => error.reason) as Effect.Effect<Reason>

/** The text of a content block, or of the contents of a resource. */
const text = (block: object | undefined): string => (block as { readonly text: string }).text

const events = (client: Client["Service"]): Effect.Effect<ReadonlyArray<string>, McpError> =>
  Effect.map(client.callTool("events"), ({ content }) => JSON.parse(text(content[0])))

/** Asks again until something has happened inside the server. */
const happened = (client: Client["Service"], event: string, times = 1): Effect.Effect<void, McpError> =>
  Effect.flatMap(
    events(client),
    (all) => all.filter((it) => it === event).length >= times ? Effect.void : happened(client, event, times)
  )

export const clientBehaviours = (pipe: string, open: Effect.Effect<Connection, McpError, Scope.Scope>) => {
  for (const revision of Revision.all) {
    const since = (other: Revision.Revision) => Revision.atLeast(revision, other)
    const connected = Layer.effect(
      Client,
      Effect.orDie(McpClient.make({ name: "suite-client", version: "1.0.0", negotiation: revision }))
    ).pipe(Layer.provide(Layer.succeed(ClientTransport, { kind: "test", open })))

    layer(connected, { excludeTestServices: true })(`a client at ${revision} over ${pipe}`, (it) => {
      it.effect("knows the server", () =>
        Effect.gen(function*() {
          const client = yield* Client
          assert.strictEqual(yield* client.revision, revision)
          const server = yield* client.server
          assert.strictEqual(server.serverInfo?.name, "suite")
          assert.strictEqual(server.instructions, "Call anything.")
        }))

      it.effect("lists everything, over all pages", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const tools = yield* Stream.runCollect(client.tools)
          assert.deepStrictEqual(tools.map(({ name }) => name), Suite.tools.map(({ name }) => name))
          const resources = yield* Stream.runCollect(client.resources)
          assert.deepStrictEqual(resources.map(({ name }) => name), ["text", "bytes", "several", "gone"])
          const templates = yield* Stream.runCollect(client.resourceTemplates)
          assert.deepStrictEqual(templates.map(({ name }) => name), ["item", "path"])
          const prompts = yield* Stream.runCollect(client.prompts)
          assert.deepStrictEqual(prompts.map(({ name }) => name), ["greet", "talk"])
          const page = yield* client.listTools()
          assert.strictEqual(page.tools.length, 2)
          const next = yield* client.listTools({ cursor: page.nextCursor })
          assert.deepStrictEqual(next.tools.map(({ name }) => name), ["blocks", "nothing"])
          assert.strictEqual((yield* reason(client.listTools({ cursor: "none" })))._tag, "InvalidParams")
        }))

      it.effect("calls tools by their contract: arguments, answers and failures are typed", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const { tools } = Suite.clientOf(client)
          assert.deepStrictEqual(yield* tools.sum({ a: 1, b: 2 }), { sum: 3 })
          assert.strictEqual(yield* tools.count({ words: ["a", "b"] }), 2)
          assert.deepStrictEqual(yield* tools.told(), { n: 1 })
          assert.deepStrictEqual(yield* tools.area({ shape: { _tag: "square", side: 2 } }), { area: 4 })
          const failure = yield* Effect.flip(tools.divide({ dividend: 7, divisor: 0 }))
          assert.instanceOf(failure, DivisionByZero)
          assert.deepStrictEqual((failure as DivisionByZero).dividend, 7)
          const caught = yield* tools.divide({ dividend: 7, divisor: 0 }).pipe(
            Effect.catchTag("DivisionByZero", ({ dividend }) => Effect.succeed({ quotient: dividend }))
          )
          assert.deepStrictEqual(caught, { quotient: 7 })
          // To whoever has no contract it is a result with a text, output schema or not.
          const { content, isError } = yield* client.callTool("divide", { dividend: 7, divisor: 0 })
          assert.isTrue(isError)
          assert.strictEqual(text(content[0]), "7 cannot be divided by zero")
          const result = yield* tools.blocks()
          assert.deepStrictEqual(result.content.map(({ type }) => type), ["text", "text"])
          // Wrong arguments do not leave.
          assert.strictEqual(
            (yield* reason(tools.sum({ a: 1.5, b: 2 }) as Effect.Effect<unknown, McpError>))._tag,
            "InvalidArguments"
          )
        }))

      it.effect("hears nothing of what goes wrong inside the server", () =>
        Effect.gen(function*() {
          const { tools } = Suite.clientOf(yield* Client)
          for (const how of ["die", "throw", "fail"]) {
            const error = yield* Effect.flip(tools.break({ how }))
            assert.strictEqual(error.reason._tag, "InternalError")
            assert.notInclude(error.message, "secret")
          }
          const refused = yield* reason(tools.refuse())
          assert.deepInclude(refused, { _tag: "PeerError", code: -1, data: { why: "so" } })
        }))

      it.effect("reads resources by their contract", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const { resources } = Suite.clientOf(client)
          assert.deepStrictEqual((yield* resources.text()).contents, [
            { uri: "suite://text", mimeType: "text/plain", text: "plain" }
          ])
          const { contents: [item] } = yield* resources.item({ id: 41 })
          assert.deepStrictEqual(JSON.parse(text(item)), { id: 42, uri: "suite://item/41" })
          const { contents: [path] } = yield* resources.path({ path: "a/ü b" })
          assert.strictEqual(text(path), "a/ü b")
          // -32002 until 2025-11-25, -32602 with the URI since: one reason here.
          for (const missing of [resources.gone(), client.readResource("suite://unknown")]) {
            assert.strictEqual((yield* reason(missing))._tag, "ResourceNotFound")
          }
        }))

      it.effect("gets prompts and completions", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const { prompts } = Suite.clientOf(client)
          const { messages } = yield* prompts.greet({ name: "Ada", times: 2 })
          assert.strictEqual(text(messages[0]!.content), "Greet Ada 2 times.")
          const { completion } = yield* client.complete({
            ref: { type: "ref/prompt", name: "greet" },
            argument: { name: "name", value: "Al" }
          })
          assert.deepStrictEqual(completion.values, ["Alan"])
        }))

      it.effect("hears of progress, in order and before the answer", () =>
        Effect.gen(function*() {
          const { tools } = Suite.clientOf(yield* Client)
          const heard = yield* Stream.runCollect(Progress.stream(tools.progress({ steps: [1, 2, 3] })))
          assert.deepStrictEqual(
            heard.map((event) => event._tag === "Progress" ? [event.progress, event.total, event.message] : "done"),
            [...[1, 2, 3].map((n) => [n, 10, since("2025-03-26") ? `step ${n}` : undefined]), "done"]
          )
        }))

      it.effect("hears log messages of the level that it wants", () =>
        Effect.gen(function*() {
          const client = yield* Client
          yield* client.setLogLevel("error")
          const listening = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.logs, 2)), {
            startImmediately: true
          })
          yield* client.callTool("log")
          assert.deepStrictEqual((yield* Fiber.join(listening)).map(({ level }) => level), ["error", "critical"])
          yield* client.setLogLevel(Revision.isModern(revision) ? undefined : "emergency")
        }))

      it.effect("cancels by interruption: the handler ends, and the client goes on", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const { tools } = Suite.clientOf(client)
          const before = (yield* events(client)).filter((event) => event === "slow was interrupted").length
          const slow = yield* Effect.forkChild(tools.slow(), { startImmediately: true })
          yield* tools.text()
          yield* Fiber.interrupt(slow)
          yield* happened(client, "slow was interrupted", before + 1)
          const won = yield* Effect.raceFirst(tools.slow(), tools.text())
          assert.deepStrictEqual(won.content, [{ type: "text", text: "plain" }])
          yield* happened(client, "slow was interrupted", before + 2)
          const timedOut = yield* reason(tools.slow({}, { timeout: "10 millis" }))
          assert.strictEqual(timedOut._tag, "RequestTimeout")
          yield* happened(client, "slow was interrupted", before + 3)
        }))

      it.effect("makes requests of its own, and sends notifications of its own", () =>
        Effect.gen(function*() {
          const client = yield* Client
          assert.deepStrictEqual(yield* client.request(Echo, { text: "é漢😀" }), { echoed: "é漢😀" })
          const where = `by the client ${pipe} ${revision}`
          yield* client.notify(Poke, { where })
          yield* happened(client, `poked ${where}`)
        }))

      it.effect("makes many calls at a time", () =>
        Effect.gen(function*() {
          const { tools } = Suite.clientOf(yield* Client)
          const sums = yield* Effect.forEach(
            Array.from({ length: 100 }, (_, n) => n),
            (n) => tools.sum({ a: n, b: 1 }),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(sums, sums.map((_, n) => ({ sum: n + 1 })))
        }))

      it.effect("listens, in whatever way the era has", () =>
        Effect.gen(function*() {
          const client = yield* Client
          const begun = yield* Deferred.make<void>()
          const listening = yield* Effect.forkChild(
            Effect.scoped(Effect.gen(function*() {
              const { honoured } = yield* client.listen({
                toolsListChanged: true,
                resourceSubscriptions: ["suite://text"]
              })
              yield* Deferred.succeed(begun, undefined)
              return honoured
            }))
          )
          yield* Deferred.await(begun)
          const honoured = yield* Fiber.join(listening)
          assert.isTrue(honoured.toolsListChanged)
          assert.deepStrictEqual(honoured.resourceSubscriptions, ["suite://text"])
        }))
    })
  }
}
