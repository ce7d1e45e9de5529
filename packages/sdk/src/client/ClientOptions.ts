/**
 * What a client is made of: who it is, what it answers when a server asks, and how it behaves.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { CallOptions } from "../api/Caller.ts"
import type * as Custom from "../api/Custom.ts"
import * as JsonSchemas from "../api/JsonSchemas.ts"
import type * as Negotiate from "../era/Negotiate.ts"
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "../protocol/Elicitation.ts"
import type { Implementation } from "../protocol/Implementation.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import type { LoggingMessageNotificationParams } from "../protocol/Logging.ts"
import type { LoggingLevel } from "../protocol/LoggingLevel.ts"
import * as McpError from "../protocol/McpError.ts"
import type * as Revision from "../protocol/Revision.ts"
import type { Root } from "../protocol/Roots.ts"
import type { CreateMessageRequestParams, CreateMessageResult } from "../protocol/Sampling.ts"
import type * as ResponseCache from "./ResponseCache.ts"

/**
 * How a client keeps results that a server says stay fresh.
 *
 * @since 0.1.0
 * @category models
 */
export interface CacheOptions extends ResponseCache.Limits {
  /** As whom the calls are made: private results are kept apart by it. Default: always the same. */
  readonly context?: Effect.Effect<string> | undefined
}

/**
 * Finishes a call whose result has a type that an extension defines: gives the result that the caller gets.
 *
 * @since 0.1.0
 * @category models
 */
export type FinishResult = (
  result: Params,
  call: { readonly method: string; readonly params: Params; readonly options: CallOptions | undefined }
) => Effect.Effect<Params, McpError.McpError>

/**
 * Options of a client. What it can do, its capabilities, follows from the handlers that are given.
 *
 * `R` is what the handlers need; it is inferred from each of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out R = never> extends Implementation {
  // ---- what the server may ask

  /** Shows a form to the user. Defaults of the form are filled in for what the answer leaves out. */
  readonly elicit?: ((params: ElicitRequestFormParams) => Effect.Effect<ElicitResult, McpError.McpError, R>) | undefined
  /**
   * Asks the user whether to visit a page. The page is not fetched here, and must not be before the user has agreed.
   */
  readonly elicitUrl?:
    | ((params: ElicitRequestURLParams) => Effect.Effect<ElicitResult, McpError.McpError, R>)
    | undefined
  /** Asks the model. A user who says no is `PeerError` with code -1. */
  readonly sample?:
    | ((params: CreateMessageRequestParams) => Effect.Effect<CreateMessageResult, McpError.McpError, R>)
    | undefined
  /** What `sample` can do besides: tools, and the context of other servers. Default: neither. */
  readonly sampling?: { readonly tools?: boolean | undefined; readonly context?: boolean | undefined } | undefined
  /** The folders that the server may work in. */
  readonly roots?: Effect.Effect<ReadonlyArray<Root>, McpError.McpError, R> | ReadonlyArray<Root> | undefined
  /** An element whenever the roots have changed: a server of the handshake era is told. */
  readonly rootsChanges?: Stream.Stream<unknown, never, R> | undefined
  /** Handlers for requests and notifications outside of the protocol: `onRequest`, `onNotification`. */
  readonly handlers?: ReadonlyArray<Handler<R>> | undefined
  /** Extensions that the client supports, by identifier, with their settings. */
  readonly extensions?: { readonly [identifier: string]: { readonly [key: string]: unknown } } | undefined
  /** Experimental capabilities, outside of any revision. */
  readonly experimental?: { readonly [name: string]: { readonly [key: string]: unknown } } | undefined
  /** How results of types that extensions define are finished, by `resultType`. */
  readonly resultTypes?: { readonly [type: string]: FinishResult } | undefined
  /** How long an answer to the server may take. Default: 10 minutes. */
  readonly inputTimeout?: Duration.Input | undefined
  /** How often a server may ask in the middle of one call. Default: 10. */
  readonly maxInputRounds?: number | undefined

  // ---- what the server tells

  /**
   * Takes log messages of the server. Like all that the server tells it runs after what was told before, and may itself
   * call the server.
   */
  readonly onLog?: ((message: LoggingMessageNotificationParams) => Effect.Effect<void, never, R>) | undefined
  /** Which log messages to ask for. Default: none in the modern era, what the server thinks right before. */
  readonly logLevel?: LoggingLevel | undefined
  /** The list of tools has changed. In the modern era the client subscribes to it. */
  readonly onToolsChanged?: Effect.Effect<void, never, R> | undefined
  /** The list of prompts has changed. In the modern era the client subscribes to it. */
  readonly onPromptsChanged?: Effect.Effect<void, never, R> | undefined
  /** The list of resources or of templates has changed. In the modern era the client subscribes to it. */
  readonly onResourcesChanged?: Effect.Effect<void, never, R> | undefined
  /** A resource has changed that was subscribed to, by `subscribe`, `listen` or `resourceChanges`. */
  readonly onResourceUpdated?: ((uri: string) => Effect.Effect<void, never, R>) | undefined

  // ---- how the client behaves

  /** How to find the revision to speak. Default: `"auto"`. */
  readonly negotiation?: Negotiate.Mode | undefined
  /** The revisions that may be spoken. Default: all. */
  readonly revisions?: ReadonlyArray<Revision.Revision> | undefined
  /**
   * How long to wait for an answer to the probe before the handshake is tried too; a later answer still counts. Where
   * there is no handshake to try, the `timeout` of a request is waited. Default: 3 seconds.
   */
  readonly probeTimeout?: Duration.Input | undefined
  /** How long to wait for an answer; progress starts it anew. Default: 60 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** The most that a call may take, whatever progress comes. Default: 10 minutes. */
  readonly maximumTimeout?: Duration.Input | undefined
  /**
   * When to open a connection again that has ended unexpectedly. What was under way fails at once; what comes later
   * waits for the new connection, for its own timeout at most. Default: what the transport says, and where that says
   * nothing five times within 12 seconds for a process, never for other transports. `false`: never.
   */
  readonly restart?: Schedule.Schedule<unknown, McpError.McpError> | false | undefined
  /** Results that stay fresh are kept (2026-07-28). Default: true. */
  readonly cache?: boolean | CacheOptions | undefined
  /** Whether the arguments of tools that have been listed are held against their schemas. Default: true. */
  readonly validateArguments?: boolean | undefined
  /** Whether the structured output of tools that have been listed is held against their schemas. Default: true. */
  readonly validateResults?: boolean | undefined
  /** Whether calls that need what the server did not declare are refused here. Default: true. */
  readonly enforceCapabilities?: boolean | undefined
  /** Pages of one list before it counts as endless. Default: 1,000. */
  readonly maxPages?: number | undefined
}

