import { once } from 'node:events'
import { type Server, type ServerResponse, createServer } from 'node:http'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import {
  type AttemptLimits,
  LimitedHandler,
  objectRequestHandler,
  pollRequestHandler,
  requestHandler,
} from '../../../adapters/aws/client-options.ts'
import { withTimeLimit } from '../../../adapters/time-limit.ts'
import { opened } from '../../support/processes/opened.ts'

/** Far more than any test takes. */
const longMs = 60_000
const clock = { now: () => Date.now() }
const service = opened(openService)

test('a response that stops halfway ends once its service was silent for too long, although the request has time left', async () => {
  const { ask } = service()
  const read = ask((response) => void response.writeHead(200).write('half'))

  const reading = withTimeLimit({ until: clock.now() + longMs, clock }, () => read({ silenceMs: 20 }))

  await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('a response that trickles in ends when the time of its request is over', async () => {
  const { ask } = service()
  const read = ask(trickle)

  const reading = withTimeLimit({ until: clock.now() + 50, clock }, () => read({ silenceMs: longMs }))

  await expect(reading).rejects.toThrow()
})

test('a response that trickles in ends after the time of one attempt if its work has no limit', async () => {
  const { ask } = service()
  const read = ask(trickle)

  await expect(read({ answerMs: 25, bodyMs: 25 })).rejects.toThrow()
})

test('a caller can end its own attempt before the time of its request', async () => {
  const { ask } = service()
  const ending = new AbortController()
  const read = ask(() => ending.abort())

  const reading = withTimeLimit({ until: clock.now() + longMs, clock }, () => read({}, ending.signal))

  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
})

test('consecutive calls share a connection', async () => {
  const { ask, clientOf, connections } = service()
  ask(empty)
  const client = clientOf(new LimitedHandler({ answerMs: longMs, bodyMs: longMs }))
  const before = connections()

  await client.send(new ListTablesCommand())
  await client.send(new ListTablesCommand())

  expect(connections() - before).toBe(1)
})

test('a call never waits for the connection of another one', async () => {
  const { ask, clientOf } = service()
  const waiting: ServerResponse[] = []
  ask((response) => {
    waiting.push(response)
    // No call is answered before all have arrived.
    if (waiting.length === 10) for (const each of waiting) empty(each)
  })
  const client = clientOf(new LimitedHandler({ answerMs: longMs, bodyMs: longMs }))

  await Promise.all(Array.from({ length: 10 }, () => client.send(new ListTablesCommand())))

  expect(waiting).toHaveLength(10)
})

test('a connection that does not open is given up after two seconds', async () => {
  const { ask, clientOf } = service()
  ask(empty)
  const handler = new LimitedHandler({ answerMs: longMs, bodyMs: longMs })

  await clientOf(handler).send(new ListTablesCommand())

  expect(handler.httpHandlerConfigs()).toMatchObject({ connectionTimeout: 2_000 })
})

test('a service is given up after three seconds of silence, an object store after ten, and a long poll for none', () => {
  const each = { answerMs: 3_000, bodyMs: 2_000 }

  expect([requestHandler, objectRequestHandler, pollRequestHandler].map(({ limits }) => limits)).toEqual([
    { ...each, silenceMs: 3_000 },
    { ...each, silenceMs: 10_000 },
    each,
  ])
})

type Answer = (response: ServerResponse) => void

/** Writes a byte whenever the one before has left. */
function trickle(response: ServerResponse): void {
  response.writeHead(200)
  const write = () => {
    if (!response.destroyed) response.write('x', () => setImmediate(write))
  }
  write()
}

function empty(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}')
}

async function openService() {
  let answer: Answer = () => {}
  let connections = 0
  const server: Server = createServer((_request, response) => answer(response))
  server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const clientOf = (requestHandler: LimitedHandler) =>
    new DynamoDBClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      requestHandler,
      maxAttempts: 1,
    })
  const read = async (limits: Partial<AttemptLimits>, abortSignal?: AbortSignal): Promise<void> => {
    const client = clientOf(new LimitedHandler({ answerMs: longMs, bodyMs: longMs, ...limits }))
    await client.send(new ListTablesCommand(), abortSignal === undefined ? {} : { abortSignal })
  }

  return {
    clientOf,
    connections: () => connections,
    ask: (next: Answer) => {
      answer = next
      return read
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
