import * as z from 'zod/mini'
import { highestUsersOf } from '../../../contracts/domain-partitions.ts'
import type { SessionStore } from '../../../core/auth/credentials.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Key, putItem, queryAll, tableName, updateItem } from '../client.ts'
import { conditionally, numberOf } from '../errors.ts'
import { expirySeconds, parseItem, putNew, under } from '../items.ts'
import { joinKey, shardOf, shards } from '../key.ts'

/** One write a minute and user is enough for a count over fifteen minutes. */
const TOUCH_EVERY_MS = 60_000

/** Users that a process remembers to have written; beyond it, it forgets all and writes some once more. */
const REMEMBERED_USERS = 10_000

const sessionItem = z.object({ domain: z.string() })

/** Activity of users in DynamoDB: one item a user, spread over shards. */
export function dynamoSessionStore(context: AdapterContext): SessionStore {
  const written = new Map<string, number>()
  const met = new Set<string>()

  return {
    async touch(username, domain, at) {
      const last = written.get(username)
      if (last !== undefined && at - last < TOUCH_EVERY_MS) return
      await putSession(context, { username, domain, at })
      if (written.size >= REMEMBERED_USERS) written.clear()
      written.set(username, at)
    },
    async meet(username, network, at) {
      const pair = joinKey(username, network)
      if (met.has(pair)) return false
      const expiresAt = expirySeconds(keptUntil.network(at))
      const item = { pk: joinKey('networks', username), sk: joinKey(network), at, expiresAt }
      const isNew = await putNew(context, tableName(context, 'sessions'), item)
      if (met.size >= REMEMBERED_USERS) met.clear()
      met.add(pair)
      return isNew
    },
    async count(since, domain) {
      const found = await Promise.all(shards.map((shard) => activeIn(context, shard, since)))
      const active = found.flat().filter((session) => domain === undefined || session.domain === domain)
      const domains = new Set(active.map((session) => session.domain).filter((name) => name !== ''))
      const highest = await raiseHighest(context, highestKey(domain), active.length)
      return { users: active.length, domains: domains.size, highest }
    },
  }
}

async function putSession(
  context: AdapterContext,
  session: { username: string; domain: string; at: number },
): Promise<void> {
  await conditionally(() =>
    putItem(context, {
      TableName: tableName(context, 'sessions'),
      Item: {
        pk: joinKey('shard', shardOf(session.username)),
        sk: joinKey(session.username),
        ...session,
        expiresAt: expirySeconds(keptUntil.session(session.at)),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR #at < :at',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':at': session.at },
    }),
  )
}

async function activeIn(context: AdapterContext, shard: string, since: number) {
  const { KeyConditionExpression, ExpressionAttributeValues } = under(joinKey('shard', shard))
  const items = await queryAll(context, {
    TableName: tableName(context, 'sessions'),
    ConsistentRead: true,
    KeyConditionExpression,
    FilterExpression: '#at >= :since',
    ExpressionAttributeNames: { '#at': 'at', '#domain': 'domain' },
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':since': since },
    ProjectionExpression: '#domain',
  })
  return items.flatMap((item) => parseItem(sessionItem, item) ?? [])
}

function highestKey(domain: string | undefined): Key {
  return domain === undefined
    ? { pk: 'highest', sk: 'highest' }
    : { pk: joinKey(...highestUsersOf(domain)), sk: 'highest' }
}

async function raiseHighest(context: AdapterContext, Key: Key, users: number): Promise<number> {
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'sessions'),
      Key,
      UpdateExpression: 'SET highest = :users',
      ConditionExpression: 'attribute_not_exists(pk) OR highest < :users',
      ExpressionAttributeValues: { ':users': users },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done ? users : (numberOf(result.stored, 'highest') ?? users)
}
