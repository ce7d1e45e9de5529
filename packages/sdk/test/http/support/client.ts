/** An HTTP client that hides nothing: heads, bodies and events as they come. */
import { Effect, type Scope } from "effect"
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"

export interface Block {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: Effect.Effect<string>
  /** The next block of a stream; `undefined` at its end. */
  readonly next: Effect.Effect<Block | undefined>
  /** The next message, whatever comments and empty events lie before it; `undefined` at the end. */
  readonly message: Effect.Effect<any>
  /** All messages until the end. */
  readonly messages: Effect.Effect<ReadonlyArray<any>>
  /** Breaks the connection off. */
  readonly close: Effect.Effect<void>
}

export interface Send {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly body?: unknown
  readonly agent?: Agent
}

const parse = (block: string): Block => {
  const fields: { -readonly [K in keyof Block]: string } = {}
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon === 0 ? "comment" : line.slice(0, colon)
    fields[name as keyof Block] = line.slice(colon + 1).replace(/^ /, "")
  }
  return fields
}

const replyOf = (response: IncomingMessage): Reply => {
  const blocks: Array<Block> = []
  let text = ""
  let rest = ""
  let isOver = false
  let wake: (() => void) | undefined
  response.setEncoding("utf8")
  response.on("data", (chunk: string) => {
    text += chunk
    rest += chunk
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      blocks.push(parse(rest.slice(0, end)))
      rest = rest.slice(end + 2)
    }
    wake?.()
  })
  const over = () => {
    isOver = true
    wake?.()
  }
  response.on("close", over)
  response.on("error", over)
  const awaited = <A>(poll: () => { readonly value: A } | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const check = () => {
        const found = poll()
        if (found === undefined) return
        wake = undefined
        resume(Effect.succeed(found.value))
      }
      wake = check
      check()
    })
  const next = awaited(() => blocks.length > 0 ? { value: blocks.shift() } : isOver ? { value: undefined } : undefined)
  const message: Effect.Effect<any> = Effect.flatMap(next, (block) =>
    block === undefined
      ? Effect.succeed(undefined)
      : block.data === undefined || block.data === ""
      ? message
      : Effect.succeed(JSON.parse(block.data)))
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: awaited(() => isOver ? { value: text } : undefined),
    next,
    message,
    messages: Effect.gen(function*() {
      const all: Array<any> = []
      for (let one = yield* message; one !== undefined; one = yield* message) all.push(one)
      return all
    }),
    close: Effect.sync(() => {
      response.destroy()
    })
  }
}

/** Sends a request; the connection lives no longer than the scope. Interruption breaks it off. */
export const send = Effect.fnUntraced(function*(
  url: string,
  options?: Send
): Effect.fn.Return<Reply, Error, Scope.Scope> {
  const { agent, body, headers, method } = options ?? {}
  const bytes = body === undefined
    ? undefined
    : body instanceof Uint8Array
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  const all = { ...(bytes === undefined ? {} : { "content-length": String(bytes.length) }), ...headers }
  const outgoing = request(url, {
    method: method ?? "POST",
    agent: agent ?? new Agent(),
    headers: Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined)
    ) as { readonly [name: string]: string }
  })
  if (agent === undefined) yield* Effect.addFinalizer(() => Effect.sync(() => outgoing.destroy()))
  return yield* Effect.callback<Reply, Error>((resume) => {
    outgoing.on("response", (response) => resume(Effect.succeed(replyOf(response))))
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end(bytes)
    return Effect.sync(() => outgoing.destroy())
  })
})

export const json = (reply: Reply): Effect.Effect<any> =>
  Effect.map(reply.text, (text) => text === "" ? undefined : JSON.parse(text))

let nextId = 1

const meta = (more?: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
  ...more
})

const media = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** A modern request, as it should be, changed by `change`. */
export const modern = (
  url: string,
  method: string,
  params: { readonly [key: string]: unknown } = {},
  change?: Send & { readonly meta?: object; readonly id?: unknown }
) => {
  const name = params["name"] ?? params["uri"]
  return send(url, {
    ...change,
    headers: {
      ...media,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...change?.headers
    },
    body: change?.body ??
      { jsonrpc: "2.0", id: change?.id ?? nextId++, method, params: { ...params, _meta: meta(change?.meta) } }
  })
}

/** A session: its id, and requests in it. */
export const session = Effect.fnUntraced(function*(
  url: string,
  options?: {
    readonly revision?: string
    readonly capabilities?: object
    readonly headers?: { readonly [name: string]: string }
  }
) {
  const revision = options?.revision ?? "2025-11-25"
  const opened = yield* send(url, {
    headers: { ...media, ...options?.headers },
    body: {
      jsonrpc: "2.0",
      id: "init",
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: options?.capabilities ?? {},
        clientInfo: { name: "test", version: "1" }
      }
    }
  })
  const result = yield* json(opened)
  const id = String(opened.headers["mcp-session-id"])
  const headers = { ...media, ...options?.headers, "mcp-session-id": id, "mcp-protocol-version": revision }
  const post = (body: unknown, more?: Send["headers"]) => send(url, { headers: { ...headers, ...more }, body })
  const notify = (method: string, params?: object) => post({ jsonrpc: "2.0", method, params })
  yield* notify("notifications/initialized")
  return {
    id,
    result,
    post,
    notify,
    request: (method: string, params?: object, requestId: unknown = nextId++) =>
      post({ jsonrpc: "2.0", id: requestId, method, params }),
    get: (more?: Send["headers"]) =>
      send(url, {
        method: "GET",
        headers: { ...headers, accept: "text/event-stream", "content-type": undefined, ...more }
      }),
    delete: send(url, { method: "DELETE", headers: { ...headers, "content-type": undefined } })
  }
})
