/**
 * The HTTP transport: a server as a route of an `HttpRouter`, in an application that has one already, on any platform of
 * Effect; a client over an `HttpClient`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ServerTransport } from "../../peer/ServerTransport.ts"
import { closed, Outbox } from "../internal/Outbox.ts"
import * as Body from "./Body.ts"
import type { BodyProblem, HttpHandler, Incoming } from "./Exchange.ts"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import * as Deferred from "./internal/deferred.ts"

export {
  /**
   * @since 0.1.0
   * @category models
   */
  type ClientHeaders,
  /**
   * @since 0.1.0
   * @category models
   */
  type ClientOptions,
  /**
   * @since 0.1.0
   * @category constructors
   */
  connectHttp,
  /**
   * @since 0.1.0
   * @category layers
   */
  layerClient,
  /**
   * @since 0.1.0
   * @category models
   */
  type Redirects
} from "./HttpClientTransport.ts"

/**
 * Options of the route.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends HttpEndpoint.Options {
  /** Where the endpoint is. Default: `"/mcp"`. */
  readonly path?: HttpRouter.PathInput | undefined
}

const isEmitter = (source: object): source is Body.Emitter =>
  "on" in source && typeof source.on === "function" && "destroy" in source && typeof source.destroy === "function"

/** The platform's own request is the shortest way to the body. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<string, BodyProblem> => {
  const { headers, source } = request
  const declared = headers["content-length"]
  if (isEmitter(source)) return Body.fromEmitter(source, limit, declared)
  if (source instanceof Request && !source.bodyUsed) return Body.fromWeb(source.body, limit, declared)
  return Body.fromStream(request.stream, limit, declared)
}

const incomingOf = (request: HttpServerRequest.HttpServerRequest): Incoming => ({
  method: request.method,
  url: request.url,
  header: (name) => request.headers[name],
  body: (limit) => bodyOf(request, limit)
})

const encoder = new TextEncoder()
const ended = closed("The response has ended")

const platform: Deferred.Platform<HttpServerResponse.HttpServerResponse> = {
  whole: (status, headers, body) =>
    body === undefined
      ? HttpServerResponse.empty({ status, headers })
      : HttpServerResponse.setBody(
        HttpServerResponse.empty({ status, headers }),
        HttpBody.text(body, headers["content-type"])
      ),
  streamed: (status, headers, { drained, gone }) => {
    const outbox = new Outbox<Uint8Array>(Infinity)
    let unread = 0
    let isEnded = false
    const body = Stream.fromPull(Effect.succeed(outbox.pull)).pipe(
      Stream.tap((chunk) =>
        Effect.sync(() => {
          const wasFull = unread >= highWaterMark
          unread -= chunk.byteLength
          if (wasFull && unread < highWaterMark) drained()
        })
      ),
      // The stream is finalized when it was read to its end, or when the client is gone.
      Stream.ensuring(Effect.sync(() => {
        if (!isEnded) gone()
      }))
    )
    const end = () => {
      isEnded = true
      outbox.close(ended)
    }
    return [
      HttpServerResponse.stream(body, { status, headers, contentType: headers["content-type"] }),
      {
        push: (chunk) => {
          const bytes = encoder.encode(chunk)
          unread += bytes.byteLength
          outbox.offer(bytes, 0)
          return unread < highWaterMark
        },
        end,
        abort: () => {
          isEnded = true
          outbox.abandon(ended)
        }
      }
    ]
  }
}

/** The most that lies in a stream unread before the writer waits, in bytes. */
const highWaterMark = 64 * 1024

/**
 * A transport that answers on a path of the router.
 *
 * The origin of web pages is checked; which Host headers are names of the server is not known here, so say so with
 * `allowedHosts`.
 *
 * At shutdown the platform's server waits for its running requests first, streams among them, and only then ends what
 * serves them: `gracefulShutdownTimeout` of `NodeHttpServer`, 20 seconds by default, bounds that. `./node` ends streams
 * in good order at once.
 *
 * @example
 * ```ts
 * const server = McpServer.layer(Weather).pipe(Layer.provide(HttpTransport.layerServer({ path: "/mcp" })))
 *
 * HttpRouter.serve(server).pipe(
 *   Layer.provide(handlers),
 *   Layer.provide(NodeHttpServer.layer(createServer, { port: 3000 }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServer = (options?: Options): Layer.Layer<ServerTransport, never, HttpRouter.HttpRouter> =>
  Layer.effect(
    ServerTransport,
    Effect.gen(function*() {
      const router = yield* HttpRouter.HttpRouter
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const serving = Latch.makeUnsafe(false)
      const running = new Set<Fiber.Fiber<void>>()
      let handler: HttpHandler | undefined

      const fork = (effect: Effect.Effect<void>) => {
        const fiber = run(effect)
        running.add(fiber)
        fiber.addObserver(() => running.delete(fiber))
        return fiber
      }
      const answer = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<
        HttpServerResponse.HttpServerResponse
      > =>
        handler === undefined
          ? Effect.andThen(serving.await, Effect.suspend(() => answer(request)))
          : Deferred.respond(handler, incomingOf(request), platform, fork)

      yield* router.add("*", options?.path ?? "/mcp", answer)
      return {
        serve: Effect.fnUntraced(function*(endpoint) {
          const made = yield* HttpEndpoint.make(endpoint, options)
          yield* Effect.addFinalizer(() => Fiber.interruptAll(running))
          yield* Effect.addFinalizer(() => made.shutdown)
          handler = made
          serving.openUnsafe()
          return yield* Effect.never
        })
      }
    })
  )

/**
 * A transport that answers on a path of the router and serves clients of the handshake era without sessions: each
 * request may meet another instance of the server.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServerStateless = (
  options?: Omit<Options, "stateless">
): Layer.Layer<ServerTransport, never, HttpRouter.HttpRouter> => layerServer({ ...options, stateless: true })
