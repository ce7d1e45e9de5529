/** Every piece of TypeScript in the README and the docs compiles, and runs where it says so. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pages, repository } from "./pages.ts"

const source = join(repository, "packages/sdk/src")
const modules = join(repository, "node_modules")

const run = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd, timeout: 60_000, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        const status = error === null ? "" : `${error.killed ? "killed" : `exit code ${error.code}`}\n`
        resolve(`${status}${stdout}${stderr}`)
      }
    )
    child.stdin?.end()
  })

let root: string
let errors: ReadonlyArray<string>

const folderOf = (path: string) => path.replace(/\.md$/, "").replaceAll("/", "-")

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "effect-mcp-pages-"))
  await symlink(modules, join(root, "node_modules"), "junction")
  await writeFile(join(root, "package.json"), JSON.stringify({ type: "module" }))
  await writeFile(
    join(root, "tsconfig.json"),
    JSON.stringify({
      extends: join(repository, "tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        incremental: false,
        noUnusedLocals: false,
        noUnusedParameters: false,
        paths: { "@effect-mcp/sdk": [`${source}/index.ts`], "@effect-mcp/sdk/*": [`${source}/*.ts`] }
      },
      include: ["*/*.ts"]
    })
  )
  for (const { path, snippets } of pages) {
    for (const { file, text } of snippets) {
      const target = join(root, folderOf(path), file)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text)
    }
  }
  const output = await run(root, join(modules, "typescript/bin/tsc"), "-p", ".", "--pretty", "false")
  errors = output.split(/\n(?!\s)/).filter((line) => /^\S+\(\d+,\d+\): error/.test(line))
  if (errors.length === 0 && output !== "") throw new Error(output)
  return () => rm(root, { recursive: true, force: true })
}, 60_000)

describe("the TypeScript in the pages", () => {
  it("is there", () => {
    assert.includeMembers(pages.map(({ path }) => path), ["packages/sdk/README.md"])
  })

  describe.each(pages)("$path", ({ path, snippets }) => {
    it("compiles", () => {
      assert.deepStrictEqual(errors.filter((line) => line.startsWith(`${folderOf(path)}/`)), [])
    })

    const running = snippets.filter(({ runs }) => runs)
    if (running.length > 0) {
      it.each(running)("$file runs", async ({ file }) => {
        const output = await run(root, "--conditions=@effect-mcp/source", join(folderOf(path), file))
        assert.notMatch(output, /^(killed|exit code)/)
      }, 60_000)
    }
  })
})
