/**
 * URI templates (RFC 6570): parsed, expanded to a URI, and matched against one.
 *
 * The RFC defines the way from variables to a URI and leaves the way back open. Matching here means: the template,
 * each expression replaced by what it can expand to, is read as a regular language and simulated as an automaton
 * without backtracking, so its cost is at most the length of the URI times the length of the template.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as UriMatch from "./internal/uriMatch.ts"
import { encodeReserved, type Sign, type Style, styles, take } from "./internal/uriStyle.ts"

// ---------------------------------------------------------------------------------------------------------------
// What a template says about its variables, in types
// ---------------------------------------------------------------------------------------------------------------

type Specs<Body extends string> = Body extends `${infer Head},${infer Tail}` ? Head | Specs<Tail> : Body

type NameOf<Spec extends string> = Spec extends `${infer Name}*` ? Name
  : Spec extends `${infer Name}:${string}` ? Name
  : Spec

type Expressions<T extends string, Found = never> = T extends `${string}{${infer Body}}${infer Rest}`
  ? Expressions<Rest, Found | Body>
  : Found

type Unsigned<Body> = Body extends `${Sign}${infer Rest}` ? Rest : Body

type AllSpecs<T extends string> = Unsigned<Expressions<T>> extends infer Body extends string ? Specs<Body> : never

/** An expression without a sign, or with `+`, leaves nothing to see of a variable that has no value. */
type RequiredSpecs<T extends string> = Expressions<T> extends infer Body ? Body extends `+${infer Rest}` ? Specs<Rest>
  : Body extends `${Sign}${string}` ? never
  : Body extends string ? Specs<Body>
  : never
  : never

type ExplodedNames<T extends string> = AllSpecs<T> extends infer Spec ? Spec extends `${infer Name}*` ? Name : never
  : never

/**
 * The names of the variables in a template, as a union: `"name" | "q"` for `"city://{name}/{?q}"`.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Variables<T extends string> = string extends T ? string : NameOf<AllSpecs<T>>

/**
 * What `match` gives for a template.
 *
 * Variables of `{name}` and `{+name}` are always there. Those of the expressions that begin with a sign (`{?name}`,
 * `{/name}` …) are there when the URI has them. An exploded one (`{/name*}`) is a list.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Match<T extends string> = string extends T ? { readonly [name: string]: string | ReadonlyArray<string> }
  : Flat<
    & {
      readonly [Name in NameOf<RequiredSpecs<T>>]: Name extends ExplodedNames<T> ? ReadonlyArray<string> : string
    }
    & {
      readonly [Name in Exclude<Variables<T>, NameOf<RequiredSpecs<T>>>]?: Name extends ExplodedNames<T>
        ? ReadonlyArray<string>
        : string
    }
  >

type Flat<T> = { readonly [K in keyof T]: T[K] }

// ---------------------------------------------------------------------------------------------------------------
// Models
// ---------------------------------------------------------------------------------------------------------------

/**
 * A string that is no URI template. `position` counts UTF-16 code units from 0; the message says what to write.
 *
 * @since 0.1.0
 * @category errors
 */
export class UriTemplateError extends Schema.TaggedError<UriTemplateError>()("UriTemplateError", {
  template: Schema.String,
  position: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    const shown = this.template.length > 120 ? `${this.template.slice(0, 120)}…` : this.template
    return `Invalid URI template "${shown}" at position ${this.position}: ${this.problem}`
  }
}

/**
 * One variable of an expression: `{list*}` explodes, `{name:3}` has the prefix 3.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variable {
  readonly name: string
  readonly explode: boolean
  readonly prefix: number | undefined
}

/**
 * A piece of a template: literal text, already percent-encoded, or an expression.
 *
 * @since 0.1.0
 * @category models
 */
export type Part =
  | { readonly _tag: "Literal"; readonly text: string }
  | { readonly _tag: "Expression"; readonly operator: "" | Sign; readonly variables: ReadonlyArray<Variable> }

/**
 * A parsed template.
 *
 * @since 0.1.0
 * @category models
 */
export interface UriTemplate<T extends string = string> {
  /** The template as it was written. */
  readonly template: T
  readonly parts: ReadonlyArray<Part>
  /** The automaton that `match` runs. */
  readonly program: ReadonlyArray<UriMatch.Instruction>
}

/**
 * A value for a variable. `undefined` and `null` are no value; so is an empty list or record.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-2.3
 * @since 0.1.0
 * @category models
 */
export type Value =
  | Scalar
  | ReadonlyArray<Scalar>
  | { readonly [name: string]: Scalar }

type Scalar = string | number | boolean | null | undefined

