// A server on a pipe ends with its pipe: as an effect, and as a program of layers.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as McpApi from "../../src/api/McpApi.ts"
import * as McpServer from "../../src/server/McpServer.ts"
import * as StdioTransport from "../../src/transport/StdioTransport.ts"

class Empty extends McpApi.make("empty", { version: "1.0.0" }) {}

const ping = new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`)

const stdio = (written: Array<string>) =>
  StdioTransport.layerServer.pipe(Layer.provide(Stdio.layerTest({
    stdin: Stream.make(ping),
    stdout: () =>
      Sink.forEach((chunk) =>
        Effect.sync(() => {
          written.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk))
        })
      )
  })))

describe("at the end of its input", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown
  it.live("serve completes, with what was asked answered", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      yield* McpServer.serve(Empty).pipe(Effect.provide(stdio(written)))
      assert.deepStrictEqual(JSON.parse(written.join("")), { jsonrpc: "2.0", id: 1, result: {} })
    }))

  it.live("launch completes, where Layer.launch would wait for ever", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      yield* McpServer.launch(McpServer.layer(Empty).pipe(Layer.provide(stdio(written))))
      assert.deepStrictEqual(JSON.parse(written.join("")), { jsonrpc: "2.0", id: 1, result: {} })
    }))
})
