/**
 * Sampling: a handler asks the client's model.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { type AskOptions, Invocation } from "../era/Invocation.ts"
import * as Capabilities from "../protocol/Capabilities.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
  SamplingMessageContentBlock,
  ToolResultContent,
  ToolUseContent
} from "../protocol/Sampling.ts"

/**
 * What to ask the model. `messages` may be one text of the user.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Omit<CreateMessageRequestParams, "messages" | "_meta">, AskOptions {
  readonly messages: string | ReadonlyArray<SamplingMessage>
}

/**
 * The blocks of a message or an answer, which may be one block or several.
 *
 * @since 0.1.0
 * @category getters
 */
export const blocks = ({ content }: Pick<SamplingMessage, "content">): ReadonlyArray<SamplingMessageContentBlock> =>
  isSeveral(content) ? content : [content]

const isSeveral = (content: SamplingContent): content is ReadonlyArray<SamplingMessageContentBlock> =>
  Array.isArray(content)

/**
 * The text of a message or an answer: its text blocks, joined.
 *
 * @since 0.1.0
 * @category getters
 */
export const text = (message: Pick<SamplingMessage, "content">): string =>
  blocks(message).flatMap((block) => block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : [])
    .join("\n")

const usesOf = (message: SamplingMessage): ReadonlyArray<string> =>
  blocks(message).flatMap((block) => block.type === "tool_use" ? [(block as ToolUseContent).id] : [])

const resultsOf = (message: SamplingMessage): ReadonlyArray<string> =>
  blocks(message).flatMap((block) => block.type === "tool_result" ? [(block as ToolResultContent).toolUseId] : [])

/** The first of some ids that is not among others, each of which stands for one. */
const unmatched = (ids: ReadonlyArray<string>, others: ReadonlyArray<string>): string | undefined => {
  const left = [...others]
  return ids.find((id) => {
    const index = left.indexOf(id)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

/**
 * Why a sequence of messages cannot be sent: tools are used in messages of the assistant; their results stand alone in a
 * message of the user, the next one, and answer each use once. `undefined` where it can.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#message-content-constraints
 * @since 0.1.0
 * @category checking
 */
export const problem = (messages: ReadonlyArray<SamplingMessage>): string | undefined => {
  let open: ReadonlyArray<string> = []
  for (const [index, message] of messages.entries()) {
    const uses = usesOf(message)
    const results = resultsOf(message)
    if (uses.length > 0 && message.role !== "assistant") {
      return `Message ${index}: tools are used in a message of the assistant`
    }
    if (results.length > 0 && (message.role !== "user" || results.length !== blocks(message).length)) {
      return `Message ${index}: results of tools stand alone, in a message of the user`
    }
    const missing = unmatched(open, results)
    if (missing !== undefined) return `Message ${index}: it has to answer the tool use ${JSON.stringify(missing)}`
    const foreign = unmatched(results, open)
    if (foreign !== undefined) {
      return `Message ${index}: it answers ${JSON.stringify(foreign)}, which the message before does not use`
    }
    open = uses
  }
  return open.length === 0 ? undefined : `The tool use ${JSON.stringify(open[0])} of the last message is not answered`
}

/** Before 2025-11-25 a message has one block: several become several messages. */
const separate = (messages: ReadonlyArray<SamplingMessage>): ReadonlyArray<SamplingMessage> =>
  messages.flatMap((message) => blocks(message).map((content) => ({ role: message.role, content })))

/**
 * Asks the client's model for a message.
 *
 * Fails with `MissingClientCapability` where the client offers no model, or, for messages and options that have to do
 * with tools, no tools to it; with `InvalidParams` where the messages break the rules for results of tools; with
 * `CapabilityNotSupported` where the client's revision does not know a kind of content; with `ClientRefused` where a
 * client of the handshake era says no. From 2026-07-28 on a client that says no does not come back.
 *
 * `includeContext` is left out where the client does not say that it adds context.
 *
 * @example
 * ```ts
 * const answer = yield* Sample.message({ messages: "What is the capital of France?", maxTokens: 100 })
 * return Sample.text(answer)
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages
 * @since 0.1.0
 * @category asking
 */
export const message = (
  { includeContext, key, messages, timeout, ...params }: Options
): Effect.Effect<CreateMessageResult, McpError.McpError, Invocation> =>
  Effect.flatMap(Invocation, (invocation) => {
    const list: ReadonlyArray<SamplingMessage> = typeof messages === "string"
      ? [{ role: "user", content: { type: "text", text: messages } }]
      : messages
    const wrong = problem(list)
    if (wrong !== undefined) return Effect.fail(McpError.make(new McpError.InvalidParams({ detail: wrong })))
    const hasBlocks = Revision.atLeast(invocation.revision, "2025-11-25")
    const addsContext = !hasBlocks || Capabilities.clientHas(invocation.client.capabilities, "sampling.context")
    return Effect.map(
      invocation.ask("sampling/createMessage", {
        ...params,
        ...(includeContext !== undefined && addsContext ? { includeContext } : {}),
        messages: hasBlocks ? list : separate(list)
      }, { key, timeout }),
      (answer) => answer as unknown as CreateMessageResult
    )
  })
