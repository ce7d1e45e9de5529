// The everything-server: one fixture for each thing that the protocol can do, with the names and texts of the official
// conformance suite. Served over stdio in everything-stdio.ts.
import {
  Catalog,
  Changes,
  Content,
  Elicit,
  Input,
  type Invocation,
  McpApi,
  type McpError,
  Progress,
  Prompt,
  Resource,
  ResourceTemplate,
  Roots,
  Sample,
  Tool
} from "@effect-mcp/sdk"
import { Effect, Option, Schema } from "effect"
import { Contact, contactSchema } from "./contact.ts"
import * as Media from "./media.ts"

// ---------------------------------------------------------------------------------------------------------------
// The contract
// ---------------------------------------------------------------------------------------------------------------

export class IntentionalError extends Schema.TaggedError<IntentionalError>()("IntentionalError", {
  message: Schema.String
}) {}

const basics = [
  Tool.make("test_simple_text", { description: "Answers with text" }),
  Tool.make("test_image_content", { description: "Answers with an image" }),
  Tool.make("test_audio_content", { description: "Answers with audio" }),
  Tool.make("test_embedded_resource", { description: "Answers with an embedded resource" }),
  Tool.make("test_multiple_content_types", { description: "Answers with text, an image and a resource" }),
  Tool.make("test_error_handling", { description: "Fails, as it says it may", failure: IntentionalError }),
  Tool.make("test_tool_with_progress", { description: "Reports progress three times, then answers" }),
  Tool.make("json_schema_2020_12_tool", {
    description: "Takes arguments that need the whole of JSON Schema 2020-12 to be described",
    parameters: Contact,
    inputSchema: contactSchema
  }),
  Tool.make("test_x_mcp_header", {
    description: "Has a parameter that HTTP clients repeat in a header",
    parameters: { region: Schema.optionalKey(Schema.String.annotate({ "x-mcp-header": "Region" })) }
  }),
  Tool.make("test_tool_with_logging", { description: "Logs three messages on its way" }),
  Tool.make("test_logging_tool", { description: "Logs a message of each level" }),
  Tool.make("test_reconnection", { description: "Answers after its stream was closed, where there is a stream" })
]

const changes = [
  Tool.make("test_trigger_tool_change", { description: "Adds a tool, or removes it again" }),
  Tool.make("test_trigger_prompt_change", { description: "Adds a prompt, or removes it again" }),
  Tool.make("test_trigger_resource_update", {
    description: "Tells subscribers that test://watched-resource has changed"
  })
]

const questions = [
  Tool.make("test_sampling", { description: "Asks the client's model", parameters: { prompt: Schema.String } }),
  Tool.make("test_elicitation", { description: "Asks the user", parameters: { message: Schema.String } }),
  Tool.make("test_elicitation_sep1034_defaults", { description: "Asks the user, with a default for every answer" }),
  Tool.make("test_elicitation_sep1330_enums", { description: "Asks the user for choices of all five kinds" }),
  Tool.make("test_streaming_elicitation", { description: "Reports progress, then asks the user" }),
  Tool.make("test_missing_capability", { description: "Needs a client that has a model" }),
  Tool.make("test_input_required_result_elicitation", { description: "Asks for a name" }),
  Tool.make("test_input_required_result_sampling", { description: "Asks for the capital of France" }),
  Tool.make("test_input_required_result_list_roots", { description: "Asks for the client's roots" }),
  Tool.make("test_input_required_result_request_state", { description: "Asks, and remembers something meanwhile" }),
  Tool.make("test_input_required_result_multiple_inputs", { description: "Asks three things at once" }),
  Tool.make("test_input_required_result_multi_round", { description: "Asks, and asks again" }),
  Tool.make("test_input_required_result_tampered_state", { description: "Answers only to whom it has asked" }),
  Tool.make("test_input_required_result_capabilities", { description: "Asks only what the client can be asked" })
]

