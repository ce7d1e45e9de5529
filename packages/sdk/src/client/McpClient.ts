/**
 * A client of one server, on whatever transport is provided and whatever revision the server speaks.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { Caller, type CallOptions } from "../api/Caller.ts"
import type * as Changes from "../api/Changes.ts"
import type * as Custom from "../api/Custom.ts"
import * as JsonSchemas from "../api/JsonSchemas.ts"
import type * as Negotiate from "../era/Negotiate.ts"
import { ClientTransport } from "../peer/ClientTransport.ts"
import type * as Capabilities from "../protocol/Capabilities.ts"
import type { CompleteRequestParams, CompleteResult } from "../protocol/Completion.ts"
import type { Resource } from "../protocol/Content.ts"
import type { Notification, Params } from "../protocol/JsonRpc.ts"
import type { LoggingMessageNotificationParams } from "../protocol/Logging.ts"
import type { LoggingLevel } from "../protocol/LoggingLevel.ts"
import * as McpError from "../protocol/McpError.ts"
import type { GetPromptResult, ListPromptsResult, Prompt } from "../protocol/Prompts.ts"
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  ResourceTemplate
} from "../protocol/Resources.ts"
import type { Revision } from "../protocol/Revision.ts"
import type { SubscriptionFilter } from "../protocol/Subscriptions.ts"
import type { CallToolResult, ListToolsResult, Tool } from "../protocol/Tools.ts"
import type { Exact, Options, Services } from "./ClientOptions.ts"
import * as Core from "./internal/core.ts"
import * as Pages from "./Pages.ts"

export {
  /**
   * @since 0.1.0
   * @category models
   */
  type CacheOptions,
  /**
   * @since 0.1.0
   * @category models
   */
  type FinishResult,
  /**
   * @since 0.1.0
   * @category models
   */
  type Handler,
  /**
   * @since 0.1.0
   * @category handlers
   */
  onNotification,
  /**
   * @since 0.1.0
   * @category handlers
   */
  onRequest,
  /**
   * @since 0.1.0
   * @category models
   */
  type Options
} from "./ClientOptions.ts"

/**
 * How one page of a list is asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListOptions extends CallOptions {
  /** Where the page begins: the `nextCursor` of the page before. Absent: the first page. */
  readonly cursor?: string | undefined
}

/**
 * How a client listens.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListenOptions {
  /**
   * When to subscribe again after the connection has been lost. Default: as often as it takes, 0.5 seconds after the
   * loss, then after ever longer pauses of at most 30 seconds. `false`: the stream fails at the loss.
   */
  readonly resume?: Schedule.Schedule<unknown, McpError.McpError> | false | undefined
}

/**
 * What a subscription tells. A loss is told, and that it is over: what changed in between nobody has heard of.
 *
 * @since 0.1.0
 * @category models
 */
export type SubscriptionEvent =
  | Changes.Change
  /** A notification on this subscription that an extension defines. */
  | { readonly _tag: "Notification"; readonly notification: Notification }
  /** The connection was lost; the client subscribes again. */
  | { readonly _tag: "Lost"; readonly error: McpError.McpError }
  /** The client listens again, to so much of what it wanted. */
  | { readonly _tag: "Resumed"; readonly honoured: SubscriptionFilter }

/**
 * A subscription. It ends with its scope.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subscription {
  /** How much of the filter the server honours. */
  readonly honoured: SubscriptionFilter
  /**
   * What happens, to be run once. It ends when the server ends the subscription, and fails when the connection is lost
   * for good. Changes that wait for the reader are told once however often they happened.
   */
  readonly events: Stream.Stream<SubscriptionEvent, McpError.McpError>
  /** Waits for the end, and tells how the server ended it: by the result of the request, or by a cancel notice. */
  readonly ended: Effect.Effect<"completed" | "cancelled", McpError.McpError>
}

/**
 * How the connection of a client stands.
 *
 * @since 0.1.0
 * @category models
 */
export type Status =
  | { readonly _tag: "Open"; readonly server: Negotiate.Agreement }
  /** It has ended unexpectedly and is being opened again. */
  | { readonly _tag: "Lost"; readonly error: McpError.McpError }
  /** It is closed for good; `error` says why, where nobody has asked for it. */
  | { readonly _tag: "Closed"; readonly error: McpError.McpError | undefined }

/**
 * A client of one server. It is a `Caller`, so a typed client can be made of it: `Weather.clientOf(client)`.
 *
 * @since 0.1.0
 * @category services
 */
