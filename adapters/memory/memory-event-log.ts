import { eventLogLimit } from '../../core/events/event-log-limit.ts'
import type { EventLog } from '../../core/ports.ts'
import { keptUntil } from '../retention.ts'
import type { EventLogState, MemoryContext } from './memory-state.ts'

const empty: EventLogState = { head: 0, events: [], numbers: new Map() }

/** Logs of events in memory. */
export function memoryEventLog({ state, clock }: Pick<MemoryContext, 'state' | 'clock'>): EventLog {
  const logOf = (domain: string) => state.eventLogs.get(domain) ?? empty
  const kept = (domain: string) =>
    logOf(domain).events.filter(({ loggedAt }) => keptUntil.loggedEvent(loggedAt) > clock.now())
  return {
    async append(event) {
      const log = logOf(event.domain)
      const now = clock.now()
      const known = log.numbers.get(event.id)
      if (known !== undefined && keptUntil.eventNumber(known.loggedAt) > now) return known.sequence
      const sequence = log.head + 1
      state.eventLogs.set(event.domain, {
        head: sequence,
        events: [...log.events, { sequence, loggedAt: now, event }].slice(-eventLogLimit),
        numbers: new Map([...log.numbers, [event.id, { sequence, loggedAt: now }]]),
      })
      return sequence
    },
    async read(domain, since, limit) {
      return kept(domain)
        .filter(({ sequence }) => sequence > since)
        .slice(0, limit)
    },
    async latest(domain, count) {
      return count > 0 ? kept(domain).slice(-count) : []
    },
    async head(domain) {
      return logOf(domain).head
    },
  }
}
