/**
 * Who may speak to the endpoint and in which media types: Origin, Host, Content-Type, Accept, CORS. All of it is decided
 * before a body is read.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
 * @since 0.1.0
 */
import { Code } from "../../protocol/JsonRpc.ts"
import { type Head, type Headers, type Refusal, refuse } from "./Exchange.ts"

/**
 * Options of the guards.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * Origins of web pages that may call, such as `"https://app.example"`, or `"*"` for any. Requests without an Origin
   * come from programs and pass; pages of this machine pass always. Default: none.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /**
   * Names in the Host header, with or without a port; `"*"` for any. Default: the loopback names where the server is
   * bound to a loopback address, else any.
   */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /**
   * Whether the answers let web pages of allowed origins read them, and preflights are answered. Default: false.
   */
  readonly cors?: boolean | undefined
}

/**
 * The names of this machine to itself.
 *
 * @since 0.1.0
 * @category constants
 */
export const loopbackHosts: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Whether an address or a name is of this machine alone.
 *
 * @since 0.1.0
 * @category guards
 */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The origin that a header names, in its one spelling; `undefined` where it names none. */
const originOf = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const bare = url.username === "" && url.password === "" && url.pathname === "/" && url.search === "" &&
    url.hash === ""
  return bare && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[^:/@\s]+?)\.?(?::(\d+))?$/

/** Decides by an Origin; `undefined` lets pass. */
const originGuard = (allowed: ReadonlyArray<string>) => {
  const any = allowed.includes("*")
  const origins = new Set(allowed.map((origin) => originOf(origin)?.origin ?? origin))
  return (origin: string): boolean => {
    if (any) return true
    const url = originOf(origin)
    return url === undefined
      ? origin !== "null" && origins.has(origin)
      : isLoopback(url.hostname) || origins.has(url.origin)
  }
}

const hostGuard = (allowed: ReadonlyArray<string>) => {
  if (allowed.includes("*")) return undefined
  const hosts = new Set(allowed.map((host) => host.toLowerCase()))
  const loopback = allowed.some(isLoopback)
  return (host: string): boolean => {
    const lower = host.toLowerCase()
    const parts = hostPattern.exec(lower)
    return parts !== null && (hosts.has(lower) || hosts.has(parts[1]!) || (loopback && isLoopback(parts[1]!)))
  }
}

/**
 * What a client says that it can read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Accepts {
  readonly json: boolean
  readonly sse: boolean
}

const quality = (ranges: ReadonlyArray<readonly [string, number]>, type: string, group: string): boolean => {
  const of = (name: string) => ranges.find(([range]) => range === name)?.[1]
  return (of(type) ?? of(group) ?? of("*/*") ?? 0) > 0
}

const readAccept = (header: string): Accepts => {
  const ranges = header.split(",").map((part): readonly [string, number] => {
    const [range, ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase())
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
    return [range!, q === undefined ? 1 : Number(q.slice(q.indexOf("=") + 1)) || 0]
  })
  return {
    json: quality(ranges, "application/json", "application/*"),
    sse: quality(ranges, "text/event-stream", "text/*")
  }
}

const everything: Accepts = { json: true, sse: true }
const seen = new Map<string, Accepts>()

/**
 * Reads an Accept header. Without one, everything is acceptable.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.1
 * @since 0.1.0
 * @category media types
 */
export const accepts = (header: string | undefined): Accepts => {
  if (header === undefined) return everything
  const known = seen.get(header)
  if (known !== undefined) return known
  const read = readAccept(header)
  // Clients have few spellings; a hostile one must not fill the memory.
  if (seen.size < 100 && header.length < 200) seen.set(header, read)
  return read
}

/**
 * Whether a Content-Type is JSON: compared by essence, without its parameters.
 *
 * @since 0.1.0
 * @category media types
 */
export const isJson = (contentType: string | undefined): boolean =>
  contentType === "application/json" ||
  (contentType !== undefined && contentType.split(";", 1)[0]!.trim().toLowerCase() === "application/json")

const exposed = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Allow, Retry-After"

/**
 * The guards of one endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guards {
  /** Refuses a foreign page or a foreign name; `undefined` lets pass. */
  readonly check: (head: Head) => Refusal | undefined
  /** What CORS adds to an answer; `undefined` for nothing. */
  readonly cors: (head: Head) => Headers | undefined
  /** The answer to a preflight; `undefined` where CORS is off. */
  readonly preflight: (head: Head) => Refusal | undefined
}

/**
 * Makes the guards of an endpoint that serves these methods.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options | undefined, methods: () => string): Guards => {
  const allowsOrigin = originGuard(options?.allowedOrigins ?? [])
  const allowsHost = options?.allowedHosts === undefined ? undefined : hostGuard(options.allowedHosts)
  const any = options?.allowedOrigins?.includes("*") === true

  const cors: Guards["cors"] = (head) => {
    const origin = options?.cors === true ? head.header("origin") : undefined
    if (origin === undefined || !allowsOrigin(origin)) return undefined
    return {
      "access-control-allow-origin": any ? "*" : origin,
      "access-control-expose-headers": exposed,
      ...(any ? {} : { vary: "Origin" })
    }
  }

  return {
    check: (head) => {
      const origin = head.header("origin")
      if (origin !== undefined && !allowsOrigin(origin)) {
        return refuse(403, Code.invalidRequest, "Forbidden: this Origin may not call the server")
      }
      if (allowsHost !== undefined) {
        const host = head.header("host")
        if (host !== undefined && !allowsHost(host)) {
          return refuse(403, Code.invalidRequest, "Forbidden: this Host is not a name of the server")
        }
      }
      return undefined
    },
    cors,
    preflight: (head) => {
      const granted = cors(head)
      if (granted === undefined) return undefined
      return {
        status: 204,
        headers: {
          ...granted,
          "access-control-allow-methods": methods(),
          "access-control-allow-headers": head.header("access-control-request-headers") ?? "Content-Type",
          "access-control-max-age": "86400"
        },
        body: undefined
      }
    }
  }
}
