/**
 * Completions: what a server proposes while someone types a prompt's argument or a template's variable.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { McpError } from "../protocol/McpError.ts"
import type * as UriTemplate from "../protocol/UriTemplate.ts"
import type * as Prompt from "./Prompt.ts"
import type * as Resource from "./Resource.ts"
import type * as ResourceTemplate from "./ResourceTemplate.ts"

/**
 * Proposals, best first. Of a plain list the first 100 are sent with the total; a whole answer is sent as it is.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 * @since 0.1.0
 * @category models
 */
export type Answer = ReadonlyArray<string> | {
  readonly values: ReadonlyArray<string>
  readonly total?: number | undefined
  readonly hasMore?: boolean | undefined
}

/**
 * Proposes values: given what is typed so far, and the other arguments that are already known.
 *
 * @since 0.1.0
 * @category models
 */
export type Completer<R = any> = (
  value: string,
  known: { readonly [name: string]: string }
) => Effect.Effect<Answer, McpError, R>

/**
 * Completers by kind, feature and argument. Each is optional.
 *
 * @since 0.1.0
 * @category type-level
 */
export interface Handlers<Resources extends Resource.Any | ResourceTemplate.Any, Prompts extends Prompt.Any> {
  readonly resources?:
    | { readonly [R in Resources as R extends ResourceTemplate.Any ? R["name"] : never]?: OfTemplate<R> }
    | undefined
  readonly prompts?: { readonly [P in Prompts as P["name"]]?: OfPrompt<P> } | undefined
}

type OfTemplate<R> = R extends ResourceTemplate.ResourceTemplate<string, infer Template, any>
  ? { readonly [K in UriTemplate.Variables<Template>]?: Completer }
  : never

type OfPrompt<P> = P extends Prompt.Prompt<string, infer Arguments> ? { readonly [K in keyof Arguments]?: Completer }
  : never
