/** The path of a call: written at the revision, stamped by the era, sent, and what comes back read at the revision. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CallOptions } from "../../api/Caller.ts"
import * as Progress from "../../api/Progress.ts"
import * as Negotiate from "../../era/Negotiate.ts"
import type * as Peer from "../../peer/Peer.ts"
import * as Capabilities from "../../protocol/Capabilities.ts"
import { Code, type Params, type RequestId } from "../../protocol/JsonRpc.ts"
import * as McpError from "../../protocol/McpError.ts"
import * as Method from "../../protocol/Method.ts"
import * as Revision from "../../protocol/Revision.ts"
import type { ListToolsResult } from "../../protocol/Tools.ts"
import type { FinishResult } from "../ClientOptions.ts"
import * as InputLoop from "../InputLoop.ts"
import * as Pages from "../Pages.ts"
import type * as ResponseCache from "../ResponseCache.ts"
import type { Answers } from "./answers.ts"
import * as Lenient from "./lenient.ts"
import type { Link } from "./link.ts"
import type { Session } from "./session.ts"

export interface Config {
  readonly link: Link
  readonly answers: Answers
  readonly limits: InputLoop.Limits
  readonly cache: ResponseCache.ResponseCache | undefined
  readonly cacheContext: Effect.Effect<string>
  readonly resultTypes: { readonly [type: string]: FinishResult }
  /** Asks a session whose agreement is not proven whether it holds. */
  readonly isModernServer: (session: Session) => Effect.Effect<boolean>
  /** Whether what the server did not declare is refused here. */
  readonly strict: boolean
  readonly timeout: Duration.Duration
}

export interface Calls {
  readonly call: (method: string, params: Params, options?: CallOptions) => Effect.Effect<Params, McpError.McpError>
  /** A request on a given session, as long as it takes, without an answer that is read. */
  readonly raw: (
    session: Session,
    method: string,
    params: Params,
    onId: (id: RequestId) => void
  ) => Effect.Effect<Params, McpError.McpError>
}

type Listener = (progress: Progress.Progress) => Effect.Effect<void>

const invalidPeer = (detail: string, data: unknown) =>
  Effect.fail(McpError.make(new McpError.InvalidPeerMessage({ detail, data })))

/** How often a call is sent again because the server speaks another revision after all. */
const maxCorrections = 2

const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

