/** Answers what a server asks, by the handlers of the application: the same for a request and for an input request. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Progress from "../../api/Progress.ts"
import * as Sample from "../../api/Sample.ts"
import type { ClientCapabilities } from "../../protocol/Capabilities.ts"
import type {
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitRequestURLParams,
  ElicitResult
} from "../../protocol/Elicitation.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Problem from "../../protocol/Problem.ts"
import type * as Revision from "../../protocol/Revision.ts"
import type { Root } from "../../protocol/Roots.ts"
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/Sampling.ts"
import * as Form from "./formAnswer.ts"

/** What an application answers with. */
export interface Handlers<R> {
  readonly elicit?: ((params: ElicitRequestFormParams) => Effect.Effect<ElicitResult, McpError.McpError, R>) | undefined
  readonly elicitUrl?:
    | ((params: ElicitRequestURLParams) => Effect.Effect<ElicitResult, McpError.McpError, R>)
    | undefined
  readonly sample?:
    | ((params: CreateMessageRequestParams) => Effect.Effect<CreateMessageResult, McpError.McpError, R>)
    | undefined
  readonly roots?: Effect.Effect<ReadonlyArray<Root>, McpError.McpError, R> | ReadonlyArray<Root> | undefined
}

export interface Answers {
  /**
   * The answer to a question, to be run; or why it must not have been asked, which reaches no handler.
   *
   * The answer fails with what the handler failed with; a defect is logged here, and no word of it leaves.
   */
  readonly prepare: (
    method: string,
    params: Params,
    revision: Revision.Revision
  ) => Result.Result<Effect.Effect<Params, McpError.McpError>, McpError.McpError>
}

const invalidParams = (detail: string) => Result.fail(McpError.make(new McpError.InvalidParams({ detail })))

const methodNotFound = (method: string) => Result.fail(McpError.make(new McpError.MethodNotFound({ method })))

const internal = (detail?: string) => McpError.make(new McpError.InternalError(detail === undefined ? {} : { detail }))

/** What an answer is when its handler interrupts itself: the user went away. */
const interrupted = (method: string): Effect.Effect<Params, McpError.McpError> =>
  method === "elicitation/create"
    ? Effect.succeed({ action: "cancel" })
    : Effect.fail(McpError.make(new McpError.PeerError({ code: -1, detail: "The request was rejected" })))

/** Runs a handler of the application: a defect is logged here, and no word of it leaves. */
export const guard = (
  method: string,
  handler: Effect.Effect<Params, McpError.McpError>
): Effect.Effect<Params, McpError.McpError> =>
  Effect.catchCause(handler, (cause) => {
    const failure = cause.reasons.find(Cause.isFailReason)
    if (failure !== undefined) return Effect.fail(failure.error)
    return Cause.hasInterruptsOnly(cause)
      ? interrupted(method)
      : Effect.andThen(Effect.logError(`The handler of ${method} died`, cause), Effect.fail(internal()))
  })

const isUrl = (params: ElicitRequestParams): params is ElicitRequestURLParams => params.mode === "url"

export const make = <R>(
  handlers: Handlers<R>,
  capabilities: ClientCapabilities,
  services: Context.Context<R>
): Answers => {
  /** Runs a handler with its own services, and without those of the call in the middle of which it is asked. */
  const run = (
    known: Method.AnyRequest,
    revision: Revision.Revision,
    handler: Effect.Effect<unknown, McpError.McpError, R>
  ): Effect.Effect<Params, McpError.McpError> =>
    handler.pipe(
      Effect.provideContext(services),
      Effect.provideService(Progress.Listener, undefined),
      Effect.flatMap((answer) => {
        const encoded = Method.encodeResult(known, revision)(answer)
        return Result.isSuccess(encoded) ? Effect.succeed(encoded.success) : Effect.andThen(
          Effect.logWarning(`The answer to ${known.name} is none at ${revision}: ${encoded.failure}`),
          Effect.fail(internal("The answer is not what the protocol says"))
        )
      }),
      (answer) => guard(known.name, answer)
    )

  const elicitForm = (params: ElicitRequestFormParams, handler: NonNullable<Handlers<R>["elicit"]>) =>
    Effect.flatMap(Effect.suspend(() => handler(params)), (result) => {
      if (result.action !== "accept") return Effect.succeed(withoutContent(result))
      const content = Form.withDefaults(params.requestedSchema, result.content ?? {})
      const problems = Form.problems(params.requestedSchema, content)
      return problems.length === 0 ? Effect.succeed({ ...result, content }) : Effect.andThen(
        Effect.logWarning(`The answer does not fit the form and is not sent:\n${Problem.format(problems)}`),
        Effect.fail(internal("The user's answer does not fit the form"))
      )
    })

  const elicit = (params: ElicitRequestParams) => {
    if (isUrl(params)) {
      const handler = handlers.elicitUrl
      return handler === undefined
        ? invalidParams("This client does not declare elicitation by url")
        : Result.succeed(Effect.map(Effect.suspend(() => handler(params)), withoutContent))
    }
    const handler = handlers.elicit
    return handler === undefined
      ? invalidParams("This client does not declare elicitation by form")
      : Result.succeed(elicitForm(params, handler))
  }

  const sample = (params: CreateMessageRequestParams) => {
    const handler = handlers.sample
    if (handler === undefined) return methodNotFound("sampling/createMessage")
    if ((params.tools !== undefined || params.toolChoice !== undefined) && capabilities.sampling?.tools === undefined) {
      return invalidParams("This client does not declare sampling with tools")
    }
    const problem = Sample.problem(params.messages)
    return problem === undefined ? Result.succeed(Effect.suspend(() => handler(params))) : invalidParams(problem)
  }

  const listRoots = () => {
    const { roots } = handlers
    if (roots === undefined) return methodNotFound("roots/list")
    return Result.succeed(Effect.map(
      Effect.isEffect(roots) ? roots : Effect.succeed(roots as ReadonlyArray<Root>),
      (list) => ({ roots: list })
    ))
  }

  const handlerOf = (
    known: Method.AnyRequest,
    params: unknown
  ): Result.Result<Effect.Effect<unknown, McpError.McpError, R>, McpError.McpError> => {
    switch (known.name) {
      case "elicitation/create":
        return elicit(params as ElicitRequestParams)
      case "sampling/createMessage":
        return sample(params as CreateMessageRequestParams)
      default:
        return listRoots()
    }
  }

  const declared: { readonly [method: string]: unknown } = {
    "elicitation/create": capabilities.elicitation,
    "sampling/createMessage": capabilities.sampling,
    "roots/list": capabilities.roots
  }

  return {
    prepare: (method, params, revision) => {
      const known = Method.request(method)
      if (known === undefined || !Object.hasOwn(declared, method) || declared[method] === undefined) {
        return methodNotFound(method)
      }
      const decoded = Method.decodeParams(known, revision)(params)
      if (Result.isFailure(decoded)) return invalidParams(`Invalid params of ${method}: ${decoded.failure}`)
      return Result.map(handlerOf(known, decoded.success), (handler) => run(known, revision, handler))
    }
  }
}

const withoutContent = ({ content: _, ...rest }: ElicitResult): ElicitResult => rest
