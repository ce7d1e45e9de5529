/**
 * Messages and cuts for the laws of the transports.
 */
import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Connection } from "../../../src/peer/Connection.ts"
import type { Notification } from "../../../src/protocol/JsonRpc.ts"
import type * as McpError from "../../../src/protocol/McpError.ts"

/** Texts that framing could trip over. */
export const awkward = [
  "é 漢 😀",
  "line\u2028paragraph\u2029next\u0085form\ffeed",
  "\n \r\n \\n \t \"quoted\" \\",
  "\ud83d alone, \ude00 alone",
  "\ufeff",
  "\u0000",
  ""
]

const Text = Schema.Union([Schema.Literals(awkward), Schema.String])

/** A message with any JSON inside. */
export const Message: Arbitrary.Arbitrary<Notification> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ text: Text, value: Schema.Json })),
  (params) => ({ jsonrpc: "2.0", method: "notifications/test", params })
)

/** Any sequence of messages. */
export const Messages: Arbitrary.Arbitrary<ReadonlyArray<Notification>> = Arbitrary.array(Message, {
  minLength: 1,
  maxLength: 12
})

/** Sizes of chunks, used over and over. */
export const Cuts: Arbitrary.Arbitrary<ReadonlyArray<number>> = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))),
  { minLength: 1, maxLength: 8 }
)

/** Cuts bytes into chunks of these sizes. */
export const cut = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let start = 0
  for (let i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length]!
    chunks.push(bytes.slice(start, start + size))
    start += size
  }
  return chunks
}

/** What JSON text carries of a value. */
export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** A message with a number and some weight. */
export const numbered = (n: number, size = 0): Notification => ({
  jsonrpc: "2.0",
  method: "notifications/test",
  params: { n, fill: "x".repeat(size) }
})

/** The numbers of numbered messages. */
export const numbers = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.map((value) => (value as Notification).params?.["n"])

/** Takes so many messages. */
export const take = (connection: Connection, count: number): Effect.Effect<Array<unknown>, McpError.McpError> =>
  Stream.runCollect(Stream.take(connection.incoming, count))

/** Sends all, one after the other. */
export const sendAll = (connection: Connection, frames: ReadonlyArray<Notification>) =>
  Effect.forEach(frames, (frame) => connection.send(frame), { discard: true })

/** Sends back whatever comes, until the connection ends. */
export const echo = (connection: Connection): Effect.Effect<void, McpError.McpError> =>
  Stream.runForEach(connection.incoming, (value) => connection.send(value as Notification))

/** The reason of a failed exit. */
export const reasonOf = <A>(exit: Exit.Exit<A, McpError.McpError>): McpError.Reason => {
  assert.strictEqual(exit._tag, "Failure")
  const error = exit._tag === "Failure" ? Cause.findErrorOption(exit.cause) : Option.none()
  return Option.getOrThrow(error).reason
}

/** The reason with which an effect fails. */
export const failure = <A, R>(
  effect: Effect.Effect<A, McpError.McpError, R>
): Effect.Effect<McpError.Reason, never, R> => Effect.map(Effect.exit(effect), reasonOf)
