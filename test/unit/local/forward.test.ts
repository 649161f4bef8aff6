import { createServer } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { forwardTo } from '../../../packages/laptop/stores/forward.ts'
import { addressOf, listen } from '../../../packages/laptop/processes/listen.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

it.each([
  ['before its answer', false],
  ['within its answer', true],
])('a call to a store that falls silent %s is given up', async (_when, begins) => {
  const store = createServer((_request, response) => {
    if (begins) response.writeHead(200).write('{"half":')
  })
  await listen(store, { host: '127.0.0.1', port: 0 })
  closing.push(
    () => store.closeAllConnections(),
    () => store.close(),
  )
  const forwarder = forwardTo(`http://${addressOf(store)}`, 'sqs', undefined, 1)
  closing.push(() => forwarder.close())
  const body = Buffer.from('{}')

  const call = forwarder.backend({
    action: 'Ping',
    target: 'AmazonSQS.Ping',
    contentType: 'text/plain',
    body,
    input: {},
  })

  await expect(call).rejects.toThrow(/timeout/i)
})
