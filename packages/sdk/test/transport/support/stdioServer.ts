/**
 * A program that answers each message on its standard input with one of so many bytes, and prints a lot beside.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Endpoint, ServerTransport } from "../../../src/peer/ServerTransport.ts"
import type { Notification } from "../../../src/protocol/JsonRpc.ts"
import * as StdioTransport from "../../../src/transport/StdioTransport.ts"

const size = Number(process.argv[2])

const print = Effect.gen(function*() {
  yield* Effect.log("effect log")
  yield* Console.log("effect console")
  yield* Effect.sync(() => {
    console.log("console.log")
    console.info("console.info")
    console.debug("console.debug")
    console.dir({ "console.dir": 1 })
    console.dirxml({ "console.dirxml": 1 })
    console.table([{ "console.table": 1 }])
    console.group("console.group")
    console.groupEnd()
    console.count("console.count")
    console.time("console.time")
    console.timeLog("console.time", "console.timeLog")
    console.timeEnd("console.time")
  })
})

const program = Effect.gen(function*() {
  const transport = yield* ServerTransport
  yield* print
  const endpoint: Pick<Endpoint, "connect"> = {
    connect: (connection) =>
      Stream.runForEach(connection.incoming, (value) =>
        Effect.andThen(
          print,
          connection.send({
            jsonrpc: "2.0",
            method: "notifications/test",
            params: { n: (value as Notification).params?.["n"], fill: "x".repeat(size) }
          })
        ))
  }
  yield* transport.serve(endpoint as Endpoint)
  yield* print
})

NodeRuntime.runMain(
  program.pipe(Effect.scoped, Effect.provide(Layer.provide(StdioTransport.layerServer, NodeStdio.layer)))
)
