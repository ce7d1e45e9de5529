/**
 * The TypeScript in the project's pages, as modules.
 *
 * Each fenced `ts` block becomes a module in the folder of its page. It sees what the blocks above it on the page
 * import and declare, unless it does so itself. Lines keep their numbers, so that an error is found on the page.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript-5.9"

export const repository = fileURLToPath(new URL("../../../", import.meta.url))

export interface Snippet {
  readonly file: string
  readonly text: string
  /** Whether it is to be run, and not only to be compiled. */
  readonly runs: boolean
}

export interface Page {
  /** Relative to the repository. */
  readonly path: string
  readonly snippets: ReadonlyArray<Snippet>
}

interface Block {
  readonly flags: ReadonlyArray<string>
  /** The line of its first line, from 0. */
  readonly line: number
  readonly code: string
}

const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: { readonly indent: number; readonly flags: ReadonlyArray<string>; readonly line: number } | undefined
  const lines = markdown.split("\n")
  for (const [index, line] of lines.entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line)
    if (fence === null) continue
    const [, indent = "", info = ""] = fence
    if (open === undefined) {
      open = { indent: indent.length, flags: info.trim().split(/\s+/), line: index + 1 }
      continue
    }
    if (open.flags[0] === "ts") {
      const code = lines.slice(open.line, index).map((each) => each.slice(open!.indent)).join("\n")
      blocks.push({ flags: open.flags.slice(1), line: open.line, code })
    }
    open = undefined
  }
  return blocks
}

/** What a block adds to the names of its page: by name, the import that brings it. */
const namesOf = (
  file: ts.SourceFile
): { readonly imported: Map<string, string>; readonly declared: Map<string, string>; readonly exports: string } => {
  const from = `from "./${file.fileName}"`
  const imported = new Map<string, string>()
  const values = new Set<string>()
  const types = new Set<string>()
  const exported = new Set<string>()
  const bind = (name: ts.BindingName): ReadonlyArray<string> =>
    ts.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap((element) => ts.isOmittedExpression(element) ? [] : bind(element.name))
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { importClause, moduleSpecifier } = statement
      const type = importClause?.isTypeOnly === true ? "type " : ""
      const source = `from ${moduleSpecifier.getText()}`
      if (importClause?.name !== undefined) {
        imported.set(importClause.name.text, `import ${type}${importClause.name.text} ${source}`)
      }
      const bindings = importClause?.namedBindings
      if (bindings !== undefined && ts.isNamespaceImport(bindings)) {
        imported.set(bindings.name.text, `import ${type}${bindings.getText()} ${source}`)
      } else if (bindings !== undefined) {
        for (const element of bindings.elements) {
          imported.set(element.name.text, `import ${type}{ ${element.getText()} } ${source}`)
        }
      }
      continue
    }
    const own = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap((declaration) => bind(declaration.name))
      : ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) ||
          ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement)
      ? [statement.name?.text ?? "default"]
      : []
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    const isExported = ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true
    for (const name of own) {
      ;(isType ? types : values).add(name)
      if (isExported) exported.add(name)
    }
  }
  const declared = new Map<string, string>()
  for (const name of types) declared.set(name, `import type { ${name} } ${from}`)
  for (const name of values) declared.set(name, `import { ${name} } ${from}`)
  const missing = (names: Iterable<string>) => [...names].filter((name) => !exported.has(name)).join(", ")
  const onlyTypes = [...types].filter((name) => !values.has(name))
  return {
    imported,
    declared,
    exports: `export { ${missing(values)} }; export type { ${missing(onlyTypes)} }`
  }
}

const identifiersOf = (node: ts.Node, into = new Set<string>()): Set<string> => {
  if (ts.isIdentifier(node)) into.add(node.text)
  ts.forEachChild(node, (child) => {
    identifiersOf(child, into)
  })
  return into
}

const snippetsOf = (markdown: string): ReadonlyArray<Snippet> => {
  const scope = new Map<string, string>()
  return blocksOf(markdown).map(({ code, flags, line }, index) => {
    const file = flags.find((flag) => flag.startsWith("file="))?.slice("file=".length) ?? `snippet-${index + 1}.ts`
    const parsed = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
    const { declared, exports, imported } = namesOf(parsed)
    const used = identifiersOf(parsed)
    const inherited = [...scope].flatMap(([name, statement]) =>
      used.has(name) && !declared.has(name) && !imported.has(name) ? [statement] : []
    )
    for (const [name, statement] of [...imported, ...declared]) scope.set(name, statement)
    return {
      file,
      text: `${inherited.join("; ")}${"\n".repeat(line)}${code}\n${exports}\n`,
      runs: flags.includes("run")
    }
  })
}

const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`.replaceAll("\\", "/"))
    .toSorted()

export const pages: ReadonlyArray<Page> = [
  ...readdirSync(repository).filter((name) => name.endsWith(".md")),
  ...markdownIn("docs"),
  ...markdownIn("packages").filter((path) => path.endsWith("/README.md"))
].map((path) => ({ path, snippets: snippetsOf(readFileSync(join(repository, path), "utf8")) }))
  .filter(({ snippets }) => snippets.length > 0)
