/**
 * The protocol's published JSON Schemas, and what in this SDK each of their definitions is.
 *
 * The files are no part of the project; where they are absent the laws about them say so and pass.
 */
import { Ajv } from "ajv"
import formats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Capabilities from "../../../src/protocol/Capabilities.ts"
import * as Codec from "../../../src/protocol/Codec.ts"
import * as Completion from "../../../src/protocol/Completion.ts"
import * as Content from "../../../src/protocol/Content.ts"
import * as Elicitation from "../../../src/protocol/Elicitation.ts"
import * as Implementation from "../../../src/protocol/Implementation.ts"
import * as Input from "../../../src/protocol/Input.ts"
import * as JsonRpc from "../../../src/protocol/JsonRpc.ts"
import * as Lifecycle from "../../../src/protocol/Lifecycle.ts"
import * as Logging from "../../../src/protocol/Logging.ts"
import * as McpError from "../../../src/protocol/McpError.ts"
import * as Meta from "../../../src/protocol/Meta.ts"
import * as Method from "../../../src/protocol/Method.ts"
import { at, isIn } from "../../../src/protocol/Projection.ts"
import * as Prompts from "../../../src/protocol/Prompts.ts"
import * as Resources from "../../../src/protocol/Resources.ts"
import type * as Revision from "../../../src/protocol/Revision.ts"
import * as Roots from "../../../src/protocol/Roots.ts"
import * as Sampling from "../../../src/protocol/Sampling.ts"
import * as Subscriptions from "../../../src/protocol/Subscriptions.ts"
import * as Tools from "../../../src/protocol/Tools.ts"
import * as Wire from "../../../src/protocol/Wire.ts"

export type Json = { readonly [key: string]: any }

const folder = fileURLToPath(new URL("../../../../../../shared/spec/", import.meta.url))

export const present: boolean = existsSync(folder)

// What a published definition is here: how a JSON value of it is read and written again, and what it is made of.
export interface Counterpart {
  readonly roundTrip: (json: unknown) => Result.Result<unknown, string>
  // The exact schema of what we send, where the revision has it; absent where only reading is ours.
  readonly sends?: Schema.Codec<unknown, unknown>
  readonly available: boolean
}

const model = (schema: Schema.Codec<any, unknown>) => (revision: Revision.Revision): Counterpart => ({
  roundTrip: (json) => Result.flatMap(Codec.decode(schema, revision)(json), Codec.encode(schema, revision)),
  sends: at(revision)(schema),
  available: isIn(schema.ast, revision)
})

const paramsModel = (schema: Schema.Codec<any, unknown>) => (revision: Revision.Revision): Counterpart => ({
  ...model(schema)(revision),
  roundTrip: (json) => Result.flatMap(Codec.decodeParams(schema, revision)(json), Codec.encode(schema, revision))
})

const classify = (json: unknown, tag: JsonRpc.Classified["_tag"]): Result.Result<JsonRpc.Message, string> => {
  const classified = JsonRpc.classify(json)
  return classified._tag === "Invalid"
    ? Result.fail(classified.invalid.why)
    : classified._tag === tag
    ? Result.succeed(classified.message)
    : Result.fail(`a ${classified._tag}`)
}

// Until 2025-06-18 the published requests were written without their envelope.
const enveloped = (json: unknown, id: boolean): Json => ({
  jsonrpc: "2.0",
  ...(id ? { id: 1 } : {}),
  ...(json as Json)
})

const message = (method: Method.Any) => (revision: Revision.Revision): Counterpart => {
  const isRequest = method._tag === "Request"
  const fields = {
    jsonrpc: Schema.Literal("2.0"),
    method: Schema.Literal(method.name),
    params: at(revision)(method.params)
  }
  return {
    roundTrip: (json) =>
      Result.gen(function*() {
        const { params } = (yield* classify(enveloped(json, isRequest), method._tag)) as JsonRpc.Notification
        const written = yield* Method.encodeParams(method, revision)(
          yield* Method.decodeParams(method, revision)(params)
        )
        return params === undefined ? json : { ...(json as Json), params: written }
      }),
    sends: Schema.Struct(isRequest ? { ...fields, id: Meta.RequestId } : fields),
    available: Method.isAvailable(method, revision)
  }
}

