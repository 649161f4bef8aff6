import { keptUntil } from '../../../adapters/retention.ts'
import type { EventTraces, KeptEvent, TracePage } from '../../../core/erasures/event-traces.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

const pageItems = 100

/** What is kept of events in memory. */
export function memoryEventTraces({ state, clock }: MemoryContext): EventTraces {
  return {
    async listEvents(domain, after) {
      const logged = (state.eventLogs.get(domain)?.events ?? []).map(({ sequence, event }) => ({
        place: String(sequence),
        event,
      }))
      const payloads = [...state.deliveryEvents.values()]
        .filter((kept) => kept.domain === domain && keptUntil.deliveryEvent(kept.keptAt) > clock.now())
        .map(({ event }) => ({ place: '', event }))
      return pageOf<KeptEvent>([...logged, ...payloads], after)
    },
    async removeEvents(domain, events) {
      const log = state.eventLogs.get(domain)
      for (const { place, event } of events) {
        if (place === '') state.deliveryEvents.delete(memoryKey(domain, event.id))
        else log?.events.splice(0, Infinity, ...log.events.filter(({ sequence }) => String(sequence) !== place))
      }
    },
    async listDeliveries(domain, after) {
      return pageOf(
        [...state.deliveries.values()].filter((delivery) => delivery.domain === domain),
        after,
      )
    },
    async removeDeliveries(deliveries) {
      for (const { domain, hookId, id } of deliveries) state.deliveries.delete(memoryKey(domain, hookId, id))
    },
  }
}

/** What is removed between two pages makes others move up: contract tests list everything first. */
function pageOf<T>(items: readonly T[], after = '0'): TracePage<T> {
  const end = Number(after) + pageItems
  const page = items.slice(Number(after), end)
  return { items: page, ...(end < items.length ? { next: String(end) } : {}) }
}
