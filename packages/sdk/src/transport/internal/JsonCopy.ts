/**
 * A deep copy that equals what JSON text would have carried, without the text.
 *
 * @since 0.1.0
 */

// Whatever is neither a plain object, an array nor a primitive goes through text: dates, class instances, boxed
// values, whatever has a `toJSON`. The key is kept because `toJSON` is told it.
const throughText = (key: string, value: unknown): unknown =>
  (JSON.parse(JSON.stringify({ [key]: value })) as { readonly [key: string]: unknown })[key]

// `undefined` stands for what `JSON.stringify` leaves out.
const copyValue = (key: string, value: unknown): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      // No infinity and no -0 in JSON.
      return Number.isFinite(value) ? value + 0 : null
    case "object":
      return value === null ? null : copyObject(key, value)
    case "bigint":
      return throughText(key, value)
    default:
      return undefined
  }
}

const copyObject = (key: string, value: { readonly toJSON?: unknown }): unknown => {
  if (value.toJSON !== undefined) return throughText(key, value)
  if (Array.isArray(value)) {
    const out: Array<unknown> = []
    for (const item of value) out.push(copyValue("", item) ?? null)
    return out
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return throughText(key, value)
  const source = value as { readonly [key: string]: unknown }
  const out: { [key: string]: unknown } = {}
  for (const name of Object.keys(source)) {
    const copied = copyValue(name, source[name])
    if (copied === undefined) continue
    // An assignment would set the prototype where JSON has an ordinary member.
    if (name === "__proto__") Object.defineProperty(out, name, { value: copied, ...ordinary })
    else out[name] = copied
  }
  return out
}

const ordinary = { writable: true, enumerable: true, configurable: true }

/**
 * Equals `JSON.parse(JSON.stringify(value))`, and throws where that throws; several times as fast on plain values.
 * `undefined` where there is no JSON for the value.
 *
 * @since 0.1.0
 * @category constructors
 */
export const copy = (value: unknown): unknown => copyValue("", value)
