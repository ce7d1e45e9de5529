/**
 * The five revisions of the protocol: their names, their order, their two eras.
 *
 * Dates are compared here and nowhere else.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Every revision of the protocol that this SDK speaks, oldest first.
 *
 * @since 0.1.0
 * @category constants
 */
export const all = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

/**
 * A revision of the protocol, named by its date.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * @since 0.1.0
 * @category models
 */
export type Revision = typeof all[number]

/**
 * The revisions as a Schema: `Schema.decodeUnknown*` refuses any other name.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Revision: Schema.Literals<typeof all> = Schema.Literals(all)

/**
 * The newest revision.
 *
 * @since 0.1.0
 * @category constants
 */
export const latest = "2026-07-28" satisfies Revision

/**
 * The newest revision of the handshake era, what `initialize` asks for.
 *
 * @since 0.1.0
 * @category constants
 */
export const latestHandshake = "2025-11-25" satisfies Revision

/**
 * The revisions that open with `initialize`, oldest first.
 *
 * @since 0.1.0
 * @category constants
 */
export const handshake: ReadonlyArray<Revision> = all.slice(0, 4)

/**
 * The revisions whose requests carry all they need in `_meta`, oldest first.
 *
 * @since 0.1.0
 * @category constants
 */
export const modern: ReadonlyArray<Revision> = all.slice(4)

/**
 * Whether a value names a revision that this SDK speaks.
 *
 * @since 0.1.0
 * @category guards
 */
export const isRevision = (u: unknown): u is Revision => (all as ReadonlyArray<unknown>).includes(u)

/**
 * Whether a revision is of the modern era: no handshake, facts in each request's `_meta`.
 *
 * @since 0.1.0
 * @category guards
 */
export const isModern = (revision: Revision): boolean => revision >= "2026-07-28"

/**
 * Whether `revision` is `other` or younger.
 *
 * @since 0.1.0
 * @category guards
 */
export const atLeast = (revision: Revision, other: Revision): boolean => revision >= other