const response = (method: Method.AnyRequest) => (revision: Revision.Revision): Counterpart => {
  const { roundTrip } = model(method.result)(revision)
  const back = model(Input.InputRequiredResult)(revision)
  return {
    roundTrip: (json) =>
      Result.gen(function*() {
        const { result } = (yield* classify(json, "Response")) as JsonRpc.Success
        const asksBack = method.acceptsInput && result["resultType"] === "input_required"
        return { ...(json as Json), result: yield* (asksBack ? back.roundTrip : roundTrip)(result) }
      }),
    sends: Schema.Struct({ jsonrpc: Schema.Literal("2.0"), id: Meta.RequestId, result: at(revision)(method.result) }),
    available: Method.isAvailable(method, revision)
  }
}

// Errors have no schema here: `McpError` reads them, and what is asked is that none is mistaken for another.
const error = (code: number) => (): Counterpart => ({
  available: true,
  roundTrip: (json) => {
    const envelope = "error" in (json as Json) ? json : { jsonrpc: "2.0", id: 1, error: json }
    return Result.flatMap(classify(envelope, "Response"), (failure) => {
      const back = McpError.toJsonRpc(McpError.fromJsonRpc((failure as JsonRpc.Failure).error), "2026-07-28")
      return back.code === code ? Result.succeed(json) : Result.fail(`the code ${back.code}`)
    })
  }
})

const envelope = (tag: JsonRpc.Classified["_tag"]) => (): Counterpart => ({
  available: true,
  roundTrip: (json) => Result.map(classify(json, tag), () => json)
})

const BaseMetadata = Wire.struct<{ readonly name: string; readonly title?: string }>("BaseMetadata", {
  name: Schema.String,
  title: Implementation.title
})

