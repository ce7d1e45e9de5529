/**
 * A client that is nothing but frames: it opens as its revision says, numbers its requests, and keeps all that comes.
 * What a server sends it is held against the published schemas of the revision.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Key } from "../../src/era/Modern.ts"
import type { Connection } from "../../src/peer/Connection.ts"
import type { McpError } from "../../src/protocol/McpError.ts"
import * as Revision from "../../src/protocol/Revision.ts"
import { assertServerFrame } from "./wire.ts"

export type Json = { readonly [key: string]: any }

export interface RequestOptions {
  readonly id?: string | number
  readonly meta?: Json
  readonly progressToken?: string | number
  readonly logLevel?: string
  readonly capabilities?: Json
}

export interface RawClient {
  readonly revision: Revision.Revision
  readonly isModern: boolean
  /** All frames that have come, in order. */
  readonly received: ReadonlyArray<Json>
  /** Whether the server has closed. */
  readonly isClosed: () => boolean
  /** Waits for the server to close. */
  readonly closed: Effect.Effect<void>
  /** Sends a value as it is. */
  readonly send: (value: unknown) => Effect.Effect<void>
  /** A request of the revision, not sent. */
  readonly make: (method: string, params?: Json, options?: RequestOptions) => Json
  /** Sends a request, and gives the frame that answers it. */
  readonly ask: (method: string, params?: Json, options?: RequestOptions) => Effect.Effect<Json>
  /** The result of a request; an error fails the test. */
  readonly request: (method: string, params?: Json, options?: RequestOptions) => Effect.Effect<Json>
  /** The error of a request; a result fails the test. */
  readonly error: (method: string, params?: Json, options?: RequestOptions) => Effect.Effect<Json>
  readonly notify: (method: string, params?: Json) => Effect.Effect<void>
  /** Waits for the first frame from a place on that fits. */
  readonly find: (fits: (frame: Json) => boolean, from?: number) => Effect.Effect<Json>
  /** Waits for the answer to a request that was sent by hand. */
  readonly answer: (id: string | number) => Effect.Effect<Json>
  /** Makes sure that all that the server sends for what it got so far has come. */
  readonly flush: Effect.Effect<void>
  /** The notifications of a method that have come. */
  readonly notifications: (method: string) => ReadonlyArray<Json>
  readonly setLevel: (level: string) => Effect.Effect<void>
}

export interface Options {
  readonly revision: Revision.Revision
  readonly capabilities?: Json
  /** Whether to open the session: `false` sends nothing. Default: true. */
  readonly open?: boolean
  /** Whether to say `notifications/initialized`. Default: true. */
  readonly initialized?: boolean
  /** Whether what comes is held against the schemas of the revision. `false` for a client of several. Default: true. */
  readonly checked?: boolean
}

export const clientInfo = { name: "raw", version: "1.0.0" }

export const make = Effect.fnUntraced(function*(
  connection: Connection,
  options: Options
): Effect.fn.Return<RawClient, never, Scope.Scope> {
  const { revision } = options
  const isModern = Revision.isModern(revision)
  const received: Array<Json> = []
  const methods = new Map<unknown, string>()
  const waiting = new Set<() => void>()
  let problem: unknown
  let isClosed = false
  let nextId = 1

  const wake = () => {
    for (const resume of [...waiting]) resume()
  }
  const take = (frame: Json) => {
    received.push(frame)
    if (options.checked === false) return
    try {
      for (const each of Array.isArray(frame) ? frame : [frame]) {
        assertServerFrame(revision, each, "method" in each ? undefined : methods.get(each["id"]))
      }
    } catch (error) {
      problem ??= error
    }
  }
  const reader = yield* Effect.forkScoped(
    Stream.runForEachArray(connection.incoming, (frames) =>
      Effect.sync(() => {
        for (const frame of frames) take(frame as Json)
        wake()
      })).pipe(
        Effect.onExit(() =>
          Effect.sync(() => {
            isClosed = true
            wake()
          })
        ),
        Effect.ignore
      ),
    { startImmediately: true }
  )

  /** Waits until something is there, or fails the test once it cannot come any more. */
  const wait = <A>(what: string, look: () => A | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const attempt = () => {
        if (problem !== undefined) return finish(Effect.die(problem))
        const found = look()
        if (found !== undefined) return finish(Effect.succeed(found))
        if (isClosed) finish(Effect.die(new Error(`The server closed; awaited: ${what}; ${JSON.stringify(received)}`)))
      }
      const finish = (effect: Effect.Effect<A>) => {
        waiting.delete(attempt)
        resume(effect)
      }
      waiting.add(attempt)
      attempt()
      return Effect.sync(() => {
        waiting.delete(attempt)
      })
    })

  const send = (value: unknown) => Effect.orDie(connection.send(value as never) as Effect.Effect<void, McpError>)

  const makeRequest: RawClient["make"] = (method, params = {}, own = {}) => {
    const id = own.id ?? nextId++
    const meta = {
      ...(isModern
        ? {
          [Key.protocolVersion]: revision,
          [Key.clientInfo]: clientInfo,
          [Key.clientCapabilities]: own.capabilities ?? options.capabilities ?? {},
          ...(own.logLevel === undefined ? {} : { [Key.logLevel]: own.logLevel })
        }
        : {}),
      ...(own.progressToken === undefined ? {} : { progressToken: own.progressToken }),
      ...own.meta
    }
    methods.set(id, method)
    return {
      jsonrpc: "2.0",
      id,
      method,
      params: Object.keys(meta).length === 0 ? params : { ...params, _meta: { ...meta, ...params["_meta"] } }
    }
  }

  const find: RawClient["find"] = (fits, from = 0) =>
    wait(String(fits), () => received.find((frame, index) => index >= from && fits(frame)))

  const answer: RawClient["answer"] = (id) =>
    find((frame) => !Array.isArray(frame) && !("method" in frame) && frame["id"] === id)

  const ask: RawClient["ask"] = (method, params, own) =>
    Effect.suspend(() => {
      const message = makeRequest(method, params, own)
      return Effect.andThen(send(message), answer(message["id"]))
    })

  const request: RawClient["request"] = (method, params, own) =>
    Effect.map(ask(method, params, own), (frame) => {
      assert.isTrue("result" in frame, `${method}: ${JSON.stringify(frame)}`)
      return frame["result"]
    })

  const error: RawClient["error"] = (method, params, own) =>
    Effect.map(ask(method, params, own), (frame) => {
      assert.isTrue("error" in frame, `${method}: ${JSON.stringify(frame)}`)
      return frame["error"]
    })

  const notify: RawClient["notify"] = (method, params) =>
    send(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params })

  const client: RawClient = {
    revision,
    isModern,
    received,
    isClosed: () => isClosed,
    closed: Effect.asVoid(Fiber.await(reader)),
    send,
    make: makeRequest,
    ask,
    request,
    error,
    notify,
    find,
    answer,
    flush: Effect.asVoid(isModern ? ask("server/discover") : ask("ping")),
    notifications: (method) => received.filter((frame) => frame["method"] === method),
    setLevel: (level) => isModern ? Effect.void : Effect.asVoid(request("logging/setLevel", { level }))
  }
  if (!isModern && options.open !== false) {
    const { protocolVersion } = yield* request("initialize", {
      protocolVersion: revision,
      capabilities: options.capabilities ?? {},
      clientInfo
    })
    assert.strictEqual(protocolVersion, revision)
    if (options.initialized !== false) {
      yield* notify("notifications/initialized")
      // The server has seen it from here on.
      yield* client.flush
    }
  }
  return client
})
