import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectorHealth } from './connector-health.ts'

/** The connector's private endpoint. */
export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

/** Only its own container, or its own laptop, asks a connector for its health. */
const host = '127.0.0.1'

/**
 * Answers `GET /health` on the loopback address with what `read` gives: 200 when all is well, else 503. Any other path
 * is 404, any other method 405. Port 0 takes a free one. Rejects when the port cannot be had.
 */
export async function startHealthServer(port: number, read: () => ConnectorHealth): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { status, body, headers = {} } = answer(request.method ?? '', request.url ?? '', read)
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers })
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: portOf(server.address(), port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface HealthResponse {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function answer(method: string, url: string, read: () => ConnectorHealth): HealthResponse {
  if (url.split('?')[0] !== '/health') return { status: 404, body: { status: 'error', code: 'not_found' } }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, body: { status: 'error', code: 'method_not_allowed' }, headers: { Allow: 'GET, HEAD' } }
  }
  const body = read()
  return { status: body.status === 'OK' ? 200 : 503, body }
}

function portOf(address: AddressInfo | string | null, asked: number): number {
  return typeof address === 'object' && address !== null ? address.port : asked
}
