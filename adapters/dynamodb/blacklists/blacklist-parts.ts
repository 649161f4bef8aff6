/** The parts of blacklist transactions; each has the conditions that must still hold. */
import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { AdapterContext } from '../../context.ts'
import { type StoredList, entryKey, generationKey, listCountKey, listKey } from './blacklist-item.ts'
import { type Part, tableName } from '../client.ts'

/** Returns the table of blacklists and their entries. */
export function tableOf(context: AdapterContext): { readonly TableName: string } {
  return { TableName: tableName(context, 'blacklists') }
}

/** Counts an entry in. The latest end is raised only from one that is lower, so that it never falls. */
export function countIn(
  context: AdapterContext,
  list: StoredList,
  { domain, expires }: BlacklistEntry,
  { replaces, limit }: { readonly replaces: boolean; readonly limit: number },
): Part {
  const raises = expires !== undefined && expires > list.latestEnd
  const conditions = [
    'generation = :generation',
    ...(replaces ? [] : ['entries < :limit']),
    ...(raises ? ['latestEnd < :end'] : []),
  ]
  return {
    Update: {
      ...tableOf(context),
      Key: listKey(domain, list.name),
      UpdateExpression: `${raises ? 'SET latestEnd = :end ' : ''}ADD entries :entries, ending :ending, revision :one`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeValues: {
        ':generation': list.generation,
        ':one': 1,
        ':entries': replaces ? 0 : 1,
        ':ending': (expires === undefined ? 0 : 1) - (replaces ? 1 : 0),
        ...(!replaces && { ':limit': limit }),
        ...(raises && { ':end': expires }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  }
}

/** Takes entries out of a list's counts; at least one other is left. */
export function discount(
  context: AdapterContext,
  domain: string,
  list: StoredList,
  entries: readonly BlacklistEntry[],
): Part {
  return {
    Update: {
      ...tableOf(context),
      Key: listKey(domain, list.name),
      UpdateExpression: 'ADD entries :entries, ending :ending, revision :one',
      ConditionExpression: 'generation = :generation AND entries > :removed',
      ExpressionAttributeValues: {
        ':one': 1,
        ':generation': list.generation,
        ':removed': entries.length,
        ':entries': -entries.length,
        ':ending': -entries.filter(({ expires }) => expires !== undefined).length,
      },
    },
  }
}

/** Removes this very entry. */
export function withdraw(
  context: AdapterContext,
  domain: string,
  generation: string,
  { number, id }: BlacklistEntry,
): Part {
  return {
    Delete: {
      ...tableOf(context),
      Key: entryKey(domain, generation, number),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': id },
    },
  }
}

/** Removes a list if it has not changed since it was read. */
export function listRemoval(
  context: AdapterContext,
  domain: string,
  { name, generation, revision }: StoredList,
): Part[] {
  const table = tableOf(context)
  return [
    {
      Delete: {
        ...table,
        Key: listKey(domain, name),
        ConditionExpression: 'generation = :generation AND revision = :revision',
        ExpressionAttributeValues: { ':generation': generation, ':revision': revision },
      },
    },
    {
      Update: {
        ...table,
        Key: listCountKey(domain),
        UpdateExpression: 'ADD lists :less',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':less': -1 },
      },
    },
  ]
}

/** Returns the write that forgets the partition of a removed blacklist, once it is empty. */
export function forget(context: AdapterContext, domain: string, { generation }: StoredList): Part {
  return { Delete: { ...tableOf(context), Key: generationKey(domain, generation) } }
}
