/**
 * The parameters of a server's tools that are mirrored in headers, learnt from what the server lists.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { Params, Success } from "../../../../protocol/JsonRpc.ts"
import * as ParamHeaders from "../../ParamHeaders.ts"

const isObject = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** More tools than any server lists; a server that lists new ones without end does not fill the memory. */
const most = 50_000

/** What is known of the tools of one server. */
export class ToolHeaders {
  readonly #byTool = new Map<string, ReadonlyArray<ParamHeaders.ParamHeader>>()
  readonly #warned = new Map<string, string>()
  readonly #warn: (message: string) => void

  /** `warn` is told of each tool that cannot be used, once. */
  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  /** Notes the tools of a page, and takes out those whose annotations are invalid. */
  learn(response: Success): Success {
    const tools = response.result["tools"]
    if (!Array.isArray(tools)) return response
    const kept = tools.filter((tool) => this.#keep(tool))
    return kept.length === tools.length ? response : { ...response, result: { ...response.result, tools: kept } }
  }

  /** The headers of a call. */
  of(params: Params | undefined): { readonly [header: string]: string } | undefined {
    const name = params?.["name"]
    const headers = typeof name === "string" ? this.#byTool.get(name) : undefined
    return headers === undefined ? undefined : ParamHeaders.mirror(headers, params?.["arguments"])
  }

  #keep(tool: unknown): boolean {
    if (!isObject(tool) || typeof tool["name"] !== "string") return true
    const { inputSchema, name } = tool
    const headers = ParamHeaders.find(inputSchema)
    if (typeof headers === "string") {
      this.#byTool.delete(name)
      if (this.#warned.get(name) !== headers && this.#warned.size < most) {
        this.#warned.set(name, headers)
        this.#warn(`The tool ${JSON.stringify(name)} is left out, its x-mcp-header is invalid: ${headers}`)
      }
      return false
    }
    if (headers.length === 0) this.#byTool.delete(name)
    else if (this.#byTool.size < most || this.#byTool.has(name)) this.#byTool.set(name, headers)
    return true
  }
}
