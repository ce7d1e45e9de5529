/** The rules of the house. docs/architecture.md says why. */
import { assert, describe, it } from "@effect/vitest"
import { type Source, sources } from "./sources.ts"

/** Imports go down, or stay in their folder. */
const storeys: { readonly [folder: string]: number } = {
  protocol: 1,
  peer: 2,
  transport: 3,
  era: 3,
  auth: 3,
  api: 4,
  server: 5,
  client: 5,
  tasks: 6,
  ai: 6,
  node: 6,
  testing: 7
}

/** Files beside the folders are entry points: they re-export, and nobody imports them. */
const isEntry = ({ folder }: Source) => folder === ""

const byPath = new Map(sources.map((source) => [source.path, source]))

/** One line for each thing that is wrong; none is right. */
const assertNone = (problems: ReadonlyArray<string>) => assert.deepStrictEqual(problems, [])

describe("imports", () => {
  it("reads the sources", () => {
    assert.isAbove(sources.length, 50)
    assert.isAbove(sources.flatMap(({ imports }) => imports).length, 200)
  })

  it("every folder has its storey", () => {
    assertNone(
      sources.filter((source) => !isEntry(source) && storeys[source.folder] === undefined).map(({ path }) => path)
    )
  })

  it("go down, or stay in their folder", () => {
    assertNone(
      sources.filter((source) => !isEntry(source)).flatMap((source) =>
        source.imports.flatMap(({ file }) => {
          if (file === undefined) return []
          const to = file.split("/")[0]!
          return to === source.folder || storeys[to]! < storeys[source.folder]!
            ? []
            : [`${source.path} imports ${file}`]
        })
      )
    )
  })

  it("keep out of the internals of other folders", () => {
    assertNone(
      sources.flatMap((source) =>
        source.imports.flatMap(({ file }) =>
          file === undefined || !file.includes("/internal/") || file.startsWith(`${source.folder}/`)
            ? []
            : [`${source.path} imports ${file}`]
        )
      )
    )
  })

  it("of our own files are relative, and end in .ts", () => {
    assertNone(
      sources.flatMap((source) =>
        source.imports.flatMap(({ file, specifier }) =>
          specifier.startsWith("@effect-mcp/") || (file !== undefined && !byPath.has(file))
            ? [`${source.path} imports ${specifier}`]
            : []
        )
      )
    )
  })

  it("of others are modules of effect by deep paths, and node: in node/ alone", () => {
    const isDeep = (specifier: string) => /^effect\/([a-z-]+\/)*[A-Z]\w*$/.test(specifier)
    assertNone(
      sources.flatMap((source) =>
        source.imports.flatMap(({ file, specifier }) =>
          file !== undefined || isDeep(specifier) || (source.folder === "node" && specifier.startsWith("node:"))
            ? []
            : [`${source.path} imports ${specifier}`]
        )
      )
    )
  })

  it("have no cycles", () => {
    const cycles: Array<string> = []
    const done = new Set<string>()
    const visit = (path: string, trail: ReadonlyArray<string>): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "))
      if (done.has(path) || trail.includes(path)) return
      for (const { file, typeOnly } of byPath.get(path)?.imports ?? []) {
        if (file !== undefined && !typeOnly) visit(file, [...trail, path])
      }
      done.add(path)
    }
    for (const { path } of sources) visit(path, [])
    assertNone(cycles)
  })
})

describe("comments", () => {
  it("every file opens with its duty", () => {
    assertNone(sources.filter(({ duty }) => !/^[A-Z`].*[.:]/.test(duty.replace(/@\w+.*/, ""))).map(({ path }) => path))
  })

  it("every public export says since when it is there, and where it belongs", () => {
    const isPublic = (source: Source) => !source.isInternal && !isEntry(source)
    assertNone(
      sources.filter(isPublic).flatMap(({ exports, path }) =>
        exports.filter(({ tags }) => !tags.has("internal")).flatMap(({ line, name, tags }) => {
          const missing = ["since", "category"].filter((tag) => !tags.has(tag))
          return missing.length === 0 ? [] : [`${path}:${line} ${name}: no @${missing.join(", no @")}`]
        })
      )
    )
  })

  it("a file of more than 500 lines says at its top why it is long", () => {
    assertNone(
      sources.filter(({ duty, lines }) => lines > 501 && !/ file is (as )?long /.test(duty)).map(({ lines, path }) =>
        `${path}: ${lines} lines`
      )
    )
  })
})
