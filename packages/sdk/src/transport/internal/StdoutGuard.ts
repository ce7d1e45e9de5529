/**
 * Keeps standard output for messages: while it is held, whatever prints to the console prints to standard error.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

// The methods that print to standard output in Node, Bun and Deno. The others print to standard error already.
const printing = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "groupEnd",
  "count",
  "countReset",
  "time",
  "timeLog",
  "timeEnd"
] as const

type Print = (...args: ReadonlyArray<unknown>) => void
type Printer = { [Name in (typeof printing)[number]]?: Print }

// What Node and Bun have beyond the web's console: a console of one's own over any stream.
interface Host {
  readonly console: {
    readonly Console?: new(options: { readonly stdout: unknown; readonly stderr: unknown }) => Printer
  }
  readonly process?: { readonly stderr?: unknown }
}

const stderrPrinter = (): Printer => {
  const { console, process } = globalThis as unknown as Host
  if (console.Console !== undefined && process?.stderr !== undefined) {
    return new console.Console({ stdout: process.stderr, stderr: process.stderr })
  }
  return {}
}

// How many hold the guard, and what puts the console back when the last one lets go.
let held = 0
let restore = () => {}

const acquire = () => {
  if (held++ > 0) return
  const target = globalThis.console as unknown as Printer & { readonly error: Print }
  const printer = stderrPrinter()
  const originals = printing.map((name) => [name, target[name]] as const)
  for (const name of printing) target[name] = printer[name] ?? target.error
  restore = () => {
    for (const [name, original] of originals) {
      if (original === undefined) delete target[name]
      else target[name] = original
    }
  }
}

const release = () => {
  if (--held === 0) restore()
}

/**
 * Redirects the global console's printing methods to standard error until the scope closes. Effect's `Console` and
 * its loggers print through the global console, so they follow.
 *
 * Whoever runs a program reports its failure after its scopes are closed: after a failure the console goes back with
 * the next turn of the event loop, so that the report is no message either.
 *
 * @since 0.1.0
 * @category constructors
 */
export const hold: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(acquire),
  (_, exit) =>
    Effect.sync(() => {
      if (Exit.isFailure(exit)) setTimeout(release, 0)
      else release()
    })
)
