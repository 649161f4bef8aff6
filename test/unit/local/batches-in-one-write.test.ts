import { expect, test } from 'vitest'
import type { Backend, ServiceCall } from '../../../packages/laptop/gate/backend.ts'
import { inOneWrite } from '../../../packages/laptop/stores/dynamodb.ts'

/** A store that answers every action with a status, and the calls that it got. */
function aStore(status: (action: string) => number = () => 200) {
  const calls: { action: string; target: string; body: unknown }[] = []
  const backend: Backend = async ({ action, target, body }) => {
    calls.push({ action, target, body: JSON.parse(String(body)) })
    return { status: status(action), headers: {}, body: '{"from":"store"}' }
  }
  const send = async (action: string, input: object) => {
    const call: ServiceCall = {
      action,
      target: `DynamoDB_20120810.${action}`,
      contentType: 'application/x-amz-json-1.0',
      body: Buffer.from(JSON.stringify(input)),
      input,
    }
    return inOneWrite(backend)(call)
  }
  return { calls, send }
}

const [item, key] = [
  { pk: { S: 'a' }, sk: { S: '1' } },
  { pk: { S: 'a' }, sk: { S: '2' } },
]
const batch = { RequestItems: { events: [{ PutRequest: { Item: item } }], calls: [{ DeleteRequest: { Key: key } }] } }

test('a batch of writes reaches the embedded store as one transaction', async () => {
  const { calls, send } = aStore()

  const answer = await send('BatchWriteItem', batch)

  expect(answer.status).toBe(200)
  expect(JSON.parse(String(answer.body))).toEqual({ UnprocessedItems: {} })
  expect(calls).toEqual([
    {
      action: 'TransactWriteItems',
      target: 'DynamoDB_20120810.TransactWriteItems',
      body: {
        TransactItems: [{ Put: { TableName: 'events', Item: item } }, { Delete: { TableName: 'calls', Key: key } }],
      },
    },
  ])
})

test("a batch that the store refuses as a transaction is sent as it came, and gets the batch's own response", async () => {
  const { calls, send } = aStore((action) => (action === 'BatchWriteItem' ? 200 : 400))

  const answer = await send('BatchWriteItem', batch)

  expect(JSON.parse(String(answer.body))).toEqual({ from: 'store' })
  expect(calls.map(({ action }) => action)).toEqual(['TransactWriteItems', 'BatchWriteItem'])
})

test.each([
  ['PutItem', { TableName: 'events', Item: item }],
  [
    'BatchWriteItem',
    { RequestItems: { events: [{ PutRequest: { Item: { pk: { S: 'x'.repeat(3 * 1024 * 1024) } } } }] } },
  ],
  ['BatchWriteItem', { RequestItems: 'malformed' }],
])('%s is sent as it came when it is no batch, too large or malformed', async (action, input) => {
  const { calls, send } = aStore()

  await send(action, input)

  expect(calls.map((call) => call.action)).toEqual([action])
})
