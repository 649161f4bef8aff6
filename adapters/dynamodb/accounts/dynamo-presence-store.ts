import * as z from 'zod/mini'
import type { Presence, PresenceStore } from '../../../core/accounts/presence.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { readBatch } from '../batches.ts'
import { getItem, putItem, queryAll, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { expirySeconds, parseItem, under, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const presenceItem = z.object({
  domain: z.string(),
  login: z.string(),
  contacts: z.array(z.object({ id: z.string(), expiresAt: z.number(), refused: z.optional(z.literal('contact')) })),
  observedAt: z.number(),
})

/** Phones of accounts in DynamoDB, one partition a domain. */
export function dynamoPresenceStore(context: AdapterContext): PresenceStore {
  return {
    async read(domain, login) {
      const found = await getItem(context, tableName(context, 'presence'), presenceKey(domain, login))
      return parseItem(presenceItem, unexpired(context, found))
    },
    async readEach(accounts) {
      const keys = accounts.map(({ domain, login }) => presenceKey(domain, login))
      const items = await readBatch(context, tableName(context, 'presence'), keys, {})
      return items.flatMap((item) => parseItem(presenceItem, unexpired(context, item)) ?? [])
    },
    async list(domain) {
      const TableName = tableName(context, 'presence')
      const items = await queryAll(context, { TableName, ConsistentRead: true, ...under(joinKey(domain)) })
      return items.flatMap((item) => parseItem(presenceItem, unexpired(context, item)) ?? [])
    },
    async put(presence) {
      await conditionally(() =>
        putItem(context, {
          TableName: tableName(context, 'presence'),
          Item: toItem(presence),
          ConditionExpression: 'attribute_not_exists(pk) OR observedAt <= :observedAt',
          ExpressionAttributeValues: { ':observedAt': presence.observedAt },
        }),
      )
    },
  }
}

function toItem(presence: Presence) {
  const key = presenceKey(presence.domain, presence.login)
  return { ...key, ...presence, expiresAt: expirySeconds(keptUntil.presence(presence)) }
}

function presenceKey(domain: string, login: string) {
  return { pk: joinKey(domain), sk: joinKey(login.toLowerCase()) }
}
