/**
 * Regular expressions whose cost is bounded: patterns come from a server that need not be friendly.
 *
 * A pattern is parsed as ECMAScript and run as an automaton without backtracking, so that a text costs at most its
 * length times the size of the pattern, and every step is paid for from the budget of the validation. Single
 * characters are left to the platform's own engine, which knows what `\w` and `\p{Lu}` mean. Only whether a text
 * matches is asked, so that groups capture nothing and laziness makes no difference.
 *
 * Backreferences, lookbehind and inline modifiers are no part of it: a pattern with one of them is refused.
 */
import * as Result from "effect/Result"

/** A pattern, ready to be asked. `spend` is called with every step taken, and may throw to end the matter. */
export interface Pattern {
  readonly source: string
  readonly test: (text: string, spend: (steps: number) => void) => boolean
}

export interface PatternProblem {
  readonly kind: "invalid" | "unsupported" | "too large"
  readonly detail: string
}

const maxSourceLength = 4096
const maxInstructions = 20_000
const maxNesting = 100

// ---- the program

type Instruction =
  | { readonly op: "char"; readonly code: number }
  | { readonly op: "set"; readonly set: CharacterSet }
  | { readonly op: "fork"; readonly first: number; readonly second: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "start" | "end" | "boundary" | "noBoundary" | "match" }
  | { readonly op: "look"; readonly program: ReadonlyArray<Instruction>; readonly negative: boolean }

/** A set of characters, such as `[^a-z]`, `\d` or `.`, as the platform reads it. */
class CharacterSet {
  readonly single: RegExp
  /** What is known of ASCII: 0 nothing yet, 1 within, 2 without. */
  readonly known = new Uint8Array(128)
  constructor(source: string, flags: string) {
    this.single = new RegExp(`^(?:${source})$`, flags)
  }
  has(code: number): boolean {
    const known = code < 128 ? this.known[code]! : 0
    if (known !== 0) return known === 1
    const within = this.single.test(String.fromCodePoint(code))
    if (code < 128) this.known[code] = within ? 1 : 2
    return within
  }
}

// ---- parsing

type Node =
  | { readonly kind: "char"; readonly code: number }
  | { readonly kind: "set"; readonly source: string }
  | { readonly kind: "assertion"; readonly op: "start" | "end" | "boundary" | "noBoundary" }
  | { readonly kind: "sequence" | "choice"; readonly nodes: ReadonlyArray<Node> }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number }
  | { readonly kind: "look"; readonly node: Node; readonly negative: boolean }

class Refusal extends Error {
  readonly kind: PatternProblem["kind"]
  constructor(kind: PatternProblem["kind"], message: string) {
    super(message)
    this.kind = kind
  }
}

const unsupported = (what: string) => new Refusal("unsupported", `${what} cannot be matched in bounded time`)

/** Reads a source that the platform has already found to be well-formed. */
class Parser {
  readonly source: string
  readonly unicode: boolean
  at = 0
  nesting = 0
  constructor(source: string, unicode: boolean) {
    this.source = source
    this.unicode = unicode
  }

  parse(): Node {
    const node = this.choice()
    if (this.at < this.source.length) throw new Refusal("invalid", `unexpected character at position ${this.at}`)
    return node
  }

  private choice(): Node {
    if (++this.nesting > maxNesting) throw new Refusal("too large", `groups are nested more than ${maxNesting} deep`)
    const nodes = [this.sequence()]
    while (this.takes("|")) nodes.push(this.sequence())
    this.nesting--
    return nodes.length === 1 ? nodes[0]! : { kind: "choice", nodes }
  }

  private sequence(): Node {
    const nodes: Array<Node> = []
    while (this.at < this.source.length && !this.sees("|") && !this.sees(")")) nodes.push(this.quantified(this.term()))
    return { kind: "sequence", nodes }
  }

