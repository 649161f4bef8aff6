import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { chooseProgram, programsFor } from '../../../local/stores/dynamo-program/choose-program.ts'
import { thisMachine } from '../../../local/stores/dynamo-program/dynoxide.ts'
import { createTables, startDynamo } from '../../../local/stores/dynamodb.ts'

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
]
const tableWith = (IndexName: string, ProjectionType: string) => ({
  name: 'deliveries',
  arn: 'arn:aws:dynamodb:local:000000000000:table/deliveries',
  definition: {
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'gsi_pk', 'gsi_sk'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: keys('pk', 'sk'),
    GlobalSecondaryIndexes: [{ IndexName, KeySchema: keys('gsi_pk', 'gsi_sk'), Projection: { ProjectionType } }],
  },
})

test('a table that an earlier version created gets its missing index, which covers the stored items', async () => {
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'callplane-tables-')))
  onTestFinished(() => rmSync(folder.path, { recursive: true }))
  const deps = programsFor(process.cwd(), thisMachine, { progress: () => {}, signal: new AbortController().signal })
  const store = await startDynamo(await chooseProgram(folder, deps), folder.file('log'))
  onTestFinished(() => store.close())
  const ask = async (action: string, input: object) => {
    const target = `DynamoDB_20120810.${action}`
    const body = Buffer.from(JSON.stringify(input))
    const answer = await store.backend({ action, target, contentType: 'application/x-amz-json-1.0', body, input })
    return JSON.parse(String(answer.body))
  }
  await createTables(store.backend, [tableWith('by-state', 'ALL')])
  const Item = { pk: { S: 'a' }, sk: { S: 'b' }, gsi_pk: { S: 'due' }, gsi_sk: { S: '1' }, note: { S: 'kept' } }
  await ask('PutItem', { TableName: 'deliveries', Item })

  for (const _start of ['the first start', 'the second start']) {
    await createTables(store.backend, [tableWith('keys-by-state', 'KEYS_ONLY')])
  }

  const { note: _, ...keysOfItem } = Item
  const found = await ask('Query', {
    TableName: 'deliveries',
    IndexName: 'keys-by-state',
    KeyConditionExpression: 'gsi_pk = :due',
    ExpressionAttributeValues: { ':due': { S: 'due' } },
  })
  expect(found.Items).toEqual([keysOfItem])
})
