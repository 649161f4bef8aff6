import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openSearchClient } from '../../../adapters/aws/opensearch-client.ts'

let server: Server | undefined

afterEach(() => {
  vi.useRealTimers()
  server?.closeAllConnections()
  server?.close()
})

/** Starts a store that notes the requests, and returns its port. */
async function openStore(asked: string[], port = 0): Promise<number> {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('a search store that comes back is not sent a ping, which no role may send', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const asked: string[] = []
  const port = await openStore(asked)
  server?.closeAllConnections()
  server?.close()
  const client = openSearchClient({
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      OPENSEARCH_URL: `http://127.0.0.1:${port}`,
    },
  })
  for (let count = 0; count < 3; count += 1) await expect(client.search({})).rejects.toThrow('ECONNREFUSED')
  await openStore(asked, port)

  vi.setSystemTime(Date.now() + 3_600_000)
  await client.search({})
  await client.search({})

  expect(asked).toEqual(['GET /_search', 'GET /_search'])
})
