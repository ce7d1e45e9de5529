/**
 * The frames of Server-Sent Events that a server writes.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @since 0.1.0
 */
import type { Headers } from "./Exchange.ts"

/**
 * The headers of a stream: nothing on the way may keep it back or change it.
 *
 * @since 0.1.0
 * @category constants
 */
export const headers: Headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
}

/**
 * A message. JSON text has no line breaks, so that one `data` line holds it.
 *
 * @since 0.1.0
 * @category frames
 */
export const message = (json: string): string => `event: message\ndata: ${json}\n\n`

/**
 * A message that a client can resume after.
 *
 * @since 0.1.0
 * @category frames
 */
export const identified = (id: string, json: string): string => `id: ${id}\nevent: message\ndata: ${json}\n\n`

/**
 * An event without data: gives a client the id to resume from before there is any message.
 *
 * @since 0.1.0
 * @category frames
 */
export const priming = (id: string): string => `id: ${id}\ndata: \n\n`

/**
 * Tells the client how long to wait before it connects again.
 *
 * @since 0.1.0
 * @category frames
 */
export const retry = (millis: number): string => `retry: ${millis}\n\n`

/**
 * Keeps a quiet stream open: clients ignore it, proxies see life.
 *
 * @since 0.1.0
 * @category frames
 */
export const comment = ":\n\n"

/**
 * The first event of the transport of 2024-11-05: where to post messages.
 *
 * @since 0.1.0
 * @category frames
 */
export const endpoint = (uri: string): string => `event: endpoint\ndata: ${uri}\n\n`
