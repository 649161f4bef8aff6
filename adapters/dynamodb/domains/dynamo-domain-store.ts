/**
 * The writes of tenants. A tenant whose deletion has begun carries `deletedAt` and is written no more, but for its own
 * removal.
 */
import type { DomainStore } from '../../../core/domains/domain-store.ts'
import type { AdapterContext } from '../../context.ts'
import { readBatch } from '../batches.ts'
import { type Item, deleteItem, getItem, scanAll, tableName, updateItem } from '../client.ts'
import { domainKey, fromDeletedItem, fromDomainItem, toDomainItem } from './domain-item.ts'
import { putNew } from '../items.ts'
import type { Domain } from '../../../core/domains/domain.ts'
import { conditionally, textOf } from '../errors.ts'

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

/** See {@link DomainStore.replaceSettings}. A write whose answer was lost finds its own mark and counts as done. */
async function replaceSettings(
  context: AdapterContext,
  { name, variables, parameters, version }: Domain,
): Promise<boolean> {
  const writeId = context.random.uuid()
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'domains'),
      Key: domainKey(name),
      UpdateExpression: 'SET #v = :variables, #p = :parameters, version = :version, settingsId = :id',
      ConditionExpression: 'version = :previous AND attribute_not_exists(deletedAt)',
      ExpressionAttributeNames: { '#v': 'variables', '#p': 'parameters' },
      ExpressionAttributeValues: {
        ':variables': variables,
        ':parameters': parameters,
        ':version': version,
        ':previous': version - 1,
        ':id': writeId,
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'settingsId') === writeId
}

/** See {@link DomainStore.beginDeletion}. A write whose answer was lost finds its own mark and counts as done. */
async function beginDeletion(context: AdapterContext, name: string, at: number): Promise<boolean> {
  const writeId = context.random.uuid()
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'domains'),
      Key: domainKey(name),
      UpdateExpression: 'SET deletedAt = :at, deletionId = :writeId',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
      ExpressionAttributeValues: { ':at': at, ':writeId': writeId },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'deletionId') === writeId
}

/** See {@link DomainStore.endDeletion}. */
async function endDeletion(context: AdapterContext, name: string): Promise<void> {
  await conditionally(() =>
    deleteItem(context, {
      TableName: tableName(context, 'domains'),
      Key: domainKey(name),
      ConditionExpression: 'attribute_exists(deletedAt)',
    }),
  )
}
