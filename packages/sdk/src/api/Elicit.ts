/**
 * Elicitation: a handler asks the user, by a form or by a page to visit; a client answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @since 0.1.0
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AskOptions, Invocation } from "../era/Invocation.ts"
import * as Question from "../era/Question.ts"
import type { ElicitRequestFormParams, ElicitResult, FormSchema } from "../protocol/Elicitation.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Revision from "../protocol/Revision.ts"
import * as Form from "./internal/form.ts"

/**
 * What the user did with a question: answered it, said no, or closed it. None of them interrupts the handler.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome<A> =
  | { readonly action: "accept"; readonly content: A }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

/**
 * The fields of a form: text, numbers, booleans, choices. Lists only of choices.
 *
 * @since 0.1.0
 * @category models
 */
export type Fields = {
  readonly [name: string]: Schema.ConstraintCodec<
    unknown,
    string | number | boolean | ReadonlyArray<string>,
    never,
    never
  >
}

const decline: { readonly action: "decline" } = { action: "decline" }
const cancel: { readonly action: "cancel" } = { action: "cancel" }

const ask = <A>(
  invocation: Invocation["Service"],
  params: { readonly [key: string]: unknown },
  options: AskOptions | undefined,
  onAccept: (content: unknown) => Result.Result<A, string>
): Effect.Effect<Outcome<A>, McpError.McpError> => {
  // Only what is accepted has to fit.
  const outcomeOf = (answer: Params): Result.Result<Outcome<A>, string> =>
    answer["action"] === "accept"
      ? Result.map(onAccept(answer["content"] ?? {}), (content) => ({ action: "accept", content }))
      : Result.succeed(answer["action"] === "decline" ? decline : cancel)
  return Effect.flatMap(
    invocation.ask("elicitation/create", params, {
      key: options?.key,
      timeout: options?.timeout,
      check: (answer) => Result.getFailure(outcomeOf(answer)).pipe(Option.getOrUndefined)
    }),
    (answer) =>
      Effect.fromResult(Result.mapError(
        outcomeOf(answer),
        (detail) => McpError.make(new McpError.InvalidParams({ detail }))
      ))
  )
}

/** The mode and the titled choices are younger than the form. */
const formParams = (
  message: string,
  requestedSchema: FormSchema,
  revision: Revision.Revision
): { readonly [key: string]: unknown } =>
  Revision.atLeast(revision, "2025-11-25")
    ? { mode: "form", message, requestedSchema }
    : { message, requestedSchema: Form.before20251125(requestedSchema) }

/**
 * Asks the user to fill in a form made of Schemas. The answer comes back decoded: a field of `Schema.DateFromString` is
 * text to the user and a `Date` to the handler. Fields are text, finite numbers, integers, booleans, choices of text and
 * lists of choices; `title`, `description`, `default` and `format` come from their annotations, and optional ones are
 * `Schema.optionalKey`. Checks that a form cannot say, such as a pattern, are made when the answer is there.
 *
 * An accepted answer that does not fit is no answer: from 2026-07-28 on the client is told so (-32602), and the handler
 * goes on waiting for a better one. Before, the client has no second try: it fails with `InvalidParams`.
 *
 * Fails with `MissingClientCapability` where the client shows no forms. A field that has no place in a form is a defect
 * that names it.
 *
 * @example
 * ```ts
 * const answer = yield* Elicit.form("Whom shall we greet?", { name: Schema.String })
 * return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "As you like."
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-elicitation-requests
 * @since 0.1.0
 * @category asking
 */
export const form = <const F extends Fields>(
  message: string,
  fields: F,
  options?: AskOptions
): Effect.Effect<Outcome<Schema.Struct.Type<F>>, McpError.McpError, Invocation> =>
  Effect.flatMap(Invocation, (invocation) => {
    const { decode, schema } = Form.make(fields)
    return ask(
      invocation,
      formParams(message, schema, invocation.revision),
      options,
      (content) => Result.mapError(decode(content), (problems) => `The answer does not fit the form: ${problems}`)
    )
  })

/**
 * Asks the user to fill in a form given as the protocol has it. The answer comes back as it is: look at it before you
 * use it.
 *
 * @since 0.1.0
 * @category asking
 */
export const formOf = (
  message: string,
  requestedSchema: ElicitRequestFormParams["requestedSchema"],
  options?: AskOptions
): Effect.Effect<Outcome<NonNullable<ElicitResult["content"]>>, McpError.McpError, Invocation> =>
  Effect.flatMap(
    Invocation,
    (invocation) =>
      ask(invocation, formParams(message, requestedSchema, invocation.revision), options, (content) =>
        Result.succeed(content as NonNullable<ElicitResult["content"]>))
  )

/**
 * How a user is sent to a page.
 *
 * @since 0.1.0
 * @category models
 */