export class Everything extends McpApi.make("effect-mcp-everything", {
  version: "1.0.0",
  title: "Everything",
  description: "All that the protocol can do, once",
  instructions: "Every tool, resource and prompt here is a fixture for tests; none has any effect outside.",
  tools: [...basics, ...changes, ...questions],
  resources: [
    Resource.make("static-text", "test://static-text", { description: "A text", mimeType: "text/plain" }),
    Resource.make("static-binary", "test://static-binary", { description: "An image", mimeType: "image/png" }),
    Resource.make("watched-resource", "test://watched-resource", {
      description: "Can be subscribed to",
      mimeType: "text/plain"
    }),
    ResourceTemplate.make("template-data", "test://template/{id}/data", {
      description: "One of many",
      mimeType: "application/json"
    })
  ],
  prompts: [
    Prompt.make("test_simple_prompt", { description: "Has no arguments" }),
    Prompt.make("test_prompt_with_arguments", {
      description: "Has two arguments, one of which can be completed",
      arguments: {
        arg1: Schema.String.annotate({ description: "The first argument" }),
        arg2: Schema.String.annotate({ description: "The second argument" })
      }
    }),
    Prompt.make("test_prompt_with_embedded_resource", {
      description: "Brings a resource along",
      arguments: { resourceUri: Schema.String.annotate({ description: "The URI to give it" }) }
    }),
    Prompt.make("test_prompt_with_image", { description: "Brings an image along" }),
    Prompt.make("test_input_required_result_prompt", { description: "Asks the user for its context" })
  ]
}) {}

// ---------------------------------------------------------------------------------------------------------------
// The handlers
// ---------------------------------------------------------------------------------------------------------------

const png = Content.image(Media.png, "image/png")

const embedded = (uri: string, text: string, mimeType = "text/plain") =>
  Content.resource(Content.textContents(uri, text, { mimeType }))

const says = (content: Content.ContentBlock) => ({ role: "user", content }) as const

const pause = Effect.sleep("50 millis")

const basicHandlers = {
  test_simple_text: () => Effect.succeed("This is a simple text response for testing."),
  test_image_content: () => Effect.succeed(png),
  test_audio_content: () => Effect.succeed(Content.audio(Media.wav, "audio/wav")),
  test_embedded_resource: () =>
    Effect.succeed(embedded("test://embedded-resource", "This is an embedded resource content.")),
  test_multiple_content_types: () =>
    Effect.succeed([
      "Multiple content types test:",
      png,
      embedded("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 }), "application/json")
    ]),
  test_error_handling: () =>
    Effect.fail(new IntentionalError({ message: "This tool intentionally returns an error for testing" })),
  test_tool_with_progress: Effect.fnUntraced(function*() {
    yield* Progress.report({ progress: 0, total: 100, message: "Begun" })
    yield* pause
    yield* Progress.report({ progress: 50, total: 100, message: "Halfway" })
    yield* pause
    yield* Progress.report({ progress: 100, total: 100, message: "Done" })
    return "Tool with progress executed successfully"
  }),
  json_schema_2020_12_tool: (contact: typeof Contact.Type) =>
    Effect.succeed(`JSON Schema 2020-12 tool called with: ${JSON.stringify(contact)}`),
  test_x_mcp_header: ({ region = "nowhere" }: { readonly region?: string }) => Effect.succeed(`Region: ${region}`),
  test_tool_with_logging: Effect.fnUntraced(function*() {
    yield* Effect.log("Tool execution started")
    yield* pause
    yield* Effect.log("Tool processing data")
    yield* pause
    yield* Effect.log("Tool execution completed")
    return "Tool with logging executed successfully"
  }),
  test_logging_tool: Effect.fnUntraced(function*() {
    yield* Effect.logDebug("A message at level debug")
    yield* Effect.logInfo("A message at level info")
    yield* Effect.logWarning("A message at level warning")
    yield* Effect.logError("A message at level error")
    return "Logged at four levels"
  }),
  test_reconnection: () =>
    Effect.as(pause, "Reconnection test completed successfully: this answer came over the stream that was resumed")
}

const temporaryTool = Tool.make("test_temporary_tool", { description: "Comes and goes" })
const temporaryPrompt = Prompt.make("test_temporary_prompt", { description: "Comes and goes" })

const changeHandlers = {
  test_trigger_tool_change: Effect.fnUntraced(function*() {
    const catalog = yield* Catalog.Catalog
    if (yield* catalog.remove("tool", temporaryTool.name)) return "Tool removed"
    yield* catalog.addTool(temporaryTool, () => Effect.succeed("Still here"))
    return "Tool added"
  }),
  test_trigger_prompt_change: Effect.fnUntraced(function*() {
    const catalog = yield* Catalog.Catalog
    if (yield* catalog.remove("prompt", temporaryPrompt.name)) return "Prompt removed"
    yield* catalog.addPrompt(temporaryPrompt, () => Effect.succeed("Still here"))
    return "Prompt added"
  }),
  test_trigger_resource_update: () => Effect.as(Changes.resourceUpdated("test://watched-resource"), "Subscribers told")
}

/** What became of a form, as the suite words it. */
const completed = ({ action, ...outcome }: Elicit.Outcome<unknown>) =>
  `action=${action}, content=${JSON.stringify("content" in outcome ? outcome.content : {})}`

const askName = Elicit.form("What is your name?", { name: Schema.String }, { key: "user_name" })

const greeting = (outcome: Elicit.Outcome<{ readonly name: string }>) =>
  outcome.action === "accept" ? `Hello, ${outcome.content.name}!` : `No name given (${outcome.action})`

/** A question for whom it can be asked, nothing for others. */
const ifPossible = <A>(question: Effect.Effect<A, McpError.McpError, Invocation>) =>
  question.pipe(Effect.catchReason("McpError", "MissingClientCapability", () => Effect.undefined))

const confirm = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Please confirm",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
  }
} as const

