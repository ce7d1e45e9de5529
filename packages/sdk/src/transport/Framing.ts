/**
 * Newline-delimited JSON: one message a line, and only byte 0x0A ends a line.
 *
 * Bytes are split by hand because text splitters also split at U+2028, U+2029 and U+0085, which are ordinary
 * characters inside a JSON string.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 * @since 0.1.0
 */
import * as ByteSize from "effect/ByteSize"
import { type Frame, Unparseable } from "../protocol/JsonRpc.ts"
import * as McpError from "../protocol/McpError.ts"

/**
 * The largest frame that is read where nothing else is said: 16 MiB.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultMaxFrameBytes = 16 * 1024 * 1024

/**
 * A limit in bytes as a number; without one, the default.
 *
 * @since 0.1.0
 * @category options
 */
export const bytes = (input: ByteSize.Input | undefined, orElse: number): number =>
  input === undefined
    ? orElse
    : input === Infinity
    ? Infinity
    : ByteSize.toNumberUnsafe(ByteSize.fromInputUnsafe(input))

/**
 * The error of a connection whose other side sent a frame over the limit.
 *
 * @since 0.1.0
 * @category errors
 */
export const frameTooLarge = (maxFrameBytes: number): McpError.McpError =>
  McpError.make(
    new McpError.InvalidPeerMessage({
      detail: `The other side sent a frame of more than ${maxFrameBytes} bytes; raise maxFrameBytes if it may`
    })
  )

/**
 * A message as JSON. Throws where there is no JSON for the value.
 *
 * A well-formed `JSON.stringify` escapes newlines and lone surrogates, so the text is one line and valid UTF-8.
 *
 * @since 0.1.0
 * @category encoding
 */
export const stringify = (frame: Frame): string => {
  const text: string | undefined = JSON.stringify(frame)
  if (text === undefined) throw new TypeError("There is no JSON for this value")
  return text
}

/**
 * A message as a line. Throws where there is no JSON for the value.
 *
 * @since 0.1.0
 * @category encoding
 */
export const encode = (frame: Frame): string => stringify(frame) + "\n"

const blank = /^[ \t\r]*$/

/**
 * Reads one line, which is a JSON value or none. A blank line is none and gives nothing.
 *
 * @since 0.1.0
 * @category decoding
 */
export const parse = (line: string, out: Array<unknown>): void => {
  // A line of white space is no JSON, so only a failure has to be looked at.
  if (line.length === 0) return
  try {
    out.push(JSON.parse(line))
  } catch (cause) {
    if (!blank.test(line)) out.push(new Unparseable(cause))
  }
}

const newline = 0x0a
const smallestCarry = 4096
const largestIdleCarry = 64 * 1024

/**
 * Cuts a stream of bytes into messages, whatever the chunks.
 *
 * Memory is bounded by twice `maxFrameBytes`, time is linear in the bytes however small the chunks are. What is no
 * JSON comes as `Unparseable`, what is no UTF-8 as U+FFFD; a byte order mark at the very start is passed over.
 *
 * @since 0.1.0
 * @category decoding
 */
export class Decoder {
  readonly #maxFrameBytes: number
  // The byte order mark is dropped by hand: the decoder would drop one at the start of every chunk.
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true })
  #atStart = true
  // The line that has begun and not ended lies in #carry[0, #carried).
  #carry = new Uint8Array(0)
  #carried = 0
  #overflowed = false

  constructor(maxFrameBytes: number = defaultMaxFrameBytes) {
    this.#maxFrameBytes = maxFrameBytes
  }

  /** Whether a frame was over the limit. Nothing is read from then on. */
  get overflowed(): boolean {
    return this.#overflowed
  }

  /** Reads a chunk, and appends the messages that it completes. */
  push(chunk: Uint8Array, out: Array<unknown>): void {
    if (this.#overflowed) return
    const last = chunk.lastIndexOf(newline)
    if (last === -1) return this.#keep(chunk)
    let start = 0
    if (this.#carried > 0) {
      const end = chunk.indexOf(newline)
      this.#keep(chunk.subarray(0, end))
      if (this.#overflowed) return
      this.#flush(out)
      start = end + 1
    }
    if (last - start <= this.#maxFrameBytes) {
      if (start <= last) this.#lines(chunk.subarray(start, last), out)
    } else {
      while (start <= last) {
        const end = chunk.indexOf(newline, start)
        if (end - start > this.#maxFrameBytes) {
          this.#overflow()
          return
        }
        this.#lines(chunk.subarray(start, end), out)
        start = end + 1
      }
    }
    this.#keep(chunk.subarray(last + 1))
  }

  /** The input has ended: a last line needs no newline. */
  end(out: Array<unknown>): void {
    if (this.#carried > 0) this.#flush(out)
  }

  // Whole lines, joined by newlines. 0x0A is no part of another character, so they are decoded in one step.
  #lines(lines: Uint8Array, out: Array<unknown>) {
    let text = this.#text.decode(lines)
    if (this.#atStart) {
      this.#atStart = false
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    }
    let start = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      parse(text.slice(start, end), out)
      start = end + 1
    }
    parse(start === 0 ? text : text.slice(start), out)
  }

  #keep(part: Uint8Array) {
    if (part.length === 0) return
    const size = this.#carried + part.length
    if (size > this.#maxFrameBytes) {
      this.#overflow()
      return
    }
    if (size > this.#carry.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(this.#carry.length * 2, this.#maxFrameBytes), smallestCarry))
      grown.set(this.#carry.subarray(0, this.#carried))
      this.#carry = grown
    }
    this.#carry.set(part, this.#carried)
    this.#carried = size
  }

  #flush(out: Array<unknown>) {
    const carried = this.#carried
    this.#carried = 0
    this.#lines(this.#carry.subarray(0, carried), out)
    // One large message must not keep its memory for the life of the connection.
    if (this.#carry.length > largestIdleCarry) this.#carry = new Uint8Array(0)
  }

  #overflow() {
    this.#overflowed = true
    this.#carry = new Uint8Array(0)
    this.#carried = 0
  }
}