export class McpClient extends Context.Service<McpClient, {
  /** The revision that is spoken. */
  readonly revision: Effect.Effect<Revision, McpError.McpError>
  /** What the server said of itself. Given to the `negotiation` of another client, it saves that one the question. */
  readonly server: Effect.Effect<Negotiate.Agreement, McpError.McpError>
  /** How the connection stands, now and whenever that changes. Ends when it is closed for good. */
  readonly status: Stream.Stream<Status>
  /** Calls any method: params and result are those of the canonical model. */
  readonly call: (method: string, params: Params, options?: CallOptions) => Effect.Effect<Params, McpError.McpError>
  /** Makes a request of one's own. */
  readonly request: <P extends Custom.ObjectSchema, A extends Custom.ObjectSchema>(
    request: Custom.Request<P, A>,
    params: P["Type"],
    options?: CallOptions
  ) => Effect.Effect<A["Type"], McpError.McpError>
  /** Sends a notification of one's own. */
  readonly notify: <P extends Custom.ObjectSchema>(
    notification: Custom.Notification<P>,
    params: P["Type"]
  ) => Effect.Effect<void, McpError.McpError>
  /** Asks whether the server is there. Handshake era only. */
  readonly ping: (options?: CallOptions) => Effect.Effect<void, McpError.McpError>

  /** All tools. Empty where the server has none to offer. */
  readonly tools: Stream.Stream<Tool, McpError.McpError>
  /** One page of the tools. */
  readonly listTools: (options?: ListOptions) => Effect.Effect<ListToolsResult, McpError.McpError>
  /**
   * Calls a tool. A tool that fails is a result with `isError`, and its text is for the model.
   *
   * Arguments and structured output are held against the schemas of the tool, if it has been listed and the list has not
   * changed since: fails with `InvalidArguments` before anything is sent, with `InvalidPeerMessage` where the output
   * breaks its schema or is missing. Arguments that are `null` count as left out where they may be. A schema that cannot
   * be used concerns its own tool alone: arguments are then sent unchecked with a warning; a tool whose output could not
   * be checked is not called.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema
   */
  readonly callTool: (
    name: string,
    args?: { readonly [name: string]: unknown },
    options?: CallOptions
  ) => Effect.Effect<CallToolResult, McpError.McpError>

  /** All resources. Empty where the server has none to offer. */
  readonly resources: Stream.Stream<Resource, McpError.McpError>
  /** One page of the resources. */
  readonly listResources: (options?: ListOptions) => Effect.Effect<ListResourcesResult, McpError.McpError>
  /** All resource templates. Empty where the server has none to offer. */
  readonly resourceTemplates: Stream.Stream<ResourceTemplate, McpError.McpError>
  /** One page of the resource templates. */
  readonly listResourceTemplates: (
    options?: ListOptions
  ) => Effect.Effect<ListResourceTemplatesResult, McpError.McpError>
  /** Reads a resource. Fails with `ResourceNotFound` where the server has no such resource. */
  readonly readResource: (uri: string, options?: CallOptions) => Effect.Effect<ReadResourceResult, McpError.McpError>
  /**
   * A resource as it is now, and again after each change. Fails with `CapabilityNotSupported` where the server does not
   * watch it.
   */
  readonly resourceChanges: (
    uri: string,
    options?: ListenOptions
  ) => Stream.Stream<ReadResourceResult, McpError.McpError>

  /** All prompts. Empty where the server has none to offer. */
  readonly prompts: Stream.Stream<Prompt, McpError.McpError>
  /** One page of the prompts. */
  readonly listPrompts: (options?: ListOptions) => Effect.Effect<ListPromptsResult, McpError.McpError>
  /** Gets a prompt. */
  readonly getPrompt: (
    name: string,
    args?: { readonly [name: string]: string },
    options?: CallOptions
  ) => Effect.Effect<GetPromptResult, McpError.McpError>
  /** Completes an argument of a prompt or a variable of a template. */
  readonly complete: (
    params: CompleteRequestParams,
    options?: CallOptions
  ) => Effect.Effect<CompleteResult, McpError.McpError>

