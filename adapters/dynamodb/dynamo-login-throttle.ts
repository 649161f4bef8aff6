import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { LoginThrottle } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { guarded } from './errors.ts'
import { expirySeconds, parseItem, queryAll } from './items.ts'
import { joinKey, numberPart } from './key.ts'

const failureItem = z.object({ pk: z.string(), sk: z.string(), at: z.number() })

/** Failed logins in DynamoDB: one item a failure, so that the window moves with each of them. */
export function dynamoLoginThrottle(context: AdapterContext): LoginThrottle {
  const client = documentClient(context)

  async function failures(key: string, since: number) {
    const pk = partition(key)
    const items = await queryAll(client, {
      TableName: tableName(context, 'throttles'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk >= :since',
      ExpressionAttributeValues: { ':pk': pk, ':since': joinKey(numberPart(since)) },
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
      await Promise.all(items.map((Item) => guarded(() => client.send(new PutCommand({ TableName, Item })))))
    },
    async clear(key) {
      const TableName = tableName(context, 'throttles')
      const found = await failures(key, 0)
      const removals = found.map(({ pk, sk }) => new DeleteCommand({ TableName, Key: { pk, sk } }))
      await Promise.all(removals.map((removal) => guarded(() => client.send(removal))))
    },
  }
}

function partition(key: string): string {
  return joinKey('failures', key)
}
