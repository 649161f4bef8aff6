import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { PresenceStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { conditionally, guarded } from './errors.ts'
import { type Item, expirySeconds, isExpired, parseItem, queryAll, under } from './items.ts'
import { joinKey } from './key.ts'

const presenceItem = z.object({
  domain: z.string(),
  login: z.string(),
  contacts: z.array(z.object({ id: z.string(), expiresAt: z.number() })),
  calls: z.array(z.string()),
  observedAt: z.number(),
})

/** Phones and calls of accounts in DynamoDB, one partition a domain. */
export function dynamoPresenceStore(context: AdapterContext): PresenceStore {
  const client = documentClient(context)
  const fromItem = (item: Item | undefined) =>
    item && isExpired(item, context.clock.now()) ? undefined : parseItem(presenceItem, item)

  return {
    async read(domain, login) {
      const TableName = tableName(context, 'presence')
      const Key = presenceKey(domain, login)
      const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
      return fromItem(found.Item)
    },
    async list(domain) {
      const TableName = tableName(context, 'presence')
      const items = await queryAll(client, { TableName, ConsistentRead: true, ...under(joinKey(domain)) })
      return items.flatMap((item) => fromItem(item) ?? [])
    },
    async put(presence) {
      await conditionally(() =>
        client.send(
          new PutCommand({
            TableName: tableName(context, 'presence'),
            Item: {
              ...presenceKey(presence.domain, presence.login),
              ...presence,
              expiresAt: expirySeconds(keptUntil.presence(presence)),
            },
            ConditionExpression: 'attribute_not_exists(pk) OR observedAt <= :observedAt',
            ExpressionAttributeValues: { ':observedAt': presence.observedAt },
          }),
        ),
      )
    },
  }
}

function presenceKey(domain: string, login: string) {
  return { pk: joinKey(domain), sk: joinKey(login.toLowerCase()) }
}
