// The smallest picture and the shortest sound that are valid.
import { Result } from "effect"
import { Base64 } from "effect/encoding"

const bytes = (base64: string) => Result.getOrThrow(Base64.decode(base64))

/** A red PNG of one pixel. */
export const png = bytes(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)

/** Four samples of silence as WAV. */
export const wav = bytes("UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA")
