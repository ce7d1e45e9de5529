/** The source files of the SDK as the rules of the house see them: their imports, their comments, their exports. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import ts from "typescript-5.9"

const root = fileURLToPath(new URL("../../src/", import.meta.url))

export interface Import {
  /** As it is written. */
  readonly specifier: string
  /** The imported file, relative to `src`, where it is one of ours. */
  readonly file: string | undefined
  /** Gone after compilation. */
  readonly typeOnly: boolean
}

export interface Export {
  readonly name: string
  readonly line: number
  /** The tags of its doc comment. */
  readonly tags: ReadonlySet<string>
}

export interface Source {
  /** Relative to `src`, with slashes. */
  readonly path: string
  readonly folder: string
  readonly isInternal: boolean
  readonly lines: number
  /** The comment that opens the file, as one line. */
  readonly duty: string
  readonly imports: ReadonlyArray<Import>
  readonly exports: ReadonlyArray<Export>
}

const resolve = (from: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? new URL(specifier, `file:///${from}`).pathname.slice(1) : undefined

const importsOf = (path: string, file: ts.SourceFile): ReadonlyArray<Import> => {
  const imports: Array<Import> = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    imports.push({ specifier: specifier.text, file: resolve(path, specifier.text), typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly === true)
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return imports
}

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText())
  }
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause
    return clause === undefined
      ? ["*"]
      : ts.isNamedExports(clause)
      ? clause.elements.map((element) => element.name.text)
      : [clause.name.text]
  }
  return [(statement as ts.Statement & { readonly name?: ts.Identifier }).name?.text ?? "default"]
}

const isExported = (statement: ts.Statement): boolean =>
  ts.isExportDeclaration(statement) || ts.isExportAssignment(statement) ||
  (ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true)

const exportsOf = (file: ts.SourceFile): ReadonlyArray<Export> => {
  const exports: Array<Export> = []
  let before: string | undefined
  for (const [index, statement] of file.statements.entries()) {
    // What another file declares has its comment there.
    if (!isExported(statement) || (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined)) {
      continue
    }
    const name = namesOf(statement).join(", ")
    // The signatures of a function after its first one are covered by the first one's comment.
    const overload = ts.isFunctionDeclaration(statement) && name === before
    before = name
    if (overload) continue
    // The comment that opens the file belongs to the file, not to what comes first in it.
    const comments = ts.getLeadingCommentRanges(file.text, statement.pos)?.length ?? 0
    const tags = index === 0 && comments < 2 ? [] : ts.getJSDocTags(statement)
    exports.push({
      name,
      line: file.getLineAndCharacterOfPosition(statement.getStart()).line + 1,
      tags: new Set(tags.map((tag) => tag.tagName.text))
    })
  }
  return exports
}

const read = (path: string): Source => {
  const text = readFileSync(root + path, "utf8")
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return {
    path,
    folder: path.includes("/") ? path.slice(0, path.indexOf("/")) : "",
    isInternal: path.includes("/internal/"),
    lines: text.split("\n").length,
    duty: (/^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "").replace(/\s*\n \* ?/g, " ").trim(),
    imports: importsOf(path, file),
    exports: exportsOf(file)
  }
}

export const sources: ReadonlyArray<Source> = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts"))
  .toSorted()
  .map(read)