  /**
   * Listens to changes, in every era: by `subscriptions/listen`, or by `resources/subscribe` and what the server tells
   * unasked. Succeeds when the server has acknowledged.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
   */
  readonly listen: (
    filter: SubscriptionFilter,
    options?: ListenOptions
  ) => Effect.Effect<Subscription, McpError.McpError, Scope.Scope>
  /** The same as a stream, for who need not know what is honoured. */
  readonly changes: (
    filter: SubscriptionFilter,
    options?: ListenOptions
  ) => Stream.Stream<SubscriptionEvent, McpError.McpError>
  /** Sends `resources/subscribe`. Handshake era only; `listen` and `resourceChanges` serve every era. */
  readonly subscribe: (uri: string, options?: CallOptions) => Effect.Effect<void, McpError.McpError>
  /** Sends `resources/unsubscribe`. Handshake era only. */
  readonly unsubscribe: (uri: string, options?: CallOptions) => Effect.Effect<void, McpError.McpError>

  /** Log messages of the server, from now on. */
  readonly logs: Stream.Stream<LoggingMessageNotificationParams>
  /** Which log messages to ask for from now on; `undefined`: none, in the modern era. */
  readonly setLogLevel: (
    level: LoggingLevel | undefined,
    options?: CallOptions
  ) => Effect.Effect<void, McpError.McpError>
  /** All that the server tells from now on, known or not, but for progress and cancelling. */
  readonly notifications: Stream.Stream<Notification>

  /** Closes the connection; what is under way fails. The scope of the client does the same. Harmless twice. */
  readonly close: Effect.Effect<void>
}>()("@effect-mcp/sdk/McpClient") {}

const resumeDefault: Schedule.Schedule<unknown, McpError.McpError> = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(30))))
)

/** Whether a call was lost with its connection, and may be made again on the next. */
const isLoss = ({ reason }: McpError.McpError): boolean =>
  reason._tag === "ConnectionClosed" || reason._tag === "TransportError"

const unsupported = (capability: string, method: string) =>
  McpError.make(new McpError.CapabilityNotSupported({ capability, method }))

