/**
 * Elicitation: a server asks the client's user, by a form or by a URL to visit.
 *
 * The file is long because a form knows nine kinds of fields, and a field is nothing without the form.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  MetaObject,
  type NotificationParams,
  notificationParams,
  type ServerRequestParams,
  serverRequestParams
} from "./Meta.ts"
import { advisory, requiredSince, since, until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

const optionalString = Schema.String.pipe(Schema.optionalKey)
const optionalInteger = Wire.Integer.pipe(Schema.optionalKey)
const optionalNumber = Wire.Number.pipe(Schema.optionalKey)
const labels = { title: optionalString, description: optionalString }

interface Labels {
  readonly title?: string
  readonly description?: string
}

/**
 * A field for text.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#stringschema
 * @since 0.1.0
 * @category models
 */
export interface StringSchema extends Labels {
  readonly type: "string"
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: "email" | "uri" | "date" | "date-time"
  /** Since 2025-11-25. */
  readonly default?: string
}

/**
 * The schema of `StringSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StringSchema: Wire.Wire<StringSchema> = Wire.struct<StringSchema>("StringSchema", {
  type: Schema.Literal("string"),
  ...labels,
  minLength: optionalInteger,
  maxLength: optionalInteger,
  format: Schema.Literals(["email", "uri", "date", "date-time"]).pipe(Schema.optionalKey, advisory),
  default: optionalString.pipe(since("2025-11-25"))
})

/**
 * A field for a number.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#numberschema
 * @since 0.1.0
 * @category models
 */
export interface NumberSchema extends Labels {
  readonly type: "number" | "integer"
  readonly minimum?: number
  readonly maximum?: number
  /** Since 2025-11-25. */
  readonly default?: number
}

/**
 * The schema of `NumberSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const NumberSchema: Wire.Wire<NumberSchema> = Wire.struct<NumberSchema>("NumberSchema", {
  type: Schema.Literals(["number", "integer"]),
  ...labels,
  minimum: optionalNumber,
  maximum: optionalNumber,
  default: optionalNumber.pipe(since("2025-11-25"))
})

/**
 * A field for yes or no.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#booleanschema
 * @since 0.1.0
 * @category models
 */
export interface BooleanSchema extends Labels {
  readonly type: "boolean"
  readonly default?: boolean
}

/**
 * The schema of `BooleanSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BooleanSchema: Wire.Wire<BooleanSchema> = Wire.struct<BooleanSchema>("BooleanSchema", {
  type: Schema.Literal("boolean"),
  ...labels,
  default: Schema.Boolean.pipe(Schema.optionalKey)
})

/**
 * A choice of one, without titles. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#untitledsingleselectenumschema
 * @since 0.1.0
 * @category models
 */
export interface UntitledSingleSelectEnumSchema extends Labels {
  readonly type: "string"
  readonly enum: ReadonlyArray<string>
  readonly default?: string
}

/**
 * The schema of `UntitledSingleSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UntitledSingleSelectEnumSchema: Wire.Wire<UntitledSingleSelectEnumSchema> = Wire.struct<
  UntitledSingleSelectEnumSchema
>("UntitledSingleSelectEnumSchema", {
  type: Schema.Literal("string"),
  ...labels,
  enum: Schema.Array(Schema.String),
  default: optionalString
}).pipe(since("2025-11-25"))

/**
 * One option of a choice: its value and what to show for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface EnumOption {
  readonly const: string
  readonly title: string
}

/**
 * The schema of `EnumOption`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EnumOption: Wire.Wire<EnumOption> = Wire.struct<EnumOption>("EnumOption", {
  const: Schema.String,
  title: Schema.String
})

/**
 * A choice of one, with titles. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#titledsingleselectenumschema
 * @since 0.1.0
 * @category models
 */
export interface TitledSingleSelectEnumSchema extends Labels {
  readonly type: "string"
  readonly oneOf: ReadonlyArray<EnumOption>
  readonly default?: string
}

/**
 * The schema of `TitledSingleSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TitledSingleSelectEnumSchema: Wire.Wire<TitledSingleSelectEnumSchema> = Wire.struct<
  TitledSingleSelectEnumSchema
>("TitledSingleSelectEnumSchema", {
  type: Schema.Literal("string"),
  ...labels,
  oneOf: Schema.Array(EnumOption),
  default: optionalString
}).pipe(since("2025-11-25"))

/**
 * A choice of one. Since 2025-11-25.
 *
 * @since 0.1.0
 * @category models
 */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema

