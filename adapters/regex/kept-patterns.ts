import type { PatternCompiler, TextMatcher } from '../../core/patterns/pattern.ts'

/** The most compiled patterns that are kept for all tenants together. */
export const maxKept = 500

type Compile = (pattern: string, flags: string) => ReturnType<PatternCompiler>

/**
 * Compiled patterns by tenant. When they are too many, the tenant with the most gives up its least recently used one, so a
 * tenant with more patterns than fit evicts its own and no other's.
 */
export class KeptPatterns {
  readonly #compile: Compile
  readonly #tenants = new Map<string, Map<string, TextMatcher | undefined>>()
  #size = 0

  constructor(compile: Compile) {
    this.#compile = compile
  }

  /** Returns a pattern of a tenant, compiled now if it is not kept. */
  take(tenant: string, pattern: string, flags: string): TextMatcher | undefined {
    const own = this.#tenants.get(tenant) ?? new Map<string, TextMatcher | undefined>()
    const key = `${flags}/${pattern}`
    if (own.has(key)) {
      const kept = own.get(key)
      own.delete(key)
      own.set(key, kept)
      return kept
    }
    const compiled = this.#compile(pattern, flags)
    own.set(key, compiled && { ...compiled, compileSteps: undefined })
    this.#tenants.set(tenant, own)
    this.#size += 1
    if (this.#size > maxKept) this.#evict()
    return compiled
  }

  #evict(): void {
    let most: readonly [string, Map<string, unknown>] | undefined
    for (const each of this.#tenants) if (most === undefined || each[1].size > most[1].size) most = each
    const [oldest] = most?.[1].keys() ?? []
    if (most === undefined || oldest === undefined) return
    const [tenant, patterns] = most
    patterns.delete(oldest)
    this.#size -= 1
    if (patterns.size === 0) this.#tenants.delete(tenant)
  }
}
