/** Reads of a server's malformed answers what can be read: one bad entry spoils no list, an odd name no connection. */
import * as Result from "effect/Result"
import { ServerCapabilities } from "../../protocol/Capabilities.ts"
import * as Codec from "../../protocol/Codec.ts"
import { Resource } from "../../protocol/Content.ts"
import { Implementation } from "../../protocol/Implementation.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import * as Method from "../../protocol/Method.ts"
import { Prompt } from "../../protocol/Prompts.ts"
import { ResourceTemplate } from "../../protocol/Resources.ts"
import type { Revision } from "../../protocol/Revision.ts"
import { Tool } from "../../protocol/Tools.ts"

const isObject = (u: unknown): u is Params => typeof u === "object" && u !== null && !Array.isArray(u)

type Read = (entry: unknown, revision: Revision) => Result.Result<unknown, string>

/**
 * A tool. Its schemas are read as whatever they are: what cannot be used of them shows when the tool is called, and a
 * schema without `"type": "object"` may well be good.
 */
const readTool: Read = (entry, revision) => {
  const strict = Codec.decode(Tool, revision)(entry)
  if (Result.isSuccess(strict) || !isObject(entry)) return strict
  const { inputSchema, outputSchema, ...rest } = entry
  if (!isObject(inputSchema)) return strict
  return Result.map(Codec.decode(Tool, revision)({ ...rest, inputSchema: { type: "object" } }), (tool) => ({
    ...tool,
    inputSchema,
    ...(outputSchema === undefined || outputSchema === null ? {} : { outputSchema })
  }))
}

const lists: { readonly [method: string]: { readonly key: string; readonly read: Read } } = {
  "tools/list": { key: "tools", read: readTool },
  "resources/list": { key: "resources", read: (entry, revision) => Codec.decode(Resource, revision)(entry) },
  "resources/templates/list": {
    key: "resourceTemplates",
    read: (entry, revision) => Codec.decode(ResourceTemplate, revision)(entry)
  },
  "prompts/list": { key: "prompts", read: (entry, revision) => Codec.decode(Prompt, revision)(entry) }
}

/** A result that was read, and what had to be left out of it. */
export interface Salvaged {
  readonly result: Params
  readonly dropped: ReadonlyArray<string>
}

/** A page of a list without its malformed entries; `undefined` where that is not what is wrong with it. */
export const page = (method: string, result: Params, revision: Revision): Salvaged | undefined => {
  const list = Object.hasOwn(lists, method) ? lists[method] : undefined
  const known = Method.request(method)
  if (list === undefined || known === undefined) return undefined
  const entries = result[list.key]
  if (!Array.isArray(entries)) return undefined
  const empty = Method.decodeResult(known, revision)({ ...result, [list.key]: [] })
  if (Result.isFailure(empty)) return undefined
  const dropped: Array<string> = []
  const kept = entries.flatMap((entry) => {
    const read = list.read(entry, revision)
    if (Result.isSuccess(read)) return [read.success]
    const name = isObject(entry) && typeof entry["name"] === "string" ? JSON.stringify(entry["name"]) : "an entry"
    dropped.push(`${name}: ${read.failure}`)
    return []
  })
  return { result: { ...(empty.success as Params), [list.key]: kept }, dropped }
}

/** What a server says of itself when a connection is opened. */
export interface Opening {
  readonly capabilities: ServerCapabilities | undefined
  readonly serverInfo: Implementation | undefined
  readonly instructions: string | undefined
}

/** Capabilities; `undefined`, which is unknown, where they are none. */
const readCapabilities = (value: unknown, revision: Revision): ServerCapabilities | undefined => {
  const decode = Codec.decode(ServerCapabilities, revision)
  const strict = decode(value)
  if (Result.isSuccess(strict)) return strict.success
  if (!isObject(value)) return undefined
  // Some say `true` for "yes".
  const objects = Object.entries(value).flatMap(([name, member]) =>
    isObject(member) ? [[name, member] as const] : member === true ? [[name, {}] as const] : []
  )
  return Result.getOrUndefined(decode(Object.fromEntries(objects)))
}

/** Who and what a server is, as far as it can be read. That is for display: it decides on no connection. */
export const opening = (result: Params, serverInfo: unknown, revision: Revision): Opening => {
  const { capabilities, instructions } = result
  return {
    capabilities: readCapabilities(capabilities, revision),
    serverInfo: Result.getOrUndefined(Codec.decode(Implementation, revision)(serverInfo)),
    instructions: typeof instructions === "string" ? instructions : undefined
  }
}
