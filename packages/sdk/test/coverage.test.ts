// docs/coverage.md names only what exists.
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const text = readFileSync(`${root}/docs/coverage.md`, "utf8")
const source = (module: string) => readFileSync(`${root}/packages/sdk/src/${module}.ts`, "utf8")

interface Row {
  readonly type: string
  readonly module: string
  readonly name: string
  readonly member: string | undefined
}

const rows: ReadonlyArray<Row> = [...text.matchAll(/^\| (`[^|]+`) \| `([\w/]+)#(\w+)(?:\.(\w+))?` \|/gm)].map(
  ([, type, module, name, member]) => ({ type: type!, module: module!, name: name!, member })
)

/** The text of a declaration and of what the module re-exports, enough to look a name up in. */
const declares = (module: string, name: string): boolean => {
  const code = source(module)
  return new RegExp(`^export (?:declare )?(?:const|type|interface|class|function) ${name}\\b`, "m").test(code) ||
    new RegExp(`^export \\{[^}]*\\b${name}\\b[^}]*\\}`, "m").test(code)
}

/** A member is looked for from its declaration on. */
const hasMember = (module: string, name: string, member: string): boolean => {
  const code = source(module)
  const start = code.search(new RegExp(`^export (?:const|type|interface|class) ${name}\\b`, "m"))
  const end = code.indexOf("\n/**", start)
  return new RegExp(`\\b${member}\\??:`).test(code.slice(start, end === -1 ? undefined : end))
}

describe("docs/coverage.md", () => {
  it("has a row for every type of the three surfaces", () => {
    assert.isAbove(rows.length, 200)
    const list = `${root}/../shared/reference/types.tsv`
    // The surfaces stand beside the project; where they are absent, the table is checked for itself only.
    if (!existsSync(list)) return
    for (const line of readFileSync(list, "utf8").trim().split("\n")) {
      const type = line.split("\t")[1]!
      assert.include(text, `| \`${type}\` |`, `${type} has no row`)
    }
  })

  it("names only exports that exist", () => {
    const wrong = rows.filter(({ member, module, name }) =>
      !existsSync(`${root}/packages/sdk/src/${module}.ts`) || !declares(module, name) ||
      (member !== undefined && !hasMember(module, name, member))
    )
    assert.deepStrictEqual(wrong, [])
  })
})
