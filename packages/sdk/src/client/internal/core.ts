/** Puts a client together: capabilities from its handlers, a session that is kept, calls on it, what the server tells. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import type { CallOptions } from "../../api/Caller.ts"
import type { Change } from "../../api/Changes.ts"
import type * as Negotiate from "../../era/Negotiate.ts"
import type { ClientTransport } from "../../peer/ClientTransport.ts"
import * as Capabilities from "../../protocol/Capabilities.ts"
import type { Implementation } from "../../protocol/Implementation.ts"
import type { Notification, Params } from "../../protocol/JsonRpc.ts"
import type { LoggingMessageNotificationParams } from "../../protocol/Logging.ts"
import type { LoggingLevel } from "../../protocol/LoggingLevel.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { SubscriptionFilter } from "../../protocol/Subscriptions.ts"
import type { CallToolResult, ListToolsResult } from "../../protocol/Tools.ts"
import type { Options } from "../ClientOptions.ts"
import { JsonSchemaValidator } from "../JsonSchemaValidator.ts"
import * as ResponseCache from "../ResponseCache.ts"
import * as Answers from "./answers.ts"
import * as Calls from "./calls.ts"
import * as Hub from "./hub.ts"
import * as Link from "./link.ts"
import * as Opening from "./opening.ts"
import type * as Session from "./session.ts"
import * as Subscriptions from "./subscriptions.ts"
import * as ToolSchemas from "./toolSchemas.ts"

export interface Core {
  readonly call: Calls.Calls["call"]
  readonly notify: (method: string, params: Params) => Effect.Effect<void, McpError.McpError>
  readonly server: Effect.Effect<Negotiate.Agreement, McpError.McpError>
  readonly status: SubscriptionRef.SubscriptionRef<Link.Status>
  readonly isClosed: () => boolean
  /** Whether to ask for a list at all. */
  readonly offers: (capability: Capabilities.ServerCapability) => Effect.Effect<boolean, McpError.McpError>
  /** Notes the schemas of the tools on a page. */
  readonly learningTools: (
    page: Effect.Effect<ListToolsResult, McpError.McpError>
  ) => Effect.Effect<ListToolsResult, McpError.McpError>
  /** Holds arguments and result of a call against the schemas that are known. */
  readonly checkingTool: (
    name: string,
    args: { readonly [name: string]: unknown },
    call: Effect.Effect<CallToolResult, McpError.McpError>
  ) => Effect.Effect<CallToolResult, McpError.McpError>
  readonly listen: (
    filter: SubscriptionFilter,
    options: Subscriptions.Options
  ) => Effect.Effect<Subscriptions.Subscription, McpError.McpError, Scope.Scope>
  readonly setLogLevel: (
    level: LoggingLevel | undefined,
    options?: CallOptions
  ) => Effect.Effect<void, McpError.McpError>
  readonly notifications: Stream.Stream<Notification>
  readonly maxPages: number | undefined
  readonly close: Effect.Effect<void>
}

const capabilitiesOf = <R>(options: Options<R>): Capabilities.ClientCapabilities => {
  const { elicit, elicitUrl, experimental, extensions, roots, rootsChanges, sample, sampling } = options
  return {
    ...(experimental === undefined ? {} : { experimental }),
    ...(roots === undefined ? {} : { roots: rootsChanges === undefined ? {} : { listChanged: true } }),
    ...(sample === undefined ? {} : {
      sampling: {
        ...(sampling?.context === true ? { context: {} } : {}),
        ...(sampling?.tools === true ? { tools: {} } : {})
      }
    }),
    ...(elicit === undefined && elicitUrl === undefined ? {} : {
      elicitation: {
        ...(elicit === undefined ? {} : { form: {} }),
        ...(elicitUrl === undefined ? {} : { url: {} })
      }
    }),
    ...(extensions === undefined ? {} : { extensions })
  }
}

const infoOf = ({ description, icons, name, title, version, websiteUrl }: Implementation): Implementation => ({
  name,
  version,
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  ...(websiteUrl === undefined ? {} : { websiteUrl }),
  ...(icons === undefined ? {} : { icons })
})

