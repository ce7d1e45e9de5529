/**
 * A question is what a server may ask its client: what the client must have declared for it, how it is written, and
 * what counts as an answer.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequests
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Capabilities from "../protocol/Capabilities.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Method from "../protocol/Method.ts"
import * as Revision from "../protocol/Revision.ts"
import type { Invocation } from "./Invocation.ts"

/**
 * Whom a question goes to.
 *
 * @since 0.1.0
 * @category models
 */
export type Asked = Pick<Invocation["Service"], "revision" | "client">

/**
 * A question that its client can be asked, its params as its revision writes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Question {
  readonly method: Method.AnyRequest
  readonly params: Params
  /** What the client must have declared. */
  readonly capability: Capabilities.ClientCapability
}

const blocksOf = (message: unknown): ReadonlyArray<unknown> => {
  const content = (message as { readonly content?: unknown } | undefined)?.content
  return Array.isArray(content) ? content : [content]
}

const isToolBlock = (block: unknown): boolean => {
  const type = (block as { readonly type?: unknown } | undefined)?.type
  return type === "tool_use" || type === "tool_result"
}

const usesTools = ({ messages, toolChoice, tools }: Params): boolean =>
  tools !== undefined || toolChoice !== undefined ||
  Array.isArray(messages) && messages.some((message) => blocksOf(message).some(isToolBlock))

/**
 * What a client must have declared for a question. `undefined` where a method is nothing that a client is asked.
 *
 * @since 0.1.0
 * @category getters
 */
export const capabilityOf = (method: string, params: Params): Capabilities.ClientCapability | undefined => {
  switch (method) {
    case "elicitation/create":
      return params["mode"] === "url" ? "elicitation.url" : "elicitation.form"
    case "sampling/createMessage":
      return usesTools(params) ? "sampling.tools" : "sampling"
    case "roots/list":
      return "roots"
    default:
      return undefined
  }
}

const has = ({ client, revision }: Asked, capability: Capabilities.ClientCapability): boolean => {
  const { capabilities } = client
  switch (capability) {
    case "elicitation.form":
      // Where no modes are known, any declaration means forms.
      return Revision.atLeast(revision, "2025-11-25")
        ? Capabilities.clientHas(capabilities, capability)
        : Revision.atLeast(revision, "2025-06-18") && Capabilities.clientHas(capabilities, "elicitation")
    case "elicitation.url":
    case "sampling.tools":
      return Revision.atLeast(revision, "2025-11-25") && Capabilities.clientHas(capabilities, capability)
    default:
      return Capabilities.clientHas(capabilities, capability)
  }
}

/**
 * Why a client cannot be asked for what needs a capability; `undefined` where it can.
 *
 * @since 0.1.0
 * @category guards
 */
export const missing = (
  asked: Asked,
  capability: Capabilities.ClientCapability
): McpError.McpError | undefined =>
  has(asked, capability)
    ? undefined
    : McpError.make(
      new McpError.MissingClientCapability({
        // A client may declare more than its revision has.
        ...(Capabilities.clientHas(asked.client.capabilities, capability)
          ? { detail: `Revision ${asked.revision} has no ${capability}` }
          : {}),
        requiredCapabilities: { ...Capabilities.clientRequirement(capability) }
      })
    )

const cannotSay = (method: string, detail: string) =>
  Result.fail(McpError.make(new McpError.CapabilityNotSupported({ detail, capability: method, method })))

/**
 * Makes a question. Fails with `MissingClientCapability` where the client did not declare what it needs, and with
 * `CapabilityNotSupported` where the client's revision cannot say it: audio at 2024-11-05, a list of choices at
 * 2025-06-18.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (method: string, params: Params, asked: Asked): Result.Result<Question, McpError.McpError> => {
  const { revision } = asked
  const known = Method.request(method)
  const capability = capabilityOf(method, params)
  if (known === undefined || capability === undefined) {
    return cannotSay(method, `${method} is nothing that a client can be asked`)
  }
  const refused = missing(asked, capability)
  if (refused !== undefined) return Result.fail(refused)
  const encoded = Method.encodeParams(known, revision)(params)
  return Result.isSuccess(encoded)
    ? Result.succeed({ method: known, params: encoded.success, capability })
    : cannotSay(method, `${method} cannot be asked like this at ${revision}: ${encoded.failure}`)
}

const invalid = (detail: string) => Result.fail(McpError.make(new McpError.InvalidParams({ detail })))

/**
 * The answer to a question as its method gives it. Fails with `InvalidParams` where it is none, or not what the asker
 * can use.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decodeAnswer = (
  method: Method.AnyRequest,
  answer: unknown,
  revision: Revision.Revision,
  check?: (answer: Params) => string | undefined
): Result.Result<Params, McpError.McpError> => {
  // Input requests are the handshake era's reverse requests by another road: their results have one shape.
  const decoded = Method.decodeResult(method, revision)(answer)
  if (Result.isFailure(decoded)) return invalid(`No answer to ${method.name}: ${decoded.failure}`)
  const result = decoded.success as Params
  const problem = check?.(result)
  return problem === undefined ? Result.succeed(result) : invalid(problem)
}

/**
 * `Invocation.ask` of a request in the middle of which nobody can be asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unanswerable = (during: string, asked: Asked): Invocation["Service"]["ask"] => (method, params) =>
  Effect.suspend(() => {
    const question = make(method, params, asked)
    return Effect.fail(Result.isFailure(question) ? question.failure : impossible(during, asked.revision))
  })

/**
 * The error of a request that asks and may not.
 *
 * @since 0.1.0
 * @category constructors
 */
export const impossible = (during: string, revision: Revision.Revision): McpError.McpError =>
  McpError.make(
    new McpError.CapabilityNotSupported({
      detail: `${during} cannot ask its client: at ${revision} only tools/call, prompts/get and resources/read can`,
      capability: "input_required",
      method: during
    })
  )
