import * as z from 'zod/mini'
import { type Allowance, type RateVerdict, takeOne, windowVerdict } from '../../core/limits/allowance.ts'
import type { RateLimitStore } from '../../core/limits/rate-limit-store.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import type { Item } from './attributes.ts'
import { getItem, putItem, tableName, updateItem } from './client.ts'
import { conditionally, numberOf, textOf } from './errors.ts'
import { expirySeconds, parseItem } from './items.ts'
import { joinKey } from './key.ts'

const windowItem = z.object({ uses: z.array(z.number()), version: z.number() })

/**
 * Allowances in DynamoDB, one item each. A bucket is the moment at which it is full again: one conditional write where
 * it is full already, one more where it is not, and no write that a refused request leaves behind.
 */
export function dynamoRateLimitStore(context: AdapterContext): RateLimitStore {
  /** Sets a bucket under a condition; otherwise answers the moment that is stored. */
  async function refill(key: string, fullAt: number, condition: string, values: Item) {
    // A write whose answer was lost and that is tried again finds its own mark: one request is counted once.
    const writeId = context.random.uuid()
    const result = await conditionally(() =>
      updateItem(context, {
        TableName: tableName(context, 'limits'),
        Key: bucketKey(key),
        UpdateExpression: 'SET fullAt = :after, expiresAt = :end, writeId = :write',
        ConditionExpression: condition,
        ExpressionAttributeValues: {
          ':after': fullAt,
          ':end': expirySeconds(keptUntil.allowance(fullAt)),
          ':write': writeId,
          ...values,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    const isDone = result.done || textOf(result.stored, 'writeId') === writeId
    return isDone ? undefined : { stored: numberOf(result.stored, 'fullAt') }
  }

  async function take(key: string, allowance: Allowance, now: number): Promise<RateVerdict> {
    const first = takeOne(undefined, allowance, now)
    let failed = await refill(key, first.fullAt, 'attribute_not_exists(pk) OR fullAt <= :now', { ':now': now })
    let { verdict } = first
    while (failed !== undefined) {
      const next = takeOne(failed.stored, allowance, now)
      verdict = next.verdict
      if (!verdict.isAllowed) return verdict
      const known = failed.stored
      failed =
        known === undefined
          ? await refill(key, next.fullAt, 'attribute_not_exists(pk)', {})
          : await refill(key, next.fullAt, 'fullAt = :known', { ':known': known })
    }
    return verdict
  }

  return {
    take,
    async takeInWindow(key, window, now) {
      const TableName = tableName(context, 'limits')
      for (;;) {
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
        if (written.done || textOf(written.stored, 'writeId') === writeId) return verdict
      }
    },
    enter: (key, places, now) => enterPlace(context, key, places, now),
    async leave(key, place) {
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
    },
  }
}

/**
 * Takes the first place that is free: one write where that is the first of all, or none is; more where others take
 * places at the same moment.
 */
async function enterPlace(
  context: AdapterContext,
  key: string,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
  now: number,
): Promise<string | undefined> {
  // A write whose answer was lost and that is tried again finds its own mark.
  const holder = context.random.uuid()
  const numbers = Array.from({ length: limit }, (_, index) => index)
  let free: number | undefined = 0
  while (free !== undefined) {
    const number: number = free
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
    if (result.done) return `${number}:${holder}`
    const { stored } = result
    free = numbers.find((one) => one !== number && (numberOf(stored, `until${one}`) ?? 0) <= now)
  }
  return undefined
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
