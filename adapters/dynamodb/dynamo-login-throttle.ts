import * as z from 'zod/mini'
import type { LoginThrottle } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { deleteItem, putItem, queryAll, tableName } from './client.ts'
import { expirySeconds, parseItem } from './items.ts'
import { joinKey, numberPart } from './key.ts'

const failureItem = z.object({ pk: z.string(), sk: z.string(), at: z.number() })

/** Failed logins in DynamoDB: one item a failure, so that the window moves with each of them. */
export function dynamoLoginThrottle(context: AdapterContext): LoginThrottle {
  async function failures(key: string, since: number) {
    const items = await queryAll(context, {
      TableName: tableName(context, 'throttles'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk >= :since',
      ExpressionAttributeValues: { ':pk': partition(key), ':since': joinKey(numberPart(since)) },
    })
    return items.flatMap((item) => parseItem(failureItem, item) ?? [])
  }

  return {
    read(keys, since) {
      return Promise.all(
        keys.map(async (key) => {
          const found = await failures(key, since)
          return { failures: found.length, oldestAt: found[0]?.at ?? 0 }
        }),
      )
    },
    async fail(keys, at) {
      const TableName = tableName(context, 'throttles')
      const expiresAt = expirySeconds(keptUntil.loginFailure(at))
      const items = keys.map((key) => {
        return { pk: partition(key), sk: joinKey(numberPart(at), context.random.uuid()), at, expiresAt }
      })
      await Promise.all(items.map((Item) => putItem(context, { TableName, Item })))
    },
    async clear(key) {
      const TableName = tableName(context, 'throttles')
      const found = await failures(key, 0)
      await Promise.all(found.map(({ pk, sk }) => deleteItem(context, { TableName, Key: { pk, sk } })))
    },
  }
}

function partition(key: string): string {
  return joinKey('failures', key)
}
