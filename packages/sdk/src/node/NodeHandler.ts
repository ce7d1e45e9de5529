/**
 * The MCP endpoint as a listener of `node:http`: the shortest way from the socket to a handler and back.
 *
 * @since 0.1.0
 */
/// <reference types="node" preserve="true" />
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Endpoint } from "../peer/ServerTransport.ts"
import * as Body from "../transport/http/Body.ts"
import type { Headers, HttpHandler, Incoming, Outgoing, Writer } from "../transport/http/Exchange.ts"
import * as HttpEndpoint from "../transport/http/HttpEndpoint.ts"

/**
 * Takes the requests of a `node:http` server, or of a framework that gives its own.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** What a framework has read already comes as `body`. */
const readBefore = (request: IncomingMessage): Effect.Effect<string, "Broken"> => {
  const body = (request as { readonly body?: unknown }).body
  return body === undefined
    ? Effect.fail("Broken")
    : Effect.succeed(typeof body === "string" ? body : JSON.stringify(body))
}

const incomingOf = (request: IncomingMessage): Incoming => ({
  method: request.method ?? "",
  url: request.url ?? "",
  header: (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
  body: (limit) =>
    request.readableEnded
      ? readBefore(request)
      : Body.fromEmitter(request, limit, request.headers["content-length"])
})

class NodeOutgoing implements Outgoing {
  readonly #response: ServerResponse
  constructor(response: ServerResponse) {
    this.#response = response
  }

  send(status: number, headers: Headers, body: string | undefined): void {
    const response = this.#response
    if (response.headersSent || response.destroyed) return
    if (body !== undefined) {
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
    } else response.writeHead(status, status === 204 ? headers : { ...headers, "content-length": 0 }).end()
  }

  stream(status: number, headers: Headers, onDrain: () => void): Writer {
    const response = this.#response
    response.writeHead(status, headers)
    response.on("drain", onDrain)
    return {
      write: (chunk) => response.write(chunk),
      end: () => response.end(),
      abort: () => response.destroy()
    }
  }
}

/**
 * The listener of a handler. Closing the scope interrupts what is still running.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromHandler = Effect.fnUntraced(function*(
  handler: HttpHandler
): Effect.fn.Return<RequestListener, never, Scope.Scope> {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const running = new Set<Fiber.Fiber<void>>()
  yield* Effect.addFinalizer(() => Fiber.interruptAll(running))
  return (request, response) => {
    const fiber = fork(handler.handle(incomingOf(request), new NodeOutgoing(response)))
    if (fiber.pollUnsafe() !== undefined && response.writableEnded) return
    running.add(fiber)
    const onClose = () => fiber.interruptUnsafe()
    response.on("close", onClose)
    fiber.addObserver(() => {
      running.delete(fiber)
      response.off("close", onClose)
      // Interrupted by the server's end: the client must not wait.
      if (!response.writableEnded) response.destroy()
    })
  }
})

/**
 * A listener for the endpoint of a running server, for a `node:http` server or a framework that you have already. It
 * answers whatever path it is given. Closing the scope shuts it down.
 *
 * @example
 * ```ts
 * const program = Effect.gen(function*() {
 *   const { endpoint } = yield* McpServer.make(Weather)
 *   const listener = yield* NodeHandler.make(endpoint, { allowedHosts: ["mcp.example.com"] })
 *   app.all("/mcp", listener)
 *   return yield* Effect.never
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  endpoint: Endpoint,
  options?: HttpEndpoint.Options
): Effect.fn.Return<RequestListener, never, Scope.Scope> {
  const handler = yield* HttpEndpoint.make(endpoint, options)
  const listener = yield* fromHandler(handler)
  yield* Effect.addFinalizer(() => handler.shutdown)
  return listener
})
