// The contract of the example server: what it offers, as one value.
import { McpApi, Prompt, Resource, ResourceTemplate, Tool } from "@effect-mcp/sdk"
import { Schema } from "effect"

export class UnknownCity extends Schema.TaggedError<UnknownCity>()("UnknownCity", { city: Schema.String }) {
  override get message() {
    return `No station reports from ${this.city}`
  }
}

export class Weather extends McpApi.make("weather", {
  version: "1.0.0",
  title: "Weather",
  description: "Forecasts, city pages and briefings",
  instructions: "Ask for a forecast by city; read city://NAME for what is known of a city.",
  tools: [
    Tool.make("forecast", {
      description: "Daily highs for a city, in degrees Celsius",
      parameters: {
        city: Schema.String.annotate({ description: "The name of the city" }),
        days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 14 })).annotate({ description: "How many days" })
      },
      success: Schema.Struct({ highs: Schema.Array(Schema.Finite) }),
      failure: UnknownCity,
      annotations: { readOnlyHint: true }
    }),
    Tool.make("simulate", {
      description: "Computes a storm model; takes a minute",
      success: Schema.Struct({ steps: Schema.Int })
    })
  ],
  resources: [
    Resource.make("stations", "weather://stations", { mimeType: "application/json" }),
    ResourceTemplate.make("city", "city://{name}", { description: "A page about a city", mimeType: "text/markdown" })
  ],
  prompts: [
    Prompt.make("briefing", { description: "A briefing for travellers", arguments: { city: Schema.String } })
  ]
}) {}
