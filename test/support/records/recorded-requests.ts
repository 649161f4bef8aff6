import { type IncomingHttpHeaders, type Server, createServer } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** A request as a server got it. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The answer of a server of a test. */
export interface PlainAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server on the loopback address that keeps every request. */
export interface RecordingServer {
  readonly url: string
  readonly requests: RecordedRequest[]
  close(): Promise<void>
}

/** Starts a server that answers as `answer` says. */
export async function recordRequests(answer: (request: RecordedRequest) => PlainAnswer): Promise<RecordingServer> {
  const requests: RecordedRequest[] = []
  const server: Server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request
      const recorded = { method, url, headers, body: await text(request) }
      requests.push(recorded)
      const { status, headers: sent = {}, body: shown = '' } = answer(recorded)
      response.writeHead(status, { ...sent, connection: 'close' }).end(shown)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
