/**
 * A request or a notification as a value: its name, who sends it, since when and until when, its params and result.
 *
 * What a revision allows is asked of this table, and of the annotations in the schemas, and nowhere else. The file is
 * as long as the table.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ClientCapability, ServerCapability } from "./Capabilities.ts"
import * as Codec from "./Codec.ts"
import { CompleteRequestParams, CompleteResult } from "./Completion.ts"
import { ElicitationCompleteNotificationParams, ElicitRequestParams, ElicitResult } from "./Elicitation.ts"
import type { Params } from "./JsonRpc.ts"
import {
  CancelledNotificationParams,
  DiscoverResult,
  InitializeRequestParams,
  InitializeResult,
  ProgressNotificationParams
} from "./Lifecycle.ts"
import { LoggingMessageNotificationParams, SetLevelRequestParams } from "./Logging.ts"
import { EmptyResult, NotificationParams, PaginatedRequestParams, RequestParams } from "./Meta.ts"
import { GetPromptRequestParams, GetPromptResult, ListPromptsResult } from "./Prompts.ts"
import {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  UnsubscribeRequestParams
} from "./Resources.ts"
import * as Revision from "./Revision.ts"
import { ListRootsRequestParams, ListRootsResult } from "./Roots.ts"
import { CreateMessageRequestParams, CreateMessageResult } from "./Sampling.ts"
import {
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult
} from "./Subscriptions.ts"
import { CallToolRequestParams, CallToolResult, ListToolsResult } from "./Tools.ts"

/**
 * One end of a connection.
 *
 * @since 0.1.0
 * @category models
 */
export type Side = "client" | "server"

/**
 * Who sends a message to whom.
 *
 * @since 0.1.0
 * @category models
 */
export type Direction = "client to server" | "server to client" | "both"

/**
 * The capability that a message needs, and the side that must have declared it.
 *
 * @since 0.1.0
 * @category models
 */
export type Capability =
  | { readonly side: "client"; readonly name: ClientCapability }
  | { readonly side: "server"; readonly name: ServerCapability }

interface Common<Name extends string, P> {
  readonly name: Name
  readonly direction: Direction
  /** The first revision that has it. */
  readonly since: Revision.Revision
  /** The last revision that has it. */
  readonly until: Revision.Revision
  /** The last revision at which the client sends it too, where both sides did and only the server still does. */
  readonly clientUntil: Revision.Revision
  readonly params: Schema.Codec<P, unknown>
  readonly capability: Capability | undefined
}

/**
 * A request: what it is called, what it takes, what it gives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request<Name extends string = string, P = unknown, R = unknown> extends Common<Name, P> {
  readonly _tag: "Request"
  readonly result: Schema.Codec<R, unknown>
  /** Whether its answer may be `input_required` at 2026-07-28. */
  readonly acceptsInput: boolean
  /** Whether its result has cache hints at 2026-07-28. */
  readonly cacheable: boolean
  /** The param that says what the request is about: the `Mcp-Name` of HTTP at 2026-07-28. */
  readonly subject: "name" | "uri" | undefined
}

/**
 * A notification: what it is called and what it says.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notification<Name extends string = string, P = unknown> extends Common<Name, P> {
  readonly _tag: "Notification"
}

/**
 * Any request.
 *
 * @since 0.1.0
 * @category models
 */
export type AnyRequest = Request<string, unknown, unknown>

/**
 * Any notification.
 *
 * @since 0.1.0
 * @category models
 */
export type AnyNotification = Notification<string, unknown>

/**
 * Any request or notification.
 *
 * @since 0.1.0
 * @category models
 */
export type Any = AnyRequest | AnyNotification

/**
 * The params of a request or notification.
 *
 * @since 0.1.0
 * @category utility types
 */
export type ParamsOf<M extends Any> = M["params"]["Type"]

/**
 * The result of a request.
 *
 * @since 0.1.0
 * @category utility types
 */
export type ResultOf<M extends AnyRequest> = M["result"]["Type"]

// ---------------------------------------------------------------------------------------------------------------
// Constructors
// ---------------------------------------------------------------------------------------------------------------

interface CommonOptions<P> {
  readonly direction: Direction
  readonly params: Schema.Codec<P, unknown>
  readonly since?: Revision.Revision
  readonly until?: Revision.Revision
  readonly clientUntil?: Revision.Revision
  readonly capability?: Capability
}

const common = <const Name extends string, P>(name: Name, options: CommonOptions<P>): Common<Name, P> => ({
  name,
  direction: options.direction,
  since: options.since ?? "2024-11-05",
  until: options.until ?? Revision.latest,
  clientUntil: options.clientUntil ?? options.until ?? Revision.latest,
  params: options.params,
  capability: options.capability
})

