// The handlers of the example server: typed Effects, one for each feature of the contract.
import { Progress } from "@effect-mcp/sdk"
import { Effect } from "effect"
import { UnknownCity, Weather } from "./Weather.ts"

const highs: Record<string, number> = { Bergen: 12, Lima: 19, Nairobi: 25, Oslo: 14, Osaka: 22, Ottawa: 11 }

export const handlers = Weather.toLayer({
  tools: {
    forecast: Effect.fnUntraced(function*({ city, days }) {
      const base = highs[city]
      if (base === undefined) return yield* new UnknownCity({ city })
      const result: Array<number> = []
      for (let day = 1; day <= days; day++) {
        yield* Effect.sleep("150 millis")
        result.push(base + (day * 7) % 5)
        yield* Progress.report({ progress: day, total: days, message: `day ${day}` })
      }
      return { highs: result }
    }),
    simulate: () =>
      Effect.sleep("1 minute").pipe(
        Effect.as({ steps: 1000 }),
        Effect.onInterrupt(() => Effect.logWarning("simulate was interrupted"))
      )
  },
  resources: {
    stations: () => Effect.succeed(JSON.stringify(Object.keys(highs))),
    city: ({ name }) => Effect.succeed(`# ${name}\n\nUsual high: ${highs[name] ?? "unknown"} °C`)
  },
  prompts: {
    briefing: ({ city }) => Effect.succeed(`Brief me on the weather in ${city}: clothes, plans, warnings.`)
  },
  completions: {
    resources: {
      city: { name: (typed) => Effect.succeed(Object.keys(highs).filter((city) => city.startsWith(typed))) }
    },
    prompts: { briefing: { city: (typed) => Effect.succeed(Object.keys(highs).filter((c) => c.startsWith(typed))) } }
  }
})
