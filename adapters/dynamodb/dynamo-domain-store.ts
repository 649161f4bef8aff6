import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Domain } from '../../core/model.ts'
import type { DomainStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { domainItem, domainKey, toDomainItem } from './domain-item.ts'
import { guarded } from './errors.ts'
import { type Item, parseItem, putNew } from './items.ts'

/** Tenants in DynamoDB, read consistently. */
export function dynamoDomainStore(context: AdapterContext): DomainStore {
  const client = documentClient(context)
  return {
    create(domain) {
      const { random, clock } = context
      return putNew(client, tableName(context, 'domains'), toDomainItem(domain), { random, now: clock.now() })
    },
    async read(name) {
      const TableName = tableName(context, 'domains')
      const found = await guarded(() =>
        client.send(new GetCommand({ TableName, Key: domainKey(name), ConsistentRead: true })),
      )
      return parseItem(domainItem, found.Item)
    },
    async list() {
      const domains: Domain[] = []
      let start: Item | undefined
      do {
        const page = await guarded(() =>
          client.send(
            new ScanCommand({
              TableName: tableName(context, 'domains'),
              ConsistentRead: true,
              ExclusiveStartKey: start,
            }),
          ),
        )
        domains.push(...(page.Items ?? []).flatMap((item) => parseItem(domainItem, item) ?? []))
        start = page.LastEvaluatedKey
      } while (start !== undefined)
      return domains.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}
