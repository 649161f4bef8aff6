import * as z from 'zod/mini'
import type { LiveCallStore } from '../../../core/channels/live-call-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Update, getItem, tableName, updateItem } from '../client.ts'
import { conditionally } from '../errors.ts'
import { expirySeconds, parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const callsItem = z.object({ calls: z.record(z.string(), z.number()) })

/** Calls that the API placed, one item a domain, which holds by when each of them shows. */
export function dynamoLiveCallStore(context: AdapterContext): LiveCallStore {
  const table = () => tableName(context, 'liveCalls')

  /** The map must exist before one of its entries can be set. */
  async function makeItem(domain: string): Promise<void> {
    const update: Update = {
      TableName: table(),
      Key: itemKey(domain),
      UpdateExpression: 'SET calls = :none',
      ConditionExpression: 'attribute_not_exists(pk)',
      ExpressionAttributeValues: { ':none': {} },
    }
    await conditionally(() => updateItem(context, update))
  }

  return {
    async put(domain, uuid, showsBy, limit) {
      const update: Update = {
        TableName: table(),
        Key: itemKey(domain),
        UpdateExpression: 'SET calls.#uuid = :at, expiresAt = :end',
        ConditionExpression: 'attribute_exists(pk) AND (attribute_exists(calls.#uuid) OR size(calls) < :limit)',
        ExpressionAttributeNames: { '#uuid': uuid },
        ExpressionAttributeValues: {
          ':at': showsBy,
          ':limit': limit,
          ':end': expirySeconds(keptUntil.liveCalls(context.clock.now())),
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }
      const first = await conditionally(() => updateItem(context, update))
      if (first.done || first.stored !== undefined) return first.done
      await makeItem(domain)
      return (await conditionally(() => updateItem(context, update))).done
    },
    async list(domain) {
      const item = await getItem(context, table(), itemKey(domain))
      return new Map(Object.entries(parseItem(callsItem, item)?.calls ?? {}))
    },
    async remove(domain, uuids) {
      if (uuids.length === 0) return
      const names = uuids.map((uuid, index) => [`#u${index}`, uuid] as const)
      const update: Update = {
        TableName: table(),
        Key: itemKey(domain),
        UpdateExpression: `REMOVE ${names.map(([name]) => `calls.${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(names),
      }
      await conditionally(() => updateItem(context, update))
    },
  }
}

function itemKey(domain: string) {
  return { pk: joinKey(domain), sk: 'calls' }
}
