/** One text for all: a handler, its answers and its effects, at every revision, however the handler goes on. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Elicit from "../../src/api/Elicit.ts"
import * as Input from "../../src/api/Input.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Progress from "../../src/api/Progress.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Roots from "../../src/api/Roots.ts"
import * as Sample from "../../src/api/Sample.ts"
import * as Tool from "../../src/api/Tool.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as AnsweringPeer from "../support/answeringPeer.ts"

const Order = Schema.Struct({ item: Schema.String, size: Schema.String, wrapped: Schema.Boolean, where: Schema.String })

class Shop extends McpApi.make("shop", {
  version: "1.0.0",
  tools: [
    Tool.make("order", { parameters: { item: Schema.String }, success: Order }),
    Tool.make("describe", { parameters: { item: Schema.String } }),
    Tool.make("byHand")
  ],
  resources: [ResourceTemplate.make("item", "shop://{name}")],
  prompts: [Prompt.make("advice", { arguments: { item: Schema.String } })]
}) {}

/** How often the effects of a handler were run. */
interface Counts {
  begun: number
  reserved: number
  released: number
}

const handlers = (counts: Counts) =>
  Shop.toLayer({
    tools: {
      order: Effect.fnUntraced(function*({ item }) {
        counts.begun++
        yield* Effect.addFinalizer(() => Effect.sync(() => counts.released++))
        // Decoded on its way out and on its way in, whether it went over the wire or not.
        const reserved = yield* Input.once(
          "reserve",
          Schema.DateFromString,
          Effect.sync(() => {
            counts.reserved++
            return new Date(0)
          })
        )
        yield* Progress.report({ progress: 1, total: 2 })
        const [form, roots] = yield* Effect.all([
          Elicit.form("Which one?", {
            size: Elicit.choice({ s: "Small", l: "Large" }),
            when: Schema.DateFromString
          }),
          Roots.list
        ], { concurrency: "unbounded" })
        if (form.action !== "accept") return { item, size: form.action, wrapped: false, where: "" }
        yield* Progress.report({ progress: 2, total: 2 })
        const wrapped = yield* Elicit.form(`Shall we wrap ${item}?`, { yes: Schema.Boolean })
        return {
          item,
          size: `${form.content.size} ${form.content.when.getTime() - reserved.getTime()}`,
          wrapped: wrapped.action === "accept" && wrapped.content.yes,
          where: roots.map(({ uri }) => uri).join()
        }
      }),
      describe: Effect.fnUntraced(function*({ item }) {
        counts.begun++
        const first = Sample.text(yield* Sample.message({ messages: `Describe ${item}`, maxTokens: 100 }))
        const [root] = yield* Roots.list
        const second = Sample.text(yield* Sample.message({ messages: `${first}, shorter`, maxTokens: 10 }))
        return `${second} at ${root?.uri}`
      }),
      byHand: Effect.fnUntraced(function*() {
        counts.begun++
        const received = yield* Input.received
        const round = (received?.state ?? 0) as number
        return round < 2
          ? Input.required({ requests: { roots: { method: "roots/list" } }, state: round + 1 })
          : `${round}: ${(received!.responses["roots"] as any).roots[0].uri}`
      })
    },
    resources: {
      item: ({ name }) => Effect.map(Roots.list, (roots) => `${name} at ${roots[0]?.uri}`)
    },
    prompts: {
      advice: ({ item }) =>
        Effect.map(Sample.message({ messages: `Advise on ${item}`, maxTokens: 10 }), (answer) => Sample.text(answer))
    }
  })

const when = "1970-01-02T00:00:00.000Z"

const answer = ({ method, params }: AnsweringPeer.Question): AnsweringPeer.Answer => {
  switch (method) {
    case "roots/list":
      return { result: { roots: [{ uri: "file:///home" }] } }
    case "sampling/createMessage": {
      const text = `[${params["messages"][0].content.text}]`
      return { result: { role: "assistant", model: "m", content: { type: "text", text } } }
    }
    default:
      return {
        result: {
          action: "accept",
          content: params["message"] === "Which one?" ? { size: "l", when } : { yes: true }
        }
      }
  }
}

/** Ways in which the rounds of a request go on, with how often a handler then begins for so many rounds. */
const ways: {
  readonly [name: string]: {
    readonly instances: number
    readonly inputTimeout: number
    readonly begins: (rounds: number) => number
  }
} = {
  kept: { instances: 1, inputTimeout: 600_000, begins: () => 1 },
  "run again": { instances: 1, inputTimeout: 0, begins: (rounds) => rounds },
  "on another instance each round": { instances: 3, inputTimeout: 600_000, begins: (rounds) => rounds }
}

