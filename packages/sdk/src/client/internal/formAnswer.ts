/** Fills in and checks the answer to a form, before it is sent. */
import type { ElicitResult, FormSchema } from "../../protocol/Elicitation.ts"
import * as Problem from "../../protocol/Problem.ts"

type Content = NonNullable<ElicitResult["content"]>
type Value = Content[string]

/** A field, with the keywords of all its kinds: the kinds overlap, and servers mix them. */
interface Field {
  readonly type: string
  readonly default?: unknown
  readonly enum?: ReadonlyArray<string>
  readonly oneOf?: ReadonlyArray<{ readonly const: string }>
  readonly items?: { readonly enum?: ReadonlyArray<string>; readonly anyOf?: ReadonlyArray<{ readonly const: string }> }
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly format?: string
}

const fieldsOf = (form: FormSchema) => Object.entries(form.properties as { readonly [name: string]: Field })

/** The content with the form's defaults for the fields that the user left out. */
export const withDefaults = (form: FormSchema, content: Content): Content => {
  const missing = fieldsOf(form).filter(([name, field]) => !Object.hasOwn(content, name) && field.default !== undefined)
  return missing.length === 0
    ? content
    : Object.fromEntries([
      ...Object.entries(content),
      ...missing.map(([name, field]): [string, Value] => [name, field.default as Value])
    ])
}

const date = /^(\d{4})-(\d{2})-(\d{2})$/
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const isDate = (text: string): boolean => {
  const match = date.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const made = new Date(Date.UTC(2000, month - 1, day))
  made.setUTCFullYear(year, month - 1, day)
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day
}

const formats: { readonly [format: string]: (text: string) => boolean } = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text),
  date: isDate,
  "date-time": (text) => /^.{10}[T ]/i.test(text) && isDate(text.slice(0, 10)) && time.test(text.slice(11))
}

const length = (text: string): number => {
  // JSON Schema counts characters, not UTF-16 units.
  let count = 0
  for (const _ of text) count++
  return count
}

const choicesOf = (field: Field): ReadonlyArray<string> | undefined =>
  field.enum ?? field.oneOf?.map((option) => option.const)

const flaw = (field: Field, value: Value): string | undefined => {
  switch (field.type) {
    case "string": {
      if (typeof value !== "string") return "expected text"
      const choices = choicesOf(field)
      if (choices !== undefined) {
        return choices.includes(value) ? undefined : `expected one of ${choices.slice(0, 20).join(", ")}`
      }
      if (field.minLength !== undefined && length(value) < field.minLength) {
        return `expected at least ${field.minLength} characters`
      }
      if (field.maxLength !== undefined && length(value) > field.maxLength) {
        return `expected at most ${field.maxLength} characters`
      }
      const format = field.format === undefined ? undefined : formats[field.format]
      return format === undefined || format(value) ? undefined : `expected the format ${field.format}`
    }
    case "number":
    case "integer":
      if (typeof value !== "number" || !Number.isFinite(value)) return "expected a number"
      if (field.type === "integer" && !Number.isInteger(value)) return "expected an integer"
      if (field.minimum !== undefined && value < field.minimum) return `expected at least ${field.minimum}`
      if (field.maximum !== undefined && value > field.maximum) return `expected at most ${field.maximum}`
      return undefined
    case "boolean":
      return typeof value === "boolean" ? undefined : "expected yes or no"
    case "array": {
      if (!Array.isArray(value)) return "expected a list"
      const choices = field.items?.enum ?? field.items?.anyOf?.map((option) => option.const)
      if (!value.every((item) => typeof item === "string" && (choices === undefined || choices.includes(item)))) {
        return choices === undefined ? "expected texts" : `expected some of ${choices.slice(0, 20).join(", ")}`
      }
      if (field.minItems !== undefined && value.length < field.minItems) return `expected at least ${field.minItems}`
      if (field.maxItems !== undefined && value.length > field.maxItems) return `expected at most ${field.maxItems}`
      return undefined
    }
    default:
      return undefined
  }
}

/** What is wrong with an answer; nothing where it fits the form. Members that the form does not have are let be. */
export const problems = (form: FormSchema, content: Content): ReadonlyArray<Problem.Problem> => {
  const found: Array<Problem.Problem> = []
  for (const name of form.required ?? []) {
    if (!Object.hasOwn(content, name)) found.push({ path: [name], message: "is missing" })
  }
  for (const [name, field] of fieldsOf(form)) {
    if (!Object.hasOwn(content, name)) continue
    const value = content[name] as Value
    const message = flaw(field, value)
    if (message !== undefined) found.push({ path: [name], message, received: Problem.preview(value) })
  }
  return found
}
