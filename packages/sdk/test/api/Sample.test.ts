import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Roots from "../../src/api/Roots.ts"
import * as Sample from "../../src/api/Sample.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import type { SamplingMessage } from "../../src/protocol/Sampling.ts"
import { textOf } from "../support/answeringPeer.ts"
import { call, serve } from "../support/askingServer.ts"

const text = (text: string) => ({ type: "text", text }) as const
const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} }) as const
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] }) as const

const Id = Schema.Literals(["a", "b"])
const Block = Schema.Struct({ type: Schema.Literals(["text", "tool_use", "tool_result"]), id: Id })
const Message = Schema.Struct({
  role: Schema.Literals(["user", "assistant"]),
  blocks: Schema.Array(Block).check(Schema.isMaxLength(3)),
  /** Whether a single block goes without a list. */
  bare: Schema.Boolean
})
const Messages = Schema.Array(Message).check(Schema.isMaxLength(5))

const blockOf = ({ id, type }: typeof Block.Type) =>
  type === "text" ? text(id) : type === "tool_use" ? use(id) : result(id)

const messageOf = ({ bare, blocks, role }: typeof Message.Type): SamplingMessage => ({
  role,
  content: bare && blocks.length === 1 ? blockOf(blocks[0]!) : blocks.map(blockOf)
})

const ids = (blocks: ReadonlyArray<typeof Block.Type>, type: string) =>
  blocks.filter((block) => block.type === type).map(({ id }) => id).sort()

/** The rules as the specification puts them, one after the other. */
const conforms = (messages: typeof Messages.Type): boolean =>
  messages.every(({ blocks, role }, n) => {
    const uses = ids(blocks, "tool_use")
    const results = ids(blocks, "tool_result")
    const alone = results.length === 0 || (role === "user" && results.length === blocks.length)
    const answered = uses.length === 0 || (role === "assistant" && messages[n + 1]?.role === "user" &&
      JSON.stringify(ids(messages[n + 1]!.blocks, "tool_result")) === JSON.stringify(uses))
    const before = n === 0 ? [] : ids(messages[n - 1]!.blocks, "tool_use")
    return alone && answered && (results.length === 0 || JSON.stringify(before) === JSON.stringify(results))
  })

// https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#message-content-constraints
describe("problem", () => {
  it.effect.prop(
    "finds what breaks the rules for tools, and nothing else",
    { messages: Messages },
    ({ messages }) =>
      Effect.sync(() => {
        const problem = Sample.problem(messages.map(messageOf))
        assert.strictEqual(problem === undefined, conforms(messages), problem)
      }),
    { arbitrary: { runs: 2000 } }
  )

  it("lets a conversation with tools through, of lists and of single blocks", () => {
    const conversation: ReadonlyArray<SamplingMessage> = [
      { role: "user", content: text("?") },
      { role: "assistant", content: [text("Let me see"), use("1"), use("2")] },
      { role: "user", content: [result("2"), result("1")] },
      { role: "assistant", content: use("3") },
      { role: "user", content: result("3") },
      { role: "assistant", content: text("!") }
    ]
    assert.isUndefined(Sample.problem(conversation))
    for (const [n, expected] of [[1, /"1".*not answered/], [4, /has to answer the tool use "3"/]] as const) {
      const broken = n === 1 ? conversation.slice(0, 2) : [...conversation.slice(0, 4), conversation[5]!]
      assert.match(Sample.problem(broken)!, expected)
    }
  })
})

describe("text", () => {
  it("is that of the text blocks", () => {
    assert.strictEqual(Sample.text({ content: text("a") }), "a")
    assert.strictEqual(Sample.text({ content: [text("a"), use("1"), text("b")] }), "a\nb")
    assert.strictEqual(Sample.text({ content: [] }), "")
    assert.deepStrictEqual(Sample.blocks({ content: text("a") }), [text("a")])
  })
})

const said = (content: unknown) => ({ result: { role: "assistant", model: "m", content } })

