import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { queueBody, queueText } from './queue-text.ts'

/** An event whose fields are one text: it takes less memory than a hundred strings, and is serialized once. */
export interface TextEvent extends PlatformEvent {
  readonly fieldsText: string
}

/** The members of an event except its fields. */
export type EventHead = Omit<PlatformEvent, 'fields' | 'fieldsText'>

/** Returns the event with its fields as text, {@link fitted} to its queue; unchanged if it has the text already. */
export function textEvent(event: PlatformEvent): TextEvent {
  if (isTextEvent(event)) return event
  const { fields, fieldsText: _none, ...head } = event
  return eventOfText(head, JSON.stringify(fields))
}

/** Returns the event with these fields: a JSON object of texts. Cuts them as {@link textEvent} does. */
export function eventOfText(head: EventHead, json: string): TextEvent {
  const fieldsText = queueText(json)
  const limit = head.reader === 'cdr' ? ITEM_EVENT_BYTES : EVENT_BYTES
  if (Buffer.byteLength(fieldsText) <= limit) return withText(head, fieldsText)
  return withText(head, queueBody(fitted({ ...head, fields: fieldsOf(fieldsText) }, limit).fields))
}

/** Returns the JSON of a message with these members and the event's fields. */
export function messageOf(
  members: { readonly version: number; readonly [name: string]: unknown },
  event: Pick<PlatformEvent, 'fields' | 'fieldsText'>,
): string {
  return `${queueBody(members).slice(0, -1)},"fields":${event.fieldsText ?? queueBody(event.fields)}}`
}

function withText(head: EventHead, fieldsText: string): TextEvent {
  return {
    ...head,
    fieldsText,
    get fields() {
      return fieldsOf(fieldsText)
    },
  }
}

function fieldsOf(text: string): Record<string, string> {
  return JSON.parse(text)
}

function isTextEvent(event: PlatformEvent): event is TextEvent {
  return event.fieldsText !== undefined
}

/** The most bytes of an event's fields as JSON in the queue: with the rest of a message they fit into 1 MiB. */
export const EVENT_BYTES = 1000 * 1000

/** The most bytes of an event that is kept as one item of a table; an item has 400 KB at most. */
export const ITEM_EVENT_BYTES = 200 * 1000

/** Fields that identify an event and are never cut. */
const IDENTIFYING = new Set([
  'Event-Name',
  'Event-Subclass',
  'Event-Domain',
  'Unique-ID',
  'Event-Date-Timestamp',
  'Core-UUID',
  'Event-Sequence',
])

const NAMES_LENGTH = 1024

/** The most bytes that one UTF-16 unit of JSON becomes in the queue: an escape. */
const longestUnit = 6

/** The quotes, the colon and the comma of a field as JSON. */
const punctuation = 6

/** The most bytes of the mark and these names as JSON, with each character escaped. */
const MARK_BYTES = 6 * NAMES_LENGTH + 64

/**
 * Returns an event that fits `limit`, by default the queue's: unchanged, or with its longest values cut to one length
 * that makes it fit, a field `Truncated: true`, and the names of the cut fields in `Truncated-Fields`, comma-separated,
 * as many as 1 024 characters hold. If even that is not enough, only the identifying fields are left. An event that
 * fits is returned unchanged, so the function may be applied twice.
 */
export function fitted(event: PlatformEvent, limit = EVENT_BYTES): PlatformEvent {
  if (fits(event.fields, limit)) return event
  const entries = Object.entries(event.fields)
  const names = entries.reduce((sum, [name]) => sum + jsonBytes(name) + 2, 0)
  for (let length = limit / 2; length >= 64; length = Math.floor(length / 2)) {
    const values = entries.reduce((sum, [, value]) => sum + jsonBytes(shortened(value, length)), 0)
    if (names + values + MARK_BYTES <= limit)
      return { ...event, fields: marked(entries, entries, length), fieldsText: undefined }
  }
  const kept = entries.filter(([name]) => IDENTIFYING.has(name))
  return { ...event, fields: marked(entries, kept, 1024), fieldsText: undefined }
}

/**
 * A cut between the halves of a surrogate pair must not leave one of them, which UTF-8 cannot express. Decoded again,
 * since a slice would keep the whole value in memory.
 */
function shortened(value: string, length: number): string {
  return value.length <= length ? value : Buffer.from(value.slice(0, length)).toString()
}

type Entries = readonly (readonly [string, string])[]

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

/** Counts bytes as the queue writes them: a character of four bytes is escaped to twelve. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(queueBody(text))
}

function fits(fields: PlatformEvent['fields'], limit: number): boolean {
  let units = 2
  for (const name in fields) units += name.length + (fields[name]?.length ?? 0) + punctuation
  // The length alone decides for most events.
  return units * longestUnit <= limit || Buffer.byteLength(queueBody(fields)) <= limit
}
