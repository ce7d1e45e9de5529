/** Answers `subscriptions/listen`: the acknowledgement, then notices until the client cancels or the server closes. */
import * as Effect from "effect/Effect"
import type { Change, Changes } from "../../api/Changes.ts"
import type { Invocation } from "../../era/Invocation.ts"
import { Key } from "../../era/Modern.ts"
import type { ServerCapabilities } from "../../protocol/Capabilities.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import type { SubscriptionFilter, SubscriptionsListenRequestParams } from "../../protocol/Subscriptions.ts"
import * as Closing from "./closing.ts"
import * as Notices from "./notices.ts"

/** What of a filter the server can honour. */
const honoured = (filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter => {
  const mayTell = (change: Change) => Notices.isDeclared(change, capabilities)
  return {
    ...(filter.toolsListChanged === true && mayTell({ _tag: "Tools" }) ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged === true && mayTell({ _tag: "Prompts" }) ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged === true && mayTell({ _tag: "Resources" }) ? { resourcesListChanged: true } : {}),
    ...(filter.resourceSubscriptions !== undefined && mayTell({ _tag: "Resource", uri: "" })
      ? { resourceSubscriptions: [...new Set(filter.resourceSubscriptions)] }
      : {})
  }
}

const wants = (filter: SubscriptionFilter) => {
  const uris = new Set(filter.resourceSubscriptions)
  return (change: Change): boolean => {
    switch (change._tag) {
      case "Tools":
        return filter.toolsListChanged === true
      case "Prompts":
        return filter.promptsListChanged === true
      case "Resources":
        return filter.resourcesListChanged === true
      case "Resource":
        return uris.has(change.uri)
    }
  }
}

/**
 * Ends of its own accord when the connection closes, or the server where there is no connection. The specification
 * asks for a result in one place and for a cancel notice in another: a pipe gets both, the notice first.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#graceful-closure
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */
export const make = (
  changes: Changes["Service"],
  capabilities: () => ServerCapabilities,
  serverClosing: Closing.Closing
) =>
(raw: Params, invocation: Invocation["Service"]): Effect.Effect<Params> => {
  const params = raw as unknown as SubscriptionsListenRequestParams
  const filter = honoured(params.notifications, capabilities())
  const _meta = { [Key.subscriptionId]: invocation.requestId }
  return Effect.scoped(Effect.gen(function*() {
    const closing = (yield* Closing.Current) ?? serverClosing
    // Subscribed before it is acknowledged, so that no change falls in between.
    const deliver = yield* Notices.subscribe(changes, wants(filter), closing)
    yield* invocation.notify("notifications/subscriptions/acknowledged", { _meta, notifications: filter })
    yield* deliver((change) => {
      const [method, noticeParams] = Notices.noticeOf(change)
      return invocation.notify(method, { ...noticeParams, _meta })
    })
    if (invocation.transport !== "http") {
      yield* invocation.notify("notifications/cancelled", { requestId: invocation.requestId, reason: "Server closing" })
    }
    return { _meta }
  }))
}