/** Taking up a subscription of the client's own again: the handlers in the options count on it. */
const resumeOwn: Schedule.Schedule<unknown, McpError.McpError> = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function*<R>(
  transport: ClientTransport["Service"],
  options: Options<R>,
  services: Context.Context<R>
): Effect.fn.Return<Core, McpError.McpError, Scope.Scope> {
  const duration = (input: Duration.Input | undefined, orElse: Duration.Input) =>
    Duration.fromInputUnsafe(input ?? orElse)
  const timeout = duration(options.timeout, "60 seconds")
  const inputTimeout = duration(options.inputTimeout, "10 minutes")
  const capabilities = capabilitiesOf(options)
  const answers = Answers.make<R>(options, capabilities, services)
  const { compile } = yield* JsonSchemaValidator
  const schemas = ToolSchemas.make(compile)
  const hub = Hub.make()
  const cacheOptions = typeof options.cache === "object" ? options.cache : undefined
  const cache = options.cache === false ? undefined : ResponseCache.make(cacheOptions)
  let logLevel = options.logLevel

  // ---- what the server tells

  const provided = (effect: Effect.Effect<void, never, R>): Effect.Effect<void> =>
    Effect.provideContext(effect, services)

  const custom = new Map(
    options.handlers?.flatMap((handler) => handler.kind === "notification" ? [[handler.method, handler] as const] : [])
  )

  const onListChange = (
    { _tag }: Exclude<Change, { readonly _tag: "Resource" }>
  ): Effect.Effect<void, never, R> | undefined => {
    switch (_tag) {
      case "Tools":
        return options.onToolsChanged
      case "Prompts":
        return options.onPromptsChanged
      case "Resources":
        return options.onResourcesChanged
    }
  }

  const handlerOf = (
    notification: Notification,
    change: Change | undefined,
    sink: Session.Sink | undefined
  ): Effect.Effect<void> | undefined => {
    if (change?._tag === "Resource") {
      const { onResourceUpdated } = options
      return onResourceUpdated === undefined
        ? undefined
        : provided(Effect.suspend(() => onResourceUpdated(change.uri)))
    }
    // Of several subscriptions that tell the same, the handlers hear the client's own.
    if (change !== undefined) {
      const handler = sink === undefined || sink.own ? onListChange(change) : undefined
      return handler === undefined ? undefined : provided(handler)
    }
    const { method, params } = notification
    if (method === "notifications/message") {
      const { onLog } = options
      return onLog === undefined
        ? undefined
        : provided(Effect.suspend(() => onLog(params as unknown as LoggingMessageNotificationParams)))
    }
    const handler = custom.get(method)
    return handler === undefined ? undefined : Effect.catch(
      Effect.provideContext(Effect.suspend(() => handler.run(params ?? {})), services),
      (error) => Effect.logDebug(`${method} was not taken`, error)
    ) as Effect.Effect<void>
  }

  const onNotification: Session.Config["onNotification"] = (received, session, sink) => {
    const known = Method.notification(received.method)
    let notification = received
    if (known !== undefined) {
      const decoded = Method.decodeParams(known, session.agreement.revision)(received.params)
      if (Result.isFailure(decoded)) {
        return Effect.logDebug(`A malformed ${received.method} is passed over: ${decoded.failure}`)
      }
      if (decoded.success !== received.params && received.params !== undefined) {
        notification = { ...received, params: decoded.success as Params }
      }
    }
    const change = Subscriptions.changeOf(notification)
    if (change !== undefined) {
      cache?.invalidate(change)
      if (change._tag === "Tools") schemas.forget()
    }
    sink?.notice(notification)
    hub.publish(notification)
    return handlerOf(notification, change, sink)
  }

  // ---- the session

  const config: Session.Config = {
    transport,
    speaks: options.revisions ?? Revision.all,
    info: infoOf(options),
    capabilities,
    probeTimeout: duration(options.probeTimeout, "3 seconds"),
    timeout,
    maximumTimeout: duration(options.maximumTimeout, "10 minutes"),
    inputTimeout,
    answers,
    requests: new Map(
      options.handlers?.flatMap((handler) =>
        handler.kind === "request"
          ? [
            [
              handler.method,
              (params: Params) =>
                Answers.guard(
                  handler.method,
                  Effect.provideContext(Effect.suspend(() => handler.run(params)), services)
                )
            ] as const
          ]
          : []
      )
    ),
    onNotification,
    logLevel: () => logLevel
  }

  const setLevel = (session: Session.Session, level: LoggingLevel) =>
    session.agreement.capabilities?.logging === undefined
      ? Effect.void
      : Effect.ignore(session.peer.request("logging/setLevel", { level }))

  const asked: Negotiate.Mode = options.negotiation ?? "auto"
  /** The era is a property of the server: what was found out once holds for its next connection too. */
  let last: Session.Session | undefined
  let opened = false
  const nextMode = (): Negotiate.Mode => {
    if (!opened || (asked !== "auto" && typeof asked === "string")) return asked
    if (last?.proven !== true) return "auto"
    return last.modern ? last.agreement.revision : last.agreement
  }
  const restart = options.restart === false
    ? undefined
    : options.restart ?? transport.restart ?? (transport.kind === "stdio" ? Link.defaultRestart : undefined)
  const link = yield* Link.make({
    open: (adopt) =>
      Effect.suspend(() => {
        const mode = nextMode()
        opened = true
        return Opening.open(
          config,
          mode,
          (session) => {
            last = session
            return session.modern || logLevel === undefined ? Effect.void : setLevel(session, logLevel)
          },
          adopt
        )
      }).pipe(Effect.tapError(({ reason }) =>
        Effect.sync(() => {
          if (reason._tag === "NegotiationFailed") last = undefined
        })
      )),
    restart,
    onLost: () => {
      cache?.clear()
      schemas.forget()
    }
  })

  const calls = Calls.make({
    link,
    answers,
    limits: { maxRounds: options.maxInputRounds, roundTimeout: inputTimeout },
    cache,
    cacheContext: cacheOptions?.context ?? Effect.succeed(""),
    resultTypes: options.resultTypes ?? {},
    isModernServer: (session) => Opening.isModernServer(config, session),
    strict: options.enforceCapabilities !== false,
    timeout
  })

  const listen = Subscriptions.make({
    call: {
      request: calls.raw,
      acknowledged: Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(McpError.make(
            new McpError.RequestTimeout({
              method: "subscriptions/listen",
              millis: Duration.toMillis(timeout),
              maximum: false
            })
          ))
      })
    },
    hub,
    session: link.session,
    isClosed: link.isClosed
  })

  // ---- what the client does of itself

  const own: SubscriptionFilter = {
    ...(options.onToolsChanged === undefined ? {} : { toolsListChanged: true }),
    ...(options.onPromptsChanged === undefined ? {} : { promptsListChanged: true }),
    ...(options.onResourcesChanged === undefined ? {} : { resourcesListChanged: true })
  }
  if (Object.keys(own).length > 0 && link.current()?.modern === true) {
    // Started at once, so that the subscription is on its way before whatever the caller does first.
    yield* Effect.forkScoped(
      Effect.flatMap(listen(own, { own: true, resume: resumeOwn }), ({ events }) => Stream.runDrain(events)).pipe(
        Effect.scoped,
        Effect.catch((error) => Effect.logDebug("The client no longer hears of changed lists", error))
      ),
      { startImmediately: true }
    )
  }
  if (options.rootsChanges !== undefined) {
    const tell = Effect.suspend(() => {
      const session = link.current()
      return session === undefined || session.modern
        ? Effect.void
        : Effect.ignore(session.peer.notify("notifications/roots/list_changed"))
    })
    yield* Effect.forkScoped(
      Effect.provideContext(Stream.runForEach(options.rootsChanges, () => tell), services)
    )
  }
  yield* Effect.addFinalizer(() => Effect.sync(hub.end))

  return {
    call: calls.call,
    notify: (method, params) => Effect.flatMap(link.session, ({ peer }) => peer.notify(method, params)),
    server: Effect.map(link.session, ({ agreement }) => agreement),
    status: link.status,
    isClosed: link.isClosed,
    offers: (capability) =>
      Effect.map(
        link.session,
        ({ agreement: { capabilities: declared, revision } }) =>
          options.enforceCapabilities === false || declared === undefined ||
          Capabilities.serverHas(declared, capability, revision)
      ),
    learningTools: (page) =>
      Effect.suspend(() => {
        const before = schemas.generation()
        return Effect.tap(page, ({ tools }) =>
          Effect.sync(() => {
            if (schemas.generation() === before) schemas.learn(tools)
          }))
      }),
    checkingTool: (name, args, call) =>
      Effect.suspend(() => {
        const entry = schemas.get(name)
        if (entry === undefined) return call
        const checked = options.validateResults === false
          ? call
          : Effect.flatMap(entry.result, (check) => Effect.tap(call, check))
        return options.validateArguments === false ? checked : Effect.andThen(entry.checkArguments(args), checked)
      }),
    listen,
    setLogLevel: (level, callOptions) =>
      Effect.flatMap(link.session, (session) => {
        logLevel = level
        session.setLogLevel(level)
        return session.modern || level === undefined
          ? Effect.void
          : Effect.asVoid(calls.call("logging/setLevel", { level }, callOptions))
      }),
    notifications: hub.stream,
    maxPages: options.maxPages,
    // In a fiber of its own: a handler that closes the client is itself ended by that.
    close: Effect.flatMap(
      Effect.forkDetach(Effect.andThen(link.close, Effect.sync(hub.end)), { startImmediately: true }),
      Fiber.join
    )
  }
})
