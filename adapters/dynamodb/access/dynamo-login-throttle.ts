import * as z from 'zod/mini'
import { backoffMs, pause } from '../../../core/concurrency/timers.ts'
import { untilDone } from '../../../core/concurrency/retry.ts'
import type { BegunAttempt, LoginThrottle, LoginUser } from '../../../core/auth/login-throttle.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { retryDeps } from '../../system/system-time.ts'
import { deleteItem, getItem, putItem, queryAll, tableName, updateItem } from '../client.ts'
import { conditionally, textOf } from '../errors.ts'
import { expirySeconds, parseItem, under } from '../items.ts'
import { joinKey, keyPrefix } from '../key.ts'

const failureItem = z.object({ pk: z.string(), sk: z.string(), at: z.number(), isUnderWay: z.optional(z.boolean()) })

type Failure = z.infer<typeof failureItem>

const networkItem = z.object({ pk: z.string(), sk: z.string(), at: z.number() })

/**
 * Failed logins in DynamoDB: one item a failure, so that the window moves with each of them. A limit is that many
 * numbered slots, each taken by one conditional write, so the limit holds under concurrency. Each known network of a
 * user is one item.
 */
export function dynamoLoginThrottle(context: AdapterContext): LoginThrottle {
  const table = () => tableName(context, 'throttles')
  const drop = (pk: string, sk: string) => deleteItem(context, { TableName: table(), Key: { pk, sk } })

  async function failures(key: string, since: number): Promise<Failure[]> {
    const items = await queryAll(context, { TableName: table(), ConsistentRead: true, ...under(partition(key)) })
    const found = items.flatMap((item) => parseItem(failureItem, item) ?? [])
    return found.filter(({ at }) => at >= since).sort((a, b) => a.at - b.at)
  }

  return {
    begin: (key, { limit, since }, at) =>
      untilDone(async () => {
        const found = await failures(key, since)
        if (found.length >= limit) return { failures: found.map(toFailure) }
        const taken = new Set(found.map(({ sk }) => sk))
        const free = Array.from({ length: limit }, (_, index) => slotKey(index)).filter((slot) => !taken.has(slot))
        // Any free one will do; who begins at the same moment should not want the same.
        const slot = free[Math.floor(Math.random() * free.length)] ?? slotKey(0)
        const attempt = { key, slot, id: context.random.uuid() }
        return (await takeSlot(context, attempt, since, at)) ? { attempt } : undefined
      }),
    async settle({ key, slot, id }) {
      await conditionally(() =>
        updateItem(context, {
          TableName: table(),
          Key: { pk: partition(key), sk: slot },
          UpdateExpression: 'REMOVE isUnderWay',
          ConditionExpression: 'id = :id',
          ExpressionAttributeValues: { ':id': id },
        }),
      )
    },
    async release({ key, slot, id }) {
      await conditionally(() =>
        deleteItem(context, {
          TableName: table(),
          Key: { pk: partition(key), sk: slot },
          ConditionExpression: 'id = :id',
          ExpressionAttributeValues: { ':id': id },
        }),
      )
    },
    async clear(key) {
      const found = await failures(key, 0)
      await Promise.all(found.map(({ pk, sk }) => drop(pk, sk)))
    },
    pause: (ms) => pause(retryDeps.timers, backoffMs(1, retryDeps.random, { firstMs: ms, longestMs: ms })),
    async isKnown(user, network, since) {
      const item = parseItem(networkItem, await getItem(context, table(), networkKey(user, network)))
      return item !== undefined && item.at >= since
    },
    async remember(user, network, at, most) {
      const expiresAt = expirySeconds(keptUntil.loginNetwork(at))
      await putItem(context, { TableName: table(), Item: { ...networkKey(user, network), at, expiresAt } })
      const items = await queryAll(context, {
        TableName: table(),
        ConsistentRead: true,
        ...under(networksOf(user), keyPrefix(user.login)),
      })
      const newestFirst = items.flatMap((item) => parseItem(networkItem, item) ?? []).sort((a, b) => b.at - a.at)
      await Promise.all(newestFirst.slice(most).map(({ pk, sk }) => drop(pk, sk)))
    },
  }
}

/** Takes a slot that is free since `since`. A write whose answer was lost finds its own mark and counts as done. */
async function takeSlot(
  context: AdapterContext,
  { key, slot, id }: BegunAttempt,
  since: number,
  at: number,
): Promise<boolean> {
  const expiresAt = expirySeconds(keptUntil.loginFailure(at))
  const result = await conditionally(() =>
    putItem(context, {
      TableName: tableName(context, 'throttles'),
      Item: { pk: partition(key), sk: slot, at, isUnderWay: true, id, expiresAt },
      ConditionExpression: 'attribute_not_exists(pk) OR #at < :since',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':since': since },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'id') === id
}

function toFailure({ at, isUnderWay = false }: Failure) {
  return { at, isUnderWay }
}

function slotKey(index: number): string {
  return joinKey('slot', String(index))
}

/** A user's networks stand with those of the domain, which takes them along when it is deleted. */
function networksOf({ domain }: LoginUser): string {
  return joinKey('networks', domain)
}

function networkKey(user: LoginUser, network: string) {
  return { pk: networksOf(user), sk: joinKey(user.login, network) }
}

function partition(key: string): string {
  return joinKey('failures', key)
}
