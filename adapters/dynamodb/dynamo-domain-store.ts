import { type DynamoDBDocumentClient, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { DomainStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { domainKey, fromDeletedItem, fromDomainItem, toDomainItem } from './domain-item.ts'
import { beginDeletion, endDeletion, replaceSettings } from './domain-writes.ts'
import { guarded } from './errors.ts'
import { type Item, putNew } from './items.ts'

/** Tenants in DynamoDB, read consistently. */
export function dynamoDomainStore(context: AdapterContext): DomainStore {
  const client = documentClient(context)
  return {
    create(domain) {
      const { random, clock } = context
      const marks = { random, now: clock.now(), writeId: domain.creationId }
      return putNew(client, tableName(context, 'domains'), toDomainItem(domain), marks)
    },
    async read(name) {
      return fromDomainItem(await get(client, context, name))
    },
    async list() {
      const items = await scan(client, context)
      return items.flatMap((item) => fromDomainItem(item) ?? []).sort(byName)
    },
    replaceSettings: (domain) => replaceSettings(client, context, domain),
    async exists(name) {
      return (await get(client, context, name)) !== undefined
    },
    beginDeletion: (name, at) => beginDeletion(client, context, name, at),
    async readDeleted(name) {
      return fromDeletedItem(await get(client, context, name))
    },
    async listDeleted() {
      const items = await scan(client, context)
      return items.flatMap((item) => fromDeletedItem(item) ?? []).sort(byName)
    },
    endDeletion: (name) => endDeletion(client, context, name),
  }
}

async function get(client: DynamoDBDocumentClient, context: AdapterContext, name: string): Promise<Item | undefined> {
  const TableName = tableName(context, 'domains')
  const Key = domainKey(name)
  return (await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))).Item
}

async function scan(client: DynamoDBDocumentClient, context: AdapterContext): Promise<Item[]> {
  const TableName = tableName(context, 'domains')
  const items: Item[] = []
  let ExclusiveStartKey: Item | undefined
  do {
    const scanned = new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey })
    const page = await guarded(() => client.send(scanned))
    items.push(...(page.Items ?? []))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
  return items
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