const readConfirmation = Schema.decodeUnknownOption(Schema.Union([
  Schema.Struct({ action: Schema.Literal("accept"), content: Schema.Struct({ ok: Schema.Boolean }) }),
  Schema.Struct({ action: Schema.Literals(["decline", "cancel"]) })
]))

/** Asks by hand, with a state: an answer counts only together with the state that this server gave. */
const confirmed = (text: string) =>
  Effect.map(Input.received, (received) => {
    const answer = received?.state === "asked" ? readConfirmation(received.responses["confirm"]) : Option.none()
    if (Option.isNone(answer)) return Input.required({ requests: { confirm }, state: "asked" })
    return answer.value.action === "accept" ? text : `Not confirmed (${answer.value.action})`
  })

const questionHandlers = {
  test_sampling: ({ prompt }: { readonly prompt: string }) =>
    Sample.message({ messages: prompt, maxTokens: 100 }).pipe(
      Effect.map((answer) => `LLM response: ${Sample.text(answer)}`)
    ),
  test_elicitation: ({ message }: { readonly message: string }) =>
    Elicit.form(message, {
      response: Schema.optionalKey(Schema.String.annotate({ description: "What you want to say" })),
      username: Schema.optionalKey(Schema.String.annotate({ description: "Your name" })),
      email: Schema.optionalKey(Schema.String.annotate({ description: "Your email address" }))
    }).pipe(Effect.map((outcome) => `User response: ${completed(outcome)}`)),
  test_elicitation_sep1034_defaults: () =>
    Elicit.form("Please review your profile", {
      name: Schema.String.annotate({ description: "Your name", default: "John Doe" }),
      age: Schema.Int.annotate({ description: "Your age", default: 30 }),
      score: Schema.Finite.annotate({ description: "Your score", default: 95.5 }),
      status: Schema.Literals(["active", "inactive", "pending"]).annotate({
        description: "Your status",
        default: "active"
      }),
      verified: Schema.Boolean.annotate({ description: "Whether you are verified", default: true })
    }).pipe(Effect.map((outcome) => `Elicitation completed: ${completed(outcome)}`)),
  // `enumNames` is deprecated, so that no Schema makes it: this form is written as the protocol has it.
  test_elicitation_sep1330_enums: () =>
    Elicit.formOf("Please choose", {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: {
          type: "string",
          oneOf: [
            { const: "value1", title: "First Option" },
            { const: "value2", title: "Second Option" },
            { const: "value3", title: "Third Option" }
          ]
        },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"]
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: {
          type: "array",
          items: {
            anyOf: [
              { const: "value1", title: "First Choice" },
              { const: "value2", title: "Second Choice" },
              { const: "value3", title: "Third Choice" }
            ]
          }
        }
      }
    }).pipe(Effect.map((outcome) => `Elicitation completed: ${completed(outcome)}`)),
  test_streaming_elicitation: Effect.fnUntraced(function*() {
    yield* Progress.report({ progress: 0, total: 1, message: "About to ask" })
    return greeting(yield* askName)
  }),
  test_missing_capability: () =>
    Effect.map(Sample.message({ messages: "Are you there?", maxTokens: 10 }), (answer) => Sample.text(answer)),
  test_input_required_result_elicitation: () => Effect.map(askName, greeting),
  test_input_required_result_sampling: () =>
    Effect.map(
      Sample.message({ messages: "What is the capital of France?", maxTokens: 100, key: "capital_question" }),
      Sample.text
    ),
  test_input_required_result_list_roots: () =>
    Effect.map(
      Roots.listWith({ key: "client_roots" }),
      (roots) => `Client roots: ${roots.map(({ name, uri }) => name ?? uri).join(", ")}`
    ),
  test_input_required_result_request_state: () => confirmed("state-ok"),
  test_input_required_result_multiple_inputs: () =>
    Effect.map(
      Effect.all([
        askName,
        Sample.message({ messages: "Generate a greeting", maxTokens: 50, key: "greeting" }),
        Roots.listWith({ key: "client_roots" })
      ], { concurrency: "unbounded" }),
      ([name, sampled, roots]) => `${greeting(name)} ${Sample.text(sampled)} Roots: ${roots.length}`
    ),
  test_input_required_result_multi_round: Effect.fnUntraced(function*() {
    const name = yield* Elicit.form("Step 1: What is your name?", { name: Schema.String }, { key: "step1" })
    if (name.action !== "accept") return greeting(name)
    const color = yield* Elicit.form("Step 2: What is your favorite color?", { color: Schema.String }, { key: "step2" })
    return color.action === "accept"
      ? `${name.content.name} likes ${color.content.color}`
      : `${name.content.name} likes no color`
  }),
  test_input_required_result_tampered_state: () => confirmed("The state is the one that was given"),
  test_input_required_result_capabilities: () =>
    Effect.map(
      Effect.all([
        ifPossible(askName),
        ifPossible(Sample.message({ messages: "Generate a greeting", maxTokens: 50, key: "greeting" }))
      ], { concurrency: "unbounded" }),
      ([name, sampled]) =>
        `Asked for: ${[name && "a name", sampled && "a greeting"].filter(Boolean).join(" and ") || "nothing"}`
    )
}