/**
 * Makes a request: for the ones of extensions and of applications, as for the protocol's own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeRequest = <const Name extends string, P, R>(
  name: Name,
  options: CommonOptions<P> & {
    readonly result: Schema.Codec<R, unknown>
    readonly acceptsInput?: boolean
    readonly cacheable?: boolean
    readonly subject?: "name" | "uri"
  }
): Request<Name, P, R> => ({
  _tag: "Request",
  ...common(name, options),
  result: options.result,
  acceptsInput: options.acceptsInput ?? false,
  cacheable: options.cacheable ?? false,
  subject: options.subject
})

/**
 * Makes a notification: for the ones of extensions and of applications, as for the protocol's own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeNotification = <const Name extends string, P>(
  name: Name,
  options: CommonOptions<P>
): Notification<Name, P> => ({ _tag: "Notification", ...common(name, options) })

const client = (name: ClientCapability): Capability => ({ side: "client", name })
const server = (name: ServerCapability): Capability => ({ side: "server", name })
const toServer = { direction: "client to server" } as const
const toClient = { direction: "server to client" } as const

// ---------------------------------------------------------------------------------------------------------------
// Requests
// ---------------------------------------------------------------------------------------------------------------

/**
 * The request `initialize`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Initialize = makeRequest("initialize", {
  ...toServer,
  until: "2025-11-25",
  params: InitializeRequestParams,
  result: InitializeResult
})

/**
 * The request `ping`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Ping = makeRequest("ping", {
  direction: "both",
  until: "2025-11-25",
  params: RequestParams,
  result: EmptyResult
})

/**
 * The request `server/discover`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Discover = makeRequest("server/discover", {
  ...toServer,
  since: "2026-07-28",
  params: RequestParams,
  result: DiscoverResult,
  cacheable: true
})

/**
 * The request `tools/list`.
 *
 * @since 0.1.0
 * @category requests
 */
export const ListTools = makeRequest("tools/list", {
  ...toServer,
  params: PaginatedRequestParams,
  result: ListToolsResult,
  cacheable: true,
  capability: server("tools")
})

/**
 * The request `tools/call`.
 *
 * @since 0.1.0
 * @category requests
 */
export const CallTool = makeRequest("tools/call", {
  ...toServer,
  params: CallToolRequestParams,
  result: CallToolResult,
  acceptsInput: true,
  subject: "name",
  capability: server("tools")
})

/**
 * The request `resources/list`.
 *
 * @since 0.1.0
 * @category requests
 */
export const ListResources = makeRequest("resources/list", {
  ...toServer,
  params: PaginatedRequestParams,
  result: ListResourcesResult,
  cacheable: true,
  capability: server("resources")
})

/**
 * The request `resources/templates/list`.
 *
 * @since 0.1.0
 * @category requests
 */
export const ListResourceTemplates = makeRequest("resources/templates/list", {
  ...toServer,
  params: PaginatedRequestParams,
  result: ListResourceTemplatesResult,
  cacheable: true,
  capability: server("resources")
})

/**
 * The request `resources/read`.
 *
 * @since 0.1.0
 * @category requests
 */
export const ReadResource = makeRequest("resources/read", {
  ...toServer,
  params: ReadResourceRequestParams,
  result: ReadResourceResult,
  acceptsInput: true,
  cacheable: true,
  subject: "uri",
  capability: server("resources")
})

/**
 * The request `resources/subscribe`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Subscribe = makeRequest("resources/subscribe", {
  ...toServer,
  until: "2025-11-25",
  params: SubscribeRequestParams,
  result: EmptyResult,
  capability: server("resources.subscribe")
})

/**
 * The request `resources/unsubscribe`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Unsubscribe = makeRequest("resources/unsubscribe", {
  ...toServer,
  until: "2025-11-25",
  params: UnsubscribeRequestParams,
  result: EmptyResult,
  capability: server("resources.subscribe")
})

/**
 * The request `prompts/list`.
 *
 * @since 0.1.0
 * @category requests
 */
export const ListPrompts = makeRequest("prompts/list", {
  ...toServer,
  params: PaginatedRequestParams,
  result: ListPromptsResult,
  cacheable: true,
  capability: server("prompts")
})

/**
 * The request `prompts/get`.
 *
 * @since 0.1.0
 * @category requests
 */
export const GetPrompt = makeRequest("prompts/get", {
  ...toServer,
  params: GetPromptRequestParams,
  result: GetPromptResult,
  acceptsInput: true,
  subject: "name",
  capability: server("prompts")
})

/**
 * The request `completion/complete`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Complete = makeRequest("completion/complete", {
  ...toServer,
  params: CompleteRequestParams,
  result: CompleteResult,
  capability: server("completions")
})

/**
 * The request `logging/setLevel`.
 *
 * @since 0.1.0
 * @category requests
 */
