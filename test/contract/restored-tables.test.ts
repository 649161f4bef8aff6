import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { dynamoClient } from '../../adapters/aws/dynamodb-client.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { type TableName, tables } from '../../contracts/resources.ts'
import { type Value, text } from '../infra/assembly.ts'
import { synthesize } from '../infra/synthesized-app.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { dynamoStores } from '../support/stores/stores.ts'
import { aDomain } from '../support/records/records.ts'
import { dump } from '../support/stores/dump.ts'
import { writes } from './every-write.ts'

const names = Object.keys(tables).filter((name): name is TableName => name in tables)
const restoredName = (name: string) => `${name}-restored`

/** As the service restores a table: items, keys and indexes under another name, and no setting of the old table. */
async function restore(client: ReturnType<typeof dynamoClient>, from: string, to: string): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: from }))
  await client.send(
    new CreateTableCommand({
      TableName: to,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Table?.AttributeDefinitions,
      KeySchema: Table?.KeySchema,
      GlobalSecondaryIndexes: Table?.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
  )
  let ExclusiveStartKey: ScanCommandOutput['LastEvaluatedKey']
  do {
    const page = await client.send(new ScanCommand({ TableName: from, ExclusiveStartKey }))
    for (const Item of page.Items ?? []) await client.send(new PutItemCommand({ TableName: to, Item }))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
}

/** The variables of tables in all functions of a deployment that takes up the restored tables. */
function deployedTables(): Record<string, string> {
  const existingStores = { tables: Object.fromEntries(names.map((name) => [name, restoredName(name)])) }
  using synthesized = synthesize({ settings: { existingStores } })
  const variables: Record<string, string> = {}
  for (const { stack, Properties } of synthesized.assembly.ofType('AWS::Lambda::Function')) {
    const { Variables = {} } = (Properties['Environment'] ?? {}) as { Variables?: Record<string, Value> }
    for (const [name, value] of Object.entries(Variables)) {
      if (name.startsWith('TABLE_')) variables[name] = text(synthesized.assembly.resolve(stack, value))
    }
  }
  return variables
}

test('a deployment that adopts restored tables has everything that was stored before all tables were lost', async () => {
  const server = await startDynamoServer()
  try {
    const client = dynamoClient({ env: server.env })
    const clock = movableClock()
    const former = { env: server.env, clock, random: systemRandomness }
    const stores = dynamoStores(former)
    for (const { first, write } of Object.values(writes)) {
      // One that is refused, because of what an earlier one left, has nothing to add.
      await Promise.resolve(first?.(stores)).catch(() => {})
      await write(stores).catch(() => {})
    }
    const stored = await dump(former)
    expect(new Set(stored.map((line) => line.split(' ')[0])).size).toBeGreaterThan(20)

    for (const name of names) {
      const lost = server.env[tables[name].variable] ?? ''
      await restore(client, lost, restoredName(name))
      await client.send(new DeleteTableCommand({ TableName: lost }))
    }

    const env = { ...server.env, ...deployedTables() }
    expect(await dump({ ...former, env })).toEqual(stored)
    expect(await dynamoStores({ ...former, env }).domains.create(aDomain({ name: 'new.example.com' }))).toBe(true)
  } finally {
    await server.close()
  }
}, 300_000)
