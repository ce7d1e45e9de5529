/**
 * A server that listens by itself on `node:http`.
 *
 * @since 0.1.0
 */
/// <reference types="node" preserve="true" />
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type * as McpApi from "../api/McpApi.ts"
import { ServerTransport } from "../peer/ServerTransport.ts"
import * as McpError from "../protocol/McpError.ts"
import * as McpServer from "../server/McpServer.ts"
import { refuse } from "../transport/http/Exchange.ts"
import * as Guards from "../transport/http/Guards.ts"
import type * as HttpEndpoint from "../transport/http/HttpEndpoint.ts"
import * as NodeHandler from "./NodeHandler.ts"

/**
 * Options of a server that listens by itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends HttpEndpoint.Options {
  /** Default: 3000; 0 for any that is free. */
  readonly port?: number | undefined
  /** The address to listen on. Default: `"127.0.0.1"`, this machine alone. */
  readonly host?: string | undefined
  /** Where the endpoint is. Default: `"/mcp"`. Everything else is 404. */
  readonly path?: string | undefined
}

/**
 * Where a server listens.
 *
 * @since 0.1.0
 * @category services
 */
export class HttpAddress extends Context.Service<HttpAddress, {
  readonly host: string
  readonly port: number
  /** The URL of the endpoint. */
  readonly url: string
}>()("@effect-mcp/sdk/node/HttpAddress") {}

const listen = (server: Server, port: number, host: string): Effect.Effect<AddressInfo, McpError.McpError> =>
  Effect.callback((resume) => {
    const onError = (cause: Error) =>
      resume(Effect.fail(McpError.make(
        new McpError.TransportError({ sent: "no", detail: `Listening on ${host}:${port} failed`, cause })
      )))
    server.once("error", onError)
    server.listen(port, host, () => {
      server.off("error", onError)
      resume(Effect.succeed(server.address() as AddressInfo))
    })
  })

/** Answers that are on their way are still read, within the time. */
const close = (server: Server, timeout: Duration.Input): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  }).pipe(
    Effect.timeoutOption(timeout),
    Effect.andThen(Effect.sync(() => server.closeAllConnections()))
  )

const notFound = refuse(404, -32600, "There is nothing here")

/**
 * A transport that listens by itself, and the address that it got. Closing the scope takes no new requests, lets
 * running ones finish within `shutdownTimeout`, and closes the connections.
 *
 * @example
 * ```ts
 * McpServer.layer(Weather).pipe(
 *   Layer.provide(handlers),
 *   Layer.provide(NodeHttp.layerServer({ port: 3000 })),
 *   Layer.launch
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServer = (
  options?: Options
): Layer.Layer<ServerTransport | HttpAddress, McpError.McpError> =>
  Layer.effectContext(Effect.gen(function*() {
    const path = options?.path ?? "/mcp"
    const host = options?.host ?? "127.0.0.1"
    const serving = Latch.makeUnsafe(false)
    let listener: NodeHandler.RequestListener | undefined

    const server = createServer((request, response) => {
      const url = request.url ?? ""
      const query = url.indexOf("?")
      if ((query < 0 ? url : url.slice(0, query)) !== path) {
        response.writeHead(notFound.status, notFound.headers).end(notFound.body)
      } else if (listener !== undefined) listener(request, response)
      // Between the first connection and the server there is but the rest of the start.
      else Effect.runFork(Effect.andThen(serving.await, Effect.sync(() => listener?.(request, response))))
    })
    const address = yield* Effect.acquireRelease(
      listen(server, options?.port ?? 3000, host),
      () => close(server, options?.shutdownTimeout ?? "5 seconds")
    )
    const name = address.family === "IPv6" ? `[${address.address}]` : address.address
    const allowedHosts = options?.allowedHosts ?? (Guards.isLoopback(host) ? Guards.loopbackHosts : undefined)

    const serve: ServerTransport["Service"]["serve"] = Effect.fnUntraced(function*(endpoint) {
      listener = yield* NodeHandler.make(endpoint, { ...options, allowedHosts })
      serving.openUnsafe()
      return yield* Effect.never
    })
    return Context.make(ServerTransport, { serve }).pipe(
      Context.add(HttpAddress, { host, port: address.port, url: `http://${name}:${address.port}${path}` })
    )
  }))

/**
 * Serves contracts on a port until it is interrupted.
 *
 * @example
 * ```ts
 * NodeHttp.serve(Weather, { port: 3000 }).pipe(Effect.provide(handlers), NodeRuntime.runMain)
 * ```
 *
 * @since 0.1.0
 * @category running
 */
export const serve = <const A extends McpApi.Any | readonly [McpApi.Any, ...ReadonlyArray<McpApi.Any>], R = never>(
  api: A,
  options?: Options & { readonly server?: McpServer.Options<R> | undefined }
) => Effect.provide(McpServer.serve<A, R>(api, options?.server), layerServer(options))