export const make = (config: Config): Calls => {
  const { answers, cache, link } = config

  /** Why a call cannot be made on a session. */
  const obstacle = (
    session: Session,
    method: string,
    known: Method.AnyRequest | undefined
  ): McpError.McpError | undefined => {
    const { capabilities, revision } = session.agreement
    const missing = known === undefined
      ? undefined
      : !Method.isAvailable(known, revision, "client")
      ? `${method} at ${revision}`
      : config.strict && known.capability?.side === "server" && capabilities !== undefined &&
          !Capabilities.serverHas(capabilities, known.capability.name, revision)
      ? known.capability.name
      : undefined
    return missing === undefined
      ? undefined
      : McpError.make(new McpError.CapabilityNotSupported({ capability: missing, method }))
  }

  /** The `_meta` of a request. What the caller adds does not replace what the protocol says. */
  const metaOf = (session: Session, params: Params, options: CallOptions | undefined, token: RequestId | undefined) => {
    const given = params["_meta"]
    const own = session.meta
    if (given === undefined && options?.meta === undefined && token === undefined) return own
    return {
      ...(isObject(given) ? given : {}),
      ...options?.meta,
      ...own,
      ...(token === undefined ? {} : { progressToken: token })
    }
  }

  /** Sends a request once. */
  const send = (
    session: Session,
    method: string,
    known: Method.AnyRequest | undefined,
    params: Params,
    options: CallOptions | undefined,
    listener: Listener | undefined
  ): Effect.Effect<Params, McpError.McpError> => {
    let written = params
    if (known !== undefined) {
      const encoded = Method.encodeParams(known, session.agreement.revision)(params)
      if (Result.isFailure(encoded)) {
        return Effect.fail(McpError.make(
          new McpError.InvalidArguments({
            method,
            detail: `${method} cannot be sent at ${session.agreement.revision}: ${encoded.failure}`
          })
        ))
      }
      written = encoded.success
    }
    const stamped = (token: RequestId | undefined): Params | undefined => {
      const meta = metaOf(session, written, options, token)
      if (meta !== undefined) return { ...written, _meta: meta }
      return written
    }
    return session.peer.request(
      method,
      listener === undefined ? stamped(undefined) : stamped,
      options === undefined && listener === undefined ? undefined : requestOptions(options, listener)
    )
  }

  const requestOptions = (options: CallOptions | undefined, listener: Listener | undefined): Peer.RequestOptions => ({
    timeout: options?.timeout,
    maximumTimeout: options?.maximumTimeout,
    resetTimeout: options?.resetTimeoutOnProgress ?? options?.timeout === undefined,
    onMessage: listener === undefined
      ? undefined
      : (message) => listener(message.params as unknown as Progress.Progress)
  })

  /** A session to call on. */
  const withSession = <A>(
    options: CallOptions | undefined,
    use: (session: Session) => Effect.Effect<A, McpError.McpError>,
    method: string
  ): Effect.Effect<A, McpError.McpError> => {
    const current = link.current()
    if (current !== undefined) return use(current)
    const timeout = options?.timeout ?? config.timeout
    return Effect.flatMap(
      Effect.timeoutOrElse(link.session, {
        duration: timeout,
        orElse: () =>
          Effect.fail(McpError.make(
            new McpError.TransportError({
              sent: "no",
              detail: `The connection is lost and has not been opened again in time for ${method}`
            })
          ))
      }),
      use
    )
  }

  /** Sends a request, and again where the first was surely in vain. */
  const attempt = (
    session: Session,
    method: string,
    known: Method.AnyRequest | undefined,
    params: Params,
    options: CallOptions | undefined,
    listener: Listener | undefined,
    corrections: number
  ): Effect.Effect<{ readonly result: Params; readonly session: Session }, McpError.McpError> => {
    const prevented = obstacle(session, method, known)
    if (prevented !== undefined) return Effect.fail(prevented)
    return Effect.matchEffect(send(session, method, known, params, options, listener), {
      onSuccess: (result) => {
        session.proven = true
        return Effect.succeed({ result, session })
      },
      onFailure: (error) => {
        const { reason } = error
        const retry = (next: Session) => attempt(next, method, known, params, options, listener, corrections + 1)
        const elsewhere = () => withSession(options, retry, method)
        if (corrections >= maxCorrections) return Effect.fail(error)
        if (session.modern && reason._tag === "UnsupportedProtocolVersion") {
          const revision = Negotiate.select({ speaks: Revision.modern }, reason.supported)
          if (revision === undefined) return Effect.fail(error)
          session.reselect(revision)
          return retry(session)
        }
        if (reason._tag === "HeaderMismatch" && method === "tools/call" && corrections === 0) {
          // The schema of the tool, which says what goes into headers, is not what it was.
          return Effect.andThen(relist(params["name"], options), Effect.suspend(elsewhere))
        }
        if (reason._tag === "SessionExpired") {
          return Effect.andThen(link.renew(session, error), Effect.suspend(elsewhere))
        }
        if (session.modern && !session.proven && (!McpError.isLocal(error) || reason._tag === "HttpStatus")) {
          return Effect.flatMap(config.isModernServer(session), (modern) => {
            session.proven = modern
            return modern
              ? Effect.fail(error)
              : Effect.andThen(link.renew(session, error), Effect.suspend(elsewhere))
          })
        }
        // Surely not sent: safe to repeat where there is another connection to send it on.
        return reason._tag === "TransportError" && reason.sent === "no" && link.current() !== session &&
            !link.isClosed()
          ? elsewhere()
          : Effect.fail(error)
      }
    })
  }

  /** Lists the tools anew, up to the page that has the one that matters. */
  const relist = (name: unknown, options: CallOptions | undefined): Effect.Effect<void> =>
    Stream.runDrain(Stream.takeUntil(
      Pages.all({
        method: "tools/list",
        page: (cursor) =>
          call("tools/list", cursor === undefined ? {} : { cursor }, {
            timeout: options?.timeout,
            refresh: true
          }) as unknown as Effect.Effect<ListToolsResult, McpError.McpError>,
        items: ({ tools }) => tools
      }),
      (tool) => tool.name === name
    )).pipe(Effect.ignore)

  const answer = (session: Session) => (method: string, params: Params) => {
    const prepared = answers.prepare(method, params, session.agreement.revision)
    return Result.isFailure(prepared)
      ? invalidPeer(`The server asked for what it must not ask this client: ${prepared.failure.message}`, params)
      : Effect.mapError(
        prepared.success,
        (error) => McpError.make(new McpError.InputNotGiven({ method, detail: error.message, cause: error }))
      )
  }

  /** From the first result to the last one. */
  const finish = (
    { result, session }: { readonly result: Params; readonly session: Session },
    method: string,
    known: Method.AnyRequest | undefined,
    params: Params,
    options: CallOptions | undefined,
    listener: Listener | undefined
  ): Effect.Effect<Params, McpError.McpError> => {
    if (session.modern) {
      const type = result["resultType"]
      if (type !== undefined && type !== "complete") {
        if (type === "input_required" && known?.acceptsInput === true) {
          return Effect.flatMap(
            InputLoop.run(
              {
                method,
                params,
                send: (next) =>
                  withSession(
                    options,
                    (current) =>
                      Effect.map(
                        attempt(current, method, known, next, options, listener, 0),
                        (made) => made.result
                      ),
                    method
                  ),
                answer: answer(session)
              },
              result,
              config.limits
            ),
            (last) => finish({ result: last, session }, method, known, params, options, listener)
          )
        }
        const extension = typeof type === "string" && Object.hasOwn(config.resultTypes, type)
          ? config.resultTypes[type]
          : undefined
        return extension === undefined
          ? invalidPeer(
            `The result of ${method} has the type ${JSON.stringify(type)}, which means nothing here`,
            result
          )
          : extension(result, { method, params, options })
      }
    }
    if (known === undefined) return Effect.succeed(result)
    const { revision } = session.agreement
    const decoded = Method.decodeResult(known, revision)(result)
    if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success as Params)
    const salvaged = Lenient.page(method, result, revision)
    if (salvaged === undefined) {
      return invalidPeer(`The result of ${method} is not what the protocol says: ${decoded.failure}`, result)
    }
    return salvaged.dropped.length === 0 ? Effect.succeed(salvaged.result) : Effect.as(
      Effect.logWarning(`Malformed entries of ${method} are left out:\n${salvaged.dropped.slice(0, 10).join("\n")}`),
      salvaged.result
    )
  }

  /** An unknown resource has had two codes, and servers mix them. */
  const failedRead = (params: Params) => (error: McpError.McpError): McpError.McpError => {
    const { reason } = error
    if (reason._tag !== "InvalidParams" && (reason._tag !== "PeerError" || reason.code !== Code.resourceNotFound)) {
      return error
    }
    const { data, detail } = reason
    const uri = isObject(data) ? data["uri"] : undefined
    if (typeof uri !== "string" && reason._tag === "InvalidParams") return error
    return McpError.make(
      new McpError.ResourceNotFound({
        uri: typeof uri === "string" ? uri : String(params["uri"]),
        ...(detail === undefined ? {} : { detail }),
        ...(data === undefined ? {} : { data })
      })
    )
  }

  const uncached = (
    method: string,
    known: Method.AnyRequest | undefined,
    params: Params,
    options: CallOptions | undefined,
    listener: Listener | undefined
  ): Effect.Effect<Params, McpError.McpError> =>
    withSession(
      options,
      (session) =>
        Effect.flatMap(
          attempt(session, method, known, params, options, listener, 0),
          (made) => finish(made, method, known, params, options, listener)
        ),
      method
    )

  /** Only what the server alone decides: a caller's own `_meta` may change the result. */
  const cached = (
    kept: ResponseCache.ResponseCache,
    method: string,
    known: Method.AnyRequest,
    params: Params,
    options: CallOptions | undefined,
    listener: Listener | undefined
  ): Effect.Effect<Params, McpError.McpError> =>
    Effect.flatMap(config.cacheContext, (context) =>
      Effect.clockWith((clock) =>
        Effect.suspend(() => {
          const request = { method, params, context }
          const fresh = options?.refresh === true ? undefined : kept.get(request, clock.currentTimeMillisUnsafe())
          if (fresh !== undefined) return Effect.succeed(fresh)
          const keep = kept.begin(request)
          return withSession(
            options,
            (session) =>
              Effect.flatMap(attempt(session, method, known, params, options, listener, 0), (made) =>
                Effect.tap(finish(made, method, known, params, options, listener), (result) =>
                  Effect.sync(() => {
                    // What came of a server's questions is not in the key.
                    if (made.session.modern && !InputLoop.asksBack(made.result)) {
                      keep(result, clock.currentTimeMillisUnsafe())
                    }
                  }))),
            method
          )
        })
      ))

  const call: Calls["call"] = (method, params, options) =>
    Effect.withFiber((fiber) => {
      const listener = fiber.getRef(Progress.Listener)
      const known = Method.request(method)
      if (known === undefined || !known.cacheable) {
        return uncached(method, known, params, options, listener)
      }
      const made = cache === undefined || options?.meta !== undefined || params["_meta"] !== undefined
        ? uncached(method, known, params, options, listener)
        : cached(cache, method, known, params, options, listener)
      if (method === "resources/read") return Effect.mapError(made, failedRead(params))
      return cache === undefined || params["cursor"] === undefined ?
        made :
        Effect.tapError(made, (error) =>
          Effect.sync(() => {
            // A cursor that is refused makes all pages doubtful.
            if (!McpError.isLocal(error)) cache.forget(method)
          }))
    })

  return {
    call,
    raw: (session, method, params, onId) => {
      const prevented = obstacle(session, method, Method.request(method))
      if (prevented !== undefined) return Effect.fail(prevented)
      return session.peer.request(method, (id) => {
        onId(id)
        return session.meta === undefined ? params : { ...params, _meta: session.meta }
      }, method === "subscriptions/listen" ? { timeout: Infinity, maximumTimeout: Infinity } : undefined)
    }
  }
}
