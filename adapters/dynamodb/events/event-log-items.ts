import * as z from 'zod/mini'
import type { LoggedEvent, PlatformEvent } from '../../../core/events/platform-event.ts'
import { keptUntil } from '../../retention.ts'
import type { Item, Key } from '../client.ts'
import { expirySeconds } from '../items.ts'
import { joinKey, keyPrefix, numberPart, shardOf } from '../key.ts'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { texts } from '../../../contracts/messages/texts.ts'
import usual from './usual-fields.json' with { type: 'json' }

/**
 * Numbers in one partition of a log. DynamoDB takes a thousand write units a second for one; an event of usual size
 * takes two to ten with its record, so that a partition gets no more in all its life, however fast a domain's events
 * come.
 */
const blockSize = 100

/** Returns the block that a number is in. */
export function blockOf(sequence: number): number {
  return Math.floor((sequence - 1) / blockSize)
}

/** Returns the first and the last number of a block. */
export function numbersIn(block: number) {
  return { first: block * blockSize + 1, last: (block + 1) * blockSize }
}

function blockKey(domain: string, block: number): string {
  return joinKey('log', domain, numberPart(block))
}

/** The item that names a block, for the removal of a deleted domain's log (contracts/domain-partitions.ts). */
export function blockItem(domain: string, block: number, loggedAt: number) {
  return { pk: joinKey('blocks', domain), sk: joinKey(numberPart(block)), expiresAt: expiryOf(loggedAt) }
}

/** Returns the key of the event with a number. */
export function entryKey(domain: string, sequence: number): Key {
  return { pk: blockKey(domain, blockOf(sequence)), sk: joinKey('event', numberPart(sequence)) }
}

/** Returns the values of a query for the events of a block between two numbers, both included. */
export function entryRange(domain: string, from: number, to: number): Item {
  const { pk, sk } = entryKey(domain, from)
  return { ':pk': pk, ':from': sk, ':to': entryKey(domain, to).sk }
}

/** Returns the values of a query for all write records of a block. */
export function recordRange(domain: string, block: number): Item {
  return { ':pk': blockKey(domain, block), ':sk': keyPrefix('write') }
}

/** Returns where the number of an event is stored by its id. */
export function idKey({ domain, id }: Pick<PlatformEvent, 'domain' | 'id'>): Key {
  return { pk: joinKey('ids', domain, shardOf(id)), sk: joinKey(id) }
}

/** Numbers of one block that were written together, or made void. */
export interface WriteRecord {
  readonly first: number
  readonly last: number
  /** When they were taken, epoch milliseconds. */
  readonly loggedAt: number
  /** Those of them that belong to no event. */
  readonly voids: readonly number[]
  readonly unwatched?: LoggedEvent['unwatched']
}

const recordItem = z.object({
  first: z.number(),
  last: z.number(),
  loggedAt: z.number(),
  voids: z.array(z.number()),
  unwatched: z.optional(z.object({ from: z.number(), to: z.number() })),
})

const entryItem = z.object({ sequence: z.number(), loggedAt: z.number(), event: z.instanceof(Uint8Array) })

/** Returns a write record as an item. */
export function toRecordItem(domain: string, record: WriteRecord) {
  const sk = joinKey('write', numberPart(record.first))
  return { pk: blockKey(domain, blockOf(record.first)), sk, ...record, expiresAt: expiryOf(record.loggedAt) }
}

/** Reads a write record. */
export function toRecord(item: Item): WriteRecord {
  return z.parse(recordItem, item)
}

/** Returns an event as an item. `isCut` says that deliveries find it whole elsewhere. */
export function toEntryItem(event: PlatformEvent, sequence: number, loggedAt: number, isCut: boolean) {
  const entry = { sequence, loggedAt, event: packEvent(event), expiresAt: expiryOf(loggedAt) }
  return { ...entryKey(event.domain, sequence), ...entry, ...(isCut ? { isCut } : {}) }
}

/** Reads an event. */
export function toEntry(item: Item): LoggedEvent {
  const { sequence, loggedAt, event } = z.parse(entryItem, item)
  return { sequence, loggedAt, event: unpackEvent(event) }
}

/** The payloads of deliveries are kept longer than the log shows them. */
function expiryOf(loggedAt: number): number {
  return expirySeconds(keptUntil.deliveryEvent(loggedAt))
}

/**
 * The dictionary of the compressor: the names and usual values of an engine's event, the most frequent last, as in the
 * recorded events of FreeSWITCH 1.11 in test/fixtures/freeswitch/events. With it an event takes a sixth of its JSON,
 * without it a third. Events of the last seven days are read with it: never change it. Another one needs another
 * attribute of the item, since the compressed bytes do not name theirs.
 */
export const eventDictionary = Buffer.from(
  [...usual.variables.map((field) => `variable_${field}`), ...usual.headers].map(textOfField).join(''),
)

/** Returns a field such as `Answer-State=hangup=ringing`, a name with usual values, as in the JSON of events. */
function textOfField(field: string): string {
  const [name = '', ...values] = field.split('=')
  return values.length === 0 ? `"${name}":"` : values.map((value) => `"${name}":"${value}",`).join('')
}

/** The most that an event takes as JSON: its fields were cut to 200 KB before it was packed. */
const mostBytes = 2 * 1024 * 1024

const packedEvent = z.object({
  fields: texts,
  id: z.string(),
  name: z.string(),
  domain: z.string(),
  uuid: z.string(),
  occurredAt: z.number(),
})

/** Returns an event compressed. Its ids follow the fields, which contain them, and so cost nearly nothing. */
export function packEvent({ fields, id, name, domain, uuid, occurredAt }: PlatformEvent): Uint8Array {
  const text = JSON.stringify({ fields, id, name, domain, uuid, occurredAt })
  return deflateRawSync(text, { level: 6, dictionary: eventDictionary })
}

/** Reads an event that {@link packEvent} compressed. Throws on bytes that are no compressed event. */
export function unpackEvent(packed: Uint8Array): PlatformEvent {
  const options = { maxOutputLength: mostBytes, dictionary: eventDictionary }
  return z.parse(packedEvent, JSON.parse(inflateRawSync(packed, options).toString()))
}
