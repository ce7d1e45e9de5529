/** What the contract promises at compile time. Nothing here runs. */
import {
  type Caller,
  Catalog,
  Changes,
  Invocation,
  McpApi,
  McpError,
  McpServer,
  type ServerTransport,
  Tool
} from "@effect-mcp/sdk"
import { Context, Effect, type Layer, Schema } from "effect"
import { Tides, UnknownCity, Weather } from "./contract.ts"
import { built, handlers, type one, Stations } from "./handlers.ts"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const equal = <A, B>(_: Equal<A, B>): void => {}
type Success<E> = E extends Effect.Effect<infer A, any, any> ? A : never
type Failure<E> = E extends Effect.Effect<any, infer F, any> ? F : never
type Needs<L> = L extends Layer.Layer<any, any, infer R> ? R : never
type Gives<L> = L extends Layer.Layer<infer A, any, any> ? A : never

// ---- handlers: what they need and what they give

equal<Needs<typeof handlers>, Stations>(true)
equal<Needs<typeof built>, Stations>(true)
equal<Needs<typeof one>, never>(true)
equal<Gives<typeof one>, McpApi.Handler<"weather", "tool", "ping">>(true)
equal<Gives<typeof built>, McpApi.Handlers<typeof Tides>>(true)
equal<Gives<typeof built>, McpApi.Handler<"tides", "tool", "next">>(true)

class Clock extends Context.Service<Clock, { readonly now: number }>()("Clock") {}

const others = {
  resources: { stations: () => Effect.succeed(""), reading: () => Effect.succeed("") },
  prompts: { briefing: () => Effect.succeed(""), hello: () => Effect.succeed("") }
}
const tools = {
  forecast: () => Effect.succeed({ highs: [1] }),
  search: () => Effect.void,
  ping: () => Effect.void
}

Weather.toLayer({ tools, ...others })

// @ts-expect-error: a missing tool
Weather.toLayer({ tools: { forecast: tools.forecast, ping: tools.ping }, ...others })

// @ts-expect-error: a missing kind
Weather.toLayer({ tools, resources: others.resources })

// @ts-expect-error: a missing prompt, in an Effect that builds the handlers
Weather.toLayer(Effect.succeed({ tools, ...others, prompts: { hello: () => Effect.succeed("") } }))

Weather.toLayer({
  // @ts-expect-error: a wrong result
  tools: { ...tools, forecast: () => Effect.succeed({ highs: ["warm"] }) },
  ...others
})

Weather.toLayer({
  // @ts-expect-error: a failure that is not declared
  tools: { ...tools, ping: () => Effect.fail(new UnknownCity({ city: "" })) },
  ...others
})

Weather.toLayer({
  // @ts-expect-error: a parameter that the contract does not have
  tools: { ...tools, forecast: ({ town }: { readonly town: string }) => Effect.succeed({ highs: [town.length] }) },
  ...others
})

// @ts-expect-error: no such tool
Weather.toolLayer("pong", () => Effect.void)

// Declared failures, and an error of the protocol, may be failed with anywhere.
Weather.toLayer({
  tools: {
    ...tools,
    forecast: () => Effect.fail(new UnknownCity({ city: "" })),
    ping: () => Effect.fail(McpError.make(new McpError.InvalidParams({ detail: "no" })))
  },
  ...others
})

// A service of one handler is a service of the layer.
const clocked = Weather.toLayer({
  tools: { ...tools, ping: () => Effect.asVoid(Clock) },
  ...others,
  completions: { resources: { reading: { unit: () => Effect.as(Stations, ["C"]) } } }
})
equal<Needs<typeof clocked>, Clock | Stations>(true)

// What a call brings along needs nobody to provide it.
const scoped = Weather.toolLayer("ping", () => Effect.asVoid(Effect.acquireRelease(Effect.void, () => Effect.void)))
equal<Needs<typeof scoped>, never>(true)
const brought = Weather.toolLayer(
  "ping",
  () => Effect.asVoid(Effect.all([Invocation, Catalog.Catalog, Changes.Changes]))
)
equal<Needs<typeof brought>, never>(true)

Weather.toLayer({
  tools,
  ...others,
  // @ts-expect-error: no such variable
  completions: { resources: { reading: { place: () => Effect.succeed([]) } } }
})

// ---- variables and arguments

