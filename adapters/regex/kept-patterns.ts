/** The most compiled patterns of hooks that are kept for all tenants together. */
export const maxKept = 500

interface Room<M> {
  readonly most: number
  readonly weigh: (pattern: M | undefined) => number
}

interface Share<M> {
  readonly patterns: Map<string, M | undefined>
  weight: number
}

/**
 * Compiled patterns by tenant. When they are too many, the tenant with the most gives up its least recently used ones,
 * so a tenant with more patterns than fit evicts its own and no other's.
 */
export class KeptPatterns<M extends { readonly compileSteps?: number | undefined }> {
  readonly #compile: (pattern: string, flags: string) => M | undefined
  readonly #room: Room<M>
  readonly #tenants = new Map<string, Share<M>>()
  #weight = 0

  constructor(
    compile: (pattern: string, flags: string) => M | undefined,
    room: Room<M> = { most: maxKept, weigh: () => 1 },
  ) {
    this.#compile = compile
    this.#room = room
  }

  take(tenant: string, pattern: string, flags: string): M | undefined {
    const own = this.#tenants.get(tenant) ?? { patterns: new Map<string, M | undefined>(), weight: 0 }
    const key = `${flags}/${pattern}`
    if (own.patterns.has(key)) {
      const kept = own.patterns.get(key)
      own.patterns.delete(key)
      own.patterns.set(key, kept)
      return kept
    }
    const compiled = this.#compile(pattern, flags)
    own.patterns.set(key, compiled && { ...compiled, compileSteps: undefined })
    this.#tenants.set(tenant, own)
    const weight = this.#room.weigh(compiled)
    own.weight += weight
    this.#weight += weight
    while (this.#weight > this.#room.most) this.#evict()
    return compiled
  }

  #evict(): void {
    const [first, ...others] = this.#tenants
    if (first === undefined) return
    const [tenant, share] = others.reduce((most, each) => (each[1].weight > most[1].weight ? each : most), first)
    const [[key, pattern] = ['', undefined]] = share.patterns
    share.patterns.delete(key)
    const weight = this.#room.weigh(pattern)
    share.weight -= weight
    this.#weight -= weight
    if (share.patterns.size === 0) this.#tenants.delete(tenant)
  }
}
