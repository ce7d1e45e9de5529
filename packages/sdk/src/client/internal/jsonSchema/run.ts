/**
 * One validation under way: what is left of its budget, where it is, and the problems found.
 *
 * Every loop over something that a schema or a value decides the length of pays here, so that a validation ends after
 * a known number of steps whatever the two of them are.
 */
import type { Problem } from "../../../protocol/Problem.ts"
import * as ProblemText from "../../../protocol/Problem.ts"

/** Thrown where the budget is spent; it never leaves `Validator.validate`. */
export class Exhausted extends Error {}

/** A problem and the place in the value it belongs to are kept only on the second, thorough reading. */
const maxProblems = 50

export class Run {
  private left: number
  private room: number
  readonly limit: number
  readonly path: Array<string | number> = []
  /** What was found at the outermost level. */
  readonly found: Array<Problem> = []
  problems: Array<Problem> | undefined

  constructor(limits: { readonly steps: number; readonly depth: number }, collecting: boolean) {
    this.limit = limits.steps
    this.left = limits.steps
    this.room = limits.depth
    this.problems = collecting ? this.found : undefined
  }

  get spent(): number {
    return this.limit - this.left
  }

  readonly spend = (steps: number): void => {
    this.left -= steps
    if (this.left < 0) throw new Exhausted()
  }

  enter(): void {
    this.spend(1)
    if (--this.room < 0) throw new Exhausted()
  }

  leave(): void {
    this.room++
  }

  /** Whether there is a reason to go on after a first problem. */
  get goesOn(): boolean {
    return this.problems !== undefined && this.problems.length < maxProblems
  }

  /** Notes a problem at the present place, or below it. Always `false`: the verdict of the keyword that found it. */
  fail(message: () => string, value?: unknown, key?: string): false {
    this.problems?.push({
      path: key === undefined ? [...this.path] : [...this.path, key],
      message: message(),
      received: value === undefined ? undefined : ProblemText.preview(value)
    })
    return false
  }

  /** Asks without noting problems. */
  quietly(ask: () => boolean): boolean {
    const { problems } = this
    this.problems = undefined
    try {
      return ask()
    } finally {
      this.problems = problems
    }
  }

  /** Asks at a place below, and notes what it finds apart. */
  apart(ask: () => boolean): ReadonlyArray<Problem> {
    const { problems } = this
    const found: Array<Problem> = this.problems = []
    try {
      ask()
    } finally {
      this.problems = problems
    }
    return found
  }

  /** Asks about a part of the value. */
  at(key: string | number, ask: () => boolean): boolean {
    if (this.problems === undefined) return ask()
    this.path.push(key)
    const verdict = ask()
    this.path.pop()
    return verdict
  }
}

// ---- values

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (u: unknown): u is JsonObject => typeof u === "object" && u !== null && !Array.isArray(u)

/** A property that holds `undefined` is none: it does not travel. */
export const has = (value: JsonObject, key: string): boolean => Object.hasOwn(value, key) && value[key] !== undefined

export const keysOf = (value: JsonObject): ReadonlyArray<string> =>
  Object.keys(value).filter((key) => value[key] !== undefined)

/**
 * A text that two JSON values share if and only if they are equal: comparing one value to many costs as much as reading
 * it once.
 */
export const canonical = (value: unknown, spend: (steps: number) => void, room = 500): string => {
  // Building a text takes longer than a look at the value.
  spend(3)
  if (room === 0) throw new Exhausted()
  if (typeof value === "string") {
    spend(value.length >>> 5)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, spend, room - 1)).join(",")}]`
  if (isObject(value)) {
    const keys = keysOf(value).toSorted()
    spend(keys.length)
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], spend, room - 1)}`).join(",")}}`
  }
  return typeof value === "number" ? String(value + 0) : String(value)
}

// ---- what unevaluatedProperties and unevaluatedItems ask of the keywords beside and below them

export class Marks {
  readonly keys = new Set<string>()
  allKeys = false
  readonly items = new Set<number>()
  /** The items before this index have been looked at. */
  upTo = 0

  merge(other: Marks, spend: (steps: number) => void): void {
    spend(other.keys.size + other.items.size)
    for (const key of other.keys) this.keys.add(key)
    for (const item of other.items) this.items.add(item)
    this.allKeys ||= other.allKeys
    this.upTo = Math.max(this.upTo, other.upTo)
  }
}