const completionsOfArg1 = ["paris", "park", "party"]

export const handlers = Everything.toLayer({
  tools: { ...basicHandlers, ...changeHandlers, ...questionHandlers },
  resources: {
    "static-text": () => Effect.succeed("This is the content of the static text resource."),
    "static-binary": () => Effect.succeed(Media.png),
    "watched-resource": () => Effect.succeed("This is the content of the watched resource."),
    "template-data": ({ id }) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
  },
  prompts: {
    test_simple_prompt: () => Effect.succeed("This is a simple prompt for testing."),
    test_prompt_with_arguments: ({ arg1, arg2 }) =>
      Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    test_prompt_with_embedded_resource: ({ resourceUri }) =>
      Effect.succeed([
        says(embedded(resourceUri, "Embedded resource content for testing.")),
        says(Content.text("Please process the embedded resource above."))
      ]),
    test_prompt_with_image: () => Effect.succeed([says(png), says(Content.text("Please analyze the image above."))]),
    test_input_required_result_prompt: () =>
      Effect.map(
        Elicit.form("What context should the prompt use?", { context: Schema.String }, { key: "user_context" }),
        (outcome) => outcome.action === "accept" ? `Use this context: ${outcome.content.context}` : "Use no context."
      )
  },
  completions: {
    prompts: {
      test_prompt_with_arguments: {
        arg1: (typed) => Effect.succeed(completionsOfArg1.filter((value) => value.startsWith(typed)))
      }
    }
  }
})
