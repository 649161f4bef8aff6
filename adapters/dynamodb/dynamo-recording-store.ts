import { type RecordingChange, recordingChanges } from '../../core/recordings/recording-changes.ts'
import { DomainError } from '../../core/errors.ts'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import type { Recording, RecordingPlace } from '../../core/recordings/recording.ts'
import type { AdapterContext } from '../context.ts'
import type { Item } from './client.ts'
import { type Put, type Query, getItem, putItem, queryAll, queryPage, tableName } from './client.ts'
import { conditionally, textOf } from './errors.ts'
import { parseItem, under, unexpired } from './items.ts'
import { joinKey, keyPrefix, numberPart } from './key.ts'
import { forgetLeftRecordings, leaveRecordings, listLeftRecordings } from './left-recordings.ts'
import {
  doomedPartition,
  overduePartition,
  recordingItem,
  recordingItemKey,
  recordingPartition,
  storedPartition,
  toRecordingItem,
} from './recording-item.ts'
import { shards } from './shards.ts'

/** Changes of one recording that may meet each other: the uploader's, its owner's and the schedules'. */
const maxTries = 8

/**
 * Records of recordings in DynamoDB, one partition a domain. Each change reads the record and writes it whole where its
 * version is still the one that was read. The index `by-state` has what is expected, stored and doomed.
 */
export function dynamoRecordingStore(context: AdapterContext): RecordingStore {
  return {
    ...recordingChanges((place, rule) => changeRecording(context, place, rule)),
    async read(place) {
      return recordingIn(context, await getItem(context, tableName(context, 'recordings'), recordingItemKey(place)))
    },
    list: (domain, uuid) => listOf(context, domain, uuid),
    listOverdue: (before, limit) => earliest(context, shards.map(overduePartition), before, limit),
    listExpired: (domain, before, limit, from) => earliest(context, [storedPartition(domain)], before, limit, from),
    listDoomed: (before, limit) => earliest(context, shards.map(doomedPartition), before, limit),
    page: (domain, limit, after) => pageOf(context, domain, limit, after),
    leave: (left) => leaveRecordings(context, left),
    listLeft: (limit, after) => listLeftRecordings(context, limit, after),
    forgetLeft: (domain, before) => forgetLeftRecordings(context, domain, before),
  }
}

/** A write whose answer was lost and that the client tries again finds its own mark. */
async function changeRecording<A>(
  context: AdapterContext,
  place: RecordingPlace,
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

/** The earliest entries of partitions of the index between two moments. */
async function earliest(
  context: AdapterContext,
  partitions: readonly string[],
  before: number,
  limit: number,
  from = 0,
): Promise<Recording[]> {
  if (before <= from) return []
  const query = (partition: string): Query => ({
    TableName: tableName(context, 'recordings'),
    IndexName: 'by-state',
    Limit: limit,
    // A key has more than its number, so that one of `before` itself is behind the span.
    KeyConditionExpression: 'gsi_pk = :pk AND gsi_sk BETWEEN :from AND :before',
    ExpressionAttributeValues: {
      ':pk': partition,
      ':from': numberPart(Math.max(0, from)),
      ':before': numberPart(before),
    },
  })
  const found = await Promise.all(partitions.map((partition) => queryUpTo(context, query(partition), limit)))
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
  after: RecordingPlace | undefined,
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
  const items = await queryUpTo(context, query, limit)
  return items.flatMap((item) => recordingIn(context, item) ?? [])
}

/** The first items that are there: those past their end are passed over. */
async function queryUpTo(context: AdapterContext, query: Query, limit: number): Promise<Item[]> {
  const found: Item[] = []
  let start: Item | undefined
  do {
    const page = await queryPage(context, query, start)
    found.push(...page.items.filter((item) => unexpired(context, item) !== undefined))
    start = page.next
  } while (start !== undefined && found.length < limit)
  return found.slice(0, limit)
}

function recordingIn(context: AdapterContext, item: Item | undefined): Recording | undefined {
  return parseItem(recordingItem, unexpired(context, item))
}
