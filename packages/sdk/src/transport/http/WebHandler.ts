/**
 * The MCP endpoint as a web handler, `(Request) => Promise<Response>`: for Deno, Bun, workers, and whatever else speaks
 * fetch.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Endpoint } from "../../peer/ServerTransport.ts"
import * as Body from "./Body.ts"
import type { HttpHandler, Incoming } from "./Exchange.ts"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import * as Deferred from "./internal/deferred.ts"

/**
 * Answers web requests, whatever their path. Never rejects.
 *
 * @since 0.1.0
 * @category models
 */
export type WebHandler = (request: Request) => Promise<Response>

/** The most that lies in a stream unread before the writer waits, in characters. */
const highWaterMark = 64 * 1024

const incomingOf = (request: Request): Incoming => {
  const url = new URL(request.url)
  return {
    method: request.method,
    url: url.pathname + url.search,
    // Not every runtime shows the Host header; the URL has it.
    header: (name) => request.headers.get(name) ?? (name === "host" ? url.host : undefined),
    body: (limit) => Body.fromWeb(request.body, limit, request.headers.get("content-length") ?? undefined)
  }
}

const encoder = new TextEncoder()

const platform: Deferred.Platform<Response> = {
  whole: (status, headers, body) => new Response(body ?? null, { status, headers }),
  streamed: (status, headers, { drained, gone }) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    let isFull = false
    const body = new ReadableStream<Uint8Array>({
      start: (made) => {
        controller = made
      },
      pull: () => {
        if (!isFull) return
        isFull = false
        drained()
      },
      cancel: gone
    }, { highWaterMark, size: (chunk) => chunk.byteLength })
    return [new Response(body, { status, headers }), {
      push: (chunk) => {
        controller!.enqueue(encoder.encode(chunk))
        isFull = (controller!.desiredSize ?? 0) <= 0
        return !isFull
      },
      end: () => controller!.close(),
      abort: () => {
        try {
          controller!.error(new Error("The stream was broken off"))
        } catch {
          // Ended or cancelled already.
        }
      }
    }]
  }
}

/**
 * The web handler of a handler. Closing the scope interrupts what is still running.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromHandler = Effect.fnUntraced(function*(
  handler: HttpHandler
): Effect.fn.Return<WebHandler, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const running = new Set<Fiber.Fiber<void>>()
  yield* Effect.addFinalizer(() => Fiber.interruptAll(running))
  const fork = (effect: Effect.Effect<void>) => {
    const fiber = run(effect)
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  return (request) => {
    // A client that is gone before the answer aborts its request, where the runtime tells.
    const answer = run(Deferred.respond(handler, incomingOf(request), platform, fork), { signal: request.signal })
    return new Promise((resolve) => {
      answer.addObserver((exit) => {
        resolve(exit._tag === "Success" ? exit.value : new Response(null, { status: 503 }))
      })
    })
  }
})

/**
 * A web handler for the endpoint of a running server. Closing the scope shuts it down.
 *
 * @example
 * ```ts
 * const program = Effect.gen(function*() {
 *   const { endpoint } = yield* McpServer.make(Weather)
 *   const handler = yield* WebHandler.make(endpoint)
 *   Deno.serve(handler)
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
): Effect.fn.Return<WebHandler, never, Scope.Scope> {
  const handler = yield* HttpEndpoint.make(endpoint, options)
  const webHandler = yield* fromHandler(handler)
  yield* Effect.addFinalizer(() => handler.shutdown)
  return webHandler
})