/**
 * Opens a connection and negotiates. The client lives in the scope: closing that closes the connection.
 *
 * @example
 * ```ts
 * const client = yield* McpClient.make({
 *   name: "agent",
 *   version: "1.0.0",
 *   elicit: ({ message }) => Console.log(message).pipe(Effect.as(Elicit.declined))
 * })
 * const result = yield* client.callTool("forecast", { city: "Oslo", days: 3 })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <const O extends Options<unknown>>(
  options: Exact<O>
): Effect.Effect<McpClient["Service"], McpError.McpError, ClientTransport | Scope.Scope | Services<O>> =>
  Effect.flatMap(
    Effect.context<Services<O>>(),
    (services) =>
      Effect.flatMap(ClientTransport, (transport) =>
        // What the handlers need is in the services; the type of generic options cannot say so.
        Effect.map(Core.make(transport, options as Options<Services<O>>, services), fromCore))
  )

const fromCore = (core: Core.Core): McpClient["Service"] => {
  // Results are decoded by the method: each has the type that the method has.
  const call = core.call as <A>(
    method: string,
    params: Params,
    options?: CallOptions
  ) => Effect.Effect<A, McpError.McpError>

  const page = <A>(method: string) => ({ cursor, ...options }: ListOptions = {}) =>
    call<A>(method, cursor === undefined ? {} : { cursor }, options)

  const all = <A, R extends { readonly nextCursor?: string }>(
    method: string,
    capability: Capabilities.ServerCapability,
    page: (options?: ListOptions) => Effect.Effect<R, McpError.McpError>,
    items: (result: R) => ReadonlyArray<A>
  ) =>
    Stream.unwrap(Effect.map(core.offers(capability), (offered) =>
      offered
        ? Pages.all({ method, maxPages: core.maxPages, page: (cursor) => page({ cursor }), items })
        : Stream.empty))

  const listTools = (options?: ListOptions) => core.learningTools(page<ListToolsResult>("tools/list")(options))
  const listResources = page<ListResourcesResult>("resources/list")
  const listResourceTemplates = page<ListResourceTemplatesResult>("resources/templates/list")
  const listPrompts = page<ListPromptsResult>("prompts/list")

  const readResource = (uri: string, options?: CallOptions) =>
    call<ReadResourceResult>("resources/read", { uri }, options)

  const listen = (filter: SubscriptionFilter, options?: ListenOptions) =>
    core.listen(filter, {
      own: false,
      resume: options?.resume === false ? undefined : options?.resume ?? resumeDefault
    })

  const resourceChanges = (uri: string, options?: ListenOptions) =>
    Stream.unwrap(Effect.flatMap(listen({ resourceSubscriptions: [uri] }, options), ({ events, honoured }) => {
      if (honoured.resourceSubscriptions?.includes(uri) !== true) {
        return Effect.fail(unsupported("resources.subscribe", "subscriptions/listen"))
      }
      const read = Effect.map(readResource(uri, { refresh: true }), (contents) => [contents])
      // A reading that is lost with its connection is made up for when the subscription is resumed.
      const reread = Effect.catch(
        read,
        (error) => isLoss(error) && !core.isClosed() ? Effect.succeed([]) : Effect.fail(error)
      )
      return Effect.succeed(Stream.concat(
        Stream.fromArrayEffect(read),
        events.pipe(
          Stream.filter(({ _tag }) => _tag === "Resource" || _tag === "Resumed"),
          Stream.mapEffect(() => reread),
          Stream.flattenIterable
        )
      ))
    }))

  return McpClient.of({
    revision: Effect.map(core.server, ({ revision }) => revision),
    server: core.server,
    status: Stream.takeUntil(SubscriptionRef.changes(core.status), ({ _tag }) => _tag === "Closed"),
    call: core.call,
    request: (request, params, options) => {
      const encoded = Schema.encodeUnknownResult(request.params)(params)
      if (Result.isFailure(encoded)) {
        return Effect.fail(McpError.make(
          new McpError.InvalidArguments({
            method: request.method,
            detail: `Params of ${request.method}: ${JsonSchemas.formatIssue(encoded.failure)}`
          })
        ))
      }
      return Effect.flatMap(core.call(request.method, encoded.success as Params, options), (result) => {
        const decoded = Schema.decodeUnknownResult(request.result)(result)
        return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(McpError.make(
          new McpError.InvalidPeerMessage({
            detail: `Result of ${request.method}: ${JsonSchemas.formatIssue(decoded.failure)}`,
            data: result
          })
        ))
      })
    },
    notify: (notification, params) => {
      const encoded = Schema.encodeUnknownResult(notification.params)(params)
      return Result.isSuccess(encoded)
        ? core.notify(notification.method, encoded.success as Params)
        : Effect.fail(McpError.make(
          new McpError.InvalidArguments({
            method: notification.method,
            detail: `Params of ${notification.method}: ${JsonSchemas.formatIssue(encoded.failure)}`
          })
        ))
    },
    ping: (options) => Effect.asVoid(core.call("ping", {}, options)),

    tools: all("tools/list", "tools", listTools, ({ tools }) => tools),
    listTools,
    callTool: (name, args, options) =>
      core.checkingTool(
        name,
        args ?? {},
        call<CallToolResult>("tools/call", args === undefined ? { name } : { name, arguments: args }, options)
      ),

    resources: all("resources/list", "resources", listResources, ({ resources }) => resources),
    listResources,
    resourceTemplates: all(
      "resources/templates/list",
      "resources",
      listResourceTemplates,
      ({ resourceTemplates }) => resourceTemplates
    ),
    listResourceTemplates,
    readResource,
    resourceChanges,

    prompts: all("prompts/list", "prompts", listPrompts, ({ prompts }) => prompts),
    listPrompts,
    getPrompt: (name, args, options) =>
      call("prompts/get", args === undefined ? { name } : { name, arguments: args }, options),
    complete: (params, options) => call("completion/complete", { ...params }, options),

    listen,
    changes: (filter, options) => Stream.unwrap(Effect.map(listen(filter, options), ({ events }) => events)),
    subscribe: (uri, options) => Effect.asVoid(core.call("resources/subscribe", { uri }, options)),
    unsubscribe: (uri, options) => Effect.asVoid(core.call("resources/unsubscribe", { uri }, options)),

    logs: core.notifications.pipe(
      Stream.filter(({ method }) => method === "notifications/message"),
      Stream.map(({ params }) => params as unknown as LoggingMessageNotificationParams)
    ),
    setLogLevel: core.setLogLevel,
    notifications: core.notifications,
    close: core.close
  })
}

/**
 * A client as a service, and as the `Caller` that typed clients use: with it, `yield* Weather.client` works.
 *
 * @example
 * ```ts
 * const client = McpClient.layer({ name: "cli", version: "1.0.0" }).pipe(
 *   Layer.provide(StdioTransport.layerClient({ command: "weather-server" }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <const O extends Options<unknown>>(
  options: Exact<O>
): Layer.Layer<McpClient | Caller, McpError.McpError, ClientTransport | Exclude<Services<O>, Scope.Scope>> =>
  Layer.effectContext(Effect.map(
    make(options),
    (client) => Context.make(McpClient, client).pipe(Context.add(Caller, client))
  )) as Layer.Layer<McpClient | Caller, McpError.McpError, ClientTransport | Exclude<Services<O>, Scope.Scope>>
