import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import {
  entryKey,
  entryPartition,
  generationsPartition,
  listKey,
} from '../../adapters/dynamodb/blacklists/blacklist-item.ts'
import { callStore, queryAll, tableName, updateItem } from '../../adapters/dynamodb/client.ts'
import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoTenantData } from '../../adapters/dynamodb/domains/dynamo-tenant-data.ts'
import { under } from '../../adapters/dynamodb/items.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { anEntry } from '../support/records/records.ts'

const limits = { entries: 100_000, lists: 200 }
const never = Number.MAX_SAFE_INTEGER

describe('the room of long blacklists in DynamoDB', () => {
  const store = opened(openStore)

  test('a blacklist above 10 000 entries is gone at once, and its storage is freed in several runs', async () => {
    const { blacklists, context, left } = store()
    const generation = await fill('long.test', 10_200)

    expect(await blacklists.removeList('long.test', 'spam')).toBe(10_200)
    expect(await blacklists.entries('long.test', 'spam')).toEqual([])
    expect(await left('long.test', generation)).toBe(10_200)

    expect(await blacklists.sweep('long.test', context.clock.now())).toBe(false)
    expect(await left('long.test', generation)).toBe(10_200)
    expect(await blacklists.sweep('long.test', never)).toBe(true)
    expect(await left('long.test', generation)).toBe(0)
  })

  test('a deleted domain keeps neither its blacklists nor the rest of removed ones', async () => {
    const { blacklists, context, left, table } = store()
    const removed = await fill('gone.test', 300)
    await blacklists.removeList('gone.test', 'spam')
    const present = await fill('gone.test', 300)
    await blacklists.add(anEntry({ domain: 'gone.test.org' }), limits)

    expect(await dynamoTenantData(context).purge('gone.test', never)).toBe(true)

    expect([await left('gone.test', removed), await left('gone.test', present)]).toEqual([0, 0])
    expect(await queryAll(context, { TableName: table, ...under(generationsPartition('gone.test')) })).toEqual([])
    expect(await blacklists.names('gone.test')).toEqual([])
    expect(await blacklists.names('gone.test.org')).toEqual(['spam'])
  })

  /** A list of so many entries, written past the store, which takes one at a time. Answers where they lie. */
  async function fill(domain: string, count: number): Promise<string> {
    const { blacklists, context, table } = store()
    const first = anEntry({ domain, number: '0' })
    await blacklists.add(first, limits)
    // A list's partition is called as its first entry.
    const generation = first.id
    const items = Array.from({ length: count - 1 }, (_, index) => {
      const entry = anEntry({ domain, number: String(index + 1) })
      return { PutRequest: { Item: { ...entryKey(domain, generation, entry.number), ...entry } } }
    })
    for (let start = 0; start < items.length; start += 25) {
      const RequestItems = { [table]: items.slice(start, start + 25) }
      const { UnprocessedItems = {} } = await callStore(context, (store) =>
        store.send(new BatchWriteCommand({ RequestItems })),
      )
      expect(UnprocessedItems).toEqual({})
    }
    await updateItem(context, {
      TableName: table,
      Key: listKey(domain, 'spam'),
      UpdateExpression: 'SET entries = :count',
      ExpressionAttributeValues: { ':count': count },
    })
    return generation
  }
})

async function openStore() {
  const server = await startDynamoServer()
  const context = { env: server.env, clock: movableClock(), random: systemRandomness }
  const table = tableName(context, 'blacklists')
  return {
    blacklists: dynamoBlacklistStore(context),
    context,
    table,
    /** How many entries still lie in a partition. */
    left: async (domain: string, generation: string): Promise<number> => {
      const entries = await queryAll(context, { TableName: table, ...under(entryPartition(domain, generation)) })
      return entries.length
    },
    close: () => server.close(),
  }
}
