/**
 * Results that a server said stay fresh for a while (2026-07-28), kept by method, params and who asked.
 *
 * A plain data structure: it knows no time and no network. Whoever uses it says what time it is, and tells it what has
 * changed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 * @since 0.1.0
 */
import type { Change } from "../api/Changes.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import * as Method from "../protocol/Method.ts"

/**
 * The bounds of a cache.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** How many results are kept; the one that was not wanted for the longest time gives way. Default: 1,000. */
  readonly maxEntries?: number | undefined
  /** How much is kept, in characters of JSON. A single result that is larger is not kept. Default: 16 Mi. */
  readonly maxSize?: number | undefined
}

/**
 * A request as the cache sees it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly method: string
  readonly params: Params
  /** Who asks: results marked private are never given to another. */
  readonly context: string
}

/**
 * A cache of one server's results.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResponseCache {
  /** A fresh result, as a copy of its own; `undefined` where there is none. */
  readonly get: (request: Request, now: number) => Params | undefined
  /**
   * Notes that a request is about to be sent. What it gives takes the result when that has come, and drops it where it
   * says that it is stale at once, or where something changed in the meantime.
   */
  readonly begin: (request: Request) => (result: Params, now: number) => void
  /** Forgets what a change has made stale. */
  readonly invalidate: (change: Change) => void
  /** Forgets all pages of a list: a cursor was refused. */
  readonly forget: (method: string) => void
  readonly clear: () => void
  /** How many results there are, fresh or not. */
  readonly size: () => number
}

/** The longest that a result is believed to be fresh, so that no time to live overflows. */
const longest = Number.MAX_SAFE_INTEGER / 2

interface Entry {
  readonly method: string
  readonly uri: string | undefined
  readonly text: string
  readonly expires: number
}

/** JSON with the keys of objects in order. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`
}

/**
 * Whether a request may be answered from a cache, and its result kept: not where it carries input, which is no part of
 * the key.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key
 * @since 0.1.0
 * @category guards
 */
export const isCacheable = (method: string, params: Params): boolean =>
  Method.request(method)?.cacheable === true && !("inputResponses" in params) && !("requestState" in params)

const stale: { readonly [C in Change["_tag"]]: ReadonlyArray<string> } = {
  Tools: ["tools/list"],
  Prompts: ["prompts/list"],
  Resources: ["resources/list", "resources/templates/list"],
  Resource: ["resources/read"]
}

/** Whether a change at a URI concerns a resource: it is the resource, or a part of it. */
const concerns = (changed: string, uri: string): boolean =>
  changed === uri || (changed.startsWith(uri) && (uri.endsWith("/") || "/#?".includes(changed[uri.length] as string)))

/**
 * Makes an empty cache.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (limits?: Limits): ResponseCache => {
  const maxEntries = limits?.maxEntries ?? 1000
  const maxSize = limits?.maxSize ?? 16 * 1024 * 1024
  /** Least recently wanted first. */
  const entries = new Map<string, Entry>()
  let total = 0
  /** Counts what has changed, by method: results asked for before a change are not kept after it. */
  const changes = new Map<string, number>()
  let clears = 0

  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    total -= entry.text.length
  }

  const keysOf = ({ context, method, params }: Request) => {
    const { _meta, ...salient } = params
    const question = `${method} ${canonical(salient)}`
    return { shared: `public ${question}`, own: `private ${JSON.stringify(context)} ${question}` }
  }

  const lookup = (key: string, now: number): Params | undefined => {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    if (now >= entry.expires) {
      remove(key)
      return undefined
    }
    entries.delete(key)
    entries.set(key, entry)
    return JSON.parse(entry.text) as Params
  }

  const removeWhere = (predicate: (entry: Entry) => boolean) => {
    for (const [key, entry] of entries) if (predicate(entry)) remove(key)
  }

  const changed = (method: string) => changes.set(method, (changes.get(method) ?? 0) + 1)

  return {
    get: (request, now) => {
      if (!isCacheable(request.method, request.params)) return undefined
      const { own, shared } = keysOf(request)
      return lookup(own, now) ?? lookup(shared, now)
    },
    begin: (request) => {
      const { method, params } = request
      const before = changes.get(method)
      const clearsBefore = clears
      return (result, now) => {
        const ttl = result["ttlMs"]
        if (!isCacheable(method, params)) return
        const { own, shared } = keysOf(request)
        // A newer answer takes the place of an older one even where it is not kept itself.
        remove(own)
        remove(shared)
        if (typeof ttl !== "number" || !(ttl > 0)) return
        if (changes.get(method) !== before || clears !== clearsBefore) return
        const text = JSON.stringify(result)
        if (text.length > maxSize || maxEntries <= 0) return
        const uri = params["uri"]
        entries.set(result["cacheScope"] === "public" ? shared : own, {
          method,
          uri: typeof uri === "string" ? uri : undefined,
          text,
          expires: now + Math.min(ttl, longest)
        })
        total += text.length
        for (const key of entries.keys()) {
          if (entries.size <= maxEntries && total <= maxSize) break
          remove(key)
        }
      }
    },
    invalidate: (change) => {
      const methods = stale[change._tag]
      methods.forEach(changed)
      removeWhere((entry) =>
        methods.includes(entry.method) &&
        (change._tag !== "Resource" || (entry.uri !== undefined && concerns(change.uri, entry.uri)))
      )
    },
    forget: (method) => {
      changed(method)
      removeWhere((entry) => entry.method === method)
    },
    clear: () => {
      clears++
      entries.clear()
      total = 0
    },
    size: () => entries.size
  }
}
