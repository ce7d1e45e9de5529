/**
 * Effects that are run once a request, by key: their results are remembered.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { McpError } from "../protocol/McpError.ts"

/**
 * What an effect gave, and the keys of the questions that it asked for it: they are spent with it, for they are not asked
 * again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Result {
  readonly value: unknown
  readonly asked: ReadonlyArray<string>
}

/**
 * An effect at work under a key.
 *
 * @since 0.1.0
 * @category models
 */
export interface Run {
  readonly owner: Once
  readonly key: string
  readonly asked: Array<string>
  /** How much within it waits for a client, or for another run. */
  waiting: number
}

/**
 * The runs that a fiber is within.
 *
 * @since 0.1.0
 * @category references
 */
export const Within: Context.Reference<ReadonlyArray<Run>> = Context.Reference("@effect-mcp/sdk/era/Once/Within", {
  defaultValue: (): ReadonlyArray<Run> => []
})

/**
 * Tells the runs that a fiber is within that it waits, and gives what tells them that it goes on.
 *
 * @since 0.1.0
 * @category waiting
 */
export const pause = (within: ReadonlyArray<Run>): () => void => {
  for (const run of within) run.waiting++
  for (const run of within) run.owner.onChange?.()
  let paused = true
  return () => {
    if (!paused) return
    paused = false
    for (const run of within) run.waiting--
  }
}

/** Made when it is first needed: most requests run nothing once. */
interface Memory {
  readonly known: Map<string, Result>
  readonly running: Set<Run>
  readonly locks: Map<string, Semaphore.Semaphore>
}

const remembering = (results: { readonly [key: string]: Result }): Memory => ({
  known: new Map(Object.entries(results)),
  running: new Set(),
  locks: new Map()
})

const lockOf = ({ locks }: Memory, key: string): Semaphore.Semaphore => {
  let lock = locks.get(key)
  if (lock === undefined) locks.set(key, lock = Semaphore.makeUnsafe(1))
  return lock
}

/**
 * The results of one request. `run` is `Invocation.once`: two runs under one key wait for each other, and one that
 * fails or is interrupted leaves nothing behind.
 *
 * @since 0.1.0
 * @category models
 */
export class Once {
  /** Is told when an effect begins to wait, or has come to its end. */
  onChange: (() => void) | undefined
  private memory: Memory | undefined

  constructor(results?: { readonly [key: string]: Result }) {
    this.memory = results === undefined ? undefined : remembering(results)
  }

  /** The results so far. */
  get results(): { readonly [key: string]: Result } {
    return this.memory === undefined ? {} : Object.fromEntries(this.memory.known)
  }

  /** Whether an effect is at work, and does not itself wait. */
  get isBusy(): boolean {
    for (const run of this.memory?.running ?? []) if (run.waiting === 0) return true
    return false
  }

  readonly run = (key: string, effect: Effect.Effect<unknown, McpError>): Effect.Effect<unknown, McpError> =>
    Effect.withFiber((fiber) => {
      const memory = this.memory ??= remembering({})
      const within = fiber.getRef(Within)
      const known = this.recall(memory, key, within)
      if (known !== undefined) return known
      if (within.some((run) => run.owner === this && run.key === key)) {
        return Effect.die(
          new Error(`The effect under the key "${key}" asks for its own result, and would wait for ever`)
        )
      }
      const proceed = pause(within)
      return Effect.onExit(
        Semaphore.withPermit(
          lockOf(memory, key),
          Effect.suspend(() => {
            proceed()
            return this.recall(memory, key, within) ?? this.attempt(memory, key, effect, within)
          })
        ),
        () => Effect.sync(proceed)
      )
    })

  private recall(memory: Memory, key: string, within: ReadonlyArray<Run>): Effect.Effect<unknown> | undefined {
    const known = memory.known.get(key)
    if (known === undefined) return undefined
    for (const run of within) run.asked.push(...known.asked)
    return Effect.succeed(known.value)
  }

  private attempt(
    { known, running }: Memory,
    key: string,
    effect: Effect.Effect<unknown, McpError>,
    within: ReadonlyArray<Run>
  ) {
    const run: Run = { owner: this, key, asked: [], waiting: 0 }
    running.add(run)
    return Effect.onExit(Effect.provideService(effect, Within, [...within, run]), (exit) =>
      Effect.sync(() => {
        running.delete(run)
        if (Exit.isSuccess(exit)) known.set(key, { value: exit.value, asked: run.asked })
        this.onChange?.()
      }))
  }
}
