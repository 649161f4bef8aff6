import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { queueBody } from './queue-text.ts'

/**
 * Bytes that the JSON of an event's fields may have on its way, as the queue writes it: with all that a message has
 * besides it fits into one of 1 MiB.
 */
export const EVENT_BYTES = 1000 * 1000

/** Bytes of what is kept as one item of a table, which has 400 KB at most. */
export const ITEM_EVENT_BYTES = 200 * 1000

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

/** The most bytes that one UTF-16 unit of JSON becomes in the queue: an escape. */
const longestUnit = 6

/** What the mark and these names take as JSON at most, each character escaped. */
const MARK_BYTES = 6 * NAMES_LENGTH + 64

/**
 * An event that fits `limit`, which is the queue's where not given: itself, or with its longest values cut to one length that makes it fit, a field
 * `Truncated: true`, and the names of what was cut in `Truncated-Fields`, with commas between, as many as 1 024
 * characters hold. When even that is not enough, only the fields that say what it is about are left. What fits is
 * answered unchanged, so that an event may pass twice.
 */
export function fitted(event: PlatformEvent, limit = EVENT_BYTES): PlatformEvent {
  if (fits(event.fields, limit)) return event
  const entries = Object.entries(event.fields)
  const names = entries.reduce((sum, [name]) => sum + jsonBytes(name) + 2, 0)
  for (let length = limit / 2; length >= 64; length = Math.floor(length / 2)) {
    const values = entries.reduce((sum, [, value]) => sum + jsonBytes(shortened(value, length)), 0)
    if (names + values + MARK_BYTES <= limit) return { ...event, fields: marked(entries, entries, length) }
  }
  const kept = entries.filter(([name]) => IDENTIFYING.has(name))
  return { ...event, fields: marked(entries, kept, 1024) }
}

/**
 * A cut between the halves of a surrogate pair must not leave one of them, which no UTF-8 has. Decoded anew, since a
 * slice would keep the whole value in memory.
 */
function shortened(value: string, length: number): string {
  return value.length <= length ? value : Buffer.from(value.slice(0, length)).toString()
}

type Entries = readonly (readonly [string, string])[]

/** What is kept, cut, with the names of the fields that are not what they were. */
function marked(all: Entries, kept: Entries, length: number): Record<string, string> {
  const left = new Set(kept)
  const fields = Object.fromEntries(kept.map(([name, value]) => [name, shortened(value, length)]))
  let names = ''
  for (const entry of all.filter((entry) => !left.has(entry) || entry[1].length > length)) {
    const longer = names === '' ? entry[0] : `${names},${entry[0]}`
    if (longer.length > NAMES_LENGTH) break
    names = longer
  }
  return { ...fields, Truncated: 'true', 'Truncated-Fields': names.toWellFormed() }
}

/** As the queue writes it, which escapes what takes four bytes by twelve. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(queueBody(text))
}

function fits(fields: PlatformEvent['fields'], limit: number): boolean {
  const text = JSON.stringify(fields)
  // Of most events it is certain by their length.
  return text.length * longestUnit <= limit || Buffer.byteLength(queueBody(fields)) <= limit
}
