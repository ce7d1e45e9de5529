// The one vitest configuration: every package with tests is a project, read from its sources.
import { existsSync, readdirSync } from "node:fs"
import { defineConfig } from "vitest/config"
import type { Reporter, TestModule } from "vitest/node"

const conditions = ["@effect-mcp/source", "node", "import", "default"]

/** Ends a run with one plain line, whatever the terminal. A file that cannot be loaded counts as one failure. */
const totals: Reporter = {
  onTestRunEnd(modules, unhandled) {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state === "pending" ? "skipped" : state]++
      }
      if (module.state() === "failed" && !hasFailedTest(module)) count.failed++
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
  }
}

const hasFailedTest = (module: TestModule): boolean => {
  for (const _ of module.children.allTests("failed")) return true
  return false
}

const packages = `${import.meta.dirname}/packages`
const projects = readdirSync(packages).filter((name) => existsSync(`${packages}/${name}/test`))

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", totals],
    // Bounds for a machine under load; no test waits for time to pass.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: projects.map((name) => ({
      extends: true,
      root: `${packages}/${name}`,
      test: { name, include: ["test/**/*.test.ts"] }
    }))
  }
})
