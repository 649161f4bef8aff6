import { type ReadField, accountOfLeg } from '../../core/channels/leg.ts'
import type { DomainNames } from './domain-names.ts'
import { type Channel, type LifeEvent, blankChannel, factsOf, lifeEvents, requestIdIn } from './channel.ts'

/** How the connector got to know something of a channel: by an event of it, or by asking the engine. */
export type Source = 'event' | 'answer'

/** A channel and, as bits, which of {@link lifeEvents} its engine has sent. */
export interface Entry extends Channel {
  readonly seen: number
}

/** One report of an engine about a channel. */
export interface ChannelReport {
  readonly read: ReadField
  readonly engine: string
  readonly source: Source
}

/** Returns a channel without any report yet. */
export function blankEntry(uuid: string): Entry {
  return { ...blankChannel(uuid), seen: 0 }
}

/** Returns the entry with an event of its life noted. */
export function withSeen(entry: Entry, name: LifeEvent): Entry {
  return { ...entry, seen: entry.seen | bitOf(name) }
}

/**
 * Merges reported fields into a channel; `domain` is a fallback. A uuid that another process of an engine reports is
 * another channel and keeps only the domain.
 */
export function learned(
  before: Entry,
  { read, engine, source }: ChannelReport,
  domain: string,
  tenants: Pick<DomainNames, 'tenantOf'> = {},
): Entry {
  const core = read('Core-UUID') ?? before.core
  const isAnother = before.core !== '' && core !== before.core
  return {
    ...factsOf(isAnother ? undefined : before, read),
    uuid: before.uuid,
    engine,
    core,
    domain: before.domain || domain,
    ...accountAfter(before, read, tenants),
    requestId: (isAnother ? '' : before.requestId) || requestIdIn(read),
    changedAt: Math.max(before.changedAt, source === 'event' ? Number(read('Event-Date-Timestamp')) || 0 : 0),
    callState: read('Channel-Call-State') ?? read('callstate') ?? before.callState,
    proven: true,
    heard: source === 'event' || (before.heard && !isAnother),
    // The event link may be away while the engine answers, and then the end that follows is not heard.
    unsureSince: source === 'event' ? undefined : before.unsureSince,
    seen: isAnother ? 0 : before.seen,
  }
}

/**
 * An account that is known stays: the variables of a leg may come to name whom it called. A leg without one may still
 * get one, since the dial plan can authenticate a caller later.
 */
function accountAfter(
  before: Entry,
  read: ReadField,
  { tenantOf = (name) => name }: Pick<DomainNames, 'tenantOf'>,
): Pick<Entry, 'presenceId' | 'isAccountKnown'> {
  const { presenceId, isAccountKnown } = before
  if (isAccountKnown && presenceId !== '') return { presenceId, isAccountKnown }
  const reported = accountOfLeg(read)
  if (reported === undefined) return { presenceId, isAccountKnown }
  const account = reported.replace(/(?<=@)[^@]+$/, tenantOf)
  return { presenceId: account, isAccountKnown: true }
}

/**
 * Returns whether a channel that ended stays ended despite a new report. It does not if another process of the engine
 * has it, if it is created again under its uuid, or if it was only presumed gone and an event shows that it is up.
 */
export function isOver(gone: Entry, { read, source }: ChannelReport): boolean {
  if ((read('Core-UUID') ?? gone.core) !== gone.core) return false
  if (source === 'answer') return true
  const name = read('Event-Name') ?? ''
  if (isSeen(gone, 'CHANNEL_DESTROY')) return name !== 'CHANNEL_CREATE'
  return read('Channel-Call-State') === 'HANGUP' || name === 'CHANNEL_HANGUP_COMPLETE' || name === 'CHANNEL_DESTROY'
}

/** Returns whether a report is of a new channel, to which a process of the engine gave the id of a destroyed one. */
export function isReused(gone: Entry, { read }: ChannelReport): boolean {
  return isSeen(gone, 'CHANNEL_DESTROY') && (read('Core-UUID') ?? gone.core) === gone.core
}

/** Returns whether the engine has sent this event of a channel's life. */
export function isSeen(entry: Entry | undefined, name: LifeEvent): boolean {
  return entry !== undefined && (entry.seen & bitOf(name)) !== 0
}

function bitOf(name: LifeEvent): number {
  return 1 << lifeEvents.indexOf(name)
}
