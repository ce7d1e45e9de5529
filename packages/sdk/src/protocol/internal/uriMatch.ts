/**
 * Matches URIs against templates: the template, each expression replaced by what it can expand to, as an automaton that
 * is simulated without backtracking.
 */
import type { Part, Variable } from "../UriTemplate.ts"
import { encodeReserved, type Sign, styles, take } from "./uriStyle.ts"

// ---- a URI as symbols

/**
 * A symbol is a character of the URI. One that was percent-encoded, or should have been, carries this bit: it is
 * never taken for a delimiter, and a variable never ends within an escape. Escapes of unreserved characters are plain
 * characters, since RFC 3986 calls the two equivalent.
 */
const escaped = 0x200000

const utf8Strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decodeBytes = (escapes: string): string | undefined => {
  const bytes = new Uint8Array(escapes.length / 3)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(escapes.slice(i * 3 + 1, i * 3 + 3), 16)
  try {
    return utf8Strict.decode(bytes)
  } catch {
    return undefined
  }
}

const plain = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*$/

const isUnreserved = (text: string): boolean => /^[A-Za-z0-9\-._~]$/.test(text)

/** `undefined` where an escape is malformed or the escaped bytes are no UTF-8. */
export const toSymbols = (uri: string): Array<number> | undefined => {
  const symbols: Array<number> = []
  if (plain.test(uri)) {
    for (let i = 0; i < uri.length; i++) symbols.push(uri.charCodeAt(i))
    return symbols
  }
  for (const [piece] of uri.matchAll(/(?:%[0-9A-Fa-f]{2})+|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]+|[^]/gu)) {
    if (piece === "%") return undefined
    if (piece.startsWith("%")) {
      const decoded = decodeBytes(piece)
      if (decoded === undefined) return undefined
      for (const char of decoded) symbols.push(char.codePointAt(0)! | (isUnreserved(char) ? 0 : escaped))
    } else if (plain.test(piece)) {
      for (let i = 0; i < piece.length; i++) symbols.push(piece.charCodeAt(i))
    } else {
      symbols.push(piece.codePointAt(0)! | escaped)
    }
  }
  return symbols
}

const fromSymbols = (symbols: ReadonlyArray<number>, start: number, end: number): string => {
  let text = ""
  for (let i = start; i < end; i++) text += String.fromCodePoint(symbols[i]! & ~escaped)
  return text
}

// ---- a template as an automaton

/**
 * A step of the automaton. `symbol` and `any` consume one symbol; `fork` tries `first` before `second`; `mark` notes
 * where a value of `variable` begins or ends.
 */
export type Instruction =
  | { readonly op: "symbol"; readonly symbol: number }
  | { readonly op: "any"; readonly except: ReadonlyArray<number> }
  | { readonly op: "fork"; readonly first: number; readonly second: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "mark"; readonly variable: Variable }
  | { readonly op: "end" }

/**
 * Which characters end a value, where they are not escaped. An expansion escapes more than these; to allow the others
 * lets in URIs that people and models write by hand, and makes no expansion ambiguous.
 */
const delimiters: { readonly [Operator in "" | Sign]: string } = {
  "": "/?#&",
  "+": "",
  "#": "",
  ".": "/?#&",
  "/": "/?#&",
  ";": "/?#&;",
  "?": "#&",
  "&": "#&"
}

