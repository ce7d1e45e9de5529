// What every client has to see of our server, whoever wrote it. What a client cannot do, its adapter leaves out, and
// the suite does not ask for.
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"

export interface Block {
  readonly type: string
  readonly text?: string
  readonly [key: string]: unknown
}

export interface ToolResult {
  readonly content: ReadonlyArray<Block>
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** One connected client, as the suite uses it. Effects fail with whatever the client throws. */
export interface Client {
  readonly revision: string
  readonly tools: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly outputSchema?: unknown }>, unknown>
  readonly call: (name: string, args?: Record<string, unknown>) => Effect.Effect<ToolResult, unknown>
  readonly resources: Effect.Effect<ReadonlyArray<{ readonly uri: string }>, unknown>
  readonly templates?: Effect.Effect<ReadonlyArray<{ readonly uriTemplate: string }>, unknown>
  readonly read: (
    uri: string
  ) => Effect.Effect<ReadonlyArray<{ readonly text?: string; readonly blob?: string | Uint8Array }>, unknown>
  readonly prompts: Effect.Effect<ReadonlyArray<{ readonly name: string }>, unknown>
  readonly prompt: (
    name: string,
    args?: Record<string, string>
  ) => Effect.Effect<ReadonlyArray<{ readonly role: string; readonly content: Block }>, unknown>
  readonly complete?: (prompt: string, argument: string, value: string) => Effect.Effect<ReadonlyArray<string>, unknown>
  /** Hears that many notices of progress, then cancels the call. */
  readonly progress?: (name: string, notices: number) => Effect.Effect<ReadonlyArray<number>, unknown>
  /** The log messages that came with a call. */
  readonly logs?: (name: string) => Effect.Effect<ReadonlyArray<unknown>, unknown>
  /** Does something, and waits for the notice that it brings. */
  readonly hears?: (
    notice:
      | "notifications/tools/list_changed"
      | "notifications/prompts/list_changed"
      | "notifications/resources/updated",
    during: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<unknown, unknown>
  /** Which questions the client answers: with `{ name: "Ada" }`, "Paris", and one root. */
  readonly answers: ReadonlyArray<"elicitation" | "sampling" | "roots">
  readonly ping?: Effect.Effect<unknown, unknown>
}

const textOf = (result: ToolResult) => result.content.map((block) => block.text ?? "").join("\n")

type Count = "begun" | "interrupted" | "ended"

const count = (client: Client, key: Count) =>
  Effect.map(client.call("counts"), (result) => JSON.parse(textOf(result))[key] as number)

/** Asks until the server has counted so far: one round trip a time, bounded. */
const until = (client: Client, key: Count, expected: number) =>
  count(client, key).pipe(
    Effect.repeat({ until: (seen) => seen >= expected, times: 2000 }),
    Effect.tap((seen) => Effect.sync(() => assert.isAtLeast(seen, expected, key)))
  )

export interface Peer {
  readonly name: string
  readonly revision: string
  readonly connect: Effect.Effect<Client, unknown, Scope.Scope>
}

class Connected extends Context.Service<Connected, Client>()("Connected") {}

/** One connection, and thus one process, for all tests of a client: what they change, they do not depend on. */
export const behaves = (peer: Peer) =>
  layer(Layer.effect(Connected, peer.connect), { excludeTestServices: true, timeout: "60 seconds" })(
    `${peer.name}, ${peer.revision}`,
    (it) => {
      const test = (name: string, run: (client: Client) => Effect.Effect<unknown, unknown, Scope.Scope>) =>
        it.effect(name, () => Effect.scoped(Effect.flatMap(Connected, run)), 60_000)

      test("agrees on the revision, lists everything", (client) =>
        Effect.gen(function*() {
          assert.strictEqual(client.revision, peer.revision)
          const tools = (yield* client.tools).map(({ name }) => name)
          assert.includeMembers(tools, ["test_simple_text", "json_schema_2020_12_tool", "squareRoot", "wait"])
          assert.includeMembers((yield* client.resources).map(({ uri }) => uri), ["test://static-text"])
          assert.includeMembers((yield* client.prompts).map(({ name }) => name), ["test_simple_prompt"])
          if (client.templates !== undefined) {
            assert.deepStrictEqual((yield* client.templates).map(({ uriTemplate }) => uriTemplate), [
              "test://template/{id}/data"
            ])
          }
          if (client.ping !== undefined) yield* client.ping
        }))

      test("calls: all kinds of content, errors, structured answers", (client) =>
        Effect.gen(function*() {
          assert.strictEqual(
            textOf(yield* client.call("test_simple_text")),
            "This is a simple text response for testing."
          )
          const mixed = yield* client.call("test_multiple_content_types")
          assert.deepStrictEqual(mixed.content.map(({ type }) => type), ["text", "image", "resource"])
          const error = yield* client.call("test_error_handling")
          assert.strictEqual(error.isError, true)
          assert.strictEqual(textOf(error), "This tool intentionally returns an error for testing")
          const root = yield* client.call("squareRoot", { value: 9 })
          assert.deepStrictEqual(JSON.parse(textOf(root)), { root: 3 })
          if (peer.revision >= "2025-06-18") assert.deepStrictEqual(root.structuredContent, { root: 3 })
          const numbers = yield* client.call("numbers")
          assert.deepStrictEqual(JSON.parse(textOf(numbers)), [1, 2, 3])
          // A failure with text reaches the caller although it does not fit the output schema: the client must not check.
          const negative = yield* client.call("squareRoot", { value: -1 })
          assert.strictEqual(negative.isError, true)
          assert.strictEqual(textOf(negative), "-1 has no square root")
        }))

      test("calls side by side, a megabyte, text outside of ASCII", (client) =>
        Effect.gen(function*() {
          const large = yield* client.call("large", { size: 1_000_000 })
          assert.strictEqual(textOf(large).length, 1_000_000)
          const texts = ["é", "漢字", "😀", "\u2028\u2029\u0085", "\u0000\"\\"]
          const echoed = yield* Effect.forEach(
            texts,
            (text) => client.prompt("test_prompt_with_arguments", { arg1: text, arg2: "" }),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            echoed.map((messages) => messages[0]?.content.text),
            texts.map((text) => `Prompt with arguments: arg1='${text}', arg2=''`)
          )
        }))

      test("reads text, bytes and templates", (client) =>
        Effect.gen(function*() {
          assert.strictEqual(
            (yield* client.read("test://static-text"))[0]?.text,
            "This is the content of the static text resource."
          )
          assert.isDefined((yield* client.read("test://static-binary"))[0]?.blob)
          const data = JSON.parse((yield* client.read("test://template/123/data"))[0]?.text ?? "{}")
          assert.deepStrictEqual(data, { id: "123", templateTest: true, data: "Data for ID: 123" })
          yield* Effect.flip(client.read("test://nowhere"))
        }))

      test("gets prompts", (client) =>
        Effect.gen(function*() {
          assert.strictEqual(
            (yield* client.prompt("test_simple_prompt"))[0]?.content.text,
            "This is a simple prompt for testing."
          )
          const image = yield* client.prompt("test_prompt_with_image")
          assert.deepStrictEqual(image.map(({ content }) => content.type), ["image", "text"])
          yield* Effect.flip(client.prompt("test_prompt_with_arguments", { arg1: "x" }))
          if (client.complete !== undefined) {
            assert.deepStrictEqual(
              yield* client.complete("test_prompt_with_arguments", "arg1", "par"),
              ["paris", "park", "party"]
            )
          }
        }))

      test("cancels: the handler is interrupted, and the connection goes on", (client) =>
        Effect.gen(function*() {
          const begun = yield* count(client, "begun")
          const interrupted = yield* count(client, "interrupted")
          yield* Effect.raceFirst(client.call("wait"), until(client, "begun", begun + 1))
          yield* until(client, "interrupted", interrupted + 1)
        }))

      test("is told of progress, logs and changes", (client) =>
        Effect.gen(function*() {
          if (client.progress !== undefined) {
            // A call without an end: the official clients lose what arrives together with the answer.
            assert.deepStrictEqual(yield* client.progress("restless", 3), [1, 2, 3])
          }
          if (client.logs !== undefined) {
            assert.includeMembers([...(yield* client.logs("test_tool_with_logging"))], [
              "Tool execution started",
              "Tool processing data"
            ])
          }
          if (client.hears !== undefined) {
            yield* client.hears("notifications/tools/list_changed", client.call("test_trigger_tool_change"))
            assert.include((yield* client.tools).map(({ name }) => name), "test_temporary_tool")
            yield* client.hears("notifications/prompts/list_changed", client.call("test_trigger_prompt_change"))
            yield* client.hears("notifications/resources/updated", client.call("test_trigger_resource_update"))
          }
        }))

      test("answers what it is asked, and is not asked what it cannot answer", (client) =>
        Effect.gen(function*() {
          const can = (kind: Client["answers"][number]) => client.answers.includes(kind)
          if (can("elicitation") && can("sampling") && can("roots")) {
            const all = yield* client.call("test_input_required_result_multiple_inputs")
            assert.strictEqual(textOf(all), "Hello, Ada! Paris Roots: 1")
          } else {
            yield* Effect.flip(client.call("test_input_required_result_multiple_inputs"))
          }
          if (can("sampling")) {
            assert.strictEqual(textOf(yield* client.call("test_sampling", { prompt: "?" })), "LLM response: Paris")
          }
        }))
    }
  )