const counterparts: { readonly [name: string]: (revision: Revision.Revision) => Counterpart } = {
  Annotated: model(Schema.Struct({ annotations: Content.annotations })),
  Annotations: model(Content.Annotations),
  AudioContent: model(Content.AudioContent),
  BaseMetadata: model(BaseMetadata),
  BlobResourceContents: model(Content.BlobResourceContents),
  BooleanSchema: model(Elicitation.BooleanSchema),
  CacheableResult: model(Meta.CacheableResult),
  CallToolRequest: message(Method.CallTool),
  CallToolRequestParams: paramsModel(Tools.CallToolRequestParams),
  CallToolResult: model(Tools.CallToolResult),
  CallToolResultResponse: response(Method.CallTool),
  CancelledNotification: message(Method.Cancelled),
  CancelledNotificationParams: paramsModel(Lifecycle.CancelledNotificationParams),
  ClientCapabilities: model(Capabilities.ClientCapabilities),
  CompleteRequest: message(Method.Complete),
  CompleteRequestParams: paramsModel(Completion.CompleteRequestParams),
  CompleteResult: model(Completion.CompleteResult),
  CompleteResultResponse: response(Method.Complete),
  ContentBlock: model(Content.ContentBlock),
  CreateMessageRequest: (revision) =>
    (revision === "2026-07-28" ? model(Sampling.CreateMessageRequest) : message(Method.CreateMessage))(revision),
  CreateMessageRequestParams: paramsModel(Sampling.CreateMessageRequestParams),
  CreateMessageResult: model(Sampling.CreateMessageResult),
  Cursor: model(Meta.Cursor),
  DiscoverRequest: message(Method.Discover),
  DiscoverResult: model(Lifecycle.DiscoverResult),
  DiscoverResultResponse: response(Method.Discover),
  ElicitRequest: (revision) =>
    (revision === "2026-07-28" ? model(Elicitation.ElicitRequest) : message(Method.Elicit))(revision),
  ElicitRequestFormParams: paramsModel(Elicitation.ElicitRequestFormParams),
  ElicitRequestParams: paramsModel(Elicitation.ElicitRequestParams),
  ElicitRequestURLParams: paramsModel(Elicitation.ElicitRequestURLParams),
  ElicitResult: model(Elicitation.ElicitResult),
  ElicitationCompleteNotification: message(Method.ElicitationComplete),
  EmbeddedResource: model(Content.EmbeddedResource),
  EmptyResult: model(Meta.EmptyResult),
  EnumSchema: model(Elicitation.EnumSchema),
  GetPromptRequest: message(Method.GetPrompt),
  GetPromptRequestParams: paramsModel(Prompts.GetPromptRequestParams),
  GetPromptResult: model(Prompts.GetPromptResult),
  GetPromptResultResponse: response(Method.GetPrompt),
  HeaderMismatchError: error(JsonRpc.Code.headerMismatch),
  Icon: model(Implementation.Icon),
  Icons: model(Schema.StructWithRest(Schema.Struct({ icons: Implementation.icons }), [
    Schema.Record(Schema.String, Wire.Json)
  ])),
  ImageContent: model(Content.ImageContent),
  Implementation: model(Implementation.Implementation),
  InitializeRequest: message(Method.Initialize),
  InitializeRequestParams: paramsModel(Lifecycle.InitializeRequestParams),
  InitializeResult: model(Lifecycle.InitializeResult),
  InitializedNotification: message(Method.Initialized),
  InputRequest: model(Input.InputRequest),
  InputRequests: model(Input.InputRequests),
  InputRequiredResult: model(Input.InputRequiredResult),
  InputResponse: model(Input.InputResponse),
  InputResponseRequestParams: paramsModel(Input.InputResponseRequestParams),
  InputResponses: model(Input.InputResponses),
  InternalError: error(JsonRpc.Code.internalError),
  InvalidParamsError: error(JsonRpc.Code.invalidParams),
  InvalidRequestError: error(JsonRpc.Code.invalidRequest),
  JSONArray: model(Schema.Array(Wire.Json)),
  JSONObject: model(Wire.JsonObject),
  JSONRPCError: envelope("Response"),
  JSONRPCErrorResponse: envelope("Response"),
  JSONRPCNotification: envelope("Notification"),
  JSONRPCRequest: envelope("Request"),
  JSONRPCResponse: envelope("Response"),
  JSONRPCResultResponse: envelope("Response"),
  JSONValue: model(Wire.Json),
  LegacyTitledEnumSchema: model(Elicitation.LegacyTitledEnumSchema),
  ListPromptsRequest: message(Method.ListPrompts),
  ListPromptsResult: model(Prompts.ListPromptsResult),
  ListPromptsResultResponse: response(Method.ListPrompts),
  ListResourceTemplatesRequest: message(Method.ListResourceTemplates),
  ListResourceTemplatesResult: model(Resources.ListResourceTemplatesResult),
  ListResourceTemplatesResultResponse: response(Method.ListResourceTemplates),
  ListResourcesRequest: message(Method.ListResources),
  ListResourcesResult: model(Resources.ListResourcesResult),
  ListResourcesResultResponse: response(Method.ListResources),
  ListRootsRequest: (revision) =>
    (revision === "2026-07-28" ? model(Roots.ListRootsRequest) : message(Method.ListRoots))(revision),
  ListRootsResult: model(Roots.ListRootsResult),
  ListToolsRequest: message(Method.ListTools),
  ListToolsResult: model(Tools.ListToolsResult),
  ListToolsResultResponse: response(Method.ListTools),
  LoggingLevel: model(Logging.LoggingLevel),
  LoggingMessageNotification: message(Method.LoggingMessage),
  LoggingMessageNotificationParams: paramsModel(Logging.LoggingMessageNotificationParams),
  MetaObject: model(Meta.MetaObject),
  MethodNotFoundError: error(JsonRpc.Code.methodNotFound),
  MissingRequiredClientCapabilityError: error(JsonRpc.Code.missingRequiredClientCapability),
  ModelHint: model(Sampling.ModelHint),
  ModelPreferences: model(Sampling.ModelPreferences),
  MultiSelectEnumSchema: model(Elicitation.MultiSelectEnumSchema),
  NotificationMetaObject: model(Meta.NotificationMetaObject),
  NotificationParams: paramsModel(Meta.NotificationParams),
  NumberSchema: model(Elicitation.NumberSchema),
  PaginatedRequestParams: paramsModel(Meta.PaginatedRequestParams),
  PaginatedResult: model(Meta.PaginatedResult),
  ParseError: error(JsonRpc.Code.parseError),
  PingRequest: message(Method.Ping),
  PrimitiveSchemaDefinition: model(Elicitation.PrimitiveSchemaDefinition),
  ProgressNotification: message(Method.Progress),
  ProgressNotificationParams: paramsModel(Lifecycle.ProgressNotificationParams),
  ProgressToken: model(Meta.ProgressToken),
  Prompt: model(Prompts.Prompt),
  PromptArgument: model(Prompts.PromptArgument),
  PromptListChangedNotification: message(Method.PromptListChanged),
  PromptMessage: model(Prompts.PromptMessage),
  PromptReference: model(Completion.PromptReference),
  ReadResourceRequest: message(Method.ReadResource),
  ReadResourceRequestParams: paramsModel(Resources.ReadResourceRequestParams),
  ReadResourceResult: model(Resources.ReadResourceResult),
  ReadResourceResultResponse: response(Method.ReadResource),
  RequestId: model(Meta.RequestId),
  RequestMetaObject: paramsModel(Meta.RequestMetaObject),
  RequestParams: paramsModel(Meta.RequestParams),
  Resource: model(Content.Resource),
  ResourceLink: model(Content.ResourceLink),
  ResourceListChangedNotification: message(Method.ResourceListChanged),
  ResourceReference: model(Completion.ResourceTemplateReference),
  ResourceRequestParams: paramsModel(Resources.ResourceRequestParams),
  ResourceTemplate: model(Resources.ResourceTemplate),
  ResourceTemplateReference: model(Completion.ResourceTemplateReference),
  ResourceUpdatedNotification: message(Method.ResourceUpdated),
  ResourceUpdatedNotificationParams: paramsModel(Resources.ResourceUpdatedNotificationParams),
  Result: model(Meta.Result),
  ResultMetaObject: model(Meta.ResultMetaObject),
  ResultType: model(Meta.ResultType),
  Role: model(Content.Role),
  Root: model(Roots.Root),
  RootsListChangedNotification: message(Method.RootsListChanged),
  SamplingMessage: model(Sampling.SamplingMessage),
  SamplingMessageContentBlock: model(Sampling.SamplingMessageContentBlock),
  ServerCapabilities: model(Capabilities.ServerCapabilities),
  SetLevelRequest: message(Method.SetLevel),
  SetLevelRequestParams: paramsModel(Logging.SetLevelRequestParams),
  SingleSelectEnumSchema: model(Elicitation.SingleSelectEnumSchema),
  StringSchema: model(Elicitation.StringSchema),
  SubscribeRequest: message(Method.Subscribe),
  SubscribeRequestParams: paramsModel(Resources.SubscribeRequestParams),
  SubscriptionFilter: model(Subscriptions.SubscriptionFilter),
  SubscriptionsAcknowledgedNotification: message(Method.SubscriptionsAcknowledged),
  SubscriptionsAcknowledgedNotificationParams: paramsModel(Subscriptions.SubscriptionsAcknowledgedNotificationParams),
  SubscriptionsListenRequest: message(Method.Listen),
  SubscriptionsListenRequestParams: paramsModel(Subscriptions.SubscriptionsListenRequestParams),
  SubscriptionsListenResult: model(Subscriptions.SubscriptionsListenResult),
  SubscriptionsListenResultMetaObject: model(Meta.SubscriptionsListenResultMetaObject),
  SubscriptionsListenResultResponse: response(Method.Listen),
  TextContent: model(Content.TextContent),
  TextResourceContents: model(Content.TextResourceContents),
  TitledMultiSelectEnumSchema: model(Elicitation.TitledMultiSelectEnumSchema),
  TitledSingleSelectEnumSchema: model(Elicitation.TitledSingleSelectEnumSchema),
  Tool: model(Tools.Tool),
  ToolAnnotations: model(Tools.ToolAnnotations),
  ToolChoice: model(Sampling.ToolChoice),
  ToolExecution: model(Tools.ToolExecution),
  ToolListChangedNotification: message(Method.ToolListChanged),
  ToolResultContent: model(Sampling.ToolResultContent),
  ToolUseContent: model(Sampling.ToolUseContent),
  URLElicitationRequiredError: envelope("Response"),
  UnsubscribeRequest: message(Method.Unsubscribe),
  UnsubscribeRequestParams: paramsModel(Resources.UnsubscribeRequestParams),
  UnsupportedProtocolVersionError: error(JsonRpc.Code.unsupportedProtocolVersion),
  UntitledMultiSelectEnumSchema: model(Elicitation.UntitledMultiSelectEnumSchema),
  UntitledSingleSelectEnumSchema: model(Elicitation.UntitledSingleSelectEnumSchema)
}

