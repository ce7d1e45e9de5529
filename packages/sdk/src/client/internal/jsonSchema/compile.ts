/** A schema as a graph of nodes, each a list of checks. Compiling is done once, checking costs no look-ups. */
import * as Result from "effect/Result"
import { Document, type Limits, type Place, Refusal, type Resource } from "./document.ts"
import * as Keywords from "./keywords.ts"
import type { Context, Node, Scope } from "./node.ts"
import * as Pattern from "./pattern.ts"
import { isObject, type JsonObject, type Run } from "./run.ts"

class Compiler {
  private readonly document: Document
  private readonly nodes = new Map<JsonObject, Node>()
  private readonly pending: Array<readonly [Node, JsonObject]> = []
  private readonly patterns = new Map<string, Pattern.Pattern>()

  constructor(document: Document) {
    this.document = document
  }

  compile(): Node {
    const root = this.node(this.document.root)
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
      const [node, schema] = next
      node.checks = Keywords.compile(this.context(node, schema))
    }
    refuseCircles(this.nodes.values())
    return root
  }

  private node({ resource, schema }: Place): Node {
    if (typeof schema === "boolean") {
      return { resource, always: schema, checks: [], unevaluated: false, beside: [] }
    }
    const known = this.nodes.get(schema)
    if (known !== undefined) return known
    const node: Node = { resource, always: undefined, checks: [], unevaluated: false, beside: [] }
    this.nodes.set(schema, node)
    this.pending.push([node, schema])
    return node
  }

  private context(node: Node, schema: JsonObject): Context {
    const { resource } = node
    const at = (inner: unknown): Node => {
      if (typeof inner === "boolean") return this.node({ schema: inner, resource })
      if (!isObject(inner)) {
        throw new Refusal("InvalidSchema", `expected a schema, found ${JSON.stringify(inner)?.slice(0, 80)}`)
      }
      return this.node({ schema: inner, resource: this.document.below(inner, resource) })
    }
    const beside = (inner: Node): Node => {
      node.beside.push(inner)
      return inner
    }
    return {
      draft: resource.draft,
      schema,
      below: at,
      beside: (inner) => beside(at(inner)),
      reference: (reference) => beside(this.node(this.document.resolve(reference, resource))),
      dynamicReference: (reference) => this.dynamic(reference, resource),
      pattern: (source) => this.pattern(source),
      usesUnevaluated: () => {
        node.unevaluated = true
      }
    }
  }

  /** The outermost schema of that name, among the resources come through, or the one that is simply referred to. */
  private dynamic(reference: string, from: Resource): (scope: Scope, run: Run) => Node {
    const place = this.document.resolve(reference, from)
    const plain = this.node(place)
    const name = reference.slice(reference.indexOf("#") + 1)
    const isDynamic = isObject(place.schema) && place.resource.dynamicAnchors.get(name) === place.schema
    if (!isDynamic) return () => plain
    const nodes = new Map<Resource, Node>()
    for (const resource of this.document.all()) {
      const schema = resource.dynamicAnchors.get(name)
      if (schema !== undefined) nodes.set(resource, this.node({ schema, resource }))
    }
    return (scope, run) => {
      let found = plain
      for (let within: Scope | undefined = scope; within !== undefined; within = within.outer) {
        run.spend(1)
        found = nodes.get(within.resource) ?? found
      }
      return found
    }
  }

  private pattern(source: string): Pattern.Pattern {
    const known = this.patterns.get(source)
    if (known !== undefined) return known
    const compiled = Pattern.compile(source)
    if (Result.isFailure(compiled)) {
      const { detail, kind } = compiled.failure
      throw new Refusal(
        kind === "invalid" ? "InvalidSchema" : "UnsupportedPattern",
        `the pattern ${JSON.stringify(source.slice(0, 80))} is not used: ${detail}`
      )
    }
    this.patterns.set(source, compiled.success)
    return compiled.success
  }
}

/** A schema that asks itself about the same value would never come to an end. */
const refuseCircles = (nodes: Iterable<Node>): void => {
  const state = new Map<Node, "open" | "done">()
  for (const start of nodes) {
    const trail: Array<{ readonly node: Node; next: number }> = []
    const open = (node: Node) => {
      if (state.get(node) === "open") {
        throw new Refusal("InvalidSchema", "a schema refers to itself without looking at a part of the value between")
      }
      if (state.get(node) === "done") return
      state.set(node, "open")
      trail.push({ node, next: 0 })
    }
    open(start)
    for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
      const inner = last.node.beside[last.next++]
      if (inner !== undefined) open(inner)
      else {
        state.set(last.node, "done")
        trail.pop()
      }
    }
  }
}

/** Throws `Refusal`. */
export const compile = (schema: unknown, limits: Limits): Node => new Compiler(new Document(schema, limits)).compile()
