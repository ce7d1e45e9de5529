import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Unparseable } from "../../src/protocol/JsonRpc.ts"
import * as Framing from "../../src/transport/Framing.ts"
import { asJson, awkward, cut, Cuts, Messages, numbered, numbers } from "./support/frames.ts"

const utf8 = new TextEncoder()

const decode = (chunks: ReadonlyArray<Uint8Array>, maxFrameBytes?: number) => {
  const decoder = new Framing.Decoder(maxFrameBytes)
  const out: Array<unknown> = []
  for (const chunk of chunks) decoder.push(chunk, out)
  decoder.end(out)
  return { out, overflowed: decoder.overflowed }
}

// What was no JSON is compared by being no JSON.
const comparable = (out: ReadonlyArray<unknown>) =>
  out.map((value) => value instanceof Unparseable ? "unparseable" : { value })

const Bytes = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Literals([0x0a, 0x0d, 0x20, 0x22, 0x31, 0x5b, 0x5d, 0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0xff])),
    {
      minLength: 1,
      maxLength: 80
    }
  ),
  (bytes) => Uint8Array.from(bytes)
)

const Sizes = Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))), {
  minLength: 1,
  maxLength: 10
})

describe("Framing", () => {
  it.prop(
    "any messages arrive exactly, in order, however the bytes are cut",
    { messages: Messages, cuts: Cuts },
    ({ cuts, messages }) => {
      const bytes = utf8.encode(messages.map(Framing.encode).join(""))
      assert.deepStrictEqual(decode(cut(bytes, cuts)).out, messages.map(asJson))
    }
  )

  it.prop(
    "any bytes, JSON or not, UTF-8 or not, are read the same however they are cut",
    { bytes: Bytes, cuts: Cuts },
    ({ bytes, cuts }) => {
      assert.deepStrictEqual(comparable(decode(cut(bytes, cuts)).out), comparable(decode([bytes]).out))
    }
  )

  it.prop(
    "all frames before the first one over the limit are read, and none after",
    { sizes: Sizes, cuts: Cuts, limit: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 30 })) },
    ({ cuts, limit, sizes }) => {
      // A JSON string of this many bytes.
      const texts = sizes.map((size) => JSON.stringify("x".repeat(Math.max(0, size - 2))))
      const first = texts.findIndex((text) => text.length > limit)
      const { out, overflowed } = decode(cut(utf8.encode(texts.map((text) => text + "\n").join("")), cuts), limit)
      assert.deepStrictEqual(out, (first === -1 ? texts : texts.slice(0, first)).map((text) => JSON.parse(text)))
      assert.strictEqual(overflowed, first !== -1)
    }
  )

  it.prop("a message is one line, and valid UTF-8 without lone surrogates", { messages: Messages }, ({ messages }) => {
    for (const message of messages) {
      const line = Framing.encode(message)
      assert.strictEqual(line.indexOf("\n"), line.length - 1)
      assert.notMatch(line, /\p{Surrogate}/u)
    }
  })

  it("reads characters that are split between chunks", () => {
    const bytes = utf8.encode(awkward.map((text, n) => Framing.encode({ ...numbered(n), params: { text } })).join(""))
    const { out } = decode(cut(bytes, [1]))
    assert.deepStrictEqual(out.map((value) => (value as { params: { text: string } }).params.text), awkward)
  })

  it("ends a message at byte 0x0A only", () => {
    const { out } = decode([utf8.encode("{\"a\":\"\u2028\u2029\u0085\f\r\"}\n".replace("\f\r", "\\f\\r"))])
    assert.deepStrictEqual(out, [{ a: "\u2028\u2029\u0085\f\r" }])
  })

  it("takes CR before LF for white space, and passes over blank lines", () => {
    assert.deepStrictEqual(decode([utf8.encode("\n\r\n{\"a\":1}\r\n  \t\n\n[2]\n")]).out, [{ a: 1 }, [2]])
  })

  it("passes over a byte order mark at the start, and nowhere else", () => {
    assert.deepStrictEqual(comparable(decode([utf8.encode("\ufeff1\n\ufeff2\n3\n")]).out), [
      { value: 1 },
      "unparseable",
      { value: 3 }
    ])
    assert.deepStrictEqual(decode(cut(utf8.encode("\ufeff{}\n"), [1])).out, [{}])
  })

  it("hands on what is no JSON, and reads on", () => {
    const { out } = decode([utf8.encode("Listening on port 3000\n{\"cut\":\n\u0000\n{\"a\":1}\n")])
    assert.deepStrictEqual(comparable(out), ["unparseable", "unparseable", "unparseable", { value: { a: 1 } }])
  })

  it("reads bytes that are no UTF-8 as replacement characters, and reads on", () => {
    const bytes = [...utf8.encode("{\"a\":\""), 0xff, 0xfe, 0xc3, ...utf8.encode("\"}\n{\"a\":1}\n")]
    assert.deepStrictEqual(decode([Uint8Array.from(bytes)]).out, [{ a: "\ufffd\ufffd\ufffd" }, { a: 1 }])
  })

  it("needs no newline after the last message", () => {
    assert.deepStrictEqual(decode([utf8.encode("{\"a\":1}\n{\"b\":2}")]).out, [{ a: 1 }, { b: 2 }])
    assert.deepStrictEqual(comparable(decode([utf8.encode("{\"a\":")]).out), ["unparseable"])
  })

  it("reads a frame of exactly the limit and a small one from one chunk", () => {
    const large = JSON.stringify("x".repeat(998))
    assert.deepStrictEqual(decode([utf8.encode(`${large}\n1\n`)], 1000), {
      out: ["x".repeat(998), 1],
      overflowed: false
    })
    assert.deepStrictEqual(decode([utf8.encode(`${large}\n1\n`)], 999), { out: [], overflowed: true })
  })

  it("reads a frame over 64 KiB with the default limit", () => {
    const { out } = decode(
      cut(utf8.encode(Framing.encode(numbered(1, 200_000)) + Framing.encode(numbered(2))), [65_536])
    )
    assert.deepStrictEqual(numbers(out), [1, 2])
  })

  it("gives up on endless bytes without a newline as soon as the limit is passed", () => {
    const decoder = new Framing.Decoder(10_000)
    const out: Array<unknown> = []
    let pushed = 0
    while (!decoder.overflowed) {
      decoder.push(new Uint8Array(100).fill(0x78), out)
      pushed += 100
    }
    assert.strictEqual(pushed, 10_100)
    decoder.push(utf8.encode("\n{\"a\":1}\n"), out)
    decoder.end(out)
    assert.deepStrictEqual(out, [])
  })

  it("takes linear time for a frame that comes in single bytes", () => {
    // A decoder that copies what it has for each chunk would copy 80 gigabytes here.
    const bytes = utf8.encode(Framing.encode(numbered(1, 400_000)))
    assert.deepStrictEqual(numbers(decode(cut(bytes, [1])).out), [1])
  })

  it("refuses what has no JSON", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    assert.throws(() => Framing.encode({ ...numbered(1), params: cyclic }))
    assert.throws(() => Framing.encode({ ...numbered(1), params: { big: 1n } }))
    assert.throws(() => Framing.encode({ toJSON: () => undefined } as never))
  })
})
