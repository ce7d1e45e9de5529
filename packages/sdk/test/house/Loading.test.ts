/** What an import of the SDK loads: start-up time and bundles are made of that. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Prints the address of every module that an import loads. */
const script = `
import { registerHooks } from "node:module"
registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) })
await import(process.argv[1])
`

const loadedBy = (specifier: string): ReadonlyArray<string> =>
  execFileSync(process.execPath, [
    "--conditions=@effect-mcp/source",
    "--input-type=module",
    "--eval",
    script,
    specifier
  ], { cwd: fileURLToPath(new URL("../..", import.meta.url)), encoding: "utf8" }).trim().split("\n")

const named = (urls: ReadonlyArray<string>, pattern: RegExp): Array<string> =>
  urls.flatMap((url) => pattern.exec(url)?.[1] ?? [])

const ofEffect = (urls: ReadonlyArray<string>) => named(urls, /\/node_modules\/effect\/dist\/(.*)\.js$/)

const ours = (urls: ReadonlyArray<string>) => named(urls, /\/sdk\/src\/(.*)\.ts$/)

describe("import \"@effect-mcp/sdk\"", () => {
  let loaded: ReadonlyArray<string> = []

  beforeAll(() => {
    loaded = loadedBy("@effect-mcp/sdk")
  })

  it("loads what a server on a pipe needs", () => {
    assert.includeMembers(ours(loaded), [
      "index",
      "api/McpApi",
      "server/McpServer",
      "peer/Peer",
      "transport/StdioServer"
    ])
    assert.includeMembers(ofEffect(loaded), ["Effect", "Schema", "Layer"])
  })

  it("loads nothing but effect and ourselves, and no platform", () => {
    assert.deepStrictEqual(loaded.filter((url) => !/\/node_modules\/effect\/dist\/|\/sdk\/src\//.test(url)), [])
  })

  it("loads no barrel", () => {
    assert.deepStrictEqual(ofEffect(loaded).filter((module) => /(^|\/)index$/.test(module)), [])
  })

  it("loads no part of effect that only some applications use, beyond what Schema itself brings along", () => {
    const basis = new Set(loadedBy("effect/Schema"))
    const special = new Set([
      "ai",
      "cli",
      "cluster",
      "devtools",
      "eventlog",
      "graphql",
      "http",
      "http-api",
      "observability",
      "persistence",
      "reactivity",
      "rpc",
      "sql",
      "testing",
      "workers",
      "workflow"
    ])
    assert.deepStrictEqual(
      ofEffect(loaded.filter((url) => !basis.has(url))).filter((module) => special.has(module.split("/")[0]!)),
      []
    )
  })

  it("switches no compiler on for everybody", () => {
    assert.notInclude(ofEffect(loaded), "schema/SchemaJITCompiler/enable")
  })

  it("loads no part of ours that is imported by its own name", () => {
    const own = /^(auth|tasks|ai|testing|node|transport\/http)\//
    assert.deepStrictEqual(ours(loaded).filter((module) => own.test(module)), [])
  })
})
