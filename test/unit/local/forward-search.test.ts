import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connectSearch } from '../../../local/stores/search/forward-search.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

const signer = { accessKeyId: 'local', secretAccessKey: 'local' }

let status = 200
let seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = []

const upstream = createServer((request, response) => void take(request, response))

async function take(request: IncomingMessage, response: ServerResponse) {
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: await text(request) })
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"ok":true}')
}
let host: string

beforeAll(async () => {
  const port = await freePort()
  upstream.listen(port, '127.0.0.1')
  await once(upstream, 'listening')
  host = `127.0.0.1:${port}`
})
beforeEach(() => {
  status = 200
  seen = []
})
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const bulk = { method: 'POST', path: '/_bulk', query: 'routing=a%20b', body: '{}\n' }

it('the forwarder signs requests for the search domain and sends them on', async () => {
  const store = await connectSearch(`http://${host}`, signer)

  expect(await store.answer(bulk)).toEqual({ status: 200, body: '{"ok":true}' })

  await store.close()
  expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/_bulk?routing=a%20b', body: '{}\n' })
  expect(seen.at(-1)?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=local\/\d{8}\/[a-z0-9-]+\/es\//)
  expect(seen.at(-1)?.headers['content-type']).toBe('application/x-ndjson')
})

it('requests to a search store carry the user in its address, if there is one', async () => {
  const store = await connectSearch(`http://admin:p%40ss@${host}/below`, signer)

  await store.answer({ ...bulk, method: 'GET', path: '/_cluster/health', query: '', body: '' })

  await store.close()
  expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/below/_cluster/health' })
  const user = Buffer.from('admin:p@ss').toString('base64')
  expect(seen.at(-1)?.headers['authorization']).toBe(`Basic ${user}`)
})

it('an address that is not an OpenSearch is reported in one sentence, without its password', async () => {
  status = 404

  const connecting = connectSearch(`http://admin:hidden@${host}`, signer)

  await expect(connecting).rejects.toThrow(`OPENSEARCH_URL http://${host} does not answer as OpenSearch does`)
})
