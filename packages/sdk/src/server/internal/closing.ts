/** A signal that is given once: a connection, or the server with all of them, is about to close. */
import * as Context from "effect/Context"

export interface Closing {
  readonly isClosed: () => boolean
  /** Calls back when closing begins, at once where it has. Gives a function that takes the callback out again. */
  readonly onClose: (callback: () => void) => () => void
  readonly close: () => void
}

export const make = (): Closing => {
  const callbacks = new Set<() => void>()
  let closed = false
  return {
    isClosed: () => closed,
    onClose: (callback) => {
      if (closed) {
        callback()
        return () => {}
      }
      // A wrapper of its own, so that one function given twice is called twice.
      const own = () => callback()
      callbacks.add(own)
      return () => {
        callbacks.delete(own)
      }
    },
    close: () => {
      if (closed) return
      closed = true
      const waiting = [...callbacks]
      callbacks.clear()
      for (const callback of waiting) callback()
    }
  }
}

/** The signal of the connection that a request came over. Not there where a server is called without one. */
export const Current = Context.Reference<Closing | undefined>("@effect-mcp/sdk/server/Closing", {
  defaultValue: () => undefined
})