/** Definitions without a counterpart, and why. */
export const without: { readonly [name: string]: string } = {
  CancelTaskRequest: "tasks of 2025-11-25 are not modelled",
  CancelTaskResult: "tasks of 2025-11-25 are not modelled",
  CreateTaskResult: "tasks of 2025-11-25 are not modelled",
  GetTaskPayloadRequest: "tasks of 2025-11-25 are not modelled",
  GetTaskPayloadResult: "tasks of 2025-11-25 are not modelled",
  GetTaskRequest: "tasks of 2025-11-25 are not modelled",
  GetTaskResult: "tasks of 2025-11-25 are not modelled",
  ListTasksRequest: "tasks of 2025-11-25 are not modelled",
  ListTasksResult: "tasks of 2025-11-25 are not modelled",
  RelatedTaskMetadata: "tasks of 2025-11-25 are not modelled",
  Task: "tasks of 2025-11-25 are not modelled",
  TaskAugmentedRequestParams: "tasks of 2025-11-25 are not modelled",
  TaskMetadata: "tasks of 2025-11-25 are not modelled",
  TaskStatus: "tasks of 2025-11-25 are not modelled",
  TaskStatusNotification: "tasks of 2025-11-25 are not modelled",
  TaskStatusNotificationParams: "tasks of 2025-11-25 are not modelled",
  ClientNotification: "a union of messages: compared with the table of methods",
  ClientRequest: "a union of messages: compared with the table of methods",
  ClientResult: "a union of results, which nothing but their request tells apart",
  ServerNotification: "a union of messages: compared with the table of methods",
  ServerRequest: "a union of messages: compared with the table of methods",
  ServerResult: "a union of results, which nothing but their request tells apart",
  JSONRPCBatchRequest: "an array of messages, which a transport takes apart",
  JSONRPCBatchResponse: "an array of messages, which a transport takes apart",
  JSONRPCMessage: "a union of the envelopes that are checked one by one",
  Error: "the error member of an envelope, which McpError reads",
  Notification: "the abstract base of notifications",
  Request: "the abstract base of requests",
  PaginatedRequest: "the abstract base of requests for lists",
  ResourceContents: "the abstract base of text and blob contents"
}