describe("message", () => {
  it.effect("is a question that every revision can read", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        const asking = Sample.message({
          messages: [{ role: "user", content: [text("a"), text("b")] }, { role: "assistant", content: text("c") }],
          maxTokens: 10,
          systemPrompt: "Be brief",
          temperature: 0.5,
          stopSequences: ["."],
          metadata: { a: 1 },
          modelPreferences: { hints: [{ name: "m" }], costPriority: 1 },
          includeContext: "thisServer"
        })
        const peer = yield* serve(Effect.map(asking, (answer) => Sample.text(answer)), {
          revision,
          answer: () => said(text("d"))
        })
        assert.strictEqual(textOf(yield* call(peer)), "d")
        const { messages, ...params } = peer.questions[0]!.params
        // Before 2025-11-25 a message is one block.
        const role = "user"
        assert.deepStrictEqual(
          messages.slice(0, -1),
          Revision.atLeast(revision, "2025-11-25")
            ? [{ role, content: [text("a"), text("b")] }]
            : [{ role, content: text("a") }, { role, content: text("b") }]
        )
        assert.deepStrictEqual(params, {
          maxTokens: 10,
          systemPrompt: "Be brief",
          temperature: 0.5,
          stopSequences: ["."],
          metadata: { a: 1 },
          modelPreferences: { hints: [{ name: "m" }], costPriority: 1 },
          includeContext: "thisServer"
        })
      })))

  it.effect("asks for no context of a client that does not say it adds any", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        const asking = Sample.message({ messages: "?", maxTokens: 1, includeContext: "allServers" })
        const peer = yield* serve(Effect.as(asking, "done"), {
          revision,
          capabilities: { sampling: {} },
          answer: () => said(text("!"))
        })
        assert.strictEqual(textOf(yield* call(peer)), "done")
        assert.strictEqual(
          peer.questions[0]!.params["includeContext"],
          Revision.atLeast(revision, "2025-11-25") ? undefined : "allServers"
        )
      })))

  it.effect("takes images, and audio where the revision knows it", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        for (const type of ["image", "audio"] as const) {
          const content = { type, data: "AAAA", mimeType: `${type}/x` } as const
          const asking = Sample.message({ messages: [{ role: "user", content }], maxTokens: 1 }).pipe(
            Effect.as("done"),
            Effect.catchReason("McpError", "CapabilityNotSupported", (reason) => Effect.succeed(reason.message))
          )
          const peer = yield* serve(asking, { revision, answer: () => said(content) })
          const known = type === "image" || Revision.atLeast(revision, "2025-03-26")
          assert.match(textOf(yield* call(peer)), known ? /^done$/ : /cannot be asked like this at 2024-11-05/)
          assert.strictEqual(peer.questions.length, known ? 1 : 0)
        }
      })))

  // https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tool-use-with-sampling
  it.effect("gives the model tools where the client does, and takes one block or several for an answer", () =>
    Effect.forEach(["2025-11-25", "2026-07-28"] as const, (revision) =>
      Effect.gen(function*() {
        const tools = [{ name: "t", inputSchema: { type: "object" } }] as const
        for (const content of [use("1"), [text("Let me see"), use("1")], [use("1")]]) {
          const asking = Effect.gen(function*() {
            const question = { role: "user", content: text("?") } as const
            const options = { maxTokens: 1, tools, toolChoice: { mode: "auto" } } as const
            const answer = yield* Sample.message({ ...options, messages: [question] })
            const results = Sample.blocks(answer).flatMap((block) =>
              block.type === "tool_use" ? [result((block as ReturnType<typeof use>).id)] : []
            )
            const messages = [question, answer, { role: "user", content: results }] as const
            return Sample.text(yield* Sample.message({ ...options, messages, toolChoice: { mode: "none" } }))
          })
          const peer = yield* serve(asking, {
            revision,
            answer: ({ params }) => said(params["messages"].length === 1 ? content : text("done"))
          })
          assert.strictEqual(textOf(yield* call(peer)), "done")
          assert.deepStrictEqual(peer.questions[1]!.params["messages"][1].content, content)
        }
        const bare = yield* serve(Effect.as(Sample.message({ messages: "?", maxTokens: 1, tools }), "done"), {
          revision,
          capabilities: { sampling: {} }
        })
        const outcome = (yield* call(bare)) as any
        assert.deepStrictEqual(outcome.error.data, { requiredCapabilities: { sampling: { tools: {} } } })
        assert.deepStrictEqual(bare.questions, [])
      })))

  it.effect("that breaks the rules for results of tools is not sent", () =>
    Effect.gen(function*() {
      const asking = Sample.message({ messages: [{ role: "user", content: result("1") }], maxTokens: 1 })
      const peer = yield* serve(Effect.as(asking, "done"), { revision: "2026-07-28" })
      assert.match(textOf(yield* call(peer)), /^error -32602: Message 0: it answers "1", which the message before/)
    }))
})

describe("roots", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/client/roots
  it.effect("are those of the client", () =>
    Effect.forEach(Revision.all, (revision) =>
      Effect.gen(function*() {
        const roots = [{ uri: "file:///a", name: "A" }, { uri: "file:///b" }]
        const peer = yield* serve(Effect.map(Roots.list, (roots) => JSON.stringify(roots)), {
          revision,
          answer: () => ({ result: { roots } })
        })
        assert.strictEqual(textOf(yield* call(peer)), JSON.stringify(roots))
      })))
})
