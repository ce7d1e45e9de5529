/** Change notices to one listener: collected while it reads slowly, each kind and URI once, sent one at a time. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Change, Changes } from "../../api/Changes.ts"
import type { ServerCapabilities } from "../../protocol/Capabilities.ts"
import type { Params } from "../../protocol/JsonRpc.ts"
import type { Closing } from "./closing.ts"

/** The method and parameters of the notice of a change. */
export const noticeOf = (change: Change): readonly [method: string, params?: Params] => {
  switch (change._tag) {
    case "Tools":
      return ["notifications/tools/list_changed"]
    case "Prompts":
      return ["notifications/prompts/list_changed"]
    case "Resources":
      return ["notifications/resources/list_changed"]
    case "Resource":
      return ["notifications/resources/updated", { uri: change.uri }]
  }
}

/** Whether a server that has declared these capabilities may tell of a change. */
export const isDeclared = (change: Change, { prompts, resources, tools }: ServerCapabilities): boolean => {
  switch (change._tag) {
    case "Tools":
      return tools?.listChanged === true
    case "Prompts":
      return prompts?.listChanged === true
    case "Resources":
      return resources?.listChanged === true
    case "Resource":
      return resources?.subscribe === true
  }
}

const keyOf = (change: Change) => change._tag === "Resource" ? `Resource ${change.uri}` : change._tag

/**
 * Listens from the moment it is run; the effect that it gives sends what was wanted, until closing begins. What waits
 * is bounded by what `wants` accepts: changes of the same thing are one notice.
 */
export const subscribe = (
  changes: Changes["Service"],
  wants: (change: Change) => boolean,
  closing: Closing
): Effect.Effect<(send: (change: Change) => Effect.Effect<void>) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.suspend(() => {
    const waiting = new Map<string, Change>()
    let wake: (() => void) | undefined
    const wakeUp = () => {
      const wake_ = wake
      wake = undefined
      wake_?.()
    }
    const arrival = Effect.callback<void>((resume) => {
      if (waiting.size > 0 || closing.isClosed()) return resume(Effect.void)
      wake = () => resume(Effect.void)
    })
    const sendAll = (send: (change: Change) => Effect.Effect<void>) =>
      Effect.suspend(() => {
        const batch = [...waiting.values()]
        waiting.clear()
        return Effect.forEach(batch, send, { discard: true })
      })
    return changes.subscribe((change) => {
      if (!wants(change)) return
      waiting.set(keyOf(change), change)
      wakeUp()
    }).pipe(
      Effect.andThen(Effect.acquireRelease(
        Effect.sync(() => closing.onClose(wakeUp)),
        (forget) => Effect.sync(forget)
      )),
      Effect.as((send: (change: Change) => Effect.Effect<void>) =>
        Effect.whileLoop({
          while: () => waiting.size > 0 || !closing.isClosed(),
          // A yield lets changes made in a row meet before the first is told.
          body: () => Effect.andThen(Effect.andThen(arrival, Effect.yieldNow), sendAll(send)),
          step: () => {}
        })
      )
    )
  })
