import { removedHooks } from '../../../contracts/domain-partitions.ts'
import { mapAtMost } from '../../../core/concurrency/semaphore.ts'
import type { EventTraces, KeptEvent, TracePage } from '../../../core/erasures/event-traces.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import type { FileStore } from '../../../core/recordings/file-store.ts'
import type { AdapterContext } from '../../context.ts'
import { s3PayloadTraces } from '../../s3/s3-objects.ts'
import { WRITE_BATCH_ITEMS, removeBatch } from '../batches.ts'
import { type Item, type Page, deleteItem, queryAll, queryPage, tableName } from '../client.ts'
import { textOf } from '../errors.ts'
import { toEntry } from '../events/event-log-items.ts'
import { parseItem, under, unexpired } from '../items.ts'
import { joinKey, keyPrefix, splitKey } from '../key.ts'
import { deliveryEventItem, deliveryEventKey, deliveryItem, deliveryKey } from './delivery-item.ts'
import { payloadKey, wholeEvent } from './delivery-payloads.ts'
import { hookPartition } from './hook-item.ts'

const pageItems = 100
const sideBySide = 10

/** Payloads in the object store are up to 2 MiB each: of a page of them few are read at once. */
const pagePayloads = 20

type Files = Pick<FileStore, 'read' | 'remove'>

/** The cursor of events: in a block of the log, or, after the last block, among the payloads. */
interface EventCursor {
  readonly part: 'log' | 'payloads'
  readonly after: string
}

/** What DynamoDB and the bucket of payloads keep of a domain's events. */
export function dynamoEventTraces(context: AdapterContext, files: Files = s3PayloadTraces(context)): EventTraces {
  return {
    async listEvents(domain, given) {
      const { part, after } = cursorOf(given)
      return part === 'log' ? blockAfter(context, domain, after) : payloadsAfter(context, files, domain, after)
    },
    async removeEvents(domain, events) {
      await mapAtMost(events, sideBySide, (kept) => removeEvent(context, files, domain, kept))
    },
    listDeliveries: (domain, after) => deliveriesAfter(context, domain, after),
    async removeDeliveries(deliveries) {
      for (let first = 0; first < deliveries.length; first += WRITE_BATCH_ITEMS) {
        const keys = deliveries.slice(first, first + WRITE_BATCH_ITEMS).map(deliveryKey)
        await removeBatch(context, tableName(context, 'deliveries'), keys)
      }
    },
  }
}

/** Ids of events may hold spaces. */
function cursorOf(given = 'log '): EventCursor {
  const at = given.indexOf(' ')
  return { part: given.slice(0, at) === 'log' ? 'log' : 'payloads', after: given.slice(at + 1) }
}

/** Returns the events of the next block of a log: a hundred at most. */
async function blockAfter(context: AdapterContext, domain: string, after: string): Promise<TracePage<KeptEvent>> {
  const TableName = tableName(context, 'events')
  const { items: blocks } = await pageAfter(context, { TableName, pk: joinKey('blocks', domain), limit: 1 }, after)
  const block = textOf(blocks[0], 'sk')
  if (block === undefined) return { items: [], next: 'payloads ' }
  const pk = joinKey('log', domain, ...splitKey(block))
  const entries = await queryAll(context, { TableName, ConsistentRead: true, ...under(pk, keyPrefix('event')) })
  const items = entries.flatMap((item) =>
    unexpired(context, item) === undefined
      ? []
      : [{ place: `${pk} ${String(item['sk'])}`, event: toEntry(item).event }],
  )
  return { items, next: `log ${block}` }
}

async function payloadsAfter(
  context: AdapterContext,
  files: Files,
  domain: string,
  after: string,
): Promise<TracePage<KeptEvent>> {
  const { pk } = deliveryEventKey(domain, '')
  const TableName = tableName(context, 'deliveries')
  const { items, next } = await pageAfter(context, { TableName, pk, limit: pagePayloads }, after)
  const found = await mapAtMost(items, sideBySide, async (item) => {
    const stored = parseItem(deliveryEventItem, unexpired(context, item))
    const event = stored && (await wholeEvent(stored.event, files))
    return event === undefined ? [] : [{ place: '', event }]
  })
  return { items: found.flat(), next: next && `payloads ${String(next['sk'])}` }
}

/** An event of the log names its place there; every other is a payload alone. */
async function removeEvent(context: AdapterContext, files: Files, domain: string, { place, event }: KeptEvent) {
  const [pk = '', sk] = place.split(' ')
  if (sk !== undefined) return deleteItem(context, { TableName: tableName(context, 'events'), Key: { pk, sk } })
  await files.remove(payloadKey({ domain, id: event.id }))
  const Key = deliveryEventKey(domain, event.id)
  await deleteItem(context, { TableName: tableName(context, 'deliveries'), Key })
}

/** The cursor is the id of a hook, and the key of a delivery of it. */
async function deliveriesAfter(context: AdapterContext, domain: string, given = ''): Promise<TracePage<Delivery>> {
  const [hook = '', after = ''] = given.split(' ')
  const TableName = tableName(context, 'deliveries')
  const ids = [
    ...(await idsUnder(context, tableName(context, 'hooks'), hookPartition(domain))),
    ...(await idsUnder(context, TableName, joinKey(...removedHooks(domain)))),
  ].sort()
  const hookId = ids.find((id) => (after === '' ? id > hook : id >= hook))
  if (hookId === undefined) return { items: [] }
  const { pk } = deliveryKey({ domain, hookId, id: '' })
  const start = hookId === hook ? after : ''
  const { items, next } = await pageAfter(context, { TableName, pk, limit: pageItems }, start)
  const deliveries = items.flatMap((item) => parseItem(deliveryItem, unexpired(context, item)) ?? [])
  return { items: deliveries, next: next === undefined ? hookId : `${hookId} ${String(next['sk'])}` }
}

async function idsUnder(context: AdapterContext, TableName: string, pk: string): Promise<string[]> {
  const query = { TableName, ConsistentRead: true, ProjectionExpression: 'sk', ...under(pk) }
  return (await queryAll(context, query)).map(({ sk }) => splitKey(String(sk))[0])
}

interface PartitionPage {
  readonly TableName: string
  readonly pk: string
  readonly limit: number
}

async function pageAfter(
  context: AdapterContext,
  { TableName, pk, limit }: PartitionPage,
  after: string,
): Promise<Pick<Page, 'items' | 'next'>> {
  const start: Item | undefined = after === '' ? undefined : { pk, sk: after }
  return queryPage(context, { TableName, ConsistentRead: true, Limit: limit, ...under(pk) }, start)
}
