/** The schemas of the tools that the server has listed: what arguments and results are held against. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as McpError from "../../protocol/McpError.ts"
import type { CallToolResult, Tool } from "../../protocol/Tools.ts"
import type { SchemaRejected, Validator } from "../JsonSchemaValidator.ts"

export type Compile = (schema: unknown) => Result.Result<Validator, SchemaRejected>

/** What is known of one tool. Its schemas are compiled when they are first needed. */
export interface Entry {
  readonly checkArguments: (args: { readonly [name: string]: unknown }) => Effect.Effect<void, McpError.McpError>
  /** Gives the check of the result, or fails before the call is made: then it could not be told right from wrong. */
  readonly result: Effect.Effect<(result: CallToolResult) => Effect.Effect<void, McpError.McpError>, McpError.McpError>
}

export interface ToolSchemas {
  /** Notes the tools of a page. A schema that is as it was keeps its validator. */
  readonly learn: (tools: ReadonlyArray<Tool>) => void
  /** `undefined` for a tool that was not listed, or not since the list changed. */
  readonly get: (name: string) => Entry | undefined
  /** Counts how often all was forgotten, so that a page asked for before is not learnt after. */
  readonly generation: () => number
  readonly forget: () => void
}

/** More tools than any server lists; a server that lists new ones without end does not fill the memory. */
const most = 50_000

interface Compiled {
  readonly text: string
  readonly validator: Result.Result<Validator, SchemaRejected>
}

interface Known {
  tool: Tool
  input: Compiled | undefined
  output: Compiled | undefined
  warned: boolean
  entry: Entry
}

const invalidPeer = (detail: string, data?: unknown) =>
  Effect.fail(McpError.make(new McpError.InvalidPeerMessage(data === undefined ? { detail } : { detail, data })))

/** Callers write `null` for what they leave out, where JSON has no `undefined`. */
const withoutNulls = (args: { readonly [name: string]: unknown }, required: unknown) => {
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  const superfluous = Object.keys(args).some((name) => args[name] === null && !isRequired(name))
  return superfluous
    ? Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || isRequired(name)))
    : args
}

export const make = (compile: Compile): ToolSchemas => {
  let tools = new Map<string, Known>()
  let generation = 0

  const compiled = (known: Known, which: "input" | "output", schema: unknown): Compiled["validator"] => {
    const before = known[which]
    const text = before === undefined ? "" : JSON.stringify(schema)
    if (before !== undefined && before.text === text) return before.validator
    const validator = compile(schema)
    known[which] = { text: JSON.stringify(schema), validator }
    return validator
  }

  const checkArguments = (known: Known, args: { readonly [name: string]: unknown }) =>
    Effect.suspend(() => {
      const { inputSchema, name } = known.tool
      const validator = compiled(known, "input", inputSchema)
      if (Result.isFailure(validator)) {
        if (known.warned) return Effect.void
        known.warned = true
        return Effect.logWarning(`The arguments of the tool ${name} are sent unchecked: ${validator.failure.message}`)
      }
      const verdict = validator.success.validate(args)
      if (Result.isSuccess(verdict) || verdict.failure.exhausted) return Effect.void
      const without = withoutNulls(args, inputSchema.required)
      if (without !== args && Result.isSuccess(validator.success.validate(without))) return Effect.void
      return Effect.fail(McpError.make(
        new McpError.InvalidArguments({
          method: "tools/call",
          detail: `The arguments do not fit the tool ${name}:\n${verdict.failure.message}`
        })
      ))
    })

  const checkResult = (known: Known): Entry["result"] =>
    Effect.suspend(() => {
      const { name, outputSchema } = known.tool
      if (outputSchema === undefined) return Effect.succeed(() => Effect.void)
      const validator = compiled(known, "output", outputSchema)
      if (Result.isFailure(validator)) {
        return invalidPeer(
          `The tool ${name} is not called: its output schema cannot be used, so its result could not be checked. ${validator.failure.message}`
        )
      }
      return Effect.succeed((result) => {
        // The text of a failed tool is for the model, whatever else is in the result.
        if (result.isError === true) return Effect.void
        if (result.structuredContent === undefined) {
          return invalidPeer(`The tool ${name} declares structured output and gave none`, result)
        }
        const verdict = validator.success.validate(result.structuredContent)
        return Result.isSuccess(verdict) ? Effect.void : invalidPeer(
          `The result of the tool ${name} does not fit its output schema:\n${verdict.failure.message}`,
          result
        )
      })
    })

  const know = (tool: Tool): Known => {
    const known: Known = {
      tool,
      input: undefined,
      output: undefined,
      warned: false,
      entry: {
        checkArguments: (args) => checkArguments(known, args),
        result: Effect.suspend(() => checkResult(known))
      }
    }
    return known
  }

  return {
    learn: (list) => {
      for (const tool of list) {
        const known = tools.get(tool.name)
        if (known !== undefined) known.tool = tool
        else if (tools.size < most) tools.set(tool.name, know(tool))
      }
    },
    get: (name) => tools.get(name)?.entry,
    generation: () => generation,
    forget: () => {
      generation++
      tools = new Map()
    }
  }
}
