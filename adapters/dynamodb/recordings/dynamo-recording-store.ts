import { type RecordingChange, recordingChanges } from '../../../core/recordings/recording-changes.ts'
import { DomainError } from '../../../core/errors.ts'
import type { RecordedLeg, RecordingCursor, RecordingStore } from '../../../core/recordings/recording-store.ts'
import {
  type ExpectedRecording,
  type Recording,
  type RecordingKey,
  uuidOfFile,
} from '../../../core/recordings/recording.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { READ_BATCH_ITEMS, readBatch } from '../batches.ts'
import {
  type Item,
  type Page,
  type Put,
  type Query,
  getItem,
  putItem,
  queryAll,
  queryPage,
  tableName,
} from '../client.ts'
import { conditionally, textOf } from '../errors.ts'
import { type IndexQuery, queryIndexed } from '../index-entries.ts'
import { expirySeconds, parseItem, under, unexpired } from '../items.ts'
import { joinKey, keyPrefix, numberPart, shards } from '../key.ts'
import { forgetLeftRecordings, leaveRecordings, listLeftRecordings, wasLeftBefore } from '../domains/left-recordings.ts'
import {
  doomedPartition,
  overduePartition,
  recordedFileKey,
  recordedFilePartition,
  recordedLegItem,
  recordedLegKey,
  recordingItem,
  recordingItemKey,
  recordingPartition,
  storedPartition,
  toRecordingItem,
} from './recording-item.ts'

/** Changes of one recording that may meet each other: the uploader's, its owner's and the schedules'. */
const maxTries = 8

/**
 * Stores records of recordings in DynamoDB, one partition for each domain. Each change reads the record and writes it
 * as a whole if its version is still the one that was read. The index `keys-by-state` contains expected, stored and
 * doomed recordings.
 */
export function dynamoRecordingStore(context: AdapterContext): RecordingStore {
  const changes = recordingChanges((place, rule) => changeRecording(context, place, rule))
  return {
    ...changes,
    // The marks first: a recording that can be read is never without them.
    async expect(recording) {
      await markRecorded(context, recording)
      return changes.expect(recording)
    },
    listRecorded: (legs) => recordedAmong(context, legs),
    listByFile: (name, domain) => recordedInto(context, name, domain),
    async read(place) {
      return recordingIn(context, await getItem(context, tableName(context, 'recordings'), recordingItemKey(place)))
    },
    list: (domain, uuid) => listOf(context, domain, uuid),
    listOverdue: (before, limit) => earliest(context, shards.map(overduePartition), before, limit),
    listExpired: (domain, before, limit, from) => earliest(context, [storedPartition(domain)], before, limit, from),
    listDoomed: (before, limit) => earliest(context, shards.map(doomedPartition), before, limit),
    page: (domain, limit, after) => pageOf(context, domain, limit, after),
    leave: (left) => leaveRecordings(context, left),
    wasLeft: (domain) => wasLeftBefore(context, domain),
    listLeft: (limit, after) => listLeftRecordings(context, limit, after),
    forgetLeft: (domain, before) => forgetLeftRecordings(context, domain, before),
  }
}

async function markRecorded(
  context: AdapterContext,
  { domain, uuid, name, path, startedAt }: ExpectedRecording,
): Promise<void> {
  const expiresAt = expirySeconds(keptUntil.recordedLeg(context.clock.now()))
  const TableName = tableName(context, 'recordings')
  const mark = { domain, uuid, expiresAt }
  await putItem(context, { TableName, Item: { ...recordedLegKey(mark), ...mark } })
  if (path === undefined || uuidOfFile(name) === uuid) return
  await putItem(context, { TableName, Item: { ...recordedFileKey(name, { ...mark, startedAt }), ...mark } })
}

/** The legs that an offer of a file looks at: the newest has recorded it, unless its beginning was reported late. */
const lastOfFile = 10

async function recordedInto(context: AdapterContext, name: string, domain?: string): Promise<RecordedLeg[]> {
  const read = async (ScanIndexForward: boolean, Limit: number): Promise<RecordedLeg[]> => {
    const query: Query = {
      TableName: tableName(context, 'recordings'),
      ConsistentRead: true,
      ScanIndexForward,
      Limit,
      ...under(recordedFilePartition(name), domain === undefined ? undefined : keyPrefix(domain)),
    }
    const items = await readUpTo(context, (start) => queryPage(context, query, start), Limit)
    return items.flatMap((item) => parseItem(recordedLegItem, item) ?? [])
  }
  const last = await read(false, lastOfFile)
  if (domain !== undefined || last.length === 0) return last
  // The legs of each domain stand together: if the first is of none of these domains, there are more.
  return [...last, ...(await read(true, 1)).filter((leg) => last.every((one) => one.domain !== leg.domain))]
}

