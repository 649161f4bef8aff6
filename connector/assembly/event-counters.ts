import type { StoredCalls } from '../calls/stored-calls.ts'
import type { EventBuffer } from '../buffer/event-buffer.ts'
import type { GapLog } from '../recovery/gap-log.ts'
import type { ReconnectHold } from '../events/reconnect-hold.ts'
import type { EventRelay } from '../events/event-relay.ts'
import type { PresenceTracker } from '../events/presence.ts'

/** The parts of the event pipeline that have counters. */
export interface CountedComponents {
  readonly relay: Pick<EventRelay, 'counts'>
  readonly buffer: Pick<EventBuffer, 'counts' | 'memoryBytes' | 'waiting' | 'spool'>
  readonly hold: Pick<ReconnectHold, 'waiting'>
  readonly gaps: Pick<GapLog, 'counts' | 'waiting'>
  readonly presence: Pick<PresenceTracker, 'accounts'>
  readonly calls: Pick<StoredCalls, 'waiting'>
}

/** Returns the counters of the event side for the health report; `read` is how many events came. */
export function eventCounters(parts: CountedComponents, read: number): Readonly<Record<string, number>> {
  const { relay, buffer, hold, gaps, presence, calls } = parts
  const { counts, spool } = buffer
  return {
    eventsRead: read,
    eventsRelayed: counts.relayed,
    eventsRecovered: relay.counts.recovered,
    cdrsRelayed: counts.cdrs,
    eventsPublished: counts.published,
    eventsRepeated: counts.repeated,
    eventsDropped: counts.dropped,
    eventsDroppedTerminal: counts.droppedByClass[1],
    eventsDroppedCall: counts.droppedByClass[2],
    eventsDroppedOther: counts.droppedByClass[3],
    eventsUnreadable: counts.unreadable,
    eventsWithoutDomain: relay.counts.withoutDomain,
    contactsRefused: relay.counts.contactsRefused,
    eventsWaiting: buffer.waiting,
    eventsHeld: hold.waiting,
    memoryBytes: buffer.memoryBytes,
    spoolEvents: spool.events,
    spoolBytes: spool.bytes,
    spoolSkipped: spool.skipped,
    spoolFound: spool.found,
    spoolDamaged: spool.damaged,
    spoolFailures: spool.failures,
    gaps: gaps.counts.found,
    gapsWaiting: gaps.waiting,
    gapsLost: gaps.counts.lost,
    accounts: presence.accounts,
    callsUnstored: calls.waiting,
  }
}
