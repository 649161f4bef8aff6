/** The embedded search server with a plain HTTP server, which looks at no signature. */
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { openSearchCdrAdmin } from '../../../adapters/opensearch/opensearch-cdr-admin.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { searchDomains } from '../../../contracts/resources.ts'
import type { SearchReply, SearchRequest } from '../../../packages/laptop/gate/backend.ts'
import { startEmbeddedSearch } from '../../../local/stores/search/search-store.ts'

/** The replacement of a reply: the end of the connection. */
export type Replied = SearchReply | 'lost'

/** A search server for tests. */
export interface SearchServer {
  /** The environment with which an adapter reaches it. */
  readonly env: Readonly<Record<string, string>>
  /** Every request, in order. */
  readonly requests: SearchRequest[]
  /** Answers a request, or asks the server by `forward`. Forwards every request until replaced. */
  answer: (request: SearchRequest, forward: () => Promise<SearchReply>) => Promise<Replied> | Replied
  close(): Promise<void>
}

/** Starts a server that has its templates and no documents. With `file` it keeps them there. */
export async function startSearchServer(file = ':memory:'): Promise<SearchServer> {
  const store = await startEmbeddedSearch(file)
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const running: SearchServer = {
    env: {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'eu-central-1',
      [searchDomains.cdr.variable]: `http://127.0.0.1:${address.port}`,
    },
    requests: [],
    answer: (_request, forward) => forward(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await store.close()
    },
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse) {
    const [path = '', query = ''] = (incoming.url ?? '').split('?')
    const request = { method: incoming.method ?? '', path, query, body: await text(incoming) }
    running.requests.push(request)
    const reply = await running.answer(request, () => store.answer(request))
    if (reply === 'lost') return void incoming.socket.destroy()
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body)
  }

  await openSearchCdrAdmin({ env: running.env, clock: systemClock, random: systemRandomness }).prepare()
  running.requests.length = 0
  return running
}
