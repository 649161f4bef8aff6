import { Semaphore } from '../../core/concurrency/semaphore.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'

const together = 16

export interface PrefetchDeps {
  /** The domain of an event; empty when it has none. At once when it is known. Rejects when a store is gone. */
  readonly domainOf: (event: EngineEvent) => string | Promise<string>
  /** Makes sure that what is stored of a domain is known; at once when it is. Rejects when a store is gone. */
  readonly load: (domain: string) => void | Promise<void>
}

/** Asks the stores for what waiting events need to know, so that those of many domains wait for them together. */
export interface Prefetch {
  /** Begins to ask for what an event needs. What fails here is asked for again when the event has its turn. */
  look(event: EngineEvent): void
  /** Notes that the stores answer. While they do not, nothing is prefetched. */
  answered(): void
}

/** Makes a prefetch that is active from the beginning. */
export function prefetch({ domainOf, load }: PrefetchDeps): Prefetch {
  const places = new Semaphore(together)
  let isFailing = false

  const follow = async (begun: Promise<void>) => {
    try {
      await begun
    } catch {
      isFailing = true
    }
  }

  return {
    look: (event) => {
      const place = isFailing ? undefined : places.tryTake()
      if (place === undefined) return
      const domain = event instanceof SyntheticEvent ? event.channel.domain : domainOf(event)
      const begun = typeof domain === 'string' ? load(domain) : domain.then(load)
      if (begun === undefined) place()
      else void follow(begun).finally(place)
    },
    answered: () => {
      isFailing = false
    },
  }
}
