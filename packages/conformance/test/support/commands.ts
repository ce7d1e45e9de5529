// How the servers of the tests are started.
import * as path from "node:path"

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const here = import.meta.dirname

/** A TypeScript file, run from the sources. */
export const source = (file: string, ...args: ReadonlyArray<string>): Command => ({
  command: process.execPath,
  args: ["--conditions=@effect-mcp/source", path.resolve(here, "../..", file), ...args]
})

/** The everything-server with the extra tools of the tests. */
export const ours = (...args: ReadonlyArray<string>): Command => source("test/peers/ours.ts", ...args)