async function recordedAmong(context: AdapterContext, legs: readonly RecordedLeg[]): Promise<RecordedLeg[]> {
  const items: Item[] = []
  for (let first = 0; first < legs.length; first += READ_BATCH_ITEMS) {
    const keys = legs.slice(first, first + READ_BATCH_ITEMS).map(recordedLegKey)
    items.push(...(await readBatch(context, tableName(context, 'recordings'), keys, {})))
  }
  return items.flatMap((item) => parseItem(recordedLegItem, unexpired(context, item)) ?? [])
}

/** A write whose answer was lost and that the client tries again finds its own mark. */
async function changeRecording<A>(
  context: AdapterContext,
  place: RecordingKey,
  rule: (stored: Recording | undefined) => RecordingChange<A>,
): Promise<A> {
  const TableName = tableName(context, 'recordings')
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await getItem(context, TableName, recordingItemKey(place))
    const { next, answer } = rule(recordingIn(context, found))
    if (next === undefined) return answer
    const writeId = context.random.uuid()
    const previous = found?.['version']
    const put: Put = {
      TableName,
      Item: { ...toRecordingItem(next), writeId },
      ConditionExpression:
        previous === undefined ? 'attribute_not_exists(pk) OR writeId = :own' : 'version = :previous OR writeId = :own',
      ExpressionAttributeValues: { ':own': writeId, ...(previous === undefined ? {} : { ':previous': previous }) },
    }
    if ((await conditionally(() => putItem(context, put))).done) return answer
  }
  throw new DomainError('store_unavailable', 'the record is being changed by others, try again', {
    retryAfterSeconds: 2,
  })
}

async function listOf(context: AdapterContext, domain: string, uuid: string): Promise<Recording[]> {
  const items = await queryAll(context, {
    TableName: tableName(context, 'recordings'),
    ConsistentRead: true,
    ...under(recordingPartition(domain), keyPrefix(uuid)),
  })
  return items.flatMap((item) => recordingIn(context, item) ?? []).sort((a, b) => a.startedAt - b.startedAt)
}

async function earliest(
  context: AdapterContext,
  partitions: readonly string[],
  before: number,
  limit: number,
  from = 0,
): Promise<Recording[]> {
  if (before <= from) return []
  const query = (partition: string): IndexQuery => ({
    Limit: limit,
    // A key is longer than its number, so a key at `before` itself sorts after the range.
    KeyConditionExpression: 'gsi_pk = :pk AND gsi_sk BETWEEN :from AND :before',
    ExpressionAttributeValues: {
      ':pk': partition,
      ':from': numberPart(Math.max(0, from)),
      ':before': numberPart(before),
    },
  })
  const found = await Promise.all(
    partitions.map((partition) => {
      const read = (start: Item | undefined) => queryIndexed(context, 'recordings', query(partition), start)
      return readUpTo(context, read, limit)
    }),
  )
  const sortOf = (item: Item) => textOf(item, 'gsi_sk') ?? ''
  return found
    .flat()
    .sort((a, b) => (sortOf(a) < sortOf(b) ? -1 : 1))
    .slice(0, limit)
    .flatMap((item) => recordingIn(context, item) ?? [])
}

async function pageOf(
  context: AdapterContext,
  domain: string,
  limit: number,
  after: RecordingCursor | undefined,
): Promise<Recording[]> {
  const query: Query = {
    TableName: tableName(context, 'recordings'),
    ConsistentRead: true,
    Limit: limit,
    KeyConditionExpression: after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: {
      ':pk': recordingPartition(domain),
      ...(after === undefined ? {} : { ':after': joinKey(after.uuid, after.id) }),
    },
  }
  const items = await readUpTo(context, (start) => queryPage(context, query, start), limit)
  return items.flatMap((item) => recordingIn(context, item) ?? [])
}

async function readUpTo(
  context: AdapterContext,
  read: (start: Item | undefined) => Promise<Page>,
  limit: number,
): Promise<Item[]> {
  const found: Item[] = []
  let start: Item | undefined
  do {
    const page = await read(start)
    found.push(...page.items.filter((item) => unexpired(context, item) !== undefined))
    start = page.next
  } while (start !== undefined && found.length < limit)
  return found.slice(0, limit)
}

function recordingIn(context: AdapterContext, item: Item | undefined): Recording | undefined {
  return parseItem(recordingItem, unexpired(context, item))
}
