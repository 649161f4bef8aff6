import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { EVENT_BYTES, ITEM_EVENT_BYTES, fitted } from './fitted-event.ts'
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
