/**
 * The client of the HTTP+SSE transport of 2024-11-05: a GET opens the stream that all messages come on, and names where
 * to post them.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as McpError from "../../../../protocol/McpError.ts"
import { closed } from "../../../internal/Outbox.ts"
import * as Failure from "./failure.ts"
import { essenceOf, isOk, type Wire } from "./wire.ts"

const endpointOf = (url: string, data: string): string | undefined => {
  if (!URL.canParse(data, url)) return undefined
  const endpoint = new URL(data, url)
  return endpoint.origin === new URL(url).origin ? endpoint.href : undefined
}

/**
 * Opens the stream, which lives in `scope`, and gives the URL to post to. Fails with `otherwise` where there is no such
 * stream. `onMessage` gets the data of what comes, `onEnd` is told how the stream has ended once it was open.
 */
export const open = (options: {
  readonly url: string
  readonly wire: Wire
  readonly headers: Effect.Effect<{ readonly [name: string]: string }, McpError.McpError>
  readonly scope: Scope.Scope
  readonly otherwise: McpError.McpError
  readonly onMessage: (data: string) => void
  readonly onEnd: (error: McpError.McpError) => void
}): Effect.Effect<string, McpError.McpError> =>
  Effect.suspend(() => {
    const { onEnd, onMessage, otherwise, url, wire } = options
    const endpoint = Deferred.makeUnsafe<string, McpError.McpError>()
    let isOpen = false

    const onEvent = (type: string, data: string) => {
      if (type !== "endpoint") {
        if (type === "message" && data !== "") onMessage(data)
        return
      }
      // Only the first counts: a server does not move in the middle of a conversation.
      if (isOpen) return
      const found = endpointOf(url, data)
      isOpen = found !== undefined
      Deferred.doneUnsafe(
        endpoint,
        found === undefined
          ? Effect.fail(Failure.invalid(`The server names an endpoint of another origin: ${Failure.startOf(data)}`))
          : Effect.succeed(found)
      )
    }

    const stream = Effect.scoped(Effect.flatMap(
      Effect.flatMap(options.headers, (headers) =>
        wire.send({
          method: "GET",
          url,
          headers: { ...headers, accept: "text/event-stream", "cache-control": "no-store" },
          purpose: "the stream"
        })),
      (response) =>
        isOk(response) && essenceOf(response) === "text/event-stream"
          ? wire.events(response, { parser: wire.parser(onEvent), isDone: () => false, purpose: "the stream" })
          : Effect.fail(otherwise)
    ))
    const followed = Effect.onExit(stream, (exit) =>
      Effect.sync(() => {
        const failure = exit._tag === "Failure"
          ? exit.cause.reasons.find((reason) => reason._tag === "Fail")
          : undefined
        Deferred.doneUnsafe(endpoint, Effect.fail(otherwise))
        if (isOpen) onEnd(closed("The server closed the stream", failure?.error))
      }))
    return Effect.flatMap(
      Effect.forkIn(Effect.exit(followed), options.scope, { startImmediately: true }),
      (fiber) =>
        Effect.onExit(Deferred.await(endpoint), (exit) =>
          Effect.sync(() => {
            if (exit._tag === "Failure") fiber.interruptUnsafe()
          }))
    )
  })
