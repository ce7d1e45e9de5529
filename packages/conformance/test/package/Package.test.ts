/** The package as its users get it: its files, its entry points, its types. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { publint } from "publint"
import { install, type Installed, repository } from "./installed.ts"
import { manyTools } from "./manyTools.ts"

let installed: Installed

beforeAll(async () => {
  installed = await install()
  return installed.remove
}, 300_000)

/** The modules of the package: its source files, without `src/` and `.ts`. */
const modules = () => installed.files.filter((file) => /^src\/.*\.ts$/.test(file)).map((file) => file.slice(4, -3))

const manifest = async () => JSON.parse(await readFile(join(installed.path, "package.json"), "utf8"))

describe("files", () => {
  it("are ESM, declarations, source maps and source, and nothing else", () => {
    const expected = modules().flatMap((module) => [
      `src/${module}.ts`,
      ...[".js", ".js.map", ".d.ts", ".d.ts.map"].map((extension) => `dist/${module}${extension}`)
    ])
    assert.isAbove(modules().length, 50)
    assert.sameMembers([...installed.files], [...expected, "LICENSE", "README.md", "package.json"])
  })

  it("source maps lead to the source", async () => {
    for (const file of installed.files.filter((file) => file.endsWith(".map"))) {
      const { sources } = JSON.parse(await readFile(join(installed.path, file), "utf8"))
      const source = file.replace(/^dist\//, "src/").replace(/\.(js|d\.ts)\.map$/, ".ts")
      assert.deepStrictEqual(sources.map((path: string) => new URL(path, `file:///${file}`).pathname), [`/${source}`])
    }
  })

  it("carry the license of the repository", async () => {
    assert.strictEqual(
      await readFile(join(installed.path, "LICENSE"), "utf8"),
      await readFile(join(repository, "LICENSE"), "utf8")
    )
  })
})

describe("package.json", () => {
  it("finds no fault with publint", async () => {
    const { messages } = await publint({ pkgDir: installed.path, level: "suggestion", strict: true, pack: false })
    assert.deepStrictEqual(messages, [])
  })

  it("declares no side effects, and depends on effect alone", async () => {
    const { dependencies, optionalDependencies, peerDependencies, sideEffects } = await manifest()
    assert.isFalse(sideEffects)
    assert.isUndefined(dependencies)
    assert.isUndefined(optionalDependencies)
    assert.deepStrictEqual(Object.keys(peerDependencies), ["effect"])
  })

  it("names the types first, then the source, then the code: TypeScript can only name types that it finds first", async () => {
    const { exports } = await manifest()
    for (const [path, entry] of Object.entries<string | null | object>(exports)) {
      if (typeof entry !== "object" || entry === null) continue
      assert.deepStrictEqual(Object.keys(entry), ["types", "@effect-mcp/source", "default"], path)
    }
  })

  it("opens every public module, and no internal one", async () => {
    await installed.write(
      "resolve.js",
      `for (const name of process.argv.slice(2)) {
        try { console.log(import.meta.resolve("@effect-mcp/sdk/" + name).split("/sdk/dist/")[1]) } catch (error) { console.log(error.code) }
      }`
    )
    const names = modules().filter((module) => module !== "index")
    // An entry point is the only door to the folder of its name.
    const closed = (name: string) =>
      name.includes("internal/") || names.includes(name.split("/").slice(0, -1).join("/"))
    const { stdout } = await installed.node("resolve.js", ...names)
    assert.deepStrictEqual(
      stdout.trim().split("\n"),
      names.map((name) => closed(name) ? "ERR_PACKAGE_PATH_NOT_EXPORTED" : `${name}.js`)
    )
  })
})

// Two compilers, on a machine that may have other things to do.
describe("types", { timeout: 300_000 }, () => {
  const compiles = async (...args: Parameters<Installed["tsc"]>) => {
    const { ok, output } = await installed.tsc(...args)
    assert.strictEqual(output, "")
    assert.isTrue(ok)
  }
  const node = ["--module", "nodenext"]
  const bundler = ["--module", "preserve", "--moduleResolution", "bundler"]

  it("check with TypeScript 7, for Node", () => compiles("typescript", "-p", ".", ...node, "--noEmit"))

  it("check with TypeScript 7, for a bundler", () => compiles("typescript", "-p", ".", ...bundler, "--noEmit"))

  it(
    "check with TypeScript 5.9, for a bundler",
    () => compiles("typescript-5.9", "-p", ".", ...bundler, "--skipLibCheck", "--noEmit")
  )

  it("check with TypeScript 5.9, for Node; what that emits runs, without the package's source", async () => {
    await compiles("typescript-5.9", "-p", ".", ...node)
    const { output } = await installed.node("out/main.js")
    assert.strictEqual(output, JSON.stringify({ highs: [14, 15] }))
  })

  it("inferred handlers have declarations that others can name", async () => {
    await compiles("typescript", "-p", ".", ...node, "--emitDeclarationOnly", "--outDir", "declarations")
    const { output } = await installed.node("-p", "fs.readFileSync('declarations/handlers.d.ts', 'utf8')")
    assert.match(output, /handlers: .*Layer<.*import\("@effect-mcp\/sdk\/api\/McpApi"\)\.Handler<.*Stations>/)
    assert.notMatch(output, /\bany\b|\bunknown\b|internal\/|node_modules/)
  })

  it("check for a contract of 500 tools", async () => {
    await installed.write("many.ts", manyTools(500))
    await compiles("typescript", "-p", ".", ...node, "--skipLibCheck", "--noEmit")
    await compiles("typescript-5.9", "-p", ".", ...node, "--skipLibCheck", "--noEmit")
  })
})
