/** A contract as a consumer of the package writes it. */
import { McpApi, Prompt, Resource, ResourceTemplate, Tool } from "@effect-mcp/sdk"
import { Schema } from "effect"

export class UnknownCity extends Schema.TaggedError<UnknownCity>()("UnknownCity", { city: Schema.String }) {}

export class Weather extends McpApi.make("weather", {
  version: "1.0.0",
  tools: [
    Tool.make("forecast", {
      parameters: { city: Schema.String, days: Schema.Int },
      success: Schema.Struct({ highs: Schema.Array(Schema.Finite) }),
      failure: UnknownCity
    }),
    Tool.make("search", {
      parameters: { near: Schema.optionalKey(Schema.String), since: Schema.optionalKey(Schema.Date) }
    }),
    Tool.make("ping")
  ],
  resources: [
    Resource.make("stations", "weather://stations"),
    ResourceTemplate.make("reading", "weather://{station}/{+path}{?unit}", {
      variables: { station: Schema.FiniteFromString }
    })
  ],
  prompts: [
    Prompt.make("briefing", { arguments: { city: Schema.String, days: Schema.optionalKey(Schema.FiniteFromString) } }),
    Prompt.make("hello")
  ]
}) {}

/** A second contract, for a server of several. */
export class Tides extends McpApi.make("tides", {
  version: "1.0.0",
  tools: [Tool.make("next", { success: Schema.Struct({ at: Schema.Date }) })]
}) {}