/** The names of the definitions that have a counterpart. */
export const names: ReadonlyArray<string> = Object.keys(counterparts)

export const counterpart = (name: string, revision: Revision.Revision): Counterpart | undefined =>
  counterparts[name]?.(revision)

export const definitionsOf = (revision: Revision.Revision): Json => {
  const schema = documents.get(revision) ?? load(revision)
  return schema["definitions"] ?? schema["$defs"]
}

const documents = new Map<Revision.Revision, Json>()

// The published JSON is generated from TypeScript, and the generator narrows `number` to integer beside other types
// and leaves `null` out of JSONValue. The TypeScript is the source: there it is `number`, and `null` is JSON.
const mend = (value: any): any => {
  if (Array.isArray(value)) return value.map(mend)
  if (typeof value !== "object" || value === null) return value
  const out = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mend(member)]))
  const types: unknown = out["type"]
  if (Array.isArray(types) && types.includes("boolean")) {
    out["type"] = types.map((it) => it === "integer" ? "number" : it)
  }
  return out
}

const load = (revision: Revision.Revision): Json => {
  const document = mend(JSON.parse(readFileSync(`${folder}${revision}/schema.json`, "utf8")))
  document["$defs"]?.["JSONValue"]?.anyOf.push({ type: "null" })
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr: the one thing that tells it apart.
  const asksBack = document["$defs"]?.["InputRequiredResult"]?.properties
  if (asksBack !== undefined) asksBack["resultType"] = { const: "input_required" }
  documents.set(revision, document)
  return document
}

const validators = new Map<Revision.Revision, InstanceType<typeof Ajv>>()

/** Why a JSON value is no instance of a definition; `undefined` where it is one. */
export const invalid = (revision: Revision.Revision, name: string, json: unknown): string | undefined => {
  let ajv = validators.get(revision)
  const document = documents.get(revision) ?? load(revision)
  if (ajv === undefined) {
    ajv = "$defs" in document ? new Ajv2020({ strict: false }) as any as Ajv : new Ajv({ strict: false })
    formats.default(ajv)
    ajv.addSchema(document, "mcp")
    validators.set(revision, ajv)
  }
  const validate = ajv.getSchema(`mcp#/${"$defs" in document ? "$defs" : "definitions"}/${name}`)
  if (validate === undefined) return `no definition ${name}`
  return validate(json) === true ? undefined : ajv.errorsText(validate.errors)
}

/** The published examples: the name of their definition, their file, their JSON. */
export const examples = (): ReadonlyArray<readonly [name: string, file: string, json: unknown]> => {
  const root = `${folder}2026-07-28/examples/`
  return readdirSync(root).flatMap((name) =>
    readdirSync(root + name).map((file) =>
      [name, file, JSON.parse(readFileSync(`${root}${name}/${file}`, "utf8"))] as const
    )
  )
}