/**
 * A handler for a request or a notification outside of the protocol.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handler<out R = never> {
  readonly kind: "request" | "notification"
  readonly method: string
  readonly run: (params: Params) => Effect.Effect<Params, McpError.McpError, R>
}

type Of<T> = T extends (...args: ReadonlyArray<never>) => Effect.Effect<infer _A, infer _E, infer R> ? R
  : T extends Effect.Effect<infer _A, infer _E, infer R> ? R
  : T extends Stream.Stream<infer _A, infer _E, infer R> ? R
  : T extends ReadonlyArray<infer H> ? H extends Handler<infer R> ? R : never
  : never

/**
 * What the handlers in some options need.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Services<O> = {
  readonly [K in keyof O]-?: K extends "cache" | "restart" | "resultTypes" ? never : Of<NonNullable<O[K]>>
}[keyof O]

/**
 * Options without a member that does not exist: a slip of the pen does not compile.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Exact<O> = O & { readonly [K in Exclude<keyof O, keyof Options>]: never }

const decode = <S extends Custom.ObjectSchema>(schema: S) => {
  const read = Schema.decodeUnknownResult(schema)
  return (method: string, params: Params): Effect.Effect<S["Type"], McpError.McpError> => {
    const decoded = read(params)
    return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(McpError.make(
      new McpError.InvalidParams({
        detail: `Invalid params of ${method}: ${JsonSchemas.formatIssue(decoded.failure)}`
      })
    ))
  }
}

/**
 * Answers a request of one's own that the server makes. Handshake era only: later servers make none.
 *
 * @since 0.1.0
 * @category handlers
 */
export const onRequest = <P extends Custom.ObjectSchema, A extends Custom.ObjectSchema, R = never>(
  request: Custom.Request<P, A>,
  handler: (params: P["Type"]) => Effect.Effect<A["Type"], McpError.McpError, R>
): Handler<R> => {
  const { method } = request
  const read = decode(request.params)
  const write = Schema.encodeUnknownEffect(request.result)
  return {
    kind: "request",
    method,
    run: (params) =>
      Effect.flatMap(
        read(method, params),
        (decoded) => Effect.flatMap(handler(decoded), (result) => Effect.orDie(write(result)) as Effect.Effect<Params>)
      )
  }
}

/**
 * Takes a notification of one's own.
 *
 * @since 0.1.0
 * @category handlers
 */
export const onNotification = <P extends Custom.ObjectSchema, R = never>(
  notification: Custom.Notification<P>,
  handler: (params: P["Type"]) => Effect.Effect<void, never, R>
): Handler<R> => {
  const { method } = notification
  const read = decode(notification.params)
  return {
    kind: "notification",
    method,
    run: (params) => Effect.as(Effect.flatMap(read(method, params), handler), {})
  }
}
