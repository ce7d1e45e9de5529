/** The SDK as its users get it: packed from a clean copy, unpacked into a project of its own. */
import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const repository = fileURLToPath(new URL("../../../../", import.meta.url))

const modules = join(repository, "node_modules")

export interface Outcome {
  readonly ok: boolean
  readonly stdout: string
  readonly output: string
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, output: `${stdout}${stderr}`.trim() })
    })
  })

const must = async (outcome: Promise<Outcome>): Promise<string> => {
  const { ok, output, stdout } = await outcome
  if (!ok) throw new Error(output)
  return stdout
}

/** `npm pack` where nothing is built yet, so that a file left in `dist` from before cannot slip in. */
const pack = async (root: string): Promise<string> => {
  const folder = join(root, "packages/sdk")
  await mkdir(folder, { recursive: true })
  await cp(join(repository, "tsconfig.base.json"), join(root, "tsconfig.base.json"))
  for (const name of ["src", "package.json", "tsconfig.json", "README.md", "LICENSE"]) {
    await cp(join(repository, "packages/sdk", name), join(folder, name), { recursive: true })
  }
  await symlink(modules, join(root, "node_modules"), "junction")
  await must(run("npm", ["pack", "--silent"], folder))
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"))
  return join(folder, tarball!)
}

export interface Installed {
  /** The folder of the package. */
  readonly path: string
  /** The files of the package, with slashes. */
  readonly files: ReadonlyArray<string>
  readonly write: (name: string, text: string) => Promise<void>
  /** Runs a file of the project. */
  readonly node: (...args: ReadonlyArray<string>) => Promise<Outcome>
  /** Type-checks the project, with the TypeScript that is installed under this name. */
  readonly tsc: (typescript: "typescript" | "typescript-5.9", ...args: ReadonlyArray<string>) => Promise<Outcome>
  readonly remove: () => Promise<void>
}

const installIn = async (root: string, remove: Installed["remove"]): Promise<Installed> => {
  const project = join(root, "project")
  const scope = join(project, "node_modules/@effect-mcp")
  const path = join(scope, "sdk")
  await mkdir(scope, { recursive: true })
  await must(run("tar", ["-xzf", await pack(join(root, "stage")), "-C", scope], root))
  await rename(join(scope, "package"), path)
  await symlink(join(modules, "effect"), join(project, "node_modules/effect"), "junction")
  await cp(fileURLToPath(new URL("consumer", import.meta.url)), project, { recursive: true })
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return {
    path,
    files: entries.filter((entry) => entry.isFile()).map((entry) =>
      join(entry.parentPath, entry.name).slice(path.length + 1).replaceAll("\\", "/")
    ),
    write: (name, text) => writeFile(join(project, name), text),
    node: (...args) => run(process.execPath, args, project),
    tsc: (typescript, ...args) => run(process.execPath, [join(modules, typescript, "bin/tsc"), ...args], project),
    remove
  }
}

export const install = async (): Promise<Installed> => {
  const root = await mkdtemp(join(tmpdir(), "effect-mcp-"))
  const remove = () => rm(root, { recursive: true, force: true })
  try {
    return await installIn(root, remove)
  } catch (error) {
    await remove()
    throw error
  }
}