/**
 * Templates longer than this (in UTF-16 code units) are refused, so that matching stays cheap.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxTemplateLength = 2048

/**
 * URIs longer than this (in UTF-16 code units) match nothing.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxUriLength = 16384

// ---------------------------------------------------------------------------------------------------------------
// Parsing
// ---------------------------------------------------------------------------------------------------------------

const signs: ReadonlySet<string> = new Set(["+", "#", ".", "/", ";", "?", "&"])
const isSign = (text: string): text is Sign => signs.has(text)

const variableName = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$/

type Parsed<A> = Result.Result<A, { readonly at: number; readonly problem: string }>

const problem = (at: number, text: string) => Result.fail({ at, problem: text })

const parseVariable = (spec: string, at: number): Parsed<Variable> => {
  const explode = spec.endsWith("*")
  const colon = spec.indexOf(":")
  const name = explode ? spec.slice(0, -1) : colon === -1 ? spec : spec.slice(0, colon)
  if (explode && colon !== -1) return problem(at + colon, "use either a prefix (:n) or explode (*), not both")
  if (name === "") return problem(at, "a variable name is missing here")
  if (!variableName.test(name)) {
    return problem(
      at,
      `"${name}" is no variable name; use letters, digits and underscores, with single dots between them`
    )
  }
  if (colon === -1) return Result.succeed({ name, explode, prefix: undefined })
  const digits = spec.slice(colon + 1)
  return /^[1-9][0-9]{0,3}$/.test(digits)
    ? Result.succeed({ name, explode, prefix: Number(digits) })
    : problem(at + colon + 1, "a prefix is a number from 1 to 9999")
}

const parseExpression = (body: string, at: number): Parsed<Part> => {
  const first = body.slice(0, 1)
  if (first === "") return problem(at, "the expression is empty; name a variable, or remove the braces")
  if ("=,!@|".includes(first)) return problem(at, `the operator "${first}" is reserved by RFC 6570; remove it`)
  const operator = isSign(first) ? first : ""
  const variables: Array<Variable> = []
  let offset = at + operator.length
  for (const spec of body.slice(operator.length).split(",")) {
    const variable = parseVariable(spec, offset)
    if (Result.isFailure(variable)) return Result.fail(variable.failure)
    variables.push(variable.success)
    offset += spec.length + 1
  }
  return Result.succeed({ _tag: "Expression", operator, variables })
}

const parseParts = (template: string): Parsed<ReadonlyArray<Part>> => {
  if (template.length > maxTemplateLength) {
    return problem(maxTemplateLength, `a template may have at most ${maxTemplateLength} characters; shorten it`)
  }
  const parts: Array<Part> = []
  let at = 0
  while (at < template.length) {
    const open = template.indexOf("{", at)
    const text = template.slice(at, open === -1 ? template.length : open)
    const stray = text.indexOf("}")
    if (stray !== -1) return problem(at + stray, "this } closes nothing; remove it, or write %7D for the character")
    const percent = text.search(/%(?![0-9A-Fa-f]{2})/)
    if (percent !== -1) return problem(at + percent, "a % is followed by two hex digits; write %25 for the character")
    if (text !== "") parts.push({ _tag: "Literal", text: encodeReserved(text) })
    if (open === -1) break
    const close = template.indexOf("}", open)
    if (close === -1) return problem(open, "this { is never closed; add the }, or write %7B for the character")
    const expression = parseExpression(template.slice(open + 1, close), open + 1)
    if (Result.isFailure(expression)) return Result.fail(expression.failure)
    parts.push(expression.success)
    at = close + 1
  }
  return Result.succeed(parts)
}

/**
 * Reads a template. Text without an expression is a template too: it matches itself.
 *
 * @example
 * ```ts
 * import { UriTemplate } from "@effect-mcp/sdk"
 * import * as Result from "effect/Result"
 *
 * const template = Result.getOrThrow(UriTemplate.parse("city://{name}{?units}"))
 * UriTemplate.match(template, "city://Oslo?units=metric") // Option.some({ name: "Oslo", units: "metric" })
 * UriTemplate.expand(template, { name: "São Paulo" }) // "city://S%C3%A3o%20Paulo"
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = <const T extends string>(template: T): Result.Result<UriTemplate<T>, UriTemplateError> => {
  const parts = parseParts(template)
  return Result.isFailure(parts)
    ? Result.fail(new UriTemplateError({ template, position: parts.failure.at, problem: parts.failure.problem }))
    : Result.succeed({ template, parts: parts.success, program: UriMatch.compile(parts.success) })
}

/**
 * The names of a template's variables, each once, in the order of their first appearance.
 *
 * @since 0.1.0
 * @category getters
 */
