import type { KnownEvent } from './account-status.ts'

/** The most that is kept: events, and their bytes. Calls of no tenant are kept as well, until they end. */
const usualLimits = { events: 1_000, bytes: 8 * 1024 * 1024 }

/**
 * The beginnings of calls whose domain is not known yet. A call from a gateway begins before the dial plan names its
 * domain, and its beginning is of that domain too. No later event is kept: until then the call may have been of another
 * tenant.
 */
export class UnownedCalls {
  readonly #limits: typeof usualLimits
  readonly #begun = new Map<string, KnownEvent>()
  #bytes = 0

  constructor(limits = usualLimits) {
    this.#limits = limits
  }

  /** Keeps the beginning of a call, by the uuid of its leg. Returns how many older ones are given up for it. */
  keep(uuid: string, begun: KnownEvent): number {
    this.take(uuid)
    this.#begun.set(uuid, begun)
    this.#bytes += begun.event.bytes
    let givenUp = 0
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= this.#limits.events && this.#bytes <= this.#limits.bytes) break
      this.take(oldest)
      givenUp += 1
    }
    return givenUp
  }

  take(uuid: string): KnownEvent | undefined {
    const begun = this.#begun.get(uuid)
    if (begun === undefined) return undefined
    this.#begun.delete(uuid)
    this.#bytes -= begun.event.bytes
    return begun
  }
}
