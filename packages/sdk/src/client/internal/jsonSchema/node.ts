/** A node of a compiled schema: what a keyword is compiled with and to, and how a value is asked about. */
import type { Draft } from "./dialect.ts"
import type { Resource } from "./document.ts"
import type { Pattern } from "./pattern.ts"
import { type JsonObject, Marks, type Run } from "./run.ts"

/** The resources that a validation has come through: what dynamic references look into, the innermost first. */
export interface Scope {
  readonly resource: Resource
  readonly outer: Scope | undefined
}

export type Check = (value: unknown, run: Run, scope: Scope, marks: Marks | undefined) => boolean

/** A compiled schema. Filled in after it was made, since schemas refer to each other in circles. */
export interface Node {
  readonly resource: Resource
  /** The verdict of a boolean schema. */
  readonly always: boolean | undefined
  checks: ReadonlyArray<Check>
  /** Whether `unevaluated…` asks here what the other keywords have looked at. */
  unevaluated: boolean
  /** The nodes that are asked about the same value. */
  readonly beside: Array<Node>
}

/** What a keyword gets to compile itself with. */
export interface Context {
  readonly draft: Draft
  readonly schema: JsonObject
  /** The node of a schema that is asked about a part of the value. */
  readonly below: (schema: unknown) => Node
  /** The node of a schema that is asked about the same value. */
  readonly beside: (schema: unknown) => Node
  readonly reference: (reference: string) => Node
  readonly dynamicReference: (reference: string) => (scope: Scope, run: Run) => Node
  readonly pattern: (source: string) => Pattern
  readonly usesUnevaluated: () => void
}

/** Asks a node about a value, and hands on what its keywords have looked at where that is wanted and the verdict good. */
export const evaluate = (node: Node, value: unknown, run: Run, scope: Scope, marks: Marks | undefined): boolean => {
  if (node.always !== undefined) {
    run.spend(1)
    return node.always || run.fail(() => "is not allowed", value)
  }
  run.enter()
  const inner = scope.resource === node.resource ? scope : { resource: node.resource, outer: scope }
  const own = marks !== undefined || node.unevaluated ? new Marks() : undefined
  let verdict = true
  for (const check of node.checks) {
    run.spend(1)
    if (check(value, run, inner, own)) continue
    verdict = false
    if (!run.goesOn) break
  }
  if (verdict && own !== undefined) marks?.merge(own, run.spend)
  run.leave()
  return verdict
}
