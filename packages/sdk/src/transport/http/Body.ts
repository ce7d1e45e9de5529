/**
 * The body of a request as text, under a limit: from what emits chunks, and from web streams.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BodyProblem } from "./Exchange.ts"

/**
 * What emits the chunks of a body: the streams of Node, as far as they are needed here.
 *
 * @since 0.1.0
 * @category models
 */
export interface Emitter {
  readonly on: (event: any, listener: (chunk: Uint8Array) => void) => unknown
  readonly destroy: () => unknown
}

/** A client that was told that its body is too large may go on for as many times the limit, to be able to read it. */
const patience = 16

const decoder = new TextDecoder("utf-8", { fatal: true })

const decode = (bytes: Uint8Array): Effect.Effect<string, BodyProblem> => {
  try {
    return Effect.succeed(decoder.decode(bytes))
  } catch {
    return Effect.fail("NotUtf8")
  }
}

const concat = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

const empty = new Uint8Array()

/**
 * Reads what emits chunks. Most bodies are one chunk, and cost no copy.
 *
 * @since 0.1.0
 * @category reading
 */
export const fromEmitter = (
  emitter: Emitter,
  limit: number,
  declared: string | undefined
): Effect.Effect<string, BodyProblem> =>
  Effect.callback((resume) => {
    let first: Uint8Array = empty
    let chunks: Array<Uint8Array> | undefined
    let size = 0
    let isDone = false
    const finish = (effect: Effect.Effect<string, BodyProblem>) => {
      if (isDone) return
      isDone = true
      chunks = undefined
      resume(effect)
    }
    // What is over the limit is read all the same and dropped, so that the next request on the connection can follow.
    if (declared !== undefined && Number(declared) > limit) finish(Effect.fail("TooLarge"))
    emitter.on("data", (chunk) => {
      const before = size
      size += chunk.length
      if (size > limit) {
        finish(Effect.fail("TooLarge"))
        if (size > limit * patience) emitter.destroy()
      } else if (isDone) return
      else if (before === 0) first = chunk
      else if (chunks === undefined) chunks = [first, chunk]
      else chunks.push(chunk)
    })
    emitter.on("end", () => {
      if (!isDone) finish(decode(chunks === undefined ? first : concat(chunks, size)))
    })
    const broken = () => finish(Effect.fail("Broken"))
    emitter.on("error", broken)
    emitter.on("close", broken)
  })

/**
 * Reads a web stream.
 *
 * @since 0.1.0
 * @category reading
 */
export const fromWeb = (
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  declared: string | undefined
): Effect.Effect<string, BodyProblem> => {
  if (stream === null) return Effect.succeed("")
  if (declared !== undefined && Number(declared) > limit) {
    return Effect.andThen(Effect.promise(() => stream.cancel().catch(() => {})), Effect.fail("TooLarge" as const))
  }
  return Effect.flatMap(
    Effect.tryPromise({
      try: async (): Promise<Uint8Array | undefined> => {
        const reader = stream.getReader()
        const chunks: Array<Uint8Array> = []
        let size = 0
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return chunks.length === 1 ? chunks[0]! : concat(chunks, size)
          size += value.length
          if (size > limit) {
            await reader.cancel().catch(() => {})
            return undefined
          }
          chunks.push(value)
        }
      },
      catch: (): BodyProblem => "Broken"
    }),
    (bytes) => bytes === undefined ? Effect.fail("TooLarge" as const) : decode(bytes)
  )
}

/**
 * Reads a stream of Effect.
 *
 * @since 0.1.0
 * @category reading
 */
export const fromStream = (
  stream: Stream.Stream<Uint8Array, unknown>,
  limit: number,
  declared: string | undefined
): Effect.Effect<string, BodyProblem> =>
  Effect.suspend(() => {
    if (declared !== undefined && Number(declared) > limit) return Effect.fail<BodyProblem>("TooLarge")
    const chunks: Array<Uint8Array> = []
    let size = 0
    const read = Stream.runForEach(stream, (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      return size > limit ? Effect.fail<BodyProblem>("TooLarge") : Effect.void
    })
    return Effect.flatMap(
      Effect.mapError(read, (error): BodyProblem => error === "TooLarge" ? error : "Broken"),
      () => decode(concat(chunks, size))
    )
  })
