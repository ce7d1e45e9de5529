/**
 * The sealed `requestState` of a multi-round-trip request: encrypted, and bound to who asks what.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as McpError from "../protocol/McpError.ts"
import type { Received } from "./Invocation.ts"
import type * as Once from "./Once.ts"

/**
 * A secret from which states are sealed: any text or bytes, at least 16 bytes of which nobody can guess.
 *
 * @since 0.1.0
 * @category models
 */
export type StateKey = Redacted.Redacted<string> | Redacted.Redacted<Uint8Array>

/**
 * A question that a client was asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly method: string
  /** When its asker gives up, in milliseconds since the epoch; `undefined` where it does not. */
  readonly until?: number | undefined
}

/**
 * What a server remembers of a request between its rounds.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** How many rounds have been asked. */
  readonly round: number
  /** When it lapses, in milliseconds since the epoch. */
  readonly expires: number
  /** The kept handler that waits for the answers, where there is one. */
  readonly kept: string | undefined
  /** What was asked last, and what was asked before and given up, by key. Nothing else is answered. */
  readonly asked: { readonly [key: string]: Asked }
  /** Whether it was asked by hand, and the answers are for `received`. */
  readonly byHand: boolean
  /** The answers so far, by key, as the client gave them. */
  readonly answers: { readonly [key: string]: unknown }
  /** The results of effects that must not be repeated, by key. */
  readonly once: { readonly [key: string]: Once.Result }
  /** What a handler with raw control remembers, and the answers that it has got. */
  readonly received: Received | undefined
}

/**
 * Seals and opens states. `binding` is what a state is good for: the same principal, method and parameters only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sealer {
  /** Fails with `InternalError` where the text would be longer than is ever read. */
  readonly seal: (state: State, binding: string) => Effect.Effect<string, McpError.McpError>
  /** Fails with `InvalidParams`, without saying what of it was wrong. */
  readonly open: (text: string, binding: string) => Effect.Effect<State, McpError.McpError>
}

/**
 * The longest text of a state, in characters: as much as an HTTP server takes as one message. A longer one is refused
 * unread.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxLength: number = 4 * 1024 * 1024

const nonceLength = 12
const encoder = new TextEncoder()
const decoder = new TextDecoder()

const refused = McpError.make(
  new McpError.InvalidParams({
    detail: "The requestState is not one that this server gave for this request, or it has lapsed; start the call anew"
  })
)

const tooLarge = (length: number) =>
  McpError.make(
    new McpError.InternalError({
      detail: `What this request has to remember is too large: ${length} characters of at most ${maxLength}`
    })
  )

const tooDeep = McpError.make(
  new McpError.InvalidParams({ detail: "What this request has to remember is nested too deeply" })
)

const layer = Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const bytesOf = (key: StateKey): Uint8Array => {
  const value: string | Uint8Array = Redacted.value(key as Redacted.Redacted<string | Uint8Array>)
  const bytes = typeof value === "string" ? encoder.encode(value) : value
  if (bytes.length < 16) throw new Error("A state key needs at least 16 bytes: make one with a password generator")
  return bytes
}

const isState = (u: unknown): u is State =>
  Predicate.isObject(u) && Predicate.isNumber(u["round"]) && Predicate.isNumber(u["expires"]) &&
  Predicate.isObject(u["asked"]) && Predicate.isObject(u["answers"]) && Predicate.isObject(u["once"])

const services = Effect.provide(Effect.context<Aead.Aead | Kdf.Kdf | SecureRandom.SecureRandom>(), layer)

const keysOf = Effect.fnUntraced(function*(secrets: ReadonlyArray<Uint8Array>) {
  const aead = yield* Aead.Aead
  if (secrets.length === 0) return [yield* aead.generateKey(Aead.aes256Gcm)] as const
  const kdf = yield* Kdf.Kdf
  return yield* Effect.forEach(secrets, (secret) =>
    Effect.flatMap(
      kdf.derive(Kdf.hkdfSha256, secret, {
        salt: encoder.encode("@effect-mcp/sdk"),
        info: encoder.encode("requestState v1"),
        length: 32
      }),
      (bytes) => Aead.key(Aead.aes256Gcm, bytes)
    ))
})

/**
 * Makes a sealer. The first key seals, every key opens: to change keys, put the new one first and drop the old one
 * when its states have lapsed. Without keys a random one is made, which no other instance shares.
 *
 * A key that is too short is a defect. The cipher is made when it is first needed: a server that never asks has none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(keys: ReadonlyArray<StateKey>): Effect.fn.Return<Sealer> {
  const secrets = keys.map(bytesOf)
  const cipher = yield* Effect.cached(Effect.orDie(Effect.gen(function*() {
    const context = yield* services
    const { aead, random } = yield* Effect.provideContext(
      Effect.all({ aead: Aead.Aead, random: SecureRandom.SecureRandom }),
      context
    )
    const all = yield* Effect.provideContext(keysOf(secrets), context)
    return { aead, all, random }
  })))

  const encrypt = Effect.fnUntraced(function*(plaintext: Uint8Array, binding: string) {
    const { aead, all, random } = yield* cipher
    const nonce = yield* random.randomBytes(nonceLength)
    const ciphertext = yield* aead.encrypt(all[0]!, plaintext, { nonce, aad: encoder.encode(binding) })
    const sealed = new Uint8Array(nonceLength + ciphertext.length)
    sealed.set(nonce)
    sealed.set(ciphertext, nonceLength)
    return Base64Url.encode(sealed)
  }, Effect.orDie)

  const decrypt = Effect.fnUntraced(function*(sealed: Uint8Array, binding: string) {
    const { aead, all } = yield* cipher
    const nonce = sealed.subarray(0, nonceLength)
    const ciphertext = sealed.subarray(nonceLength)
    const aad = encoder.encode(binding)
    for (const key of all) {
      const plaintext = yield* Effect.option(aead.decrypt(key, ciphertext, { nonce, aad }))
      if (plaintext._tag === "Some") return JSON.parse(decoder.decode(plaintext.value)) as unknown
    }
    return undefined
  })

  return {
    seal: Effect.fnUntraced(function*(state, binding) {
      const json = yield* Effect.try({ try: () => JSON.stringify(state), catch: () => tooDeep })
      const text = yield* encrypt(encoder.encode(json), binding)
      return text.length > maxLength ? yield* Effect.fail(tooLarge(text.length)) : text
    }),
    open: Effect.fnUntraced(function*(text, binding) {
      const sealed = text.length > maxLength ? undefined : Base64Url.decode(text)
      // One text a state: what only decodes to the same bytes is not the state that was given.
      if (sealed === undefined || Result.isFailure(sealed) || Base64Url.encode(sealed.success) !== text) {
        return yield* Effect.fail(refused)
      }
      const state = yield* decrypt(sealed.success, binding)
      const now = yield* Clock.currentTimeMillis
      return isState(state) && now < state.expires ? state : yield* Effect.fail(refused)
    })
  }
})
