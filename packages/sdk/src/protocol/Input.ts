/**
 * Input that a server asks for in the middle of a request (2026-07-28): a result that asks back, and the retry that
 * answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ElicitRequest, ElicitResult } from "./Elicitation.ts"
import { type RequestParams, requestParams, type Result, result } from "./Meta.ts"
import { since, stampedSince } from "./Projection.ts"
import { ListRootsRequest, ListRootsResult } from "./Roots.ts"
import { CreateMessageRequest, CreateMessageResult } from "./Sampling.ts"
import * as Wire from "./Wire.ts"

/**
 * One thing that a server asks for.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#inputrequest
 * @since 0.1.0
 * @category models
 */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest

/**
 * The schema of `InputRequest`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputRequest: Wire.Wire<InputRequest> = Schema.Union([
  CreateMessageRequest,
  ListRootsRequest,
  ElicitRequest
]).pipe(since("2026-07-28"))

/**
 * The answer to an `InputRequest`. What it answers says its key; alone, its shape does.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#inputresponse
 * @since 0.1.0
 * @category models
 */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult

/**
 * The schema of `InputResponse`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputResponse: Wire.Wire<InputResponse> = Schema.Union([
  CreateMessageResult,
  ListRootsResult,
  ElicitResult
]).pipe(since("2026-07-28"))

/**
 * All that a server asks for at once, by keys of its choice.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputRequests {
  readonly [key: string]: InputRequest
}

/**
 * The schema of `InputRequests`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputRequests: Wire.Wire<InputRequests> = Schema.Record(Schema.String, InputRequest).pipe(
  since("2026-07-28")
)

/**
 * The answers, by the keys of the requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputResponses {
  readonly [key: string]: InputResponse
}

/**
 * The schema of `InputResponses`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputResponses: Wire.Wire<InputResponses> = Schema.Record(Schema.String, InputResponse).pipe(
  since("2026-07-28")
)

/**
 * A result that asks back: the client answers by sending its request again, with `inputResponses` and the
 * `requestState` as it came.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#inputrequiredresult
 * @since 0.1.0
 * @category models
 */
export interface InputRequiredResult extends Result {
  /** Stamped by the era. */
  readonly resultType?: "input_required"
  readonly inputRequests?: InputRequests
  /** Opaque to the client. */
  readonly requestState?: string
}

/**
 * The schema of `InputRequiredResult`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputRequiredResult: Wire.Wire<InputRequiredResult> = Wire.struct<InputRequiredResult>(
  "InputRequiredResult",
  {
    _meta: result._meta,
    resultType: Schema.Literal("input_required").pipe(
      Schema.optionalKey,
      since("2026-07-28"),
      stampedSince("2026-07-28")
    ),
    inputRequests: InputRequests.pipe(Schema.optionalKey),
    requestState: Schema.String.pipe(Schema.optionalKey)
  }
).pipe(since("2026-07-28"))

/**
 * The params of a request that a server may answer by asking back.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#inputresponserequestparams
 * @since 0.1.0
 * @category models
 */
export interface InputResponseRequestParams extends RequestParams {
  /** 2026-07-28, in the retry. */
  readonly inputResponses?: InputResponses
  /** 2026-07-28, in the retry: as the server gave it. */
  readonly requestState?: string
}

/**
 * The fields of `InputResponseRequestParams`.
 *
 * @since 0.1.0
 * @category fields
 */
export const inputResponseParams: Wire.Fields<InputResponseRequestParams> = {
  ...requestParams,
  inputResponses: InputResponses.pipe(Schema.optionalKey, since("2026-07-28")),
  requestState: Schema.String.pipe(Schema.optionalKey, since("2026-07-28"))
}

/**
 * The schema of `InputResponseRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InputResponseRequestParams: Wire.Wire<InputResponseRequestParams> = Wire.struct<
  InputResponseRequestParams
>("InputResponseRequestParams", inputResponseParams)
