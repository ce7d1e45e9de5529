import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHandler from "../../src/node/NodeHandler.ts"
import * as NodeHttp from "../../src/node/NodeHttp.ts"
import { ServerTransport } from "../../src/peer/ServerTransport.ts"
import { json, modern, send } from "./support/client.ts"
import * as Contract from "./support/contract.ts"

describe("a server that listens by itself", () => {
  it.effect("is where it says, and nowhere else", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const context = yield* Layer.build(NodeHttp.layerServer({ port: 0, path: "/a/b" }))
      const { port, url } = Context.get(context, NodeHttp.HttpAddress)
      assert.strictEqual(url, `http://127.0.0.1:${port}/a/b`)
      // Who comes before the server is there waits for it.
      const early = yield* Effect.forkChild(modern(url, "tools/list"), { startImmediately: true })
      yield* Effect.forkScoped(Context.get(context, ServerTransport).serve(server.endpoint))
      assert.strictEqual((yield* Fiber.join(early)).status, 200)
      assert.strictEqual((yield* modern(`${url}?x=1`, "tools/list")).status, 200)
      for (const path of ["/", "/a/b/", "/a/bc", "/mcp"]) {
        assert.strictEqual((yield* send(`http://127.0.0.1:${port}${path}`, { method: "GET" })).status, 404, path)
      }
    }))

  it.effect("on loopback answers to loopback names alone", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const context = yield* Layer.build(NodeHttp.layerServer({ port: 0 }))
      const { port, url } = Context.get(context, NodeHttp.HttpAddress)
      yield* Effect.forkScoped(Context.get(context, ServerTransport).serve(server.endpoint))
      assert.strictEqual((yield* modern(url, "tools/list", {}, { headers: { host: `localhost:${port}` } })).status, 200)
      assert.strictEqual((yield* modern(url, "tools/list", {}, { headers: { host: "evil.example" } })).status, 403)
    }))

  it.effect("fails where the port is taken", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(NodeHttp.layerServer({ port: 0 }))
      const { port } = Context.get(context, NodeHttp.HttpAddress)
      const error = yield* Effect.flip(Layer.build(NodeHttp.layerServer({ port })))
      assert.strictEqual(error.reason._tag, "TransportError")
    }))
})

describe("a listener in a framework", () => {
  it.effect("takes a body that was read before", () =>
    Effect.gen(function*() {
      const { server } = yield* Contract.make
      const listener = yield* NodeHandler.make(server.endpoint)
      const http = createServer((request: IncomingMessage & { body?: unknown }, response) => {
        let text = ""
        request.setEncoding("utf8")
        request.on("data", (chunk) => text += chunk)
        request.on("end", () =>
          setImmediate(() => {
            if (request.url === "/parsed") request.body = JSON.parse(text)
            if (request.url === "/text") request.body = text
            listener(request, response)
          }))
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          http.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.callback<void>((resume) => {
            http.close(() => resume(Effect.void))
            http.closeAllConnections()
          })
      )
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
      for (const path of ["/parsed", "/text"]) {
        const reply = yield* modern(url + path, "tools/call", { name: "echo", arguments: { text: "é" } })
        assert.strictEqual((yield* json(reply)).result.content[0].text, "é")
      }
      // What nobody has kept cannot be answered, but is refused.
      assert.strictEqual((yield* modern(`${url}/lost`, "tools/list")).status, 400)
    }))
})
