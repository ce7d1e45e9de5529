/** The three ways in: a listener of node:http, a route of an HttpRouter, a web handler; each on a free port of loopback. */
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import * as NodeHttp from "../../../src/node/NodeHttp.ts"
import { ServerTransport } from "../../../src/peer/ServerTransport.ts"
import type * as McpServer from "../../../src/server/McpServer.ts"
import type * as HttpEndpoint from "../../../src/transport/http/HttpEndpoint.ts"
import * as HttpTransport from "../../../src/transport/http/HttpTransport.ts"
import * as WebHandler from "../../../src/transport/http/WebHandler.ts"

type Server = McpServer.McpServer["Service"]

/** Serves in the scope and gives the URL of the endpoint. */
export type Adapter = (
  server: Server,
  options?: HttpEndpoint.Options
) => Effect.Effect<string, never, Scope.Scope>

const node: Adapter = (server, options) =>
  Effect.gen(function*() {
    const context = yield* Effect.orDie(Layer.build(NodeHttp.layerServer({ ...options, port: 0 })))
    yield* Effect.forkScoped(Context.get(context, ServerTransport).serve(server.endpoint), { startImmediately: true })
    return Context.get(context, NodeHttp.HttpAddress).url
  })

const router: Adapter = (server, options) =>
  Effect.gen(function*() {
    const app = Layer.effectDiscard(
      Effect.gen(function*() {
        const transport = yield* ServerTransport
        yield* Effect.forkScoped(transport.serve(server.endpoint), { startImmediately: true })
      })
    ).pipe(Layer.provide(HttpTransport.layerServer(options)))
    const context = yield* Effect.orDie(Layer.build(
      HttpRouter.serve(app, { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
      )
    ))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return `${HttpServer.formatAddress(address)}/mcp`
  })

/** A fetch runtime made of node:http. */
const respondWith = async (handler: WebHandler.WebHandler, incoming: IncomingMessage, outgoing: ServerResponse) => {
  const gone = new AbortController()
  outgoing.on("close", () => gone.abort())
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD"
  const response = await handler(
    new Request(`http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]),
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" } : {})
    } as RequestInit)
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  outgoing.flushHeaders()
  const reader = response.body.getReader()
  outgoing.on("close", () => void reader.cancel().catch(() => {}))
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return void outgoing.end()
      if (!outgoing.write(value)) await new Promise((resolve) => outgoing.once("drain", resolve))
    }
  } catch {
    outgoing.destroy()
  }
}

const web: Adapter = (server, options) =>
  Effect.gen(function*() {
    const http = createServer()
    // Whoever makes the server ends it after the handler.
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        http.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          http.close(() => resume(Effect.void))
        })
    )
    const handler = yield* WebHandler.make(server.endpoint, options)
    http.on("request", (incoming, outgoing) => {
      respondWith(handler, incoming, outgoing).catch(() => outgoing.destroy())
    })
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  })

export const adapters: { readonly [name: string]: Adapter } = { node, router, web }
