/**
 * Tells why a value did not fit an Effect Schema, so that whoever sent it, often a model, can mend it.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Problem from "../protocol/Problem.ts"

/** Issues are told without their input: the value is shown apart, and shortened. */
const formatter = SchemaIssue.makeFormatterDefault()

type Path = ReadonlyArray<string | number>

/** `Expected an integer` as the middle of a sentence; texts of the schema's author stay as they are. */
const lowered = (message: string): string => message.startsWith("Expected ") ? `e${message.slice(1)}` : message

const received = (issue: SchemaIssue.Issue): string | undefined =>
  SchemaIssue.hasInput(issue) ? Problem.preview(issue.input) : undefined

const propertyNames = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** What the struct says of a key that is missing. */
const missing = (parent: SchemaAST.AST | undefined, path: Path, issue: SchemaIssue.MissingKey): string => {
  const own = SchemaIssue.defaultLeafHook(issue)
  if (own !== "Missing key") return own
  const key = path.at(-1)
  const member = parent?._tag === "Objects"
    ? parent.propertySignatures.find(({ name }) => name === key)?.type
    : parent?._tag === "Arrays" && typeof key === "number"
    ? parent.elements[key]
    : undefined
  return member === undefined
    ? "is missing"
    : `is missing, ${lowered(SchemaIssue.defaultLeafHook(new SchemaIssue.InvalidType(member)))}`
}

const unexpected = (issue: SchemaIssue.UnexpectedKey): string => {
  const own = SchemaIssue.defaultLeafHook(new SchemaIssue.UnexpectedKey(issue.ast, undefined))
  if (own !== "Expected no excess property") return own
  if (issue.ast._tag === "Arrays") return "is one too many; remove it"
  const names = propertyNames(issue.ast)
  return names.length === 0
    ? "is not known here; remove it"
    : `is not known here; known are ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}`
}

const isPlain = (problem: Problem.Problem, path: Path): boolean =>
  problem.path.length === path.length && problem.message.startsWith("expected ")

/** The property that tells the members of a union apart, where the value has none of their literals in it. */
const discriminant = (issue: SchemaIssue.AnyOf, path: Path): Problem.Problem | undefined => {
  const [first, ...rest] = issue.ast.types.map((type) => {
    const encoded = SchemaAST.toEncoded(type)
    const literals = new Map<string, string>()
    if (encoded._tag === "Objects") {
      for (const { name, type } of encoded.propertySignatures) {
        if (type._tag === "Literal") literals.set(String(name), Problem.preview(type.literal))
      }
    }
    return literals
  })
  for (const key of first?.keys() ?? []) {
    if (!rest.every((literals) => literals.has(key))) continue
    const literals = new Set([first!, ...rest].map((member) => member.get(key)))
    const value = SchemaIssue.hasInput(issue) && typeof issue.input === "object" && issue.input !== null
      ? Object.getOwnPropertyDescriptor(issue.input, key)
      : undefined
    const expected = `expected ${Array.from(literals).join(" | ")}`
    return value === undefined
      ? { path: [...path, key], message: `is missing, ${expected}` }
      : { path: [...path, key], message: expected, received: Problem.preview(value.value) }
  }
  return undefined
}

/** No member of a union fits: one line where all of them speak of the same place, else the member that came closest. */
const alternatives = (issue: SchemaIssue.AnyOf, path: Path): ReadonlyArray<Problem.Problem> => {
  const members = issue.issues.map((member) => walk(member, path, undefined))
  if (members.length === 1) return members[0]!
  const tag = members.length === 0 ? discriminant(issue, path) : undefined
  if (tag !== undefined) return [tag]
  if (members.every((member) => member.length === 1 && isPlain(member[0]!, path))) {
    const texts = new Set(members.map((member) => member[0]!.message.slice("expected ".length)))
    return [{
      path,
      message: texts.size === 0
        ? lowered(SchemaIssue.defaultLeafHook(new SchemaIssue.InvalidType(issue.ast)))
        : `expected ${Array.from(texts).join(" or ")}`,
      received: received(issue) ?? members[0]?.[0]?.received
    }]
  }
  // A member whose problems lie deeper, or are fewer, is likelier the one that was meant.
  const depth = (problems: ReadonlyArray<Problem.Problem>) => Math.min(...problems.map(({ path }) => path.length))
  const closest = members.reduce((best, member) =>
    depth(member) > depth(best) || (depth(member) === depth(best) && member.length < best.length) ? member : best
  )
  const rest = members.length - 1
  return closest.map((problem, i) =>
    i > 0 ? problem : {
      ...problem,
      message: `${problem.message} (the closest of ${rest + 1} alternatives)`
    }
  )
}

const walk = (
  issue: SchemaIssue.Issue,
  path: Path,
  parent: SchemaAST.AST | undefined
): ReadonlyArray<Problem.Problem> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(
        issue.issue,
        [...path, ...issue.path.map((key) => typeof key === "number" ? key : String(key))],
        parent
      )
    case "Composite":
      return issue.issues.flatMap((inner) => walk(inner, path, issue.ast))
    case "Encoding":
      return walk(issue.issue, path, parent)
    case "Filter":
      // A check may point into the value; only the plainest one is told by its own name.
      return issue.issue._tag === "InvalidValue"
        ? [{
          path,
          message: lowered(formatter(
            new SchemaIssue.Filter(issue.filter, new SchemaIssue.InvalidValue(issue.issue.annotations))
          )),
          received: received(issue) ?? received(issue.issue)
        }]
        : walk(issue.issue, path, parent)
    case "InvalidType":
      return [{
        path,
        message: lowered(formatter(new SchemaIssue.InvalidType(issue.ast))),
        received: received(issue)
      }]
    case "InvalidValue":
      return [{
        path,
        message: lowered(formatter(new SchemaIssue.InvalidValue(issue.annotations))),
        received: received(issue)
      }]
    case "AnyOf":
      return alternatives(issue, path)
    case "MissingKey":
      return [{ path, message: missing(parent, path, issue) }]
    case "UnexpectedKey":
      return [{ path, message: unexpected(issue) }]
    default:
      return [{ path, message: lowered(formatter(issue)), received: received(issue) }]
  }
}

/**
 * The problems that an issue tells of, in the order in which the value was read.
 *
 * @since 0.1.0
 * @category formatting
 */
export const problems = (issue: SchemaIssue.Issue | Schema.SchemaError): ReadonlyArray<Problem.Problem> => {
  const root = Schema.isSchemaError(issue) ? issue.issue : issue
  const found = walk(root, [], undefined)
  if (!SchemaIssue.hasInput(root)) return found
  // What was sent, not what a transformation had made of it by the time it failed.
  return found.map((problem) => {
    const sent = problem.received === undefined ? Option.none() : valueAt(root.input, problem.path)
    return Option.isNone(sent) ? problem : { ...problem, received: Problem.preview(sent.value) }
  })
}

const valueAt = (value: unknown, path: Path): Option.Option<unknown> => {
  let current = value
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return Option.none()
    current = (current as { readonly [key: string | number]: unknown })[key]
  }
  return Option.some(current)
}

/**
 * The text of an issue: one line a problem, with path, expectation and what was there. `root` is what the value as a
 * whole is called.
 *
 * @since 0.1.0
 * @category formatting
 */
export const formatIssue = (issue: SchemaIssue.Issue | Schema.SchemaError, root?: string): string =>
  Problem.format(problems(issue), { root })
