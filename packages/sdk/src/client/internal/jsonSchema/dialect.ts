/** The dialects of JSON Schema that can be validated, and where each keeps schemas within schemas. */

export type Draft = "4" | "6" | "7" | "2019-09" | "2020-12"

const order: ReadonlyArray<Draft> = ["4", "6", "7", "2019-09", "2020-12"]

export const since = (draft: Draft, other: Draft): boolean => order.indexOf(draft) >= order.indexOf(other)

const drafts: ReadonlyMap<string, Draft> = new Map([
  ["json-schema.org/draft-04/schema", "4"],
  ["json-schema.org/draft-06/schema", "6"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"]
])

/** The draft that a `$schema` names; both schemes, with and without the empty fragment. */
export const draftOf = ($schema: string): Draft | undefined =>
  drafts.get($schema.replace(/^https?:\/\//, "").replace(/#$/, ""))

/** How a keyword holds schemas: one, a list, a map, or either of the first two. `dependencies` maps to lists as well. */
export type Holds = "one" | "list" | "map" | "one or list" | "dependencies"

type Locations = ReadonlyMap<string, Holds>

const draft4: ReadonlyArray<readonly [string, Holds]> = [
  ["additionalItems", "one"],
  ["items", "one or list"],
  ["additionalProperties", "one"],
  ["definitions", "map"],
  ["properties", "map"],
  ["patternProperties", "map"],
  ["dependencies", "dependencies"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "one"]
]
const draft6 = [...draft4, ["contains", "one"], ["propertyNames", "one"]] as const
const draft7 = [...draft6, ["if", "one"], ["then", "one"], ["else", "one"]] as const
const draft2019 = [
  ...draft7,
  ["$defs", "map"],
  ["dependentSchemas", "map"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["contentSchema", "one"]
] as const
const draft2020 = [
  ...draft2019.filter(([keyword]) => keyword !== "items" && keyword !== "additionalItems"),
  ["prefixItems", "list"],
  ["items", "one"]
] as const

export const locations: { readonly [D in Draft]: Locations } = {
  "4": new Map(draft4),
  "6": new Map<string, Holds>(draft6),
  "7": new Map<string, Holds>(draft7),
  "2019-09": new Map<string, Holds>(draft2019),
  "2020-12": new Map<string, Holds>(draft2020)
}
