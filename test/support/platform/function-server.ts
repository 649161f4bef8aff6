import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { addressOf, listen } from '../../../packages/laptop/processes/listen.ts'

/** A request as a function gets it. */
interface FunctionRequest {
  readonly rawBody: string
  readonly headers: Readonly<Record<string, string>>
  /** The query, without its question mark. */
  readonly query: string
}

/** A server on the loopback. */
export interface FunctionServer {
  /** `host:port`. */
  readonly address: string
  close(): Promise<void>
}

/**
 * Serves a function over HTTP to the programs of an engine: answers each request with what `respond` returns for it.
 */
export async function openFunctionServer(
  respond: (request: FunctionRequest) => Promise<{ readonly status: number; readonly text: string }>,
): Promise<FunctionServer> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const rawBody = (await buffer(request)).toString()
      const query = request.url?.split('?')[1] ?? ''
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const { status, text } = await respond({ rawBody, headers, query })
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
    }
    answer().catch(() => response.destroy())
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  return {
    address: addressOf(server),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
