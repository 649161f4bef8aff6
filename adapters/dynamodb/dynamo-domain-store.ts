import type { DomainStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { getItem, scanAll, tableName } from './client.ts'
import { domainItem, domainKey, toDomainItem } from './domain-item.ts'
import { parseItem, putNew } from './items.ts'

/** Tenants in DynamoDB, read consistently. */
export function dynamoDomainStore(context: AdapterContext): DomainStore {
  return {
    create: (domain) => putNew(context, tableName(context, 'domains'), toDomainItem(domain)),
    async read(name) {
      return parseItem(domainItem, await getItem(context, tableName(context, 'domains'), domainKey(name)))
    },
    async list() {
      const items = await scanAll(context, { TableName: tableName(context, 'domains'), ConsistentRead: true })
      const domains = items.flatMap((item) => parseItem(domainItem, item) ?? [])
      return domains.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}
