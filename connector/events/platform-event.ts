import type { PlatformEvent } from '../../core/model.ts'
import { type EngineEvent, eventNameOf } from '../engine.ts'

/** The queue takes 256 KiB a message; what is larger than this loses its longest values. */
const maxFieldBytes = 160 * 1024

/** A value longer than this may be taken out of an event that is too large. */
const longValue = 2_048

const idPart = /^[A-Za-z0-9-]{1,64}$/

/**
 * The id of an engine event, the same for every connector that hears it: `Core-UUID:Event-Sequence`. Absent when the
 * event does not carry both; such an event cannot be told from its own repetition.
 */
export function eventId(event: Pick<EngineEvent, 'coreUuid' | 'sequence'>): string | undefined {
  if (!idPart.test(event.coreUuid) || !/^\d{1,20}$/.test(event.sequence)) return undefined
  return `${event.coreUuid}:${event.sequence}`
}

/** When the engine made the event, epoch milliseconds; `now` when it does not tell. */
export function occurredAt(event: Pick<EngineEvent, 'header'>, now: number): number {
  const microseconds = Number(event.header('Event-Date-Timestamp'))
  return Number.isSafeInteger(microseconds) && microseconds > 0 ? Math.floor(microseconds / 1_000) : now
}

/**
 * The engine's event as hooks get it: all its headers, its own body as `_body`, and the domain as `Event-Domain`. An
 * event above the queue's size goes without its longest values and says so by `Event-Truncated: true`.
 */
export function platformEvent(event: EngineEvent, id: string, domain: string, now: number): PlatformEvent {
  const fields: Record<string, string> = { ...event.headers(), 'Event-Domain': domain }
  if (event.body !== '') fields['_body'] = event.body
  return {
    id,
    name: eventNameOf(event),
    domain,
    uuid: event.uuid.toLowerCase(),
    occurredAt: occurredAt(event, now),
    fields: fitting(fields),
  }
}

function fitting(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const sizes = Object.entries(fields).map(([name, value]) => ({ name, bytes: name.length + Buffer.byteLength(value) }))
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= maxFieldBytes) return fields
  const kept: Record<string, string> = { ...fields, 'Event-Truncated': 'true' }
  const longest = sizes.filter(({ bytes }) => bytes > longValue).sort((a, b) => b.bytes - a.bytes)
  for (const { name, bytes } of longest) {
    if (total <= maxFieldBytes) break
    delete kept[name]
    total -= bytes
  }
  return kept
}
