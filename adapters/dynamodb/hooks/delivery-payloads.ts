import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { DeliveryStore } from '../../../core/hooks/delivery/delivery-store.ts'
import type { DeliveryEvent } from '../../../core/hooks/delivery/delivery.ts'
import type { FileStore } from '../../../core/recordings/file-store.ts'
import type { AdapterContext } from '../../context.ts'
import { getItem, tableName } from '../client.ts'
import { deliveryEventItem, deliveryEventKey, payloadFields, toDeliveryEventItem } from './delivery-item.ts'
import { entryKey, toEntry } from '../events/event-log-items.ts'
import { parseItem, putNew, unexpired } from '../items.ts'

/** Bytes of JSON that the fields of an event may have in the table, from the contract; an item has 400 KB at most. */
const inlineBytes = 200 * 1024

/** No object is larger: the queue of events takes messages of 1 MiB. */
const longestPayload = 2 * 1024 * 1024

/** The objects of what is larger than {@link inlineBytes}. */
export type PayloadFiles = Pick<FileStore, 'put' | 'read'>

/**
 * Stores the payloads of deliveries: one table item each, whose fields go to the object store if they exceed the item.
 * The object is written before its item. An object that the bucket has expired counts as never stored.
 */
export function deliveryPayloads(
  context: AdapterContext,
  files: PayloadFiles,
): Pick<DeliveryStore, 'keepEvent' | 'readEvent'> {
  const TableName = () => tableName(context, 'deliveries')
  return {
    async keepEvent(event) {
      const fields = Buffer.from(JSON.stringify(event.fields))
      const isLarge = fields.length > inlineBytes
      if (isLarge) await files.put(payloadKey(event), 'application/json', bodyOf(fields))
      const item = toDeliveryEventItem(event, context.clock.now(), isLarge)
      await putNew(context, TableName(), item)
    },
    async readEvent({ domain, eventId, sequence }) {
      const logged = sequence === 0 ? undefined : await readLogged(context, domain, sequence)
      if (logged !== undefined) return logged
      // One that the log has cut is kept whole here, and so is one that came again when the log did not keep it any
      // more.
      const found = await getItem(context, TableName(), deliveryEventKey(domain, eventId))
      const event = parseItem(deliveryEventItem, unexpired(context, found))?.event
      if (event === undefined) return undefined
      return wholeEvent(event, files)
    },
  }
}

/** Returns a stored event with its fields, also where these are in the object store; nothing if they are gone there. */
export async function wholeEvent(
  { fields, ...rest }: z.infer<typeof deliveryEventItem>['event'],
  files: Pick<FileStore, 'read'>,
): Promise<DeliveryEvent | undefined> {
  if (fields !== undefined) return { ...rest, fields }
  const bytes = await files.read(payloadKey(rest), longestPayload)
  return bytes && { ...rest, fields: z.parse(payloadFields, JSON.parse(Buffer.from(bytes).toString('utf8'))) }
}

async function readLogged(context: AdapterContext, domain: string, sequence: number) {
  const found = unexpired(context, await getItem(context, tableName(context, 'events'), entryKey(domain, sequence)))
  return found === undefined || found['isCut'] === true ? undefined : toEntry(found).event
}

/** Returns the name of an object: under its domain, and whatever an event's id is made of. */
export function payloadKey({ domain, id }: Pick<DeliveryEvent, 'domain' | 'id'>): string {
  return `${domain}/${createHash('sha256').update(id).digest('hex')}.json`
}

function bodyOf(bytes: Uint8Array) {
  return { bytes: once(bytes), size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
