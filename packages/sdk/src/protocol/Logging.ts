/**
 * Logging: messages from a server, and from which severity on.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { LoggingLevel } from "./LoggingLevel.ts"
import { type NotificationParams, notificationParams, type RequestParams, requestParams } from "./Meta.ts"
import { until } from "./Projection.ts"
import * as Wire from "./Wire.ts"

export {
  /**
   * How grave a log message is.
   *
   * @since 0.1.0
   * @category models
   */
  LoggingLevel
} from "./LoggingLevel.ts"

/**
 * The params of `logging/setLevel`. Until 2025-11-25; since, each request says in its `_meta` what it wants logged.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#setlevelrequestparams
 * @since 0.1.0
 * @category models
 */
export interface SetLevelRequestParams extends RequestParams {
  readonly level: LoggingLevel
}

/**
 * The schema of `SetLevelRequestParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetLevelRequestParams: Wire.Wire<SetLevelRequestParams> = Wire.struct<SetLevelRequestParams>(
  "SetLevelRequestParams",
  { ...requestParams, level: LoggingLevel }
).pipe(until("2025-11-25"))

/**
 * The params of `notifications/message`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#loggingmessagenotificationparams
 * @since 0.1.0
 * @category models
 */
export interface LoggingMessageNotificationParams extends NotificationParams {
  readonly level: LoggingLevel
  /** Which part of the server speaks. */
  readonly logger?: string
  /** Any JSON value. */
  readonly data: unknown
}

/**
 * The schema of `LoggingMessageNotificationParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LoggingMessageNotificationParams: Wire.Wire<LoggingMessageNotificationParams> = Wire.struct<
  LoggingMessageNotificationParams
>("LoggingMessageNotificationParams", {
  ...notificationParams,
  level: LoggingLevel,
  logger: Schema.String.pipe(Schema.optionalKey),
  data: Wire.Json
})