export const compile = (parts: ReadonlyArray<Part>): ReadonlyArray<Instruction> => {
  const program: Array<Instruction> = []
  const emit = (instruction: Instruction) => program.push(instruction) - 1

  const text = (literal: string) => {
    for (const symbol of toSymbols(literal) ?? []) emit({ op: "symbol", symbol })
  }
  /** Emits a fork whose second branch begins after the body. */
  const fork = (body: () => void) => {
    const at = emit({ op: "end" })
    body()
    program[at] = { op: "fork", first: at + 1, second: program.length }
  }
  /** The first body that fits. */
  const either = (bodies: ReadonlyArray<() => void>) => {
    const jumps: Array<number> = []
    bodies.slice(0, -1).forEach((body) =>
      fork(() => {
        body()
        jumps.push(emit({ op: "end" }))
      })
    )
    bodies.at(-1)?.()
    for (const jump of jumps) program[jump] = { op: "jump", to: program.length }
  }
  /** The body as often as it fits. */
  const repeat = (body: () => void) => {
    const start = program.length
    fork(() => {
      body()
      emit({ op: "jump", to: start })
    })
  }
  /** As few symbols as let the rest match. */
  const value = (variable: Variable, except: ReadonlyArray<number>, least: 0 | 1) => {
    emit({ op: "mark", variable })
    if (least === 1) emit({ op: "any", except })
    const at = emit({ op: "end" })
    emit({ op: "any", except })
    emit({ op: "jump", to: at })
    program[at] = { op: "fork", first: program.length, second: at + 1 }
    emit({ op: "mark", variable })
  }
  /** `name=value`, or the bare name, of any of the variables. */
  const pair = (variables: ReadonlyArray<Variable>, except: ReadonlyArray<number>) =>
    either(variables.map((variable) => () => {
      text(encodeReserved(variable.name))
      either([() => {
        text("=")
        value(variable, except, 0)
      }, () => {
        emit({ op: "mark", variable })
        emit({ op: "mark", variable })
      }])
    }))
  /** The values of the variables in their order; where they may be absent, the last ones are. */
  const sequence = (
    variables: ReadonlyArray<Variable>,
    separator: string,
    except: ReadonlyArray<number>,
    least: 0 | 1
  ) => {
    const [variable, ...rest] = variables
    if (variable === undefined) return
    value(variable, except, least)
    if (variable.explode) {
      repeat(() => {
        text(separator)
        value(variable, except, 0)
      })
    }
    if (rest.length === 0) return
    const more = () => {
      text(separator)
      sequence(rest, separator, except, least)
    }
    if (least === 1) more()
    else fork(more)
  }

  for (const part of parts) {
    if (part._tag === "Literal") {
      text(part.text)
      continue
    }
    const { operator, variables } = part
    const { lead, named, separator } = styles[operator]
    const shared = variables.length > 1 || variables.some((variable) => variable.explode)
    const except = toSymbols(delimiters[operator] + (shared ? separator : "")) ?? []
    if (named) {
      fork(() => {
        text(lead)
        pair(variables, except)
        repeat(() => {
          text(separator)
          pair(variables, except)
        })
      })
    } else if (lead === "") {
      sequence(variables, separator, except, 1)
    } else {
      fork(() => {
        text(lead)
        sequence(variables, separator, except, 0)
      })
    }
  }
  emit({ op: "end" })
  return program
}

// ---- running the automaton

/** The marks that a thread has passed, the last one first. Threads share their past. */
interface Marks {
  readonly variable: Variable
  readonly at: number
  readonly before: Marks | undefined
}

interface Outcome {
  readonly matched: boolean
  readonly marks: Marks | undefined
  /** The instructions executed: a measure of the work that does not depend on a clock. */
  readonly steps: number
}

/**
 * All threads walk over the symbols side by side, in the order of their preference. Two threads at the same
 * instruction have the same future, so the less preferred one is dropped: there are never more threads than
 * instructions.
 */