export const SetLevel = makeRequest("logging/setLevel", {
  ...toServer,
  until: "2025-11-25",
  params: SetLevelRequestParams,
  result: EmptyResult,
  capability: server("logging")
})

/**
 * The request `subscriptions/listen`.
 *
 * @since 0.1.0
 * @category requests
 */
export const Listen = makeRequest("subscriptions/listen", {
  ...toServer,
  since: "2026-07-28",
  params: SubscriptionsListenRequestParams,
  result: SubscriptionsListenResult
})

/**
 * The request `sampling/createMessage`. Until 2025-11-25: since, the same params and result are an
 * input request and its response.
 *
 * @since 0.1.0
 * @category requests
 */
export const CreateMessage = makeRequest("sampling/createMessage", {
  ...toClient,
  until: "2025-11-25",
  params: CreateMessageRequestParams,
  result: CreateMessageResult,
  capability: client("sampling")
})

/**
 * The request `roots/list`. Until 2025-11-25: since, the same params and result are an
 * input request and its response.
 *
 * @since 0.1.0
 * @category requests
 */
export const ListRoots = makeRequest("roots/list", {
  ...toClient,
  until: "2025-11-25",
  params: ListRootsRequestParams,
  result: ListRootsResult,
  capability: client("roots")
})

/**
 * The request `elicitation/create`. Until 2025-11-25: since, the same params and result are an
 * input request and its response.
 *
 * @since 0.1.0
 * @category requests
 */
export const Elicit = makeRequest("elicitation/create", {
  ...toClient,
  since: "2025-06-18",
  until: "2025-11-25",
  params: ElicitRequestParams,
  result: ElicitResult,
  capability: client("elicitation")
})

// ---------------------------------------------------------------------------------------------------------------
// Notifications
// ---------------------------------------------------------------------------------------------------------------

/**
 * The notification `notifications/initialized`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const Initialized = makeNotification("notifications/initialized", {
  ...toServer,
  until: "2025-11-25",
  params: NotificationParams
})

/**
 * The notification `notifications/cancelled`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const Cancelled = makeNotification("notifications/cancelled", {
  direction: "both",
  params: CancelledNotificationParams
})

/**
 * The notification `notifications/progress`. Sent by servers only from 2026-07-28 on.
 *
 * @since 0.1.0
 * @category notifications
 */
export const Progress = makeNotification("notifications/progress", {
  direction: "both",
  clientUntil: "2025-11-25",
  params: ProgressNotificationParams
})

/**
 * The notification `notifications/message`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const LoggingMessage = makeNotification("notifications/message", {
  ...toClient,
  params: LoggingMessageNotificationParams,
  capability: server("logging")
})

/**
 * The notification `notifications/resources/updated`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const ResourceUpdated = makeNotification("notifications/resources/updated", {
  ...toClient,
  params: ResourceUpdatedNotificationParams,
  capability: server("resources.subscribe")
})

/**
 * The notification `notifications/resources/list_changed`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const ResourceListChanged = makeNotification("notifications/resources/list_changed", {
  ...toClient,
  params: NotificationParams,
  capability: server("resources.listChanged")
})

/**
 * The notification `notifications/tools/list_changed`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const ToolListChanged = makeNotification("notifications/tools/list_changed", {
  ...toClient,
  params: NotificationParams,
  capability: server("tools.listChanged")
})

/**
 * The notification `notifications/prompts/list_changed`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const PromptListChanged = makeNotification("notifications/prompts/list_changed", {
  ...toClient,
  params: NotificationParams,
  capability: server("prompts.listChanged")
})

/**
 * The notification `notifications/roots/list_changed`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const RootsListChanged = makeNotification("notifications/roots/list_changed", {
  ...toServer,
  until: "2025-11-25",
  params: NotificationParams,
  capability: client("roots.listChanged")
})

/**
 * The notification `notifications/elicitation/complete`. 2025-11-25 only.
 *
 * @since 0.1.0
 * @category notifications
 */
export const ElicitationComplete = makeNotification("notifications/elicitation/complete", {
  ...toClient,
  since: "2025-11-25",
  until: "2025-11-25",
  params: ElicitationCompleteNotificationParams,
  capability: client("elicitation.url")
})

/**
 * The notification `notifications/subscriptions/acknowledged`.
 *
 * @since 0.1.0
 * @category notifications
 */
export const SubscriptionsAcknowledged = makeNotification("notifications/subscriptions/acknowledged", {
  ...toClient,
  since: "2026-07-28",
  params: SubscriptionsAcknowledgedNotificationParams
})

// ---------------------------------------------------------------------------------------------------------------
// Lookup
// ---------------------------------------------------------------------------------------------------------------

/**
 * Every request of every revision.
 *
 * @since 0.1.0
 * @category constants
 */
