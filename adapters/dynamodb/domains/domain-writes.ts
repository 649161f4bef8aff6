/**
 * The writes of tenants. A tenant whose deletion has begun carries `deletedAt` and is written no more, but for its own
 * removal.
 */
import type { Domain } from '../../../core/domains/domain.ts'
import type { AdapterContext } from '../../context.ts'
import { deleteItem, tableName, updateItem } from '../client.ts'
import { domainKey } from './domain-item.ts'
import { conditionally, textOf } from '../errors.ts'

/** See {@link DomainStore.replaceSettings}. A write whose answer was lost finds its own mark and counts as done. */
export async function replaceSettings(
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
export async function beginDeletion(context: AdapterContext, name: string, at: number): Promise<boolean> {
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
export async function endDeletion(context: AdapterContext, name: string): Promise<void> {
  await conditionally(() =>
    deleteItem(context, {
      TableName: tableName(context, 'domains'),
      Key: domainKey(name),
      ConditionExpression: 'attribute_exists(deletedAt)',
    }),
  )
}
