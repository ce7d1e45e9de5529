/**
 * The standard error of a child process, as lines of bounded length.
 *
 * @since 0.1.0
 */

const longestLine = 8 * 1024
const keptLines = 10
const keptLength = 2 * 1024

/**
 * Cuts text into lines. What is beyond 8 Ki characters of a line is dropped.
 *
 * @since 0.1.0
 * @category models
 */
export class Lines {
  readonly #decoder = new TextDecoder()
  #begun = ""

  /** The lines that these chunks complete. */
  push(chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<string> {
    const lines: Array<string> = []
    for (const chunk of chunks) {
      const [first, ...rest] = this.#decoder.decode(chunk, { stream: true }).split("\n")
      this.#begin(first)
      for (const part of rest) {
        this.#complete(lines)
        this.#begin(part)
      }
    }
    return lines
  }

  /** The line that was never ended, if there is one. */
  end(): ReadonlyArray<string> {
    const lines: Array<string> = []
    this.#complete(lines)
    return lines
  }

  #begin(part: string | undefined) {
    if (part !== undefined && this.#begun.length < longestLine) {
      this.#begun += part.slice(0, longestLine - this.#begun.length)
    }
  }

  #complete(lines: Array<string>) {
    const line = this.#begun.endsWith("\r") ? this.#begun.slice(0, -1) : this.#begun
    this.#begun = ""
    if (line !== "") lines.push(line)
  }
}

/**
 * Keeps the last lines, for whoever asks why a process has ended.
 *
 * @since 0.1.0
 * @category models
 */
export class LastLines {
  readonly #lines: Array<string> = []

  /** Keeps a line, and forgets the oldest. */
  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > keptLines) this.#lines.shift()
  }

  /** The last lines as one text, which is cut at its start where it is long. */
  get text(): string {
    const text = this.#lines.join("\n")
    return text.length > keptLength ? `…${text.slice(-keptLength)}` : text
  }
}
