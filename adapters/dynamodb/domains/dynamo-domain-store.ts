import type { DomainStore } from '../../../core/domains/domain-store.ts'
import type { AdapterContext } from '../../context.ts'
import { readBatch } from '../batches.ts'
import { type Item, getItem, scanAll, tableName } from '../client.ts'
import { domainKey, fromDeletedItem, fromDomainItem, toDomainItem } from './domain-item.ts'
import { beginDeletion, endDeletion, replaceSettings } from './domain-writes.ts'
import { putNew } from '../items.ts'

const keysOnly = { ProjectionExpression: 'pk' }

/** Tenants in DynamoDB, read consistently. */
export function dynamoDomainStore(context: AdapterContext): DomainStore {
  return {
    create: (domain) => putNew(context, tableName(context, 'domains'), toDomainItem(domain), domain.creationId),
    async read(name) {
      return fromDomainItem(await get(context, name))
    },
    async list() {
      return (await scan(context)).flatMap((item) => fromDomainItem(item) ?? []).sort(byName)
    },
    replaceSettings: (domain) => replaceSettings(context, domain),
    async exists(name) {
      return (await get(context, name)) !== undefined
    },
    async anyExists(names) {
      const keys = names.map(domainKey)
      return (await readBatch(context, tableName(context, 'domains'), keys, keysOnly)).length > 0
    },
    beginDeletion: (name, at) => beginDeletion(context, name, at),
    async readDeleted(name) {
      return fromDeletedItem(await get(context, name))
    },
    async listDeleted() {
      return (await scan(context)).flatMap((item) => fromDeletedItem(item) ?? []).sort(byName)
    },
    endDeletion: (name) => endDeletion(context, name),
  }
}

function get(context: AdapterContext, name: string): Promise<Item | undefined> {
  return getItem(context, tableName(context, 'domains'), domainKey(name))
}

function scan(context: AdapterContext): Promise<Item[]> {
  return scanAll(context, { TableName: tableName(context, 'domains'), ConsistentRead: true })
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
