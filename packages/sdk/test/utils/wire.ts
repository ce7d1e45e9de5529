/**
 * Whether what goes over the wire is what the published JSON Schemas of a revision say. They are no part of the
 * project; where they are absent nothing is checked here.
 */
import { assert } from "@effect/vitest"
import * as Revision from "../../src/protocol/Revision.ts"
import { invalid, present } from "../protocol/support/official.ts"

const results: { readonly [method: string]: string } = {
  initialize: "InitializeResult",
  ping: "EmptyResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "logging/setLevel": "EmptyResult",
  "subscriptions/listen": "SubscriptionsListenResult"
}

const notifications: { readonly [method: string]: string } = {
  "notifications/cancelled": "CancelledNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification"
}

const check = (revision: Revision.Revision, definition: string | undefined, value: unknown) => {
  if (!present || definition === undefined) return
  const problem = invalid(revision, definition, value)
  if (problem !== undefined) assert.fail(`No ${definition} of ${revision}: ${problem} in ${JSON.stringify(value)}`)
}

const isRecord = (u: unknown): u is { readonly [key: string]: any } => typeof u === "object" && u !== null

/**
 * Fails the test where a frame that a server sent at a revision is none of that revision. `method` is that of the
 * request which the frame answers.
 */
export const assertServerFrame = (revision: Revision.Revision, frame: unknown, method?: string): void => {
  assert.isTrue(isRecord(frame), JSON.stringify(frame))
  if (!isRecord(frame)) return
  assert.strictEqual(frame["jsonrpc"], "2.0")
  if ("method" in frame) {
    const { jsonrpc, ...notification } = frame
    // Until 2025-06-18 the published notifications are written without their envelope.
    check(
      revision,
      notifications[frame["method"] as string],
      Revision.atLeast(revision, "2025-11-25") ? frame : notification
    )
    return
  }
  assert.notStrictEqual("result" in frame, "error" in frame, "a result or an error")
  if ("error" in frame) {
    const error = frame["error"]
    assert.isTrue(Number.isInteger(error.code) && typeof error.message === "string", JSON.stringify(frame))
    return
  }
  const result = frame["result"]
  // Only the modern era has types of results: https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype
  assert.strictEqual("resultType" in result, Revision.isModern(revision), JSON.stringify(frame))
  if (result.resultType !== "input_required") {
    check(revision, method === undefined ? undefined : results[method], result)
  }
}
