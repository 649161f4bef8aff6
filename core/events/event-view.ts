import type { AccessScope } from '../access/acl.ts'
import type { PlatformEvent } from './platform-event.ts'

/** Which events of a domain a reader sees, and what of each. */
export interface EventView {
  /** `all`: every event; `part`: those of calls; `own`: those of the calls of {@link account}. */
  readonly scope: AccessScope
  /** The reader's presence id. */
  readonly account: string
  /** `Event-Name`, or `Event-Name->Event-Subclass`; every event where absent. */
  readonly name?: string | undefined
  /** The id of a call; every event where absent. */
  readonly call?: string | undefined
  /** The fields that are shown; all where absent. */
  readonly fields?: readonly string[] | undefined
  /** Shows what a dashboard needs, in 400 bytes at most, instead of the fields. */
  readonly compact?: boolean | undefined
}

/** An event with its number, as it is listed: with its fields, or compact. */
export interface ShownEvent {
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly name: string
  readonly uuid: string
  readonly event: Readonly<Record<string, string>>
  readonly account?: string
  readonly from?: string
  readonly to?: string
  /** `Channel-Call-State`, such as `RINGING`. */
  readonly state?: string
  readonly hangupCause?: string
}

const compactBytes = 400

/** Returns whether a reader sees an event at all. */
export function isShown({ scope, account, name, call }: EventView, event: PlatformEvent): boolean {
  if (name !== undefined && event.name !== name) return false
  if (call !== undefined && event.uuid !== call) return false
  if (scope === 'all') return true
  const owner = event.fields['Channel-Presence-ID'] ?? ''
  return event.uuid !== '' && (scope === 'part' || owner.toLowerCase() === account.toLowerCase())
}

/** Returns an event as a reader sees it. */
export function shownEvent({ fields, compact }: EventView, sequence: number, event: PlatformEvent): ShownEvent {
  const { occurredAt: at, name, uuid } = event
  const all = event.fields
  if (compact === true) return compactEvent({ sequence, at, name, uuid, event: {} }, all)
  const kept = fields?.flatMap((field) => (Object.hasOwn(all, field) ? [[field, all[field] ?? ''] as const] : []))
  return { sequence, at, name, uuid, event: kept === undefined ? all : Object.fromEntries(kept) }
}

/** An event that would be too long loses its longest texts. */
function compactEvent(head: ShownEvent, fields: Readonly<Record<string, string>>): ShownEvent {
  const texts: readonly (readonly [keyof ShownEvent, string | undefined])[] = [
    ['account', fields['Channel-Presence-ID']],
    ['from', fields['Caller-Caller-ID-Number']],
    ['to', fields['Caller-Destination-Number']],
    ['state', fields['Channel-Call-State']],
    ['hangupCause', fields['Hangup-Cause']],
  ]
  const present = texts.flatMap(([name, text = '']) => (text === '' ? [] : [[name, text] as const]))
  const shortest = present.toSorted(([, one], [, other]) => one.length - other.length)
  const whole = () => ({ ...head, ...Object.fromEntries(present.filter((entry) => shortest.includes(entry))) })
  while (shortest.length > 0 && Buffer.byteLength(JSON.stringify(whole())) > compactBytes) shortest.pop()
  return whole()
}