  private quantified(node: Node): Node {
    let least: number
    let most: number
    if (this.takes("*")) [least, most] = [0, Infinity]
    else if (this.takes("+")) [least, most] = [1, Infinity]
    else if (this.takes("?")) [least, most] = [0, 1]
    else {
      const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.source.slice(this.at, this.at + 64))
      if (counted === null) return node
      this.at += counted[0].length
      least = Number(counted[1])
      most = counted[2] === undefined ? least : counted[3] === "" ? Infinity : Number(counted[3])
    }
    this.takes("?")
    return { kind: "repeat", node, least, most }
  }

  private term(): Node {
    if (this.takes("^")) return { kind: "assertion", op: "start" }
    if (this.takes("$")) return { kind: "assertion", op: "end" }
    if (this.takes("\\b")) return { kind: "assertion", op: "boundary" }
    if (this.takes("\\B")) return { kind: "assertion", op: "noBoundary" }
    if (this.takes("(?=")) return this.group((node) => ({ kind: "look", node, negative: false }))
    if (this.takes("(?!")) return this.group((node) => ({ kind: "look", node, negative: true }))
    if (this.sees("(?<=") || this.sees("(?<!")) throw unsupported("lookbehind")
    if (this.takes("(?:")) return this.group((node) => node)
    if (this.takes("(?<")) {
      this.at = this.source.indexOf(">", this.at) + 1
      return this.group((node) => node)
    }
    if (this.sees("(?")) throw unsupported("an inline modifier")
    if (this.takes("(")) return this.group((node) => node)
    if (this.sees("[")) return this.characterClass()
    if (this.takes(".")) return { kind: "set", source: "." }
    if (this.sees("\\")) return this.escape()
    return this.character()
  }

  private group(make: (node: Node) => Node): Node {
    const node = this.choice()
    if (!this.takes(")")) throw new Refusal("invalid", "a group is not closed")
    return make(node)
  }

  private character(): Node {
    const code = this.unicode ? this.source.codePointAt(this.at)! : this.source.charCodeAt(this.at)
    this.at += code > 0xffff ? 2 : 1
    return { kind: "char", code }
  }

  private characterClass(): Node {
    const start = this.at++
    while (this.at < this.source.length && this.source[this.at] !== "]") {
      this.at += this.source[this.at] === "\\" ? 2 : 1
    }
    this.at++
    return { kind: "set", source: this.source.slice(start, this.at) }
  }

  private escape(): Node {
    const rest = this.source.slice(this.at, this.at + 256)
    if (/^\\(?:k<|[1-9])/.test(rest)) throw unsupported("a backreference")
    if (/^\\0\d/.test(rest)) throw unsupported("an octal escape")
    const whole = (this.unicode
      ? /^\\(?:u\{[0-9A-Fa-f]+\}|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/u
      : /^\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[^])/).exec(rest)
    if (whole === null) throw new Refusal("invalid", "a \\ escapes nothing")
    this.at += whole[0].length
    return { kind: "set", source: whole[0] }
  }

  private sees(text: string): boolean {
    return this.source.startsWith(text, this.at)
  }

  private takes(text: string): boolean {
    if (!this.sees(text)) return false
    this.at += text.length
    return true
  }
}

// ---- compiling

const tooLarge = () => new Refusal("too large", `written out, the pattern has more than ${maxInstructions} parts`)

const compileProgram = (root: Node, flags: string, size: { left: number }): ReadonlyArray<Instruction> => {
  const program: Array<Instruction> = []
  const sets = new Map<string, CharacterSet>()
  const emit = (instruction: Instruction): number => {
    if (--size.left < 0) throw tooLarge()
    return program.push(instruction) - 1
  }
  /** Emits a fork whose second branch begins after the body. */
  const fork = (body: () => void) => {
    const at = emit({ op: "match" })
    body()
    program[at] = { op: "fork", first: at + 1, second: program.length }
  }
  const visit = (node: Node): void => {
    // Counted here too: an empty group may be repeated without ever becoming an instruction.
    if (--size.left < 0) throw tooLarge()
    switch (node.kind) {
      case "char":
        emit({ op: "char", code: node.code })
        return
      case "set": {
        let set = sets.get(node.source)
        if (set === undefined) sets.set(node.source, set = new CharacterSet(node.source, flags))
        emit({ op: "set", set })
        return
      }
      case "assertion":
        emit({ op: node.op })
        return
      case "sequence":
        node.nodes.forEach(visit)
        return
      case "choice": {
        const jumps: Array<number> = []
        for (const branch of node.nodes.slice(0, -1)) {
          fork(() => {
            visit(branch)
            jumps.push(emit({ op: "match" }))
          })
        }
        visit(node.nodes.at(-1)!)
        for (const jump of jumps) program[jump] = { op: "jump", to: program.length }
        return
      }
      case "repeat": {
        for (let i = 0; i < node.least; i++) visit(node.node)
        if (node.most === Infinity) {
          const start = program.length
          fork(() => {
            visit(node.node)
            emit({ op: "jump", to: start })
          })
          return
        }
        const exits: Array<number> = []
        for (let i = node.least; i < node.most; i++) {
          exits.push(emit({ op: "match" }))
          visit(node.node)
        }
        for (const exit of exits) program[exit] = { op: "fork", first: exit + 1, second: program.length }
        return
      }
      case "look":
        emit({ op: "look", program: compileProgram(node.node, flags, size), negative: node.negative })
    }
  }
  visit(root)
  emit({ op: "match" })
  return program
}

