import { expect, test } from 'vitest'
import type { ServiceAnswer, ServiceCall } from '../../../packages/laptop/gate/backend.ts'
import { withRoomForReads } from '../../../packages/laptop/stores/dynamodb.ts'

/** A store whose calls wait until they are answered. */
function aStore() {
  const begun: { readonly action: string; answer(): void }[] = []
  const backend = withRoomForReads(
    ({ action }) =>
      new Promise<ServiceAnswer>((resolve) => {
        begun.push({ action, answer: () => resolve({ status: 200, headers: {}, body: action }) })
      }),
  )
  const send = (action: string) => {
    const call: ServiceCall = { action, target: action, contentType: '', body: Buffer.alloc(0), input: {} }
    return backend(call)
  }
  return { send, actions: () => begun.map(({ action }) => action), answer: (at: number) => begun[at]?.answer() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a read reaches the embedded store at once while many writes wait', async () => {
  const { send, actions, answer } = aStore()
  for (let index = 0; index < 20; index += 1) void send('TransactWriteItems')
  await settled()

  const read = send('GetItem')
  await settled()
  answer(actions().indexOf('GetItem'))

  expect((await read).body).toBe('GetItem')
  expect(actions().filter((action) => action !== 'GetItem')).toHaveLength(4)
})

test('all writes reach the embedded store, in their order', async () => {
  const { send, actions, answer } = aStore()
  const order = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']
  const sent = order.map((action) => send(action))

  for (let at = 0; at < order.length; at += 1) {
    while (actions().length <= at) await settled()
    answer(at)
  }

  expect((await Promise.all(sent)).map(({ body }) => body)).toEqual(order)
  expect(actions()).toEqual(order)
})
