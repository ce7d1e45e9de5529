/**
 * A Connection carries JSON-RPC frames both ways; every transport makes one, every Peer runs on one.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Frame, RequestId } from "../protocol/JsonRpc.ts"
import type { McpError } from "../protocol/McpError.ts"

/**
 * What a sender may say about a frame.
 *
 * @since 0.1.0
 * @category models
 */
export interface SendOptions {
  /**
   * The id of the peer's request that this frame belongs to. Transports with a stream per request
   * (Streamable HTTP) put the frame there; pipes ignore it.
   */
  readonly relatedTo?: RequestId | undefined
}

/**
 * A two-way pipe of JSON-RPC frames. It lives in the scope that made it: closing that scope closes the pipe.
 *
 * - `incoming` yields decoded JSON values in the order of their arrival; what was no JSON comes as
 *   `JsonRpc.Unparseable`. It ends when the other side has closed, and fails when the pipe broke. It is run once.
 * - `send` completes when the frame is handed over, and waits while the other side does not read. Frames are
 *   delivered in the order in which `send` was started. It fails with reason `TransportError`, which says whether
 *   the frame was surely not sent, or with `ConnectionClosed`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Connection {
  readonly incoming: Stream.Stream<unknown, McpError>
  readonly send: (frame: Frame, options?: SendOptions) => Effect.Effect<void, McpError>
}
