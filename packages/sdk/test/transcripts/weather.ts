/** The server that the transcripts are about. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Catalog } from "../../src/api/Catalog.ts"
import * as McpApi from "../../src/api/McpApi.ts"
import * as Progress from "../../src/api/Progress.ts"
import * as Prompt from "../../src/api/Prompt.ts"
import * as ResourceTemplate from "../../src/api/ResourceTemplate.ts"
import * as Tool from "../../src/api/Tool.ts"
import * as McpError from "../../src/protocol/McpError.ts"
import * as McpServer from "../../src/server/McpServer.ts"

class UnknownCity extends Schema.TaggedError<UnknownCity>()("UnknownCity", { city: Schema.String }) {
  override get message() {
    return `No station reports from ${this.city}`
  }
}

class Weather extends McpApi.make("weather", {
  version: "1.0.0",
  title: "Weather",
  instructions: "Ask for a forecast by city.",
  tools: [
    Tool.make("forecast", {
      description: "Daily highs for a city",
      parameters: { city: Schema.String, days: Schema.Int },
      success: Schema.Struct({ highs: Schema.Array(Schema.Finite) }),
      failure: UnknownCity
    }),
    Tool.make("storm", { description: "Computes a storm model; never comes to an end" }),
    Tool.make("install", { description: "Adds a tool" })
  ],
  resources: [ResourceTemplate.make("city", "city://{name}", { mimeType: "text/markdown" })],
  prompts: [Prompt.make("briefing", { arguments: { city: Schema.String } })]
}) {}

const cities = ["Bergen", "Lima", "Oslo", "Osaka"]

const handlers = Weather.toLayer({
  tools: {
    forecast: Effect.fnUntraced(function*({ city, days }) {
      if (!cities.includes(city)) return yield* new UnknownCity({ city })
      yield* Effect.logInfo("asking the station")
      for (let day = 1; day <= days; day++) yield* Progress.report({ progress: day, total: days })
      return { highs: Array.from({ length: days }, () => 21) }
    }),
    storm: () => Effect.never,
    install: Effect.fnUntraced(function*() {
      yield* (yield* Catalog).addTool(Tool.make("radar"), () => Effect.succeed("clear"))
      return "installed"
    })
  },
  resources: {
    city: ({ name }, uri) =>
      cities.includes(name)
        ? Effect.succeed(`# ${name}`)
        : Effect.fail(McpError.make(new McpError.ResourceNotFound({ uri })))
  },
  prompts: { briefing: ({ city }) => Effect.succeed(`Brief me on ${city}.`) },
  completions: {
    prompts: { briefing: { city: (typed) => Effect.succeed(cities.filter((city) => city.startsWith(typed))) } }
  }
})

export const weather = Effect.provide(McpServer.make(Weather), handlers)
