import * as z from 'zod/mini'
import {
  type Allowance,
  type RateLimitStore,
  type RateVerdict,
  latestForOne,
  verdictOf,
  windowVerdict,
} from '../../../core/requests/rate-limit.ts'
import { untilDone } from '../../../core/concurrency/retry.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Item, getItem, putItem, tableName, updateItem } from '../client.ts'
import { conditionally, numberOf, textOf } from '../errors.ts'
import { expirySeconds, parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const windowItem = z.object({ uses: z.array(z.number()), version: z.number() })

/** Buckets whose last known state one process remembers; beyond it, it forgets all of them. */
const maxRemembered = 10_000

/**
 * Allowances in DynamoDB, one item each. A bucket is the moment at which it is full again. Each request moves that
 * moment by one atomic conditional update, which never has to name the value that it found: however many requests
 * arrive at once, in however many processes, one costs at most two writes, and a refused one changes nothing.
 */
export function dynamoRateLimitStore(context: AdapterContext): RateLimitStore {
  // Only decides which of the two updates is tried first; a wrong guess costs one more write.
  const lastFullAt = new Map<string, number>()

  function remember(key: string, fullAt: number): void {
    if (lastFullAt.size >= maxRemembered) lastFullAt.clear()
    lastFullAt.set(key, fullAt)
  }

  async function move(key: string, update: BucketUpdate) {
    // A write whose answer was lost and that is sent again finds its own mark: the request is counted once.
    const writeId = context.random.uuid()
    const written = { fullAt: 0 }
    const result = await conditionally(async () => {
      const item = await updateItem(context, {
        TableName: tableName(context, 'limits'),
        Key: bucketKey(key),
        UpdateExpression: `SET fullAt = ${update.fullAt}, expiresAt = :end, writeId = :write`,
        ConditionExpression: `(${update.condition}) AND (attribute_not_exists(writeId) OR writeId <> :write)`,
        ExpressionAttributeValues: {
          ':end': expirySeconds(keptUntil.allowance(update.latest)),
          ':write': writeId,
          ...update.values,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
      written.fullAt = numberOf(item, 'fullAt') ?? update.latest
    })
    if (result.done) return { isMoved: true, fullAt: written.fullAt }
    const fullAt = numberOf(result.stored, 'fullAt')
    return { isMoved: textOf(result.stored, 'writeId') === writeId, fullAt }
  }

  async function take(key: string, allowance: Allowance, now: number): Promise<RateVerdict> {
    const { refill, add } = bucketUpdates(allowance, now)
    let known = lastFullAt.get(key)
    return untilDone(async () => {
      const { isMoved, fullAt } = await move(key, known !== undefined && known > now ? add : refill)
      known = fullAt
      if (fullAt !== undefined) remember(key, fullAt)
      if (isMoved) return verdictOf(fullAt ?? now, allowance, now, true)
      const isEmpty = fullAt !== undefined && fullAt > latestForOne(allowance, now)
      return isEmpty ? verdictOf(fullAt, allowance, now, false) : undefined
    })
  }

  return {
    take,
    takeInWindow: (key, window, now) => takeInWindow(context, key, window, now),
    enter: (key, places, now) => enterSlot(context, key, places, now),
    leave: (key, place) => leaveSlot(context, key, place),
  }
}

async function takeInWindow(
  context: AdapterContext,
  key: string,
  window: { readonly limit: number; readonly windowMs: number },
  now: number,
): Promise<RateVerdict> {
  const TableName = tableName(context, 'limits')
  return untilDone(async () => {
    const stored = parseItem(windowItem, await getItem(context, TableName, windowKey(key)))
    const { uses, version } = stored ?? { uses: [], version: 0 }
    const counted = uses.filter((use) => use > now - window.windowMs)
    const verdict = windowVerdict(counted, window, now)
    if (!verdict.isAllowed) return verdict
    const expiresAt = expirySeconds(keptUntil.allowance(now + window.windowMs))
    const writeId = context.random.uuid()
    const written = await conditionally(() =>
      putItem(context, {
        TableName,
        Item: { ...windowKey(key), uses: [...counted, now], version: version + 1, writeId, expiresAt },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
        ExpressionAttributeValues: { ':version': version },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return written.done || textOf(written.stored, 'writeId') === writeId ? verdict : undefined
  })
}

/**
 * Takes the first free slot: one write if that is the first slot, or if none is free; more if others take slots at the
 * same moment.
 */
async function enterSlot(
  context: AdapterContext,
  key: string,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
  now: number,
): Promise<string | undefined> {
  // A write whose answer was lost and that is tried again finds its own mark.
  const holder = context.random.uuid()
  const numbers = Array.from({ length: limit }, (_, index) => index)
  let number = 0
  const { place } = await untilDone(async () => {
    const result = await conditionally(() =>
      updateItem(context, {
        TableName: tableName(context, 'limits'),
        Key: placesKey(key),
        UpdateExpression: 'SET #until = :until, #holder = :holder, expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(#until) OR #until <= :now OR #holder = :holder',
        ExpressionAttributeNames: { '#until': `until${number}`, '#holder': `holder${number}` },
        ExpressionAttributeValues: {
          ':until': now + leaseMs,
          ':holder': holder,
          ':now': now,
          ':end': expirySeconds(keptUntil.allowance(now + leaseMs)),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    if (result.done) return { place: `${number}:${holder}` }
    const { stored } = result
    // Many that come at one moment see the same places free: each tries another one.
    const open = numbers.filter((one) => one !== number && (numberOf(stored, `until${one}`) ?? 0) <= now)
    const free = open[(context.random.bytes(1)[0] ?? 0) % Math.max(open.length, 1)]
    if (free === undefined) return { place: undefined }
    number = free
    return undefined
  })
  return place
}

async function leaveSlot(context: AdapterContext, key: string, place: string): Promise<void> {
  const [number = '', holder = ''] = place.split(':')
  await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'limits'),
      Key: placesKey(key),
      UpdateExpression: 'REMOVE #until, #holder',
      ConditionExpression: '#holder = :holder',
      ExpressionAttributeNames: { '#until': `until${number}`, '#holder': `holder${number}` },
      ExpressionAttributeValues: { ':holder': holder },
    }),
  )
}

interface BucketUpdate {
  readonly fullAt: string
  readonly condition: string
  readonly values: Item
  /** The latest value that it can have afterwards, epoch milliseconds. */
  readonly latest: number
}

/** The two updates that take one request: of a bucket that is full, and of one that is neither full nor empty. */
function bucketUpdates(allowance: Allowance, now: number): { refill: BucketUpdate; add: BucketUpdate } {
  const { intervalMs, burst } = allowance
  return {
    refill: {
      fullAt: ':after',
      condition: 'attribute_not_exists(pk) OR fullAt <= :now',
      values: { ':after': now + intervalMs, ':now': now },
      latest: now + intervalMs,
    },
    add: {
      fullAt: 'fullAt + :interval',
      condition: 'fullAt > :now AND fullAt <= :last',
      values: { ':interval': intervalMs, ':now': now, ':last': latestForOne(allowance, now) },
      latest: now + burst * intervalMs,
    },
  }
}

function placesKey(key: string) {
  return { pk: joinKey('places', key), sk: 'places' }
}

function bucketKey(key: string) {
  return { pk: joinKey('bucket', key), sk: 'bucket' }
}

function windowKey(key: string) {
  return { pk: joinKey('window', key), sk: 'window' }
}
