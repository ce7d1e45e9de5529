/** Takes a notification of a client: to the dispatcher, with what is known of its sender. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Dispatch } from "../../era/Invocation.ts"
import type * as Legacy from "../../era/Legacy.ts"
import * as LegacyInput from "../../era/LegacyInput.ts"
import * as Modern from "../../era/Modern.ts"
import type { ConnectionFacts } from "../../peer/ServerTransport.ts"
import type { Notification } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { Exchange } from "./endpoint.ts"

type Way = Omit<Exchange, "facts">

/** A notification that stands for itself has no way back. */
const noWay: Way = {
  notify: () => Effect.void,
  request: (method) =>
    Effect.fail(McpError.make(new McpError.CapabilityNotSupported({ capability: "a way back", method })))
}

/** `session` and `way` are those of the connection that the notification came over, where there is one. */
export const make = (dispatch: Dispatch, reverseTimeout: Duration.Duration) =>
(
  { method, params }: Notification,
  facts: ConnectionFacts,
  session?: Legacy.Open | undefined,
  { notify, request }: Way = noWay
): Effect.Effect<void> => {
  const revision = session?.revision ?? Revision.latest
  // It names no client of its own.
  const client = { info: session?.clientInfo, capabilities: session?.capabilities ?? {} }
  return Effect.ignore(Effect.suspend(() =>
    dispatch(method, params ?? {}, {
      method,
      revision,
      requestId: undefined,
      meta: Modern.metaOf(params) ?? {},
      client,
      principal: facts.principal,
      sessionId: facts.sessionId,
      transport: facts.transport,
      progressToken: undefined,
      logLevel: undefined,
      visible: undefined,
      notify,
      ask: LegacyInput.ask(request, { client, revision }, reverseTimeout),
      once: (_, effect) => effect,
      received: undefined
    })
  ))
}
