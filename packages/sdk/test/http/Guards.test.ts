import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Head } from "../../src/transport/http/Exchange.ts"
import * as Guards from "../../src/transport/http/Guards.ts"

const head = (headers: { readonly [name: string]: string | undefined }, method = "POST"): Head => ({
  method,
  url: "/mcp",
  header: (name) => headers[name]
})

const origin = (options: Guards.Options | undefined, origin: string | undefined) =>
  Guards.make(options, () => "POST").check(head({ origin }))?.status

const host = (options: Guards.Options | undefined, host: string | undefined) =>
  Guards.make(options, () => "POST").check(head({ host }))?.status

// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-endpoint
describe("Origin", () => {
  it("of programs is absent and passes", () => assert.isUndefined(origin(undefined, undefined)))

  it("of this machine passes, whatever its port and scheme", () => {
    for (
      const name of [
        "http://localhost",
        "http://localhost:5173",
        "https://127.0.0.1:8443",
        "http://127.3.2.1",
        "http://[::1]:9"
      ]
    ) assert.isUndefined(origin(undefined, name), name)
  })

  it("that only looks like this machine is refused", () => {
    for (
      const name of [
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost@evil.example",
        "http://evil.example@localhost",
        "http://localhost/path",
        "http://evil.example#localhost",
        "ftp://localhost",
        "file://localhost",
        "localhost",
        "null",
        "",
        "not a url"
      ]
    ) assert.strictEqual(origin(undefined, name), 403, name)
  })

  it.prop("that is allowed passes, and no other host or port", [
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65535 }))
  ], ([port]) => {
    const allowed = { allowedOrigins: ["https://app.example:" + port] }
    assert.isUndefined(origin(allowed, `https://app.example:${port}`))
    assert.strictEqual(origin(allowed, `https://app.example:${port % 65535 + 1}`), 403)
    assert.strictEqual(origin(allowed, `https://evil.example:${port}`), 403)
  })

  it("is compared in its one spelling", () => {
    assert.isUndefined(origin({ allowedOrigins: ["https://App.Example:443"] }, "https://app.example"))
  })

  it("\"null\" is nobody's: a list that names it does not let it in, only \"*\" does", () => {
    assert.strictEqual(origin({ allowedOrigins: ["null"] }, "null"), 403)
    assert.isUndefined(origin({ allowedOrigins: ["*"] }, "null"))
  })
})

describe("Host", () => {
  const loopback = { allowedHosts: Guards.loopbackHosts }

  it("is anything where nothing is said", () => assert.isUndefined(host(undefined, "anything.example")))

  it("names this machine in every spelling", () => {
    for (const name of ["localhost", "LocalHost:80", "127.0.0.1:3000", "127.0.0.9", "[::1]", "[::1]:9", "localhost."]) {
      assert.isUndefined(host(loopback, name), name)
    }
  })

  it("of somebody else is refused", () => {
    for (
      const name of ["evil.example", "localhost.evil.example", "evil.example:80", "localhost@evil.example", "", ":80"]
    ) {
      assert.strictEqual(host(loopback, name), 403, name)
    }
  })

  it("may be named with and without a port", () => {
    assert.isUndefined(host({ allowedHosts: ["mcp.example"] }, "mcp.example:8080"))
    assert.isUndefined(host({ allowedHosts: ["mcp.example:8080"] }, "MCP.example:8080"))
    assert.strictEqual(host({ allowedHosts: ["mcp.example:8080"] }, "mcp.example:81"), 403)
    assert.isUndefined(host({ allowedHosts: ["*"] }, "mcp.example:81"))
  })
})

// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3
describe("media types", () => {
  it("of a body are compared by essence", () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"]) {
      assert.isTrue(Guards.isJson(type), type)
    }
    for (
      const type of [undefined, "", "text/plain", "application/jsonx", "application/x-www-form-urlencoded", "text/json"]
    ) {
      assert.isFalse(Guards.isJson(type), type)
    }
  })

  it("of an answer follow Accept", () => {
    const both = { json: true, sse: true }
    const cases: ReadonlyArray<readonly [string | undefined, Guards.Accepts]> = [
      [undefined, both],
      ["*/*", both],
      ["application/json, text/event-stream", both],
      ["text/event-stream;q=0.5 , APPLICATION/JSON;q=0.9", both],
      ["application/*, text/*", both],
      ["application/json", { json: true, sse: false }],
      ["text/event-stream", { json: false, sse: true }],
      ["*/*, text/event-stream;q=0", { json: true, sse: false }],
      ["application/*;q=0, */*", { json: false, sse: true }],
      ["text/plain", { json: false, sse: false }],
      ["image/*, text/csv", { json: false, sse: false }],
      ["", { json: false, sse: false }]
    ]
    for (const [header, expected] of cases) assert.deepStrictEqual(Guards.accepts(header), expected, header)
  })
})

describe("CORS", () => {
  const guards = (options: Guards.Options) => Guards.make({ cors: true, ...options }, () => "GET, POST, DELETE")

  it("is off by default", () => {
    const off = Guards.make({ allowedOrigins: ["https://app.example"] }, () => "POST")
    assert.isUndefined(off.cors(head({ origin: "https://app.example" })))
    assert.isUndefined(off.preflight(head({ origin: "https://app.example" }, "OPTIONS")))
  })

  it("lets allowed pages read what a client needs, and tells caches that it depends on the origin", () => {
    const granted = guards({ allowedOrigins: ["https://app.example"] }).cors(head({ origin: "https://app.example" }))
    assert.strictEqual(granted?.["access-control-allow-origin"], "https://app.example")
    assert.strictEqual(granted?.["vary"], "Origin")
    for (const name of ["Mcp-Session-Id", "WWW-Authenticate", "MCP-Protocol-Version"]) {
      assert.include(granted?.["access-control-expose-headers"], name)
    }
  })

  it("grants foreign pages nothing", () => {
    assert.isUndefined(guards({}).cors(head({ origin: "https://evil.example" })))
    assert.isUndefined(guards({}).preflight(head({ origin: "https://evil.example" }, "OPTIONS")))
  })

  it("answers a preflight with the headers that it asks for", () => {
    const answer = guards({ allowedOrigins: ["*"] }).preflight(
      head(
        { origin: "https://app.example", "access-control-request-headers": "mcp-method, mcp-param-region" },
        "OPTIONS"
      )
    )
    assert.strictEqual(answer?.status, 204)
    assert.strictEqual(answer?.headers["access-control-allow-origin"], "*")
    assert.strictEqual(answer?.headers["access-control-allow-headers"], "mcp-method, mcp-param-region")
    assert.strictEqual(answer?.headers["access-control-allow-methods"], "GET, POST, DELETE")
  })
})