const stateKey = Redacted.make("a secret that the instances share")

const serve = Effect.fnUntraced(function*(revision: Revision.Revision, way: keyof typeof ways) {
  const { begins, inputTimeout, instances } = ways[way]!
  const counts: Counts = { begun: 0, reserved: 0, released: 0 }
  const server = Effect.provide(McpServer.make(Shop, { inputTimeout, stateKey }), handlers(counts))
  const servers = yield* Effect.replicateEffect(server, instances)
  const peer = yield* AnsweringPeer.make(servers.map(({ endpoint }) => endpoint), { revision, answer })
  return { begins: Revision.isModern(revision) ? begins : () => 1, counts, peer }
})

const runs = Revision.all.flatMap((revision) =>
  Object.keys(ways).filter((way) => Revision.isModern(revision) || way === "kept").map((way) => ({ revision, way }))
)

for (const { revision, way } of runs) {
  describe(`at ${revision}, a handler that is ${way}`, () => {
    it.effect("asks the model and for the roots, one after the other", () =>
      Effect.gen(function*() {
        const { begins, counts, peer } = yield* serve(revision, way)
        const outcome = yield* peer.call("tools/call", { name: "describe", arguments: { item: "tea" } })
        assert.strictEqual(AnsweringPeer.textOf(outcome), "[[Describe tea], shorter] at file:///home")
        assert.deepStrictEqual(peer.questions.map(({ method }) => method), [
          "sampling/createMessage",
          "roots/list",
          "sampling/createMessage"
        ])
        assert.strictEqual(counts.begun, begins(4))
      }))

    if (Revision.atLeast(revision, "2025-06-18")) {
      it.effect("asks the user and for the roots, side by side and one after the other", () =>
        Effect.gen(function*() {
          const { begins, counts, outcome, peer } = yield* Effect.scoped(Effect.gen(function*() {
            const served = yield* serve(revision, way)
            const outcome = yield* served.peer.call(
              "tools/call",
              { name: "order", arguments: { item: "tea" } },
              { progressToken: "p" }
            )
            return { ...served, outcome }
          }))
          assert.deepStrictEqual((outcome as any).result.structuredContent, {
            item: "tea",
            size: "l 86400000",
            wrapped: true,
            where: "file:///home"
          })
          assert.strictEqual(peer.questions.length, 3)
          assert.deepStrictEqual(counts, { begun: begins(3), reserved: 1, released: begins(3) })
          const progress = peer.notices.filter(({ method }) => method === "notifications/progress")
          assert.deepStrictEqual(
            progress.map(({ params }) => params["progressToken"]),
            progress.map(() => "p")
          )
        }))

      it.effect("goes on when the user says no", () =>
        Effect.gen(function*() {
          for (const action of ["decline", "cancel"]) {
            const counts: Counts = { begun: 0, reserved: 0, released: 0 }
            const server = yield* Effect.provide(McpServer.make(Shop), handlers(counts))
            const peer = yield* AnsweringPeer.make([server.endpoint], {
              revision,
              answer: (question) => question.method === "roots/list" ? answer(question) : { result: { action } }
            })
            const outcome = yield* peer.call("tools/call", { name: "order", arguments: { item: "tea" } })
            assert.deepInclude((outcome as any).result.structuredContent, { size: action })
          }
        }))
    }

    it.effect("asks by hand", () =>
      Effect.gen(function*() {
        const { counts, peer } = yield* serve(revision, way)
        const outcome = yield* peer.call("tools/call", { name: "byHand" })
        assert.strictEqual(AnsweringPeer.textOf(outcome), "2: file:///home")
        assert.strictEqual(peer.questions.length, 2)
        assert.strictEqual(counts.begun, 3)
      }))

    it.effect("asks while it reads a resource and while it gets a prompt", () =>
      Effect.gen(function*() {
        const { peer } = yield* serve(revision, way)
        const read = (yield* peer.call("resources/read", { uri: "shop://tea" })) as any
        assert.strictEqual(read.result.contents[0].text, "tea at file:///home")
        const got = (yield* peer.call("prompts/get", { name: "advice", arguments: { item: "tea" } })) as any
        assert.strictEqual(got.result.messages[0].content.text, "[Advise on tea]")
      }))
  })
}
