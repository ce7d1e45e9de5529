import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Content from "../../src/protocol/Content.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))

describe("bytes", () => {
  it.effect.prop("come out of a block as they went in", [Bytes], ([bytes]) =>
    Effect.sync(() => {
      const data = Uint8Array.from(bytes)
      for (
        const content of [
          Content.image(data, "image/png"),
          Content.audio(data, "audio/wav"),
          Content.blobContents("file:///a", data)
        ]
      ) {
        assert.deepStrictEqual(Result.getOrThrow(Content.bytes(content)), data)
      }
    }))

  it("are kept as Base64 where they are given so", () => {
    assert.deepStrictEqual(Content.image("aGk=", "image/png"), { type: "image", data: "aGk=", mimeType: "image/png" })
    assert.isTrue(Result.isFailure(Content.bytes(Content.image("?", "image/png"))))
  })
})

describe("constructors", () => {
  it("make blocks", () => {
    assert.deepStrictEqual(Content.text("a", { annotations: { priority: 1 } }), {
      type: "text",
      text: "a",
      annotations: { priority: 1 }
    })
    assert.deepStrictEqual(Content.resourceLink({ uri: "file:///a", name: "a" }), {
      type: "resource_link",
      uri: "file:///a",
      name: "a"
    })
    assert.deepStrictEqual(Content.resource(Content.textContents("file:///a", "# A", { mimeType: "text/markdown" })), {
      type: "resource",
      resource: { uri: "file:///a", text: "# A", mimeType: "text/markdown" }
    })
  })
})

describe("blocks of unknown type", () => {
  const decode = Schema.decodeUnknownResult(Content.ContentBlock)
  const encode = Schema.encodeUnknownResult(Content.ContentBlock)

  it("are read and written by Effect's own parser too", () => {
    const block = { type: "video", url: "https://example.com" }
    const read = decode(block)
    assert.deepStrictEqual(read, Result.succeed({ type: "unknown", block } as const))
    assert.deepStrictEqual(encode(Result.getOrThrow(read)), Result.succeed(block))
  })

  it("are no way around a known type", () => {
    assert.isTrue(Result.isFailure(decode({ type: "text" })))
    assert.isTrue(Result.isFailure(encode({ type: "unknown", block: { type: "text", text: 1 } })))
  })
})
