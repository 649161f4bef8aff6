import type { DomainStore } from '../../core/domains/domain-store.ts'
import type { Clock } from '../../core/time.ts'

/** Which names are domains of the platform, one that is being deleted included: its calls are still to be ended. */
export interface DomainNames {
  /**
   * Whether a domain of exactly this lower-cased name exists; at once when it is remembered.
   * Rejects when the store is gone and the name is not known from before.
   */
  exists(name: string): boolean | Promise<boolean>
  /** The tenant of a context or domain of an engine, lower case: another name only where engines are observed. */
  tenantOf?(name: string): string
}

/** A domain is rarely deleted: one that exists is believed for a minute. */
const knownMs = 60_000

/** A new domain's calls must be recognised within 2 s, the time in which a hook takes effect. */
const unknownMs = 2_000

/** The two memories are apart, so that calls with made-up names cannot push the real domains out. */
const maxKnown = 20_000
const maxUnknown = 2_000

/**
 * Remembers which domains exist: one that does for 60 s, one that does not for 2 s. While the store is gone, what
 * existed before still exists. Concurrent questions for a name become one read. `tenants` are the tenants of contexts
 * and domains of an engine that is observed.
 */
export function domainNames(
  store: Pick<DomainStore, 'exists'>,
  clock: Clock,
  tenants: ReadonlyMap<string, string> = new Map(),
): DomainNames {
  const known = new Map<string, number>()
  const unknown = new Map<string, number>()
  const reads = new Map<string, Promise<boolean>>()

  const read = async (name: string): Promise<boolean> => {
    try {
      const exists = await store.exists(name)
      const [into, from, lifeMs, limit] = exists
        ? [known, unknown, knownMs, maxKnown]
        : [unknown, known, unknownMs, maxUnknown]
      from.delete(name)
      remember(into, name, clock.now() + lifeMs, limit)
      return exists
    } catch (problem) {
      if (known.has(name)) return true
      throw problem
    } finally {
      reads.delete(name)
    }
  }

  return {
    tenantOf: (name) => tenants.get(name) ?? name,
    exists(name) {
      const now = clock.now()
      if ((known.get(name) ?? 0) > now) return true
      if ((unknown.get(name) ?? 0) > now) return false
      const running = reads.get(name)
      if (running !== undefined) return running
      const started = read(name)
      reads.set(name, started)
      return started
    },
  }
}

function remember(into: Map<string, number>, name: string, until: number, limit: number): void {
  into.delete(name)
  into.set(name, until)
  const oldest = into.keys().next()
  if (into.size > limit && oldest.done !== true) into.delete(oldest.value)
}
