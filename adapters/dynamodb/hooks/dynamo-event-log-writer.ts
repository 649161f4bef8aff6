import type {
  EventLogWriter,
  GivenNumber,
  NewEntry,
  TakenNumbers,
} from '../../../core/hooks/delivery/event-log-writer.ts'
import type { AdapterContext } from '../../context.ts'
import { type PayloadFiles, deliveryPayloads } from './delivery-payloads.ts'
import { endUnwatched, takeNumbers } from '../events/event-log-head.ts'
import { entriesTogether } from '../../../core/events/event-log-rules.ts'
import type { DeliveryStore } from '../../../core/hooks/delivery/delivery-store.ts'
import { keptUntil } from '../../retention.ts'
import { ITEM_EVENT_BYTES, fitted } from '../../events/text-event.ts'
import { putBatch } from '../batches.ts'
import { type Part, tableName, transactWrite } from '../client.ts'
import { toDeliveryItem, toUnlistedItem } from './delivery-item.ts'
import { type FailedPart, numberOf, transacted } from '../errors.ts'
import {
  type WriteRecord,
  blockItem,
  blockOf,
  idKey,
  numbersIn,
  toEntryItem,
  toRecordItem,
} from '../events/event-log-items.ts'
import { expirySeconds, nowSeconds } from '../items.ts'
import { s3PayloadFiles } from '../../s3/s3-objects.ts'

/**
 * Writes logs of events in DynamoDB, a hundred numbers a partition. What is too large for the table is in `files`, the
 * payloads' bucket where not given.
 */
export function dynamoEventLogWriter(
  context: AdapterContext,
  files: PayloadFiles = s3PayloadFiles(context),
): EventLogWriter {
  const { keepEvent } = deliveryPayloads(context, files)
  return {
    take: (domain, count, watchedSince) => takeNumbers(context, domain, count, watchedSince),
    write: (taken, entries) => writeEvents(context, taken, entries, keepEvent),
  }
}

/**
 * Writes events under taken numbers. First the events themselves, which no reader sees yet; then, in one transaction,
 * the ids on the condition that they have no number, the deliveries, and the record that these numbers are written, on
 * the condition that no reader has made them void. A writer that dies in between leaves numbers without a record.
 */
async function writeEvents(
  context: AdapterContext,
  taken: TakenNumbers,
  entries: readonly NewEntry[],
  keepWhole: DeliveryStore['keepEvent'],
): Promise<ReadonlyMap<string, GivenNumber> | undefined> {
  if (entries.length > entriesTogether) throw new RangeError(`at most ${entriesTogether} events are written together`)
  await putEvents(context, taken, entries, keepWhole)
  const given = new Map<string, GivenNumber>()
  let left = entries
  for (;;) {
    const records = recordsOf(taken, left)
    const parts = [
      ...records.map((record) => recordPart(context, taken.domain, record)),
      ...left.map((entry) => idPart(context, taken, entry)),
      ...left.flatMap(({ deliveries }) => deliveries).map((delivery) => deliveryPart(context, delivery)),
    ]
    const failed = await transacted(() => transactWrite(context, parts))
    if (failed === undefined) break
    if (failed.slice(0, records.length).some((part) => part.failed)) return undefined
    const known = knownNumbers(left, failed.slice(records.length))
    for (const [id, sequence] of known) given.set(id, { sequence, isNew: false })
    left = left.filter(({ event }) => !known.has(event.id))
  }
  for (const { event, sequence } of left) given.set(event.id, { sequence, isNew: true })
  if (left.length > 0) await endUnwatched(context, taken)
  return given
}

async function putEvents(
  context: AdapterContext,
  { domain, takenAt }: TakenNumbers,
  entries: readonly NewEntry[],
  keepWhole: DeliveryStore['keepEvent'],
): Promise<void> {
  const cut = entries.map(({ event }) => fitted(event, ITEM_EVENT_BYTES))
  const large = entries.filter(({ event, isWanted }, index) => isWanted && cut[index] !== event)
  for (const { event } of large) await keepWhole(event)
  const blocks = new Set(entries.map(({ sequence }) => blockOf(sequence)))
  await putBatch(context, tableName(context, 'events'), [
    ...[...blocks].map((block) => blockItem(domain, block, takenAt)),
    ...entries.map(({ sequence, event: whole }, index) => {
      const event = cut[index] ?? whole
      return toEntryItem(event, sequence, takenAt, event !== whole)
    }),
  ])
}

/** The records of the taken numbers, one for each block that they are in; those of no entry are void. */
function recordsOf({ first, count, takenAt, unwatched }: TakenNumbers, entries: readonly NewEntry[]): WriteRecord[] {
  const end = first + count - 1
  const used = new Set(entries.map(({ sequence }) => sequence))
  const blocks = Array.from({ length: blockOf(end) - blockOf(first) + 1 }, (_, index) => blockOf(first) + index)
  let unreported = unwatched
  return blocks.map((block) => {
    const [from, to] = [Math.max(first, numbersIn(block).first), Math.min(end, numbersIn(block).last)]
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const voids = numbers.filter((each) => !used.has(each))
    const record = { first: from, last: to, loggedAt: takenAt, voids }
    if (unreported === undefined || voids.length === numbers.length) return record
    const reported = unreported
    unreported = undefined
    return Object.assign(record, { unwatched: reported })
  })
}

function recordPart(context: AdapterContext, domain: string, record: WriteRecord): Part {
  const TableName = tableName(context, 'events')
  return { Put: { TableName, Item: toRecordItem(domain, record), ConditionExpression: 'attribute_not_exists(pk)' } }
}

function idPart(context: AdapterContext, { takenAt }: TakenNumbers, { event, sequence }: NewEntry): Part {
  return {
    Put: {
      TableName: tableName(context, 'events'),
      Item: { ...idKey(event), sequence, expiresAt: expirySeconds(keptUntil.eventNumber(takenAt)) },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': nowSeconds(context) },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  }
}

/**
 * Puts a delivery. No condition: its id comes from the number of its event, which is given in the same transaction. One
 * whose first run has begun is not in the index of due ones: if the run dies, the message of the event returns.
 */
function deliveryPart(context: AdapterContext, delivery: NewEntry['deliveries'][number]): Part {
  const hasBegun = Object.keys(delivery.begun).length > 0
  const Item = hasBegun ? toUnlistedItem(delivery) : toDeliveryItem(delivery)
  return { Put: { TableName: tableName(context, 'deliveries'), Item } }
}

function knownNumbers(entries: readonly NewEntry[], parts: readonly FailedPart[]): Map<string, number> {
  const known = new Map<string, number>()
  for (const [index, { event }] of entries.entries()) {
    const number = numberOf(parts[index]?.stored, 'sequence')
    if (number !== undefined) known.set(event.id, number)
  }
  if (known.size === 0) throw new TypeError('a transaction failed, and no condition of it')
  return known
}
