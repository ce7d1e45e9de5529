import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Request } from "../../src/protocol/JsonRpc.ts"
import * as ModernHeaders from "../../src/transport/http/ModernHeaders.ts"
import * as ParamHeaders from "../../src/transport/http/ParamHeaders.ts"

/** A lone surrogate is no text: UTF-8 cannot carry it. */
const Text = Schema.String.check(Schema.makeFilter((text: string) => !/\p{Surrogate}/u.test(text)))

const wrapped = (bytes: string) => `=?base64?${bytes}?=`

// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
describe("values", () => {
  it.prop("come back as they were", [Text], ([text]) => {
    assert.strictEqual(ParamHeaders.decode(ParamHeaders.encode(text)), text)
  })

  it.prop("are written in what every intermediary passes on as it is", [Text], ([text]) => {
    assert.match(ParamHeaders.encode(text), /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/)
  })

  it("are plain where they can be, and wrapped as the specification shows", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["us-west1", "us-west1"],
      ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
      [" padded ", "=?base64?IHBhZGRlZCA=?="],
      ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
      ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="]
    ]
    for (const [text, header] of cases) assert.strictEqual(ParamHeaders.encode(text), header)
  })

  it("of bad Base64 or bad characters are none", () => {
    for (
      const header of [
        wrapped("SGVsbG8"),
        wrapped("SGVs!bG8="),
        wrapped("Pz8-Pg=="),
        wrapped("/w=="),
        wrapped("SGVsbG9="),
        "caf\u00e9",
        "a\u0000b"
      ]
    ) assert.isUndefined(ParamHeaders.decode(header), header)
  })

  it("with other markers are plain", () => {
    assert.strictEqual(ParamHeaders.decode("=?BASE64?SGVsbG8=?="), "=?BASE64?SGVsbG8=?=")
    assert.strictEqual(ParamHeaders.decode("=?base64?"), "=?base64?")
  })
})

const schema = (properties: object) => ({ type: "object", properties })
const region = { type: "string", "x-mcp-header": "Region" }

describe("declarations", () => {
  it("are found along properties", () => {
    assert.deepStrictEqual(
      ParamHeaders.find(schema({
        region,
        deep: schema({ n: { type: "integer", "x-mcp-header": "N" } }),
        flag: { type: "boolean", "x-mcp-header": "Flag" },
        other: { type: "string" }
      })),
      [
        { header: "Mcp-Param-Region", path: ["region"], type: "string" },
        { header: "Mcp-Param-N", path: ["deep", "n"], type: "integer" },
        { header: "Mcp-Param-Flag", path: ["flag"], type: "boolean" }
      ]
    )
  })

  it("that break a rule are told", () => {
    for (
      const broken of [
        schema({ a: { type: "string", "x-mcp-header": "" } }),
        schema({ a: { type: "string", "x-mcp-header": "two words" } }),
        schema({ a: { type: "string", "x-mcp-header": 5 } }),
        schema({ a: { type: "string", "x-mcp-header": "colon:" } }),
        schema({ a: { type: "string", "x-mcp-header": "line\nbreak" } }),
        schema({ a: { type: "number", "x-mcp-header": "A" } }),
        schema({ a: { type: "object", "x-mcp-header": "A" } }),
        schema({ a: region, b: { type: "string", "x-mcp-header": "REGION" } }),
        schema({ a: { type: "array", items: region } }),
        schema({ a: { anyOf: [region, { type: "string" }] } }),
        { type: "object", "x-mcp-header": "Root" },
        { type: "object", $defs: { a: region } }
      ]
    ) assert.isString(ParamHeaders.find(broken), JSON.stringify(broken))
  })

  it("are not taken from data", () => {
    assert.deepStrictEqual(
      ParamHeaders.find(schema({ a: { type: "object", default: region, examples: [region] } })),
      []
    )
  })
})

