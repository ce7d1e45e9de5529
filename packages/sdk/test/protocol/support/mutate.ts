/**
 * Damages a JSON value in one or two places, as the seed says, or leaves it whole.
 */
const junk: ReadonlyArray<unknown> = [null, 0, -1.5, "", "text", "object", true, [], {}, ["a"], { type: "video" }, [{}]]

const clone = (value: unknown): any => structuredClone(value)

interface Place {
  readonly parent: any
  readonly key: string | number
}

const places = (value: any, out: Array<Place> = []): ReadonlyArray<Place> => {
  if (typeof value === "object" && value !== null) {
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      out.push({ parent: value, key })
      places(value[key], out)
    }
  }
  return out
}

/** A damaged copy: a member replaced by junk, left out, or put beside one whose name it takes. */
export const mutate = (json: unknown, seed: number): unknown => {
  const root = clone({ root: json })
  let state = Math.abs(seed) || 1
  const next = (n: number) => {
    state = (state * 48271) % 2147483647
    return state % n
  }
  for (let i = next(3); i > 0; i--) {
    const all = places(root)
    const { key, parent } = all[next(all.length)] as Place
    switch (next(4)) {
      case 0:
        if (Array.isArray(parent)) parent.splice(Number(key), 1)
        else if (parent !== root) delete parent[key]
        break
      case 1: {
        const other = all[next(all.length)] as Place
        if (other.parent !== root && !Array.isArray(parent)) parent[other.key] = clone(junk[next(junk.length)])
        break
      }
      default:
        parent[key] = clone(junk[next(junk.length)])
    }
  }
  return root.root
}