export const requests = [
  Initialize,
  Ping,
  Discover,
  ListTools,
  CallTool,
  ListResources,
  ListResourceTemplates,
  ReadResource,
  Subscribe,
  Unsubscribe,
  ListPrompts,
  GetPrompt,
  Complete,
  SetLevel,
  Listen,
  CreateMessage,
  ListRoots,
  Elicit
] as const

/**
 * Every notification of every revision.
 *
 * @since 0.1.0
 * @category constants
 */
export const notifications = [
  Initialized,
  Cancelled,
  Progress,
  LoggingMessage,
  ResourceUpdated,
  ResourceListChanged,
  ToolListChanged,
  PromptListChanged,
  RootsListChanged,
  ElicitationComplete,
  SubscriptionsAcknowledged
] as const

/**
 * The requests by name.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Requests = { readonly [M in typeof requests[number] as M["name"]]: M }

/**
 * The notifications by name.
 *
 * @since 0.1.0
 * @category utility types
 */
export type Notifications = { readonly [M in typeof notifications[number] as M["name"]]: M }

/**
 * The name of a request.
 *
 * @since 0.1.0
 * @category utility types
 */
export type RequestName = keyof Requests

/**
 * The name of a notification.
 *
 * @since 0.1.0
 * @category utility types
 */
export type NotificationName = keyof Notifications

const requestsByName: ReadonlyMap<string, AnyRequest> = new Map(requests.map((method) => [method.name, method]))

const notificationsByName: ReadonlyMap<string, AnyNotification> = new Map(
  notifications.map((method) => [method.name, method])
)

/**
 * A request of the protocol by its name; `undefined` where no revision has one.
 *
 * @since 0.1.0
 * @category getters
 */
export const request: {
  <const Name extends RequestName>(name: Name): Requests[Name]
  (name: string): AnyRequest | undefined
} = (name: string): any => requestsByName.get(name)

/**
 * A notification of the protocol by its name; `undefined` where no revision has one.
 *
 * @since 0.1.0
 * @category getters
 */
export const notification: {
  <const Name extends NotificationName>(name: Name): Notifications[Name]
  (name: string): AnyNotification | undefined
} = (name: string): any => notificationsByName.get(name)

/**
 * Whether a side may send a message at a revision; without a side, whether any may.
 *
 * @since 0.1.0
 * @category guards
 */
export const isAvailable = (method: Any, revision: Revision.Revision, sender?: Side): boolean =>
  Revision.atLeast(revision, method.since) &&
  Revision.atLeast(method.until, revision) &&
  (sender === undefined || (
    sender === "client"
      ? method.direction !== "server to client" && Revision.atLeast(method.clientUntil, revision)
      : method.direction !== "client to server"
  ))

// ---------------------------------------------------------------------------------------------------------------
// Codecs
// ---------------------------------------------------------------------------------------------------------------

const none: Params = {}

const paramsDecoders = new WeakMap<Any, Map<Revision.Revision, Codec.Decode<unknown>>>()

/**
 * Reads the params of a request or notification at a revision. Absent params are empty ones.
 *
 * The function is built once; take it out of a loop where it matters.
 *
 * @since 0.1.0
 * @category codecs
 */
export const decodeParams = <M extends Any>(method: M, revision: Revision.Revision): Codec.Decode<ParamsOf<M>> => {
  let byRevision = paramsDecoders.get(method)
  if (byRevision === undefined) paramsDecoders.set(method, byRevision = new Map())
  let decode = byRevision.get(revision)
  if (decode === undefined) {
    const decodeObject = Codec.decodeParams(method.params, revision)
    byRevision.set(revision, decode = (params) => decodeObject(params ?? none))
  }
  return decode
}

/**
 * Writes the params of a request or notification at a revision, before the era puts its stamps on them.
 *
 * @since 0.1.0
 * @category codecs
 */
export const encodeParams = <M extends Any>(
  method: M,
  revision: Revision.Revision
): (params: ParamsOf<M>) => Result.Result<Params, string> =>
  // The params of every method are an object.
  Codec.encode(method.params, revision) as (params: ParamsOf<M>) => Result.Result<Params, string>

/**
 * Reads the result of a request at a revision: a complete one. One that asks back is `Input.InputRequiredResult`.
 *
 * @since 0.1.0
 * @category codecs
 */
export const decodeResult = <M extends AnyRequest>(
  method: M,
  revision: Revision.Revision
): Codec.Decode<ResultOf<M>> => Codec.decode(method.result, revision)

/**
 * Writes the result of a request at a revision, before the era puts its stamps on it.
 *
 * @since 0.1.0
 * @category codecs
 */
export const encodeResult = <M extends AnyRequest>(
  method: M,
  revision: Revision.Revision
): (result: ResultOf<M>) => Result.Result<Params, string> =>
  // The result of every request is an object.
  Codec.encode(method.result, revision) as (result: ResultOf<M>) => Result.Result<Params, string>
