import type { PlatformEvent } from '../../core/model.ts'

/**
 * Bytes that an event's fields may have as JSON. A delivery holds its event and has to fit into one item of the store
 * (400 KB) with all its attempts; four such events fit into one batch of the queue.
 */
export const EVENT_BYTES = 250 * 1024

/** Fields that say what an event is about: kept whole whatever is cut. */
const IDENTIFYING = new Set([
  'Event-Name',
  'Event-Subclass',
  'Event-Domain',
  'Unique-ID',
  'Event-Date-Timestamp',
  'Core-UUID',
  'Event-Sequence',
])

/** Characters of the names of what was cut that are told. */
const NAMES_LENGTH = 1024

/**
 * An event that fits the queue: itself, or with its longest values cut to one length that makes it fit, a field
 * `Truncated: true`, and the names of what was cut in `Truncated-Fields`, with commas between, as many as 1 024
 * characters hold. When even that is not enough, only the fields that say what it is about are left. What fits is
 * answered unchanged, so that an event may pass twice.
 */
export function fitted(event: PlatformEvent): PlatformEvent {
  if (sizeOf(event.fields) <= EVENT_BYTES) return event
  for (let length = EVENT_BYTES / 2; length >= 64; length = Math.floor(length / 2)) {
    const fields = marked(event.fields, cut(event.fields, length))
    if (sizeOf(fields) <= EVENT_BYTES) return { ...event, fields }
  }
  const kept = Object.entries(event.fields).filter(([name]) => IDENTIFYING.has(name))
  return { ...event, fields: marked(event.fields, cut(Object.fromEntries(kept), 1024)) }
}

function cut(fields: PlatformEvent['fields'], length: number): Record<string, string> {
  // A cut between the halves of a surrogate pair must not leave one of them.
  const shortened = (value: string) => (value.length <= length ? value : value.slice(0, length).toWellFormed())
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value)]))
}

/** What is left, with the names of the fields that are not what they were. */
function marked(whole: PlatformEvent['fields'], left: Record<string, string>): Record<string, string> {
  let names = ''
  for (const name of Object.keys(whole).filter((name) => left[name] !== whole[name])) {
    const longer = names === '' ? name : `${names},${name}`
    if (longer.length > NAMES_LENGTH) break
    names = longer
  }
  return { ...left, Truncated: 'true', 'Truncated-Fields': names.toWellFormed() }
}

function sizeOf(fields: PlatformEvent['fields']): number {
  return Buffer.byteLength(JSON.stringify(fields))
}
