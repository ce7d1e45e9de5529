/** What a server declares, derived from what is registered, and what it therefore answers. */
import type { ServerCapabilities } from "../../protocol/Capabilities.ts"
import type { Registry } from "./registry.ts"

export interface Declared {
  readonly extensions: { readonly [id: string]: { readonly [key: string]: unknown } }
  readonly experimental: { readonly [id: string]: { readonly [key: string]: unknown } }
}

/** A part of the protocol that a server has or has not. */
export type Area = "tools" | "resources" | "prompts" | "completions"

export interface Capabilities {
  readonly current: () => ServerCapabilities
  readonly has: (area: Area) => boolean
}

const isEmpty = (record: object) => Object.keys(record).length === 0

const hasCompleters = (features: Iterable<{ readonly completers: object | undefined }>) => {
  for (const { completers } of features) if (completers !== undefined) return true
  return false
}

export const make = (registry: Registry, { experimental, extensions }: Declared): Capabilities => {
  const now: { readonly [A in Area]: () => boolean } = {
    tools: () => registry.tools.size > 0,
    resources: () => registry.resources.size > 0 || registry.templates.size > 0 || registry.resourceSources.size > 0,
    prompts: () => registry.prompts.size > 0 || registry.promptSources.size > 0,
    completions: () => hasCompleters(registry.templates.values()) || hasCompleters(registry.prompts.values())
  }
  // What was declared once stays: a client that was told so goes on asking, and gets an empty list.
  const had = new Set<Area>()
  const has = (area: Area): boolean => {
    if (had.has(area)) return true
    if (!now[area]()) return false
    had.add(area)
    return true
  }
  return {
    has,
    current: () => ({
      logging: {},
      ...(has("tools") ? { tools: { listChanged: true } } : {}),
      ...(has("resources") ? { resources: { subscribe: true, listChanged: true } } : {}),
      ...(has("prompts") ? { prompts: { listChanged: true } } : {}),
      ...(has("completions") ? { completions: {} } : {}),
      ...(isEmpty(extensions) ? {} : { extensions }),
      ...(isEmpty(experimental) ? {} : { experimental })
    })
  }
}
