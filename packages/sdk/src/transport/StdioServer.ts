/**
 * A server on the standard input and output of its own process.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { PlatformError } from "effect/PlatformError"
import * as Stdio from "effect/Stdio"
import { type Endpoint, ServerTransport } from "../peer/ServerTransport.ts"
import * as McpError from "../protocol/McpError.ts"
import * as Framing from "./Framing.ts"
import { closed } from "./internal/Outbox.ts"
import * as StdoutGuard from "./internal/StdoutGuard.ts"
import * as StreamConnection from "./StreamConnection.ts"

/**
 * Options of a stdio server.
 *
 * @since 0.1.0
 * @category models
 */
export type ServerOptions = StreamConnection.Options

const readFailed = (cause: PlatformError) => closed("Standard input failed", cause)
const writeFailed = (cause: PlatformError) =>
  StreamConnection.broken("Standard output failed: is its reader gone?", cause)

/**
 * A server on standard input and output, with options.
 *
 * `serve` completes when the input has ended, what was asked is answered and the answers are written; it ends the
 * standard output. It fails where the output is closed, or not read within `flushTimeout`: what it could not write, or
 * an input that is still open, keeps a process alive until somebody ends it, and a failed main program does.
 *
 * Nothing but messages goes to standard output: as long as the layer lives, the console, Effect's `Console` and its
 * loggers print to standard error. Code that writes to `process.stdout` itself is on its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServerWith = (options?: ServerOptions): Layer.Layer<ServerTransport, never, Stdio.Stdio> =>
  Layer.effect(
    ServerTransport,
    Effect.gen(function*() {
      yield* StdoutGuard.hold
      const stdio = yield* Stdio.Stdio
      // Ending the output is the only way to know that all of it is written.
      const intoStdout = StreamConnection.intoSink(stdio.stdout({ endOnDone: true }), identity<string>)

      const serve = Effect.fnUntraced(function*(endpoint: Endpoint) {
        const { connection, shutdown } = yield* StreamConnection.make({
          incoming: StreamConnection.messages(stdio.stdin, options, readFailed),
          encode: Framing.encode,
          drain: (texts) => Effect.mapError(intoStdout(texts), writeFailed)
        }, options)
        yield* endpoint.connect(connection, { transport: "stdio" })
        if (yield* shutdown) return
        yield* McpError.make(
          new McpError.TransportError({
            sent: "maybe",
            detail: "Standard output was closed, or not read in time, before all answers were written"
          })
        )
      }, Effect.scoped)

      return { serve }
    })
  ).pipe(Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true)))

/**
 * A server on standard input and output.
 *
 * @example
 * ```ts
 * const stdio = McpServer.layer(Weather).pipe(
 *   Layer.provide(StdioTransport.layerServer),
 *   Layer.provide(NodeServices.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServer: Layer.Layer<ServerTransport, never, Stdio.Stdio> = layerServerWith()