export interface UrlOptions extends AskOptions {
  /** What `completed` refers to. Only 2025-11-25 has it. Default: a random one. */
  readonly elicitationId?: string | undefined
}

const urlParams = (
  message: string,
  url: string,
  revision: Revision.Revision,
  options: UrlOptions | undefined
): { readonly [key: string]: unknown } => {
  if (!URL.canParse(url)) throw new Error(`A user can only be sent to a URL, not to ${JSON.stringify(url)}`)
  return {
    mode: "url",
    message,
    url,
    ...(revision === "2025-11-25" ? { elicitationId: options?.elicitationId ?? SecureRandom.uuidV4Unsafe() } : {})
  }
}

/**
 * Asks the user to visit a page. `accept` says that the user has agreed to, not that anything has been done there.
 * Fails with `MissingClientCapability` where the client opens no pages. Text that is no URL is a defect.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests
 * @since 0.1.0
 * @category asking
 */
export const url = (
  message: string,
  url: string,
  options?: UrlOptions
): Effect.Effect<Outcome<void>, McpError.McpError, Invocation> =>
  Effect.flatMap(
    Invocation,
    (invocation) =>
      ask(invocation, urlParams(message, url, invocation.revision, options), options, () => Result.succeed(undefined))
  )

/**
 * Tells the client that what the user did at a page is done. Only 2025-11-25 has such a notice; elsewhere, and where
 * the client opens no pages, it does nothing.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
 * @since 0.1.0
 * @category asking
 */
export const completed = (elicitationId: string): Effect.Effect<void, never, Invocation> =>
  Effect.flatMap(
    Invocation,
    (invocation) =>
      invocation.revision === "2025-11-25" && Question.missing(invocation, "elicitation.url") === undefined
        ? invocation.notify("notifications/elicitation/complete", { elicitationId })
        : Effect.void
  )

/**
 * Goes on only when the user has agreed to visit a page. At 2025-11-25 the request fails with -32042, which tells the
 * client to show the page and to try again: look first whether what the page is for is there by now. From 2026-07-28 on
 * the user is asked, and a refusal fails with `InvalidRequest`. Fails with `MissingClientCapability` where the client
 * opens no pages.
 *
 * @example
 * ```ts
 * if (!(yield* tokens.has(user))) yield* Elicit.requireUrl("Connect your account", connectPage)
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 * @since 0.1.0
 * @category asking
 */
export const requireUrl = (
  message: string,
  pageUrl: string,
  options?: UrlOptions
): Effect.Effect<void, McpError.McpError, Invocation> =>
  Effect.flatMap(Invocation, (invocation) => {
    if (invocation.revision === "2025-11-25") {
      const elicitation = urlParams(message, pageUrl, invocation.revision, options)
      return Effect.fail(
        Question.missing(invocation, "elicitation.url") ??
          McpError.make(new McpError.UrlElicitationRequired({ elicitations: [elicitation] }))
      )
    }
    return Effect.flatMap(url(message, pageUrl, options), (outcome) =>
      outcome.action === "accept"
        ? Effect.void
        : Effect.fail(McpError.make(
          new McpError.InvalidRequest({ detail: `The user did not agree to visit ${pageUrl}` })
        )))
  })

/**
 * One of several choices, each with a title for people: `Elicit.choice({ s: "Small", l: "Large" })`.
 *
 * @since 0.1.0
 * @category fields
 */
export const choice = <const Choices extends { readonly [value: string]: string }>(
  choices: Choices
): Schema.Literals<ReadonlyArray<keyof Choices & string>> =>
  Schema.Literals(Object.keys(choices) as ReadonlyArray<keyof Choices & string>).annotate({ [Form.titles]: choices })

/**
 * Any number of several choices, each with a title for people. Since 2025-11-25.
 *
 * @since 0.1.0
 * @category fields
 */
export const choices = <const Choices extends { readonly [value: string]: string }>(
  choices: Choices
): Schema.$Array<Schema.Literals<ReadonlyArray<keyof Choices & string>>> =>
  Schema.Array(Schema.Literals(Object.keys(choices) as ReadonlyArray<keyof Choices & string>)).annotate({
    [Form.titles]: choices
  })

// ---------------------------------------------------------------------------------------------------------------
// Answers, for clients
// ---------------------------------------------------------------------------------------------------------------

/**
 * The answer of a user who filled in the form, or agreed to visit the page.
 *
 * @since 0.1.0
 * @category answers
 */
export const accept = (content?: ElicitResult["content"]): ElicitResult =>
  content === undefined ? { action: "accept" } : { action: "accept", content }

/**
 * The answer of a user who said no.
 *
 * @since 0.1.0
 * @category answers
 */
export const declined: ElicitResult = decline

/**
 * The answer of a user who closed the question.
 *
 * @since 0.1.0
 * @category answers
 */
export const cancelled: ElicitResult = cancel