/**
 * The schema of `SingleSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SingleSelectEnumSchema: Wire.Wire<SingleSelectEnumSchema> = Schema.Union([
  UntitledSingleSelectEnumSchema,
  TitledSingleSelectEnumSchema
]).pipe(since("2025-11-25"))

const several = {
  type: Schema.Literal("array"),
  ...labels,
  minItems: optionalInteger,
  maxItems: optionalInteger,
  default: Schema.Array(Schema.String).pipe(Schema.optionalKey)
}

interface Several extends Labels {
  readonly type: "array"
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: ReadonlyArray<string>
}

/**
 * A choice of several, without titles. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#untitledmultiselectenumschema
 * @since 0.1.0
 * @category models
 */
export interface UntitledMultiSelectEnumSchema extends Several {
  readonly items: { readonly type: "string"; readonly enum: ReadonlyArray<string> }
}

/**
 * The schema of `UntitledMultiSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UntitledMultiSelectEnumSchema: Wire.Wire<UntitledMultiSelectEnumSchema> = Wire.struct<
  UntitledMultiSelectEnumSchema
>("UntitledMultiSelectEnumSchema", {
  ...several,
  items: Wire.struct<UntitledMultiSelectEnumSchema["items"]>("UntitledItems", {
    type: Schema.Literal("string"),
    enum: Schema.Array(Schema.String)
  })
}).pipe(since("2025-11-25"))

/**
 * A choice of several, with titles. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#titledmultiselectenumschema
 * @since 0.1.0
 * @category models
 */
export interface TitledMultiSelectEnumSchema extends Several {
  readonly items: { readonly anyOf: ReadonlyArray<EnumOption> }
}

/**
 * The schema of `TitledMultiSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TitledMultiSelectEnumSchema: Wire.Wire<TitledMultiSelectEnumSchema> = Wire.struct<
  TitledMultiSelectEnumSchema
>("TitledMultiSelectEnumSchema", {
  ...several,
  items: Wire.struct<TitledMultiSelectEnumSchema["items"]>("TitledItems", { anyOf: Schema.Array(EnumOption) })
}).pipe(since("2025-11-25"))

/**
 * A choice of several. Since 2025-11-25.
 *
 * @since 0.1.0
 * @category models
 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema

/**
 * The schema of `MultiSelectEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MultiSelectEnumSchema: Wire.Wire<MultiSelectEnumSchema> = Schema.Union([
  UntitledMultiSelectEnumSchema,
  TitledMultiSelectEnumSchema
]).pipe(since("2025-11-25"))

/**
 * A choice of one with its titles apart: the only choice of 2025-06-18, replaced since by the titled ones.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#legacytitledenumschema
 * @since 0.1.0
 * @category models
 */
export interface LegacyTitledEnumSchema extends Labels {
  readonly type: "string"
  readonly enum: ReadonlyArray<string>
  /** What to show for each value, in the same order. */
  readonly enumNames?: ReadonlyArray<string>
  /** Since 2025-11-25. */
  readonly default?: string
}

/**
 * The schema of `LegacyTitledEnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LegacyTitledEnumSchema: Wire.Wire<LegacyTitledEnumSchema> = Wire.struct<LegacyTitledEnumSchema>(
  "LegacyTitledEnumSchema",
  {
    type: Schema.Literal("string"),
    ...labels,
    enum: Schema.Array(Schema.String),
    enumNames: Schema.Array(Schema.String).pipe(Schema.optionalKey),
    default: optionalString.pipe(since("2025-11-25"))
  }
)

/**
 * A choice.
 *
 * @since 0.1.0
 * @category models
 */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema

/**
 * The schema of `EnumSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EnumSchema: Wire.Wire<EnumSchema> = Schema.Union([
  UntitledSingleSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  TitledMultiSelectEnumSchema,
  LegacyTitledEnumSchema
])

/**
 * A field of a form.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#primitiveschemadefinition
 * @since 0.1.0
 * @category models
 */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema

/**
 * The schema of `PrimitiveSchemaDefinition`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PrimitiveSchemaDefinition: Wire.Wire<PrimitiveSchemaDefinition> = Schema.Union([
  UntitledSingleSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  TitledMultiSelectEnumSchema,
  LegacyTitledEnumSchema,
  StringSchema,
  NumberSchema,
  BooleanSchema
])

/**
 * The fields of a form: a JSON Schema of one flat object.
 *
 * @since 0.1.0
 * @category models
 */