// ---- running

const isWord = (code: number | undefined): boolean =>
  code !== undefined &&
  ((code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122))

const isBoundary = (text: ReadonlyArray<number>, at: number): boolean => isWord(text[at - 1]) !== isWord(text[at])

/** Whether the program matches from `from` on, or from anywhere after it too where `anywhere` is set. */
const simulate = (
  program: ReadonlyArray<Instruction>,
  text: ReadonlyArray<number>,
  from: number,
  anywhere: boolean,
  spend: (steps: number) => void
): boolean => {
  const visited = new Int32Array(program.length).fill(-1)
  let threads: Array<number> = []
  let next: Array<number> = []
  const pending: Array<number> = []

  /** Follows what needs no character, and tells whether that already is a match. */
  const follow = (start: number, at: number): boolean => {
    pending.push(start)
    let steps = 0
    while (pending.length > 0) {
      const pc = pending.pop()!
      if (visited[pc] === at) continue
      visited[pc] = at
      steps++
      const instruction = program[pc]!
      switch (instruction.op) {
        case "match":
          pending.length = 0
          spend(steps)
          return true
        case "jump":
          pending.push(instruction.to)
          break
        case "fork":
          pending.push(instruction.second, instruction.first)
          break
        case "start":
          if (at === 0) pending.push(pc + 1)
          break
        case "end":
          if (at === text.length) pending.push(pc + 1)
          break
        case "boundary":
          if (isBoundary(text, at)) pending.push(pc + 1)
          break
        case "noBoundary":
          if (!isBoundary(text, at)) pending.push(pc + 1)
          break
        case "look":
          if (simulate(instruction.program, text, at, false, spend) !== instruction.negative) pending.push(pc + 1)
          break
        default:
          next.push(pc)
      }
    }
    spend(steps)
    return false
  }

  if (follow(0, from)) return true
  for (let at = from; at < text.length; at++) {
    if (next.length === 0 && !anywhere) return false
    const code = text[at]!
    const spare = threads
    threads = next
    next = spare
    next.length = 0
    spend(threads.length + 1)
    for (const pc of threads) {
      const instruction = program[pc]!
      const consumes = instruction.op === "char"
        ? instruction.code === code
        : instruction.op === "set" && instruction.set.has(code)
      if (consumes && follow(pc + 1, at + 1)) return true
    }
    if (anywhere && follow(0, at + 1)) return true
  }
  return false
}

const codesOf = (text: string, unicode: boolean): ReadonlyArray<number> => {
  const codes: Array<number> = []
  for (let i = 0; i < text.length; i++) {
    const code = unicode ? text.codePointAt(i)! : text.charCodeAt(i)
    if (code > 0xffff) i++
    codes.push(code)
  }
  return codes
}

/** Whether every way through a node begins with `^`: then a match begins at the start or nowhere. */
const isAnchored = (node: Node): boolean => {
  switch (node.kind) {
    case "assertion":
      return node.op === "start"
    case "sequence":
      return node.nodes.length > 0 && isAnchored(node.nodes[0]!)
    case "choice":
      return node.nodes.every(isAnchored)
    case "repeat":
      return node.least > 0 && isAnchored(node.node)
    default:
      return false
  }
}

const flagsFor = (source: string): string | undefined => {
  // JSON Schema asks for Unicode; older schemas hold escapes that only the older reading allows.
  for (const flags of ["u", ""]) {
    try {
      RegExp(source, flags)
      return flags
    } catch {
      continue
    }
  }
  return undefined
}

/** Compiles a pattern, or says why it cannot be run. */
export const compile = (source: string): Result.Result<Pattern, PatternProblem> => {
  if (source.length > maxSourceLength) {
    return Result.fail({ kind: "too large", detail: `the pattern has more than ${maxSourceLength} characters` })
  }
  const flags = flagsFor(source)
  if (flags === undefined) return Result.fail({ kind: "invalid", detail: "it is no regular expression" })
  try {
    const root = new Parser(source, flags === "u").parse()
    const program = compileProgram(root, flags, { left: maxInstructions })
    const anywhere = !isAnchored(root)
    return Result.succeed({
      source,
      test: (text, spend) => {
        spend(1 + (text.length >>> 3))
        return simulate(program, codesOf(text, flags === "u"), 0, anywhere, spend)
      }
    })
  } catch (error) {
    if (error instanceof Refusal) return Result.fail({ kind: error.kind, detail: error.message })
    throw error
  }
}