describe("mirrored arguments", () => {
  const headers = [
    { header: "Mcp-Param-Text", path: ["text"], type: "string" as const },
    { header: "Mcp-Param-Count", path: ["deep", "count"], type: "integer" as const },
    { header: "Mcp-Param-Flag", path: ["flag"], type: "boolean" as const }
  ]
  const Args = Schema.Struct({
    text: Schema.optionalKey(Schema.NullOr(Text)),
    deep: Schema.optionalKey(Schema.Struct({ count: Schema.NullOr(Schema.Int) })),
    flag: Schema.optionalKey(Schema.Boolean)
  })
  const reading = (sent: { readonly [header: string]: string }) => {
    const lower = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
    return (name: string) => lower.get(name)
  }

  it.prop("agree with themselves", [Args], ([args]) => {
    assert.isUndefined(ParamHeaders.problem(headers, args, reading(ParamHeaders.mirror(headers, args))))
  })

  it.prop("without one of their headers do not agree", [Args], ([args]) => {
    const sent = ParamHeaders.mirror(headers, args)
    for (const name of Object.keys(sent)) {
      const { [name]: _, ...less } = sent
      assert.include(ParamHeaders.problem(headers, args, reading(less)), name)
    }
  })

  it.prop("with a header of another value do not agree", [Args, Text], ([args, text]) => {
    const sent = ParamHeaders.mirror(headers, args)
    if (sent["Mcp-Param-Text"] === undefined || args.text === text) return
    assert.isString(
      ParamHeaders.problem(headers, args, reading({ ...sent, "Mcp-Param-Text": ParamHeaders.encode(text) }))
    )
  })

  it("compare integers as numbers", () => {
    const agrees = (header: string, count: number) =>
      ParamHeaders.problem([headers[1]!], { deep: { count } }, reading({ "Mcp-Param-Count": header })) === undefined
    for (const header of ["42", "42.0", "4.2e1", "+42"]) assert.isTrue(agrees(header, 42), header)
    for (const header of ["43", "0x2a", "", "42a", "forty-two"]) assert.isFalse(agrees(header, 42), header)
  })
})

// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
describe("the headers of a request", () => {
  const request = (method: string, params: Request["params"]): Request => ({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: params!
  })
  const check = (message: Request, headers: { readonly [name: string]: string }) =>
    ModernHeaders.problem(message, "2026-07-28", (name) => headers[name], () => schema({ region }))
  const version = { "mcp-protocol-version": "2026-07-28" }

  it("name its method, and what it is about", () => {
    const read = request("resources/read", { uri: "page://é" })
    const uri = ParamHeaders.encode("page://é")
    assert.isUndefined(check(read, { ...version, "mcp-method": "resources/read", "mcp-name": uri }))
    assert.include(check(read, { ...version, "mcp-method": "resources/read" }), "Mcp-Name")
    assert.include(check(read, { ...version, "mcp-method": "resources/read", "mcp-name": "page://\u00e9" }), "Mcp-Name")
    assert.include(check(read, { ...version, "mcp-method": "resources/list", "mcp-name": uri }), "Mcp-Method")
    assert.include(check(read, { ...version, "mcp-name": uri }), "Mcp-Method")
    assert.include(check(read, { "mcp-method": "resources/read", "mcp-name": uri }), "MCP-Protocol-Version")
  })

  it("may be wrapped in Base64 where the specification says so, and nowhere else", () => {
    const call = request("prompts/get", { name: "brief" })
    const name = wrapped(btoa("brief"))
    assert.isUndefined(check(call, { ...version, "mcp-method": "prompts/get", "mcp-name": name }))
    assert.isString(check(call, { ...version, "mcp-method": wrapped(btoa("prompts/get")), "mcp-name": name }))
  })

  it("a name that looks like the wrapper is itself wrapped", () => {
    const name = wrapped(btoa("brief"))
    const call = request("prompts/get", { name })
    const headers = { ...version, "mcp-method": "prompts/get" }
    assert.isUndefined(check(call, { ...headers, "mcp-name": ParamHeaders.encode(name) }))
    assert.isString(check(call, { ...headers, "mcp-name": name }))
  })

  it("of a tool mirror its marked arguments", () => {
    const call = request("tools/call", { name: "t", arguments: { region: "eu" } })
    const headers = { ...version, "mcp-method": "tools/call", "mcp-name": "t" }
    assert.isUndefined(check(call, { ...headers, "mcp-param-region": "eu" }))
    assert.include(check(call, headers), "Mcp-Param-Region")
  })

  it("of a method called like something that every object has are those of any method", () => {
    assert.isUndefined(check(request("constructor", {}), { ...version, "mcp-method": "constructor" }))
  })
})
