import { eventLogLimit, unwatchedBefore } from '../../../core/events/event-log-rules.ts'
import type { EventLog } from '../../../core/events/event-log.ts'
import type { LoggedEvent } from '../../../core/events/platform-event.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { ITEM_EVENT_BYTES, fitted } from '../../../adapters/sqs/fitted-event.ts'
import type { EventLogState, MemoryContext } from './memory-state.ts'

/** What one reading holds, as far as it is more than one event: as much as one page of DynamoDB. */
const PAGE_BYTES = 1024 * 1024

/** Logs of events in memory. */
export function memoryEventLog({ state, clock }: Pick<MemoryContext, 'state' | 'clock'>): EventLog {
  const kept = (domain: string) =>
    (state.eventLogs.get(domain)?.events ?? []).filter(({ loggedAt }) => keptUntil.loggedEvent(loggedAt) > clock.now())
  return {
    async append(event, watchedSince = 0) {
      const log = state.eventLogs.get(event.domain) ?? emptyLog()
      state.eventLogs.set(event.domain, log)
      const now = clock.now()
      const known = log.numbers.get(event.id)
      if (known !== undefined && keptUntil.eventNumber(known.loggedAt) > now) return known.sequence
      const unwatched = unwatchedBefore(log.loggedAt, watchedSince)
      log.head += 1
      log.loggedAt = now
      const entry = { sequence: log.head, loggedAt: now, event: fitted(event, ITEM_EVENT_BYTES) }
      log.events.push({ ...entry, ...(unwatched && { unwatched }) })
      if (log.events.length > eventLogLimit) log.events.shift()
      log.numbers.set(event.id, { sequence: log.head, loggedAt: now })
      return log.head
    },
    async read(domain, since, limit) {
      const found = kept(domain).filter(({ sequence }) => sequence > since)
      return firstPage(found.slice(0, limit))
    },
    async latest(domain, count) {
      return count > 0 ? kept(domain).slice(-count) : []
    },
    async head(domain) {
      return state.eventLogs.get(domain)?.head ?? 0
    },
  }
}

function emptyLog(): EventLogState {
  return { head: 0, loggedAt: 0, events: [], numbers: new Map() }
}

function firstPage(events: readonly LoggedEvent[]): LoggedEvent[] {
  let bytes = 0
  const end = events.findIndex(({ event }) => (bytes += JSON.stringify(event).length) > PAGE_BYTES)
  return end === -1 ? [...events] : events.slice(0, Math.max(1, end))
}
