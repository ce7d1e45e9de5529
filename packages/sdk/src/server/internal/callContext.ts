/** The context of a handler: its own services, the invocation, and a logger for the client where it asked for one. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as EffectLogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { Invocation } from "../../era/Invocation.ts"
import * as LoggingLevel from "../../protocol/LoggingLevel.ts"

const severity: { readonly [level in EffectLogLevel.LogLevel]: LoggingLevel.LoggingLevel | undefined } = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "critical",
  None: undefined
}

/** The least severe level of Effect that still reaches a client with this threshold. */
const minimum = (threshold: LoggingLevel.LoggingLevel): EffectLogLevel.LogLevel => {
  switch (threshold) {
    case "debug":
      return "All"
    case "info":
      return "Info"
    case "notice":
    case "warning":
      return "Warn"
    case "error":
      return "Error"
    default:
      return "Fatal"
  }
}

const json = (u: unknown): unknown => {
  if (u instanceof Error) return { name: u.name, message: u.message }
  try {
    const text = JSON.stringify(u)
    return text === undefined ? String(u) : JSON.parse(text)
  } catch {
    return String(u)
  }
}

/** What the client gets to see: the messages as JSON, the annotations, and of a failure its message, not its stack. */
const dataOf = ({ cause, fiber, message }: Logger.Options<unknown>): unknown => {
  const parts: Array<unknown> = (Array.isArray(message) ? message : [message]).map(json)
  if (cause.reasons.length > 0) {
    const error = Cause.squash(cause)
    parts.push(error instanceof Error ? error.message : json(error))
  }
  const { logger: _, ...annotations } = fiber.getRef(References.CurrentLogAnnotations)
  const body = parts.length === 1 ? parts[0] : parts
  return Object.keys(annotations).length === 0 ? body : { message: body, ...json(annotations) as object }
}

const clientLogger = (invocation: Invocation["Service"], threshold: LoggingLevel.LoggingLevel) =>
  Logger.make<unknown, void>((options) => {
    const level = severity[options.logLevel]
    if (level === undefined || !LoggingLevel.atLeast(level, threshold)) return
    const name = options.fiber.getRef(References.CurrentLogAnnotations)["logger"]
    // Started here and now, so that the message leaves before the answer does.
    Effect.runForkWith(options.fiber.context)(invocation.notify("notifications/message", {
      level,
      ...(typeof name === "string" ? { logger: name } : {}),
      data: dataOf(options)
    }))
  })

const withClientLogger = <R>(
  context: Context.Context<R>,
  invocation: Invocation["Service"],
  threshold: LoggingLevel.LoggingLevel
): Context.Context<R> => {
  const ownMinimum = Context.get(context, References.MinimumLogLevel)
  const wanted = minimum(threshold)
  const lowered = EffectLogLevel.isLessThan(wanted, ownMinimum)
  const own = [...Context.get(context, Logger.CurrentLoggers)].map((logger) =>
    // The client's wish to hear more does not make the server's own log longer.
    lowered
      ? Logger.make<unknown, unknown>((options) =>
        EffectLogLevel.isLessThan(options.logLevel, ownMinimum) ? undefined : logger.log(options)
      )
      : logger
  )
  const loggers = new Set([...own, clientLogger(invocation, threshold)])
  const withLoggers = Context.add(context, Logger.CurrentLoggers, loggers)
  return lowered ? Context.add(withLoggers, References.MinimumLogLevel, wanted) : withLoggers
}

/**
 * Runs what a handler gives with its services and the invocation, in a scope that closes with the call. `services` and
 * the invocation are between them all that it needs.
 */
export const provide = <A, E>(
  effect: Effect.Effect<A, E, any>,
  services: Context.Context<never>,
  invocation: Invocation["Service"]
): Effect.Effect<A, E> => {
  const { logLevel } = invocation
  const own = Context.add(services, Invocation, invocation)
  const scoped = Effect.scoped(effect) as Effect.Effect<A, E>
  return logLevel === undefined
    ? Effect.provideContext(scoped, own)
    // The loggers that are there at the time of the call stay.
    : Effect.updateContext(
      scoped,
      (current: Context.Context<never>) => withClientLogger(Context.merge(current, own), invocation, logLevel)
    )
}
