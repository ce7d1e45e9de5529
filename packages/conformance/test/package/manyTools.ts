/** The source of a contract with many tools, its handlers and its client. */
export const manyTools = (count: number): string => {
  const each = (f: (index: number) => string) => Array.from({ length: count }, (_, index) => f(index)).join(",\n")
  return `import { McpApi, Tool } from "@effect-mcp/sdk"
import { Context, Effect, Schema } from "effect"

export class Gone extends Schema.TaggedError<Gone>()("Gone", { at: Schema.Int }) {}
export class Store extends Context.Service<Store, { readonly size: number }>()("Store") {}

export class Many extends McpApi.make("many", {
  version: "1.0.0",
  tools: [${
    each((i) =>
      `Tool.make("tool${i}", {
        parameters: { a${i}: Schema.String, b: Schema.Int, c: Schema.optionalKey(Schema.Array(Schema.Finite)) },
        success: Schema.Struct({ x${i}: Schema.Finite }),
        failure: Gone
      })`
    )
  }]
}) {}

export const handlers = Many.toLayer({
  tools: {${
    each((i) =>
      `tool${i}: Effect.fnUntraced(function*({ a${i}, b }) {
        const store = yield* Store
        if (b < 0) return yield* new Gone({ at: b })
        return { x${i}: store.size + a${i}.length }
      })`
    )
  }}
})

export const program = Effect.gen(function*() {
  const { tools } = yield* Many.client
  const { x${count - 1} } = yield* tools.tool${count - 1}({ a${count - 1}: "a", b: 1 })
  return x${count - 1} satisfies number
})
`
}
