/** The handlers that wait for the retry of their request: a bounded number of them, each for a bounded time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Flow } from "./flow.ts"

export interface Limits {
  /** Handlers kept at one time, for all principals together. */
  readonly maxKept: number
  /** Handlers kept at one time for one principal. */
  readonly maxKeptPerPrincipal: number
}

export interface Entry {
  readonly flow: Flow
  /** Who called. Callers without a principal are many, or one; nobody can tell. */
  readonly principal: string | undefined
  /** When it is given up, in milliseconds since the epoch. */
  readonly expires: number
}

interface Kept extends Entry {
  readonly timer: Fiber.Fiber<void>
}

export class Store {
  private readonly entries = new Map<string, Kept>()
  private readonly limits: Limits
  private readonly scope: Scope.Scope

  constructor(limits: Limits, scope: Scope.Scope) {
    this.limits = limits
    this.scope = scope
  }

  get size(): number {
    return this.entries.size
  }

  /** Keeps a handler under a new id; the oldest gives way where there are too many. */
  put(id: string, entry: Entry): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.makeRoom(entry.principal)
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          Effect.forkIn(
            Effect.andThen(Effect.sleep(Math.max(0, entry.expires - now)), Effect.sync(() => this.evict(id))),
            this.scope
          ),
          (timer) => {
            this.entries.set(id, { ...entry, timer })
          }
        ))
    })
  }

  /** Gives a handler back to a round, and keeps it no longer. */
  take(id: string): Entry | undefined {
    const kept = this.entries.get(id)
    if (kept === undefined) return undefined
    this.entries.delete(id)
    kept.timer.interruptUnsafe()
    return kept
  }

  // Nobody waits for what an evicted handler cleans up: it is somebody else's.
  private evict(id: string): void {
    this.take(id)?.flow.halt()
  }

  private makeRoom(principal: string | undefined): void {
    const { maxKept, maxKeptPerPrincipal } = this.limits
    const all = Array.from(this.entries)
    const own = principal === undefined ? [] : all.filter(([, entry]) => entry.principal === principal)
    const crowd = own.length >= maxKeptPerPrincipal ? own : all.length >= maxKept ? all : []
    // Not the first in the map: one that was given back has kept its age.
    const [oldest] = crowd.toSorted(([, a], [, b]) => a.expires - b.expires)
    if (oldest !== undefined) this.evict(oldest[0])
  }
}
