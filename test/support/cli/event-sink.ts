import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ReceivedRequest } from '../../../local/demo/receiver.ts'

/** A receiver that keeps each request in the order of arrival. */
export interface EventSink extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}

/**
 * Opens a receiver on a free port of the loopback address. It answers with the statuses given, one a request, then with
 * 204.
 */
export async function sink(statuses: readonly number[] = []): Promise<EventSink> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(statuses[requests.length] ?? 204).end()
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/events`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
