/**
 * Middleware: functions on the dispatcher of a server, around every method and notification or around one tool.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Dispatch, FeatureKind, InputRequired, Invocation } from "../era/Invocation.ts"
import type { Params } from "../protocol/JsonRpc.ts"
import type { McpError } from "../protocol/McpError.ts"
import type { CallToolResult } from "../protocol/Tools.ts"

/**
 * Wraps the dispatcher. The first of a list is the outermost. It sees every request but `initialize` and a `ping` before
 * it, and every notification but those that steer the engine: cancelling, progress, `notifications/initialized`.
 *
 * @example
 * ```ts
 * const counted: Middleware.Middleware = (next) => (method, params, invocation) =>
 *   Effect.andThen(Metric.update(calls, 1), next(method, params, invocation))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Middleware = (next: Dispatch) => Dispatch

/**
 * Calls a tool with raw arguments.
 *
 * @since 0.1.0
 * @category models
 */
export type CallTool = (
  args: { readonly [name: string]: unknown },
  invocation: Invocation["Service"]
) => Effect.Effect<CallToolResult | InputRequired, McpError>

/**
 * Wraps the calls of one tool, or of several.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tool = (
  name: string | ReadonlyArray<string>,
  wrap: (next: CallTool, name: string) => CallTool
): Middleware => {
  const names = new Set(typeof name === "string" ? [name] : name)
  return (next) => (method, params, invocation) => {
    const called = params["name"]
    if (method !== "tools/call" || typeof called !== "string" || !names.has(called)) {
      return next(method, params, invocation)
    }
    const call = wrap(
      (args, inner) =>
        next(method, { ...params, arguments: args }, inner) as Effect.Effect<Params, McpError> as Effect.Effect<
          any,
          McpError
        >,
      called
    )
    const args = params["arguments"]
    return call(typeof args === "object" && args !== null ? args as Params : {}, invocation) as Effect.Effect<
      any,
      McpError
    >
  }
}

/**
 * Shows each caller only some of the features: those are listed and can be used, the others are unknown to it. Two of
 * them in a row show what both show.
 *
 * @example
 * ```ts
 * Middleware.visibility((invocation) => Effect.succeed((kind, name) => kind !== "tool" || isAdmin(invocation)))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const visibility = (
  decide: (
    invocation: Invocation["Service"]
  ) => Effect.Effect<(kind: FeatureKind, name: string) => boolean, McpError>
): Middleware =>
(next) =>
(method, params, invocation) =>
  Effect.flatMap(decide(invocation), (visible) => {
    const outer = invocation.visible
    return next(method, params, {
      ...invocation,
      visible: outer === undefined ? visible : (kind, name) => outer(kind, name) && visible(kind, name)
    })
  })
