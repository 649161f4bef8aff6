import type { StoredCalls } from '../calls/stored-calls.ts'
import type { GapLog } from '../links/gap-log.ts'
import type { DropClass } from '../spool/drop-class.ts'
import type { AfterOthers } from '../events/after-others.ts'
import type { EventInbox } from '../events/event-inbox.ts'
import type { EventOutbox } from '../events/event-outbox.ts'
import type { EventRelay } from '../events/event-relay.ts'
import type { PresenceTracker } from '../events/presence.ts'

/** The parts of the event pipeline that have counters. */
export interface CountedComponents {
  readonly relay: Pick<EventRelay, 'counts'>
  readonly outbox: Pick<EventOutbox, 'counts' | 'memoryBytes' | 'waiting' | 'spool'>
  readonly inOrder: Pick<AfterOthers, 'waiting' | 'overflows' | 'bytes'>
  readonly inboxes: readonly EventInbox[]
  readonly gaps: Pick<GapLog, 'counts' | 'waiting'>
  readonly presence: Pick<PresenceTracker, 'accounts'>
  readonly calls: Pick<StoredCalls, 'waiting'>
}

/** Returns the counters of the event side for the health report; `read` is how many events came. */
export function eventCounters(parts: CountedComponents, read: number): Readonly<Record<string, number>> {
  const { relay, outbox, inOrder, inboxes, gaps, presence, calls } = parts
  const sum = (count: (inbox: EventInbox) => number) => inboxes.reduce((all, one) => all + count(one), 0)
  const dropped = (dropClass: DropClass) =>
    outbox.counts.droppedByClass[dropClass] + sum((inbox) => inbox.counts.dropped[dropClass])
  return {
    eventsRead: read,
    eventsRelayed: relay.counts.relayed,
    eventsRecovered: relay.counts.recovered,
    cdrsRelayed: relay.counts.cdrs,
    eventsPublished: outbox.counts.published,
    eventsRepeated: outbox.counts.repeated,
    eventsDropped: dropped(1) + dropped(2) + dropped(3),
    eventsDroppedTerminal: dropped(1),
    eventsDroppedCall: dropped(2),
    eventsDroppedOther: dropped(3),
    eventsUnreadable: sum((inbox) => inbox.counts.unreadable),
    eventsWithoutDomain: relay.counts.withoutDomain,
    contactsRefused: relay.counts.contactsRefused,
    eventsWaiting: sum((inbox) => inbox.waiting) + inOrder.waiting + outbox.waiting,
    eventsHeld: inOrder.waiting,
    holdsOverflowed: inOrder.overflows,
    memoryBytes: outbox.memoryBytes + inOrder.bytes + sum((inbox) => inbox.bytes),
    spoolEvents: outbox.spool.events,
    spoolBytes: outbox.spool.bytes,
    spoolSkipped: outbox.spool.skipped,
    spoolFound: outbox.spool.found,
    spoolDamaged: outbox.spool.damaged,
    spoolFailures: outbox.spool.failures,
    gaps: gaps.counts.found,
    gapsWaiting: gaps.waiting,
    gapsLost: gaps.counts.lost,
    accounts: presence.accounts,
    callsUnstored: calls.waiting,
  }
}