export interface FormSchema {
  readonly type: "object"
  readonly properties: { readonly [name: string]: PrimitiveSchemaDefinition }
  readonly required?: ReadonlyArray<string>
  /** Since 2025-11-25. */
  readonly $schema?: string
}

/**
 * The schema of `FormSchema`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FormSchema: Wire.Wire<FormSchema> = Wire.struct<FormSchema>("FormSchema", {
  type: Schema.Literal("object"),
  properties: Schema.Record(Schema.String, PrimitiveSchemaDefinition),
  required: Schema.Array(Schema.String).pipe(Schema.optionalKey),
  $schema: optionalString.pipe(since("2025-11-25"))
})

/**
 * Asks by a form.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitrequestformparams
 * @since 0.1.0
 * @category models
 */
export interface ElicitRequestFormParams extends ServerRequestParams {
  /** `"form"` where absent. Since 2025-11-25. */
  readonly mode?: "form"
  readonly message: string
  readonly requestedSchema: FormSchema
}

/**
 * The schema of `ElicitRequestFormParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitRequestFormParams: Wire.Wire<ElicitRequestFormParams> = Wire.struct<ElicitRequestFormParams>(
  "ElicitRequestFormParams",
  {
    ...serverRequestParams,
    mode: Schema.Literal("form").pipe(Schema.optionalKey, since("2025-11-25")),
    message: Schema.String,
    requestedSchema: FormSchema
  }
)

/**
 * Asks by a URL to visit. Since 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitrequesturlparams
 * @since 0.1.0
 * @category models
 */
export interface ElicitRequestURLParams extends ServerRequestParams {
  readonly mode: "url"
  readonly message: string
  readonly url: string
  /** What the notification of its completion refers to. Required at 2025-11-25, gone since. */
  readonly elicitationId?: string
}

/**
 * The schema of `ElicitRequestURLParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitRequestURLParams: Wire.Wire<ElicitRequestURLParams> = Wire.struct<ElicitRequestURLParams>(
  "ElicitRequestURLParams",
  {
    ...serverRequestParams,
    mode: Schema.Literal("url"),
    message: Schema.String,
    url: Wire.Uri,
    elicitationId: optionalString.pipe(since("2025-11-25"), until("2025-11-25"), requiredSince("2025-11-25"))
  }
).pipe(since("2025-11-25"))

/**
 * The params of `elicitation/create`.
 *
 * @since 0.1.0
 * @category models
 */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams

/**
 * The schema of `ElicitRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitRequestParams: Wire.Wire<ElicitRequestParams> = Schema.Union([
  ElicitRequestURLParams,
  ElicitRequestFormParams
])

/**
 * Asks a client's user: a request until 2025-11-25, an input request since.
 *
 * @since 0.1.0
 * @category models
 */
export interface ElicitRequest {
  readonly method: "elicitation/create"
  readonly params: ElicitRequestParams
}

/**
 * The schema of `ElicitRequest`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitRequest: Wire.Wire<ElicitRequest> = Wire.struct<ElicitRequest>("ElicitRequest", {
  method: Schema.Literal("elicitation/create"),
  params: ElicitRequestParams
})

/**
 * What the user did: `accept` with the form's content, `decline`, or `cancel` without a choice.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitresult
 * @since 0.1.0
 * @category models
 */
export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel"
  /** The values of the form. Lists since 2025-11-25. */
  readonly content?: { readonly [name: string]: string | number | boolean | ReadonlyArray<string> }
  readonly _meta?: MetaObject
}

/**
 * The schema of `ElicitResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitResult: Wire.Wire<ElicitResult> = Wire.struct<ElicitResult>("ElicitResult", {
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.Record(
    Schema.String,
    Schema.Union([
      Schema.String,
      Wire.Number,
      Schema.Boolean,
      Schema.Array(Schema.String).pipe(since("2025-11-25"))
    ])
  ).pipe(Schema.optionalKey),
  _meta: Schema.optionalKey(MetaObject)
})

/**
 * The params of `notifications/elicitation/complete`. 2025-11-25 only.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#elicitationcompletenotification
 * @since 0.1.0
 * @category models
 */
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  readonly elicitationId: string
}

/**
 * The schema of `ElicitationCompleteNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ElicitationCompleteNotificationParams: Wire.Wire<ElicitationCompleteNotificationParams> = Wire.struct<
  ElicitationCompleteNotificationParams
>("ElicitationCompleteNotificationParams", { ...notificationParams, elicitationId: Schema.String }).pipe(
  since("2025-11-25"),
  until("2025-11-25")
)
