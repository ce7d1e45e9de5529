/**
 * Reads the events of a stream of Server-Sent Events, however it is cut.
 *
 * Effect's own parser tells no ids of events without data, and gives the id of an event that is not complete yet: the
 * one who resumes would miss a message by either.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** Parses text as it comes. A byte order mark is the business of whoever decodes the bytes. */
export class SseParser {
  /** The id of the last complete event, the empty one where there was none: where to resume. */
  lastEventId: string
  /** How long to wait before connecting again, in milliseconds, where the server has said so. */
  retry: number | undefined = undefined
  readonly #maxEventLength: number
  readonly #onEvent: (event: string, data: string) => void
  /** The beginning of a line whose end has not come. */
  #rest: Array<string> = []
  #restLength = 0
  /** A line has ended by CR: an LF that comes next belongs to it. */
  #skipLineFeed = false
  #data: Array<string> = []
  #dataLength = 0
  #event = ""
  #id: string

  /** `onEvent` gets the type and the data of each event that has data. */
  constructor(onEvent: (event: string, data: string) => void, maxEventLength = Infinity, lastEventId = "") {
    this.#onEvent = onEvent
    this.#maxEventLength = maxEventLength
    this.lastEventId = lastEventId
    this.#id = lastEventId
  }

  /** Takes the next piece. `false` where an event is longer than it may be: nothing more can be read then. */
  feed(text: string): boolean {
    let position = 0
    if (this.#skipLineFeed && text.length > 0) {
      this.#skipLineFeed = false
      if (text.charCodeAt(0) === 10) position = 1
    }
    let lineFeed = text.indexOf("\n", position)
    let carriageReturn = text.indexOf("\r", position)
    while (lineFeed >= 0 || carriageReturn >= 0) {
      const byReturn = carriageReturn >= 0 && (lineFeed < 0 || carriageReturn < lineFeed)
      const end = byReturn ? carriageReturn : lineFeed
      this.#line(this.#complete(text.slice(position, end)))
      position = end + 1
      if (byReturn) {
        if (position === text.length) this.#skipLineFeed = true
        else if (lineFeed === position) position++
        carriageReturn = text.indexOf("\r", position)
      }
      if (lineFeed >= 0 && lineFeed < position) lineFeed = text.indexOf("\n", position)
      if (this.#dataLength > this.#maxEventLength) return false
    }
    if (position < text.length) {
      this.#rest.push(position === 0 ? text : text.slice(position))
      this.#restLength += text.length - position
    }
    return this.#restLength + this.#dataLength <= this.#maxEventLength
  }

  #complete(end: string): string {
    if (this.#rest.length === 0) return end
    this.#rest.push(end)
    const line = this.#rest.join("")
    this.#rest = []
    this.#restLength = 0
    return line
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch()
    const colon = line.indexOf(":")
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    switch (field) {
      case "data":
        this.#data.push(value)
        this.#dataLength += value.length + 1
        return
      case "event":
        this.#event = value
        return
      case "id":
        if (!value.includes("\0")) this.#id = value
        return
      case "retry":
        if (/^\d{1,12}$/.test(value)) this.retry = Number(value)
    }
  }

  #dispatch(): void {
    this.lastEventId = this.#id
    const type = this.#event === "" ? "message" : this.#event
    const lines = this.#data
    this.#event = ""
    if (lines.length === 0) return
    this.#data = []
    this.#dataLength = 0
    this.#onEvent(type, lines.length === 1 ? lines[0]! : lines.join("\n"))
  }
}
