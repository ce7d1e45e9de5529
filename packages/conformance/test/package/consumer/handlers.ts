/** Handlers whose types are all inferred: their declarations must be nameable from outside of the package. */
import { Progress } from "@effect-mcp/sdk"
import { Context, Effect } from "effect"
import { Tides, UnknownCity, Weather } from "./contract.ts"

export class Stations extends Context.Service<Stations, {
  readonly highs: (city: string) => ReadonlyArray<number> | undefined
}>()("Stations") {}

export const handlers = Weather.toLayer({
  tools: {
    forecast: Effect.fnUntraced(function*({ city, days }) {
      const stations = yield* Stations
      const highs = stations.highs(city)
      if (highs === undefined) return yield* new UnknownCity({ city })
      yield* Progress.report({ progress: days, total: days })
      return { highs: highs.slice(0, days) }
    }),
    search: ({ near }) => Effect.succeed(near ?? "everywhere"),
    ping: () => Effect.void
  },
  resources: {
    stations: () => Effect.succeed("[]"),
    reading: ({ path, station, unit }) => Effect.succeed(`${station.toFixed(1)} ${path} ${unit ?? ""}`)
  },
  prompts: {
    briefing: ({ city, days }) => Effect.succeed(`Brief me on ${city} for ${days ?? 1} days`),
    hello: () => Effect.succeed("Hello")
  },
  completions: { prompts: { briefing: { city: (typed) => Effect.succeed([`${typed}slo`]) } } }
})

export const built = Tides.toLayer(Effect.gen(function*() {
  const stations = yield* Stations
  return {
    tools: { next: () => Effect.sync(() => ({ at: new Date(stations.highs("Oslo")?.[0] ?? 0) })) }
  }
}))

export const one = Weather.toolLayer("ping", () => Effect.succeed("pong"))
export const objects = Weather.of({
  tools: { forecast: () => Effect.succeed({ highs: [1] }), search: () => Effect.void, ping: () => Effect.void },
  resources: { stations: () => Effect.succeed(""), reading: () => Effect.succeed("") },
  prompts: { briefing: () => Effect.succeed(""), hello: () => Effect.succeed("") }
})
export const client = Weather.client
