/**
 * A schema as a set of resources: what each `$id` and anchor names, and what a reference leads to. Nothing is ever
 * fetched: a reference that leads out of the schema is a reason to refuse it.
 */
import { type Draft, draftOf, type Holds, locations, since } from "./dialect.ts"
import { isObject, type JsonObject } from "./run.ts"

export type RejectionReason =
  | "UnsupportedDialect"
  | "InvalidSchema"
  | "UnresolvedReference"
  | "UnsupportedPattern"
  | "TooComplex"

/** Why a schema is not compiled. Thrown within the compiler, and caught where it began. */
export class Refusal extends Error {
  readonly reason: RejectionReason
  constructor(reason: RejectionReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface Resource {
  readonly uri: string
  readonly draft: Draft
  readonly root: unknown
  readonly anchors: Map<string, JsonObject>
  readonly dynamicAnchors: Map<string, JsonObject>
}

/** A schema and the resource that it is read in. */
export interface Place {
  readonly schema: JsonObject | boolean
  readonly resource: Resource
}

export interface Limits {
  readonly depth: number
  readonly subschemas: number
  readonly size: number
}

/** Relative identifiers need something to be relative to; no reference from outside can name it. */
const defaultBase = "json-schema:///"

const resolveUri = (reference: string, base: string): string | undefined => {
  try {
    return new URL(reference, base).href
  } catch {
    return undefined
  }
}

const splitFragment = (uri: string): readonly [base: string, fragment: string] => {
  const hash = uri.indexOf("#")
  return hash === -1 ? [uri, ""] : [uri.slice(0, hash), uri.slice(hash + 1)]
}

const decodeFragment = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Everything in the schema counts, data as well: before anything else is done with it, it is known to be finite. */
const measure = (schema: unknown, limits: Limits): void => {
  let left = limits.size
  // A schema takes up to three levels of JSON: keyword, key or index, schema.
  const deepest = limits.depth * 3
  const visit = (node: unknown, depth: number): void => {
    if (--left < 0) throw new Refusal("TooComplex", `the schema has more than ${limits.size} values`)
    if (typeof node !== "object" || node === null) return
    if (depth > deepest) throw new Refusal("TooComplex", `the schema is nested more than ${deepest} levels deep`)
    for (const inner of Object.values(node)) visit(inner, depth + 1)
  }
  visit(schema, 0)
}

export class Document {
  readonly root: Place
  private readonly limits: Limits
  private readonly resources = new Map<string, Resource>()
  private readonly places = new Map<JsonObject, Resource>()
  private subschemas = 0

  constructor(schema: unknown, limits: Limits) {
    this.limits = limits
    measure(schema, limits)
    if (typeof schema !== "boolean" && !isObject(schema)) {
      throw new Refusal("InvalidSchema", "a schema is an object or a boolean")
    }
    const resource = this.resource(defaultBase, isObject(schema) ? draftAt(schema, "2020-12") : "2020-12", schema)
    this.index(schema, resource, 0)
    this.root = { schema, resource: isObject(schema) ? this.places.get(schema)! : resource }
  }

  private resource(uri: string, draft: Draft, root: unknown): Resource {
    const resource: Resource = { uri, draft, root, anchors: new Map(), dynamicAnchors: new Map() }
    if (this.resources.has(uri)) throw new Refusal("InvalidSchema", `two schemas have the identifier "${uri}"`)
    this.resources.set(uri, resource)
    return resource
  }

  /** Notes identifiers, here and in all schemas below. */
  private index(schema: unknown, outer: Resource, depth: number): void {
    if (!isObject(schema) || this.places.has(schema)) return
    if (++this.subschemas > this.limits.subschemas) {
      throw new Refusal("TooComplex", `the schema has more than ${this.limits.subschemas} subschemas`)
    }
    if (depth > this.limits.depth) {
      throw new Refusal("TooComplex", `the schema is nested more than ${this.limits.depth} schemas deep`)
    }
    const resource = this.identify(schema, outer)
    this.places.set(schema, resource)
    for (const [keyword, value] of Object.entries(schema)) {
      const holds = locations[resource.draft].get(keyword)
      if (holds !== undefined) this.indexBelow(holds, value, resource, depth + 1)
    }
  }

  private indexBelow(holds: Holds, value: unknown, resource: Resource, depth: number): void {
    if (holds === "one") this.index(value, resource, depth)
    else if (Array.isArray(value)) {
      if (holds === "list" || holds === "one or list") value.forEach((inner) => this.index(inner, resource, depth))
    } else if (holds === "one or list") this.index(value, resource, depth)
    else if (isObject(value) && holds !== "list") {
      for (const inner of Object.values(value)) this.index(inner, resource, depth)
    }
  }

  private identify(schema: JsonObject, outer: Resource): Resource {
    // Until draft 7 a reference hides all that stands beside it, its own identifier too.
    if (!since(outer.draft, "2019-09") && typeof schema["$ref"] === "string") return outer
    let resource = outer
    const id = schema[outer.draft === "4" ? "id" : "$id"]
    if (typeof id === "string") {
      const uri = resolveUri(id, outer.uri)
      if (uri === undefined) throw new Refusal("InvalidSchema", `the identifier "${id}" is no URI reference`)
      const [base, fragment] = splitFragment(uri)
      if (base !== outer.uri) resource = this.resource(base, draftAt(schema, outer.draft), schema)
      if (fragment !== "") {
        if (since(outer.draft, "2019-09")) {
          throw new Refusal("InvalidSchema", `the identifier "${id}" has a fragment; use $anchor for it`)
        }
        anchor(resource.anchors, decodeFragment(fragment), schema)
      }
    }
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema
    if (since(resource.draft, "2019-09") && typeof $anchor === "string") anchor(resource.anchors, $anchor, schema)
    if (resource.draft === "2020-12" && typeof $dynamicAnchor === "string") {
      anchor(resource.anchors, $dynamicAnchor, schema)
      resource.dynamicAnchors.set($dynamicAnchor, schema)
    }
    // Both ways of dynamic reference are one: in 2019-09 the anchor has no name.
    if (resource.draft === "2019-09" && $recursiveAnchor === true && resource.root === schema) {
      resource.dynamicAnchors.set("", schema)
    }
    return resource
  }

  /** What a reference, read in a resource, leads to. */
  resolve(reference: string, from: Resource): Place {
    const unresolved = () =>
      new Refusal("UnresolvedReference", `"${reference}" leads out of the schema, and nothing is ever fetched`)
    const uri = resolveUri(reference, from.uri)
    if (uri === undefined) throw unresolved()
    const [base, encoded] = splitFragment(uri)
    const resource = this.resources.get(base)
    if (resource === undefined) throw unresolved()
    const fragment = decodeFragment(encoded)
    const place = fragment === "" || fragment.startsWith("/")
      ? this.follow(fragment, resource)
      : this.place(resource.anchors.get(fragment), resource)
    if (place === undefined) throw new Refusal("UnresolvedReference", `"${reference}" leads to no schema`)
    return place
  }

  private follow(pointer: string, resource: Resource): Place | undefined {
    let node = resource.root
    let within = resource
    for (const token of pointer.split("/").slice(1)) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
      if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined
      node = (node as JsonObject)[key]
      if (isObject(node)) within = this.places.get(node) ?? within
    }
    return this.place(node, within)
  }

  private place(schema: unknown, within: Resource): Place | undefined {
    if (typeof schema === "boolean") return { schema, resource: within }
    if (!isObject(schema)) return undefined
    // A pointer may lead to a place where no schema was expected, such as an unknown keyword.
    this.index(schema, within, 0)
    return { schema, resource: this.places.get(schema)! }
  }

  all(): Iterable<Resource> {
    return this.resources.values()
  }

  /** The resource that a schema below another one is read in. */
  below(schema: JsonObject, outer: Resource): Resource {
    return this.places.get(schema) ?? outer
  }
}

const draftAt = (schema: JsonObject, otherwise: Draft): Draft => {
  const { $schema } = schema
  if ($schema === undefined) return otherwise
  const draft = typeof $schema === "string" ? draftOf($schema) : undefined
  if (draft === undefined) {
    throw new Refusal("UnsupportedDialect", `the dialect ${JSON.stringify($schema)?.slice(0, 200)} is not known`)
  }
  return draft
}

const anchor = (anchors: Map<string, JsonObject>, name: string, schema: JsonObject): void => {
  const known = anchors.get(name)
  if (known !== undefined && known !== schema) {
    throw new Refusal("InvalidSchema", `two schemas have the anchor "${name}"`)
  }
  anchors.set(name, schema)
}