export const simulate = (program: ReadonlyArray<Instruction>, symbols: ReadonlyArray<number>): Outcome => {
  const visited = new Int32Array(program.length).fill(-1)
  let threads: Array<number> = []
  let pasts: Array<Marks | undefined> = []
  let nextThreads: Array<number> = []
  let nextPasts: Array<Marks | undefined> = []
  let steps = 0
  let matched = false
  let marks: Marks | undefined = undefined

  const follow = (start: number, at: number, past: Marks | undefined): void => {
    let pc = start
    let trail = past
    while (visited[pc] !== at) {
      visited[pc] = at
      steps++
      const instruction = program[pc]!
      switch (instruction.op) {
        case "jump":
          pc = instruction.to
          break
        case "fork":
          follow(instruction.first, at, trail)
          pc = instruction.second
          break
        case "mark":
          trail = { variable: instruction.variable, at, before: trail }
          pc++
          break
        case "end":
          if (at === symbols.length && !matched) {
            matched = true
            marks = trail
          }
          return
        default:
          nextThreads.push(pc)
          nextPasts.push(trail)
          return
      }
    }
  }

  follow(0, 0, undefined)
  for (let at = 0; at < symbols.length && nextThreads.length > 0; at++) {
    const symbol = symbols[at]!
    const spareThreads = threads
    const sparePasts = pasts
    threads = nextThreads
    pasts = nextPasts
    nextThreads = spareThreads
    nextPasts = sparePasts
    nextThreads.length = 0
    nextPasts.length = 0
    for (let i = 0; i < threads.length; i++) {
      steps++
      const instruction = program[threads[i]!]!
      const consumes = instruction.op === "symbol"
        ? instruction.symbol === symbol
        : instruction.op === "any" && !instruction.except.includes(symbol)
      if (consumes) follow(threads[i]! + 1, at + 1, pasts[i])
    }
  }
  return { matched, marks, steps }
}

/** The values of each variable's occurrences, as the URI has them. */
const capturesOf = (last: Marks | undefined, symbols: ReadonlyArray<number>): Map<Variable, Array<string>> => {
  const found: Array<readonly [Variable, string]> = []
  for (let end = last; end !== undefined; end = end.before?.before) {
    found.push([end.variable, fromSymbols(symbols, end.before!.at, end.at)])
  }
  const captures = new Map<Variable, Array<string>>()
  for (const [variable, text] of found.toReversed()) {
    const texts = captures.get(variable)
    if (texts === undefined) captures.set(variable, [text])
    else texts.push(text)
  }
  return captures
}

/**
 * One value for each name, or `undefined` where the occurrences of a name contradict each other: `{a}/{a}` and
 * `{a:1}/{a}` match only what one value of `a` can have given.
 */
const reconcile = (captures: ReadonlyMap<Variable, ReadonlyArray<string>>) => {
  const values = new Map<string, string | ReadonlyArray<string>>()
  const prefixes: Array<readonly [Variable, string]> = []
  for (const [variable, texts] of captures) {
    if (!variable.explode && texts.length > 1) return undefined
    if (variable.prefix !== undefined) {
      prefixes.push([variable, texts[0]!])
      continue
    }
    const known = values.get(variable.name)
    const value = variable.explode ? texts : texts[0]!
    if (known === undefined) values.set(variable.name, value)
    else if (JSON.stringify(known) !== JSON.stringify(value)) return undefined
  }
  // The longest prefix stands for a value that is not written out in full.
  for (const [{ name }, text] of prefixes.toSorted((a, b) => b[1].length - a[1].length)) {
    if (!values.has(name)) values.set(name, text)
  }
  for (const [{ name, prefix }, text] of prefixes) {
    const whole = values.get(name)
    if (typeof whole !== "string" || take(whole, prefix) !== text) return undefined
  }
  return values
}

/** Whether the literal beginning of the template already rules the URI out; escapes leave it open. */
const beginsOtherwise = (parts: ReadonlyArray<Part>, uri: string): boolean => {
  const head = parts[0]
  if (head === undefined || head._tag === "Expression") return false
  for (let i = 0; i < head.text.length; i++) {
    const ours = head.text.charCodeAt(i)
    const theirs = uri.charCodeAt(i)
    if (ours === theirs) continue
    return ours !== 37 && theirs !== 37 && theirs < 127
  }
  return false
}

/** The value of each variable, or `undefined` where the URI is none that the template gives. */
export const match = (
  parts: ReadonlyArray<Part>,
  program: ReadonlyArray<Instruction>,
  uri: string
): ReadonlyMap<string, string | ReadonlyArray<string>> | undefined => {
  if (beginsOtherwise(parts, uri)) return undefined
  const symbols = toSymbols(uri)
  if (symbols === undefined) return undefined
  const { marks, matched } = simulate(program, symbols)
  return matched ? reconcile(capturesOf(marks, symbols)) : undefined
}