Weather.resourceLayer("reading", (variables, uri) => {
  equal<typeof variables.station, number>(true)
  equal<typeof variables.path, string>(true)
  equal<typeof variables.unit, string | undefined>(true)
  equal<typeof uri, string>(true)
  return Effect.succeed("")
})

Weather.promptLayer("briefing", (args) => {
  equal<typeof args.city, string>(true)
  equal<typeof args.days, number | undefined>(true)
  return Effect.succeed("")
})

Weather.toolLayer("search", (parameters) => {
  equal<typeof parameters, { readonly near?: string; readonly since?: Date }>(true)
  return Effect.void
})

// ---- servers

declare const transport: Layer.Layer<ServerTransport>
declare const stations: Layer.Layer<Stations>
declare const run: (effect: Effect.Effect<void, McpError.McpError>) => void

const serving = McpServer.serve([Weather, Tides]).pipe(Effect.provide(transport))

run(serving.pipe(Effect.provide([handlers, built]), Effect.provide(stations)))

// @ts-expect-error: the handlers of one contract are missing
run(serving.pipe(Effect.provide(handlers), Effect.provide(stations)))

// @ts-expect-error: a service that a handler needs is not provided
run(serving.pipe(Effect.provide([handlers, built])))

// @ts-expect-error: there is no transport
run(McpServer.serve(Weather).pipe(Effect.provide(handlers), Effect.provide(stations)))

// Handlers given one by one add up.
run(
  McpServer.serve(Tides).pipe(
    Effect.provide(Tides.toolLayer("next", () => Effect.succeed({ at: new Date(0) }))),
    Effect.provide(transport)
  )
)

class OtherTides extends McpApi.make("other", { version: "1", tools: [Tool.make("next")] }) {}

const tides = Tides.toolLayer("next", () => Effect.succeed({ at: new Date(0) }))

// @ts-expect-error: the handlers of another contract
run(McpServer.serve(OtherTides).pipe(Effect.provide(tides), Effect.provide(transport)))

const layer = McpServer.layer([Weather, Tides])
equal<Needs<typeof layer>, McpApi.Handlers<typeof Weather> | McpApi.Handlers<typeof Tides> | ServerTransport>(true)

// ---- clients

export const program = Effect.gen(function*() {
  const { prompts, resources, tools } = yield* Weather.client

  const forecast = tools.forecast({ city: "Oslo", days: 1 })
  equal<Success<typeof forecast>, { readonly highs: ReadonlyArray<number> }>(true)
  equal<Failure<typeof forecast>, UnknownCity | McpError.McpError>(true)
  const caught = Effect.catchTag(forecast, "UnknownCity", ({ city }) => Effect.succeed({ highs: [city.length] }))
  equal<Failure<typeof caught>, McpError.McpError>(true)

  // @ts-expect-error: a parameter is missing
  tools.forecast({ city: "Oslo" })
  // @ts-expect-error: a wrong parameter
  tools.forecast({ city: "Oslo", days: "1" })
  // @ts-expect-error: parameters that are not optional cannot be left out
  tools.forecast()
  // @ts-expect-error: no such tool
  tools.pong()

  // Parameters that are all optional may be left out.
  tools.search()
  tools.search({ since: new Date(0) })
  tools.ping()
  prompts.hello()
  resources.stations()

  resources.reading({ station: 4, path: "a/b" })
  resources.reading({ station: 4, path: "a/b", unit: "F" })
  // @ts-expect-error: a variable with a schema takes what it decodes to
  resources.reading({ station: "4", path: "a/b" })
  // @ts-expect-error: a variable is missing
  resources.reading({ station: 4 })

  prompts.briefing({ city: "Oslo" })
  prompts.briefing({ city: "Oslo", days: 2 })
  // @ts-expect-error: an argument is missing
  prompts.briefing()
})

declare const caller: Caller.Caller["Service"]
equal<ReturnType<typeof Weather.clientOf>, Success<typeof Weather.client>>(true)
Weather.clientOf(caller).tools.ping(undefined, { timeout: "1 second" })

// ---- contracts

// @ts-expect-error: a name is text
Tool.make(1)
// @ts-expect-error: a tool's arguments are an object of Schemas
Tool.make("bad", { parameters: { city: "string" } })
// @ts-expect-error: a Schema that needs services cannot be used on the wire
Tool.make("bad", { success: Schema.Struct({ a: null as unknown as Schema.Codec<string, string, Clock> }) })
