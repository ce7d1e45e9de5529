/**
 * Whether the headers of a modern POST agree with its body.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 * @since 0.1.0
 */
import type { Params, Request } from "../../protocol/JsonRpc.ts"
import * as ParamHeaders from "./ParamHeaders.ts"

/**
 * The header that names the revision.
 *
 * @since 0.1.0
 * @category constants
 */
export const versionHeader = "mcp-protocol-version"

const isObject = (u: unknown): u is { readonly [key: string]: unknown } => typeof u === "object" && u !== null

/**
 * The revision that a message names in its `_meta`, whatever that is: what makes it one of the modern era.
 *
 * @since 0.1.0
 * @category decoding
 */
export const versionOf = (message: unknown): unknown => {
  const params = isObject(message) ? message["params"] : undefined
  const meta = isObject(params) ? params["_meta"] : undefined
  return isObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined
}

/**
 * The parameter that `Mcp-Name` mirrors, by method. The last three are of the tasks extension.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers
 * @since 0.1.0
 * @category constants
 */
export const nameParameter: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"]
])

const shown = (value: string) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

const differ = (name: string, sent: string, meant: string) =>
  `${name} header value ${shown(sent)} does not match the body value ${shown(meant)}`

const declarations = new WeakMap<object, ReadonlyArray<ParamHeaders.ParamHeader>>()

/** The headers that a tool asks for, found once per definition. A definition with a fault asks for none. */
const declared = (inputSchema: object): ReadonlyArray<ParamHeaders.ParamHeader> => {
  let headers = declarations.get(inputSchema)
  if (headers === undefined) {
    const found = ParamHeaders.find(inputSchema)
    headers = typeof found === "string" ? [] : found
    declarations.set(inputSchema, headers)
  }
  return headers
}

/** What is wrong with the header that mirrors a name. A body without the name is refused for that. */
const nameProblem = (params: Params | undefined, parameter: string, sent: string | undefined): string | undefined => {
  const name = params?.[parameter]
  if (typeof name !== "string") return undefined
  if (sent === undefined) return `Mcp-Name is missing; it mirrors params.${parameter}`
  const decoded = ParamHeaders.decode(sent)
  if (decoded === undefined) return "Mcp-Name holds characters or Base64 that no header may hold"
  return decoded === name ? undefined : differ("Mcp-Name", decoded, name)
}

/**
 * What does not agree in the headers of a request that names the revision `version` in its `_meta`, in words.
 * `inputSchema` gives that of a tool.
 *
 * @since 0.1.0
 * @category checks
 */
export const problem = (
  { method, params }: Request,
  version: string,
  header: (name: string) => string | undefined,
  inputSchema: (tool: string) => object | undefined
): string | undefined => {
  const sentVersion = header(versionHeader)
  if (sentVersion === undefined) return "MCP-Protocol-Version is missing"
  if (sentVersion !== version) return differ("MCP-Protocol-Version", sentVersion, version)
  const sentMethod = header("mcp-method")
  if (sentMethod === undefined) return "Mcp-Method is missing"
  if (sentMethod !== method) return differ("Mcp-Method", sentMethod, method)
  const parameter = nameParameter.get(method)
  if (parameter === undefined) return undefined
  const wrongName = nameProblem(params, parameter, header("mcp-name"))
  if (wrongName !== undefined || method !== "tools/call" || typeof params?.["name"] !== "string") return wrongName
  const schema = inputSchema(params["name"])
  if (schema === undefined) return undefined
  const headers = declared(schema)
  return headers.length === 0 ? undefined : ParamHeaders.problem(headers, params["arguments"], header)
}
