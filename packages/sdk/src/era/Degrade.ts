/**
 * What an older revision cannot say, said as well as it can: content kinds that came later, as kinds that it has.
 *
 * @since 0.1.0
 */
import type { ContentBlock } from "../protocol/Content.ts"
import * as Revision from "../protocol/Revision.ts"

/**
 * A content block as a revision can carry it: a link becomes its text before 2025-06-18, audio a resource with its
 * bytes before 2025-03-26. Nothing is lost but the kind.
 *
 * @since 0.1.0
 * @category values
 */
export const content = (block: ContentBlock, revision: Revision.Revision): ContentBlock => {
  if (block.type === "resource_link" && !Revision.atLeast(revision, "2025-06-18")) {
    const { description, mimeType, title, uri } = block
    const text = [`${title ?? block.name}: ${uri}${mimeType === undefined ? "" : ` (${mimeType})`}`, description]
    return { type: "text", text: text.filter((line) => line !== undefined).join("\n") }
  }
  if (block.type === "audio" && !Revision.atLeast(revision, "2025-03-26")) {
    return {
      type: "resource",
      resource: { uri: "audio://content", mimeType: block.mimeType, blob: block.data }
    }
  }
  return block
}

const isBlock = (u: unknown): u is ContentBlock => typeof u === "object" && u !== null && "type" in u

/**
 * The result of a tool or a prompt with each content block as the revision can carry it.
 *
 * @since 0.1.0
 * @category values
 */
export const result = <A extends { readonly [key: string]: unknown }>(
  value: A,
  revision: Revision.Revision
): A | { readonly [key: string]: unknown } => {
  // Only the first two revisions lack a kind; the others pay nothing.
  if (Revision.atLeast(revision, "2025-06-18")) return value
  const { content: blocks, messages } = value
  if (Array.isArray(blocks)) {
    return { ...value, content: blocks.map((block) => isBlock(block) ? content(block, revision) : block) }
  }
  if (Array.isArray(messages)) {
    return {
      ...value,
      messages: messages.map((message) =>
        isBlock(message?.content) ? { ...message, content: content(message.content, revision) } : message
      )
    }
  }
  return value
}
