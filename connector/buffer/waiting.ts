import { EVENT_BYTES, type TextEvent, fitted } from '../../adapters/events/text-event.ts'
import type { Link } from './chain.ts'
import type { LogContent, LogEntry } from './log-entry.ts'
import type { Copy } from './segment.ts'
import { readEvent } from '@callplane/esl'
import type { EngineEvent } from '../runtime/engine.ts'

/** An entry of the log that is in memory, and not done: not all that came of it is in the queue. */
export interface Waiting extends LogEntry {
  /** About what it takes of memory, with the events for the queue that came of it. */
  bytes: number
  /** In the window it can be handled; after the window come the entries on disk, and after them those in the tail. */
  isInWindow: boolean
  /** Whether it is being handled, or was: it is not given up. */
  isTaken: boolean
  /** Whether all that comes of it is known. */
  isHandled: boolean
  /** Events that came of it and that the queue has not taken. */
  unsent: number
  isBeingWritten: boolean
  /** Whether it was counted as one that the disk should have taken and did not. */
  isSkipped: boolean
  isGone: boolean
  copy: Copy | undefined
  /** Its places among those that are to be handled, in the window or the tail, and among those without a copy. */
  ofOrder: Link<Waiting> | undefined
  ofUnwritten: Link<Waiting> | undefined
}

/** An entry of an event of an engine, with its places among those that wait. */
const entryBytes = 512

/** Returns an entry that has just come. */
export function newWaiting(entry: LogEntry, copy?: Copy): Waiting {
  return {
    ...entry,
    bytes: bytesOf(entry.content),
    isInWindow: false,
    isTaken: false,
    isHandled: false,
    unsent: 0,
    isBeingWritten: false,
    isSkipped: false,
    isGone: false,
    copy,
    ofOrder: undefined,
    ofUnwritten: undefined,
  }
}

function bytesOf({ event, own }: LogContent): number {
  return own === undefined ? entryBytes + event.bytes : sizeOf(own)
}

/**
 * Returns about what an event takes of memory, which is at least what it is in the queue: its text has a byte for each
 * character, or two as soon as one is beyond ASCII.
 */
export function sizeOf({ fieldsText }: TextEvent): number {
  const { length } = fieldsText
  const bytes = Buffer.byteLength(fieldsText)
  return headBytes + (bytes === length ? length : Math.max(bytes, 2 * length))
}

/** An event without its text, with its places among those that wait; 1 135 bytes were measured with them. */
const headBytes = 1_200

/**
 * Returns an event as it may wait: itself, or without its large values where it is larger than what the queue takes,
 * with the fields that say so, since all of it would be held for as long as it waits.
 */
export function truncateEvent(event: EngineEvent): EngineEvent {
  if (event.bytes <= EVENT_BYTES) return event
  const fields = event.body === '' ? event.headers() : { ...event.headers(), _body: event.body }
  const cut = fitted({ id: '', name: '', domain: '', uuid: '', occurredAt: 0, fields }).fields
  return cut === fields ? event : readEvent('text/event-json', Buffer.from(JSON.stringify(cut)))
}
