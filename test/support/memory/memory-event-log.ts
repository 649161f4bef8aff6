import type { EventLog, LogPage } from '../../../core/events/event-log.ts'
import type { EventLogWriter, GivenNumber } from '../../../core/hooks/delivery/event-log-writer.ts'
import { eventLogLimit, unwatchedBefore } from '../../../core/events/event-log-rules.ts'
import type { LoggedEvent } from '../../../core/events/platform-event.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { ITEM_EVENT_BYTES, fitted } from '../../../adapters/events/text-event.ts'
import { type EventLogState, type MemoryContext, memoryKey } from './memory-state.ts'

/** The most bytes of one reading of more than one event: as many as one page of DynamoDB. */
const PAGE_BYTES = 1024 * 1024

/**
 * Writes logs of events in memory. A writer dies with the process, so every number that was taken has an event or is
 * void.
 */
export function memoryEventLogWriter({ state, clock }: Pick<MemoryContext, 'state' | 'clock'>): EventLogWriter {
  const logOf = (domain: string) => {
    const log = state.eventLogs.get(domain) ?? emptyLog()
    state.eventLogs.set(domain, log)
    return log
  }
  return {
    async take(domain, count, watchedSince) {
      const log = logOf(domain)
      const takenAt = clock.now()
      log.unwatched = unwatchedBefore(log.loggedAt, watchedSince) ?? log.unwatched
      log.loggedAt = takenAt
      log.head += count
      return { domain, first: log.head - count + 1, count, takenAt, unwatched: log.unwatched }
    },
    async write({ domain, takenAt, unwatched }, entries) {
      const log = logOf(domain)
      const given = new Map<string, GivenNumber>()
      let telling = unwatched
      for (const { event, sequence, isWanted, deliveries } of entries) {
        const known = log.numbers.get(event.id)
        if (known !== undefined && keptUntil.eventNumber(known.loggedAt) > clock.now()) {
          given.set(event.id, { sequence: known.sequence, isNew: false })
          continue
        }
        const entry = { sequence, loggedAt: takenAt, event: fitted(event, ITEM_EVENT_BYTES) }
        log.events.push({ ...entry, ...(telling && { unwatched: telling }) })
        if (log.events.length > 2 * eventLogLimit) log.events.splice(0, eventLogLimit)
        if (telling !== undefined) log.unwatched = undefined
        telling = undefined
        log.numbers.set(event.id, { sequence, loggedAt: takenAt })
        given.set(event.id, { sequence, isNew: true })
        for (const each of deliveries) {
          const key = memoryKey(each.domain, each.hookId, each.id)
          state.deliveries.set(key, each)
          if (Object.keys(each.begun).length > 0) state.unlistedDeliveries.add(key)
        }
        if (isWanted) state.deliveryEvents.set(memoryKey(domain, event.id), { domain, event, keptAt: takenAt })
      }
      return given
    },
  }
}

/** Reads logs of events in memory. */
export function memoryEventLog({ state, clock }: Pick<MemoryContext, 'state' | 'clock'>): EventLog {
  const kept = (domain: string) => {
    const { events, head } = state.eventLogs.get(domain) ?? emptyLog()
    const isKept = ({ sequence, loggedAt }: LoggedEvent) =>
      sequence > head - eventLogLimit && keptUntil.loggedEvent(loggedAt) > clock.now()
    return events.filter(isKept).toSorted((one, other) => one.sequence - other.sequence)
  }
  return {
    async read(domain, since, limit): Promise<LogPage> {
      const { head = 0 } = state.eventLogs.get(domain) ?? {}
      const found = kept(domain).filter(({ sequence }) => sequence > since)
      const events = firstPage(found.slice(0, limit))
      const upTo = events.length < found.length ? (events.at(-1)?.sequence ?? since) : Math.max(since, head)
      const written = new Set(
        [...(state.eventLogs.get(domain)?.numbers.values() ?? [])].map(({ sequence }) => sequence),
      )
      const from = Math.max(since, head - eventLogLimit) + 1
      const numbers = Array.from({ length: Math.max(0, upTo - from + 1) }, (_, index) => from + index)
      return { events, voids: numbers.filter((number) => !written.has(number)), upTo }
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
  return { head: 0, loggedAt: 0, events: [], numbers: new Map(), unwatched: undefined }
}

function firstPage(events: readonly LoggedEvent[]): LoggedEvent[] {
  let bytes = 0
  const end = events.findIndex(({ event }) => (bytes += JSON.stringify(event).length) > PAGE_BYTES)
  return end === -1 ? [...events] : events.slice(0, Math.max(1, end))
}
