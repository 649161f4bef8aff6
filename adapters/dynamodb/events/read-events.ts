import type { LogPage } from '../../../core/events/event-log.ts'
import { deadWriterMs, eventLogLimit } from '../../../core/events/event-log-rules.ts'
import type { LoggedEvent } from '../../../core/events/platform-event.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { putItem, queryAll, queryPage, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { type Head, readHead } from './event-log-head.ts'
import {
  type WriteRecord,
  blockOf,
  entryRange,
  numbersIn,
  recordRange,
  toEntry,
  toRecord,
  toRecordItem,
} from './event-log-items.ts'

/** Reads a page of a log, block by block, until it has an event, or nothing is known of the next number. */
export async function readEvents(
  context: AdapterContext,
  domain: string,
  since: number,
  limit: number,
): Promise<LogPage> {
  const head = await readHead(context, domain)
  if (keptUntil.loggedEvent(head.loggedAt) <= context.clock.now()) {
    return { events: [], voids: [], upTo: Math.max(since, head.sequence) }
  }
  let upTo = Math.max(since, head.sequence - eventLogLimit, head.notKeptUpTo)
  const voids: number[] = []
  while (upTo < head.sequence) {
    const part = await readBlock(context, { domain, head, since: upTo, limit })
    voids.push(...part.voids)
    if (part.upTo === upTo || part.events.length > 0) return { ...part, voids }
    upTo = part.upTo
  }
  return { events: [], voids, upTo }
}

interface BlockWanted {
  readonly domain: string
  readonly head: Head
  readonly since: number
  readonly limit: number
}

async function readBlock(context: AdapterContext, wanted: BlockWanted): Promise<LogPage> {
  const { domain, head, since, limit } = wanted
  const last = Math.min(numbersIn(blockOf(since + 1)).last, head.sequence)
  // The records come first: the events of a record were there before it.
  const records = await readRecords(context, domain, blockOf(since + 1))
  const page = await queryPage(context, {
    TableName: tableName(context, 'events'),
    ConsistentRead: true,
    Limit: limit + entriesBesides,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: entryRange(domain, since + 1, last),
  })
  const entries = new Map(page.items.map((item) => [Number(item['sequence']), item]))
  const readTo = page.next === undefined ? last : Math.max(since, ...entries.keys())
  const events: LoggedEvent[] = []
  const voids: number[] = []
  let upTo = since
  let size = 0
  while (upTo < readTo && events.length < limit) {
    const number = upTo + 1
    const record = records.find(({ first, last: end }) => first <= number && number <= end)
    if (record === undefined) {
      const fate = await fateOf(context, wanted, { number, records })
      if (fate === 'open') break
      if (fate === 'void') voids.push(number)
      else {
        upTo = fate.notKeptUpTo
        continue
      }
    } else if (record.voids.includes(number)) voids.push(number)
    else {
      const entry = entries.get(number)
      if (entry !== undefined && keptUntil.loggedEvent(record.loggedAt) > context.clock.now()) {
        const isReporting = record.unwatched !== undefined && firstEventOf(record) === number
        const event = isReporting ? { ...toEntry(entry), unwatched: record.unwatched } : toEntry(entry)
        size += JSON.stringify(event).length
        if (events.length > 0 && size > pageLength) break
        events.push(event)
      }
    }
    upTo = number
  }
  return { events, voids, upTo }
}

/** About as much as a page of DynamoDB holds, though events are compressed there. */
const pageLength = 1024 * 1024

/** Events without a record may stand between the wanted ones; so many more are read at once. */
const entriesBesides = 10

async function readRecords(context: AdapterContext, domain: string, block: number): Promise<WriteRecord[]> {
  const items = await queryAll(context, {
    TableName: tableName(context, 'events'),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: recordRange(domain, block),
  })
  return items.map(toRecord)
}

function firstEventOf({ first, voids }: WriteRecord): number {
  let number = first
  while (voids.includes(number)) number += 1
  return number
}

interface Unrecorded {
  readonly number: number
  readonly records: WriteRecord[]
}

/**
 * Finds out what became of a number without a record. `open`: its writer may still write. `void`: its writer is dead,
 * and has no way to write any more. Otherwise it was taken so long ago that its record may have been removed, as were
 * all numbers up to the one that is returned.
 */
async function fateOf(
  context: AdapterContext,
  { domain, head }: BlockWanted,
  { number, records }: Unrecorded,
): Promise<'open' | 'void' | { readonly notKeptUpTo: number }> {
  // Numbers are taken in rising order, so this one was taken before the next one that has a record.
  let later = records.find(({ first }) => first > number)
  for (let block = blockOf(number) + 1; later === undefined && block <= blockOf(head.sequence); block += 1) {
    ;[later] = await readRecords(context, domain, block)
  }
  const { loggedAt: takenAt } = later ?? head
  if (keptUntil.loggedEvent(takenAt) <= context.clock.now()) {
    return { notKeptUpTo: later === undefined ? head.sequence : later.first - 1 }
  }
  if (takenAt + deadWriterMs > context.clock.now()) return 'open'
  // A writer's record stands at the first of its numbers, which may be below this one: all of them are taken from it.
  for (let first = firstOpen(number, records); first <= number; first += 1) {
    const record = { first, last: first, loggedAt: takenAt, voids: [first] }
    if (!(await isMadeVoid(context, domain, record))) return 'open'
    records.push(record)
  }
  return 'void'
}

function firstOpen(number: number, records: readonly WriteRecord[]): number {
  const ends = records.filter(({ last }) => last < number).map(({ last }) => last + 1)
  return Math.max(numbersIn(blockOf(number)).first, ...ends)
}

/** Writes a void record, unless the writer has written its own there: of the two writes one succeeds. */
async function isMadeVoid(context: AdapterContext, domain: string, record: WriteRecord): Promise<boolean> {
  const made = await conditionally(() =>
    putItem(context, {
      TableName: tableName(context, 'events'),
      Item: toRecordItem(domain, record),
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  )
  return made.done
}