export const variableNames = <T extends string>(template: UriTemplate<T>): ReadonlyArray<Variables<T>> => {
  const names = new Set<string>()
  for (const part of template.parts) {
    if (part._tag === "Expression") { for (const { name } of part.variables) names.add(name) }
  }
  return Array.from(names) as ReadonlyArray<string> as ReadonlyArray<Variables<T>>
}

// ---------------------------------------------------------------------------------------------------------------
// Expansion
// ---------------------------------------------------------------------------------------------------------------

const isPresent = (value: Scalar): value is string | number | boolean => value !== undefined && value !== null

const expandVariable = (variable: Variable, value: Value, style: Style): string | undefined => {
  const { empty, encode, named, separator } = style
  const pair = (name: string, text: string) => name + (text === "" ? empty : `=${text}`)
  const name = encodeReserved(variable.name)
  if (typeof value !== "object" || value === null) {
    if (!isPresent(value)) return undefined
    const text = encode(take(String(value), variable.prefix))
    return named ? pair(name, text) : text
  }
  // A prefix means nothing to a list or a record: the RFC calls it undefined, and here the whole value is written.
  const items: Array<string> = []
  if (Array.isArray(value)) {
    for (const item of value as ReadonlyArray<Scalar>) {
      if (!isPresent(item)) continue
      const text = encode(String(item))
      items.push(variable.explode && named ? pair(name, text) : text)
    }
  } else {
    for (const [key, item] of Object.entries(value as { readonly [name: string]: Scalar })) {
      if (!isPresent(item)) continue
      const left = encode(key)
      const right = encode(String(item))
      items.push(variable.explode ? (named ? pair(left, right) : `${left}=${right}`) : `${left},${right}`)
    }
  }
  if (items.length === 0) return undefined
  if (variable.explode) return items.join(separator)
  return named ? pair(name, items.join(",")) : items.join(",")
}

/**
 * The URI that a template gives for these values. A variable without a value leaves nothing behind.
 *
 * Never throws; lone surrogates are written as U+FFFD.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3
 * @since 0.1.0
 * @category expanding
 */
export const expand = <T extends string>(
  template: UriTemplate<T>,
  values: { readonly [Name in Variables<T>]?: Value }
): string => {
  let uri = ""
  for (const part of template.parts) {
    if (part._tag === "Literal") {
      uri += part.text
      continue
    }
    const style = styles[part.operator]
    let separator = style.lead
    for (const variable of part.variables) {
      const value: Value = Object.hasOwn(values, variable.name) ? values[variable.name as Variables<T>] : undefined
      const text = expandVariable(variable, value, style)
      if (text === undefined) continue
      uri += separator + text
      separator = style.separator
    }
  }
  return uri
}

// ---------------------------------------------------------------------------------------------------------------
// Matching
// ---------------------------------------------------------------------------------------------------------------

/**
 * The number of automaton steps that a match takes, for tests of its cost.
 *
 * @internal
 */
export const matchSteps = (template: UriTemplate, uri: string): number =>
  UriMatch.simulate(template.program, UriMatch.toSymbols(uri) ?? []).steps

/**
 * The variables that a URI gives to a template, or none where no values could have given this URI.
 *
 * - `{name}` and `{+name}` stand for at least one character. `{name}` ends before `/`, `?`, `#` and `&`; `{+name}`
 *   may contain them. Each takes as little as lets the rest match: `{+path}/{file}` splits at the last slash, since
 *   `{file}` may have none, and `{a}-{b}` at the first hyphen.
 * - Expressions with a sign may be absent. `{?a,b}`, `{&a,b}` and `{;a,b}` come in any order; a parameter that the
 *   template does not name, or one given twice without `*`, is no match.
 * - Exploded variables give lists; a list that was not exploded gives its items joined by commas, and records are not
 *   recovered.
 * - Values are percent-decoded, **after** the URI was taken apart: `{name}` may give `../x` where the URI has
 *   `..%2Fx`. Check names before they become file paths.
 * - Characters that RFC 3986 calls equivalent match alike (`%7e` and `~`), and text that should have been escaped
 *   (`São Paulo`) is read as if it were. A malformed escape, or one of no UTF-8, matches nothing.
 *
 * Never throws. The work is bounded by the length of the URI (at most `maxUriLength`) times that of the template.
 *
 * @since 0.1.0
 * @category matching
 */
export const match = <T extends string>(template: UriTemplate<T>, uri: string): Option.Option<Match<T>> => {
  const values = uri.length > maxUriLength ? undefined : UriMatch.match(template.parts, template.program, uri)
  // The program was compiled from `T`, so that the names are those of `Match<T>`.
  return values === undefined ? Option.none() : Option.some(Object.fromEntries(values) as Match<T>)
}
