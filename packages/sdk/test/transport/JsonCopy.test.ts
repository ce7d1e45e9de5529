import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { copy } from "../../src/transport/internal/JsonCopy.ts"
import { asJson } from "./support/frames.ts"

class Point {
  readonly x = 1
  readonly #secret = 2
  get secret() {
    return this.#secret
  }
}

// Each is something that JSON text does not carry as it is.
const odd: { readonly [name: string]: unknown } = {
  undefinedMember: { a: undefined, b: 1 },
  undefinedItem: [undefined, 1],
  // oxlint-disable-next-line no-sparse-arrays
  hole: [1, , 3],
  functions: { f: () => 1, items: [() => 1, Symbol.iterator] },
  symbolKey: { [Symbol.iterator]: 1, a: 2 },
  notFinite: [NaN, Infinity, -Infinity, -0],
  date: { at: new Date(0) },
  toJson: { a: { toJSON: (key: string) => `from ${key}` } },
  toJsonGone: { a: { toJSON: () => undefined }, b: [{ toJSON: () => undefined }] },
  boxed: [Object("a"), Object(1), Object(true)],
  map: new Map([[1, 2]]),
  bytes: new Uint8Array([1, 2]),
  instance: new Point(),
  noPrototype: Object.assign(Object.create(null), { a: 1 }),
  inherited: Object.create({ a: 1 }),
  proto: JSON.parse("{\"__proto__\":{\"a\":1},\"b\":2}"),
  order: { b: 1, 2: 2, a: 3, 1: 4 },
  surrogates: ["\ud83d", "\u2028"]
}

describe("JsonCopy", () => {
  it.prop("equals what JSON text carries", { value: Schema.Json }, ({ value }) => {
    assert.deepStrictEqual(copy(value), asJson(value))
  })

  for (const [name, value] of Object.entries(odd)) {
    it(`equals what JSON text carries of ${name}`, () => {
      assert.deepStrictEqual(copy(value), asJson(value))
      assert.strictEqual(JSON.stringify(copy(value)), JSON.stringify(value))
    })
  }

  it("shares nothing that can be changed", () => {
    const value = { list: [{ a: 1 }] }
    const copied = copy(value) as typeof value
    value.list[0]!.a = 2
    value.list.push({ a: 3 })
    assert.deepStrictEqual(copied, { list: [{ a: 1 }] })
  })

  it("does not set a prototype from a message", () => {
    const copied = copy(odd["proto"]) as object
    assert.strictEqual(Object.getPrototypeOf(copied), Object.prototype)
    assert.isTrue(Object.hasOwn(copied, "__proto__"))
  })

  it("throws where JSON.stringify throws", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    assert.throws(() => copy(cyclic))
    assert.throws(() => copy({ big: 1n }))
    assert.throws(() =>
      copy({
        get bad() {
          throw new Error("no")
        }
      })
    )
  })
})
