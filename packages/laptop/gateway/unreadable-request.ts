import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Reply } from './function-reply.ts'

const reasons: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'the request came too slowly; send it again',
  HPE_HEADER_OVERFLOW: 'the request line and the headers are too long; send at most 10240 bytes',
}

/** Returns the reason why a request cannot be read, from the parser's code. */
export function unreadableReason(code: string | undefined): string {
  return reasons[code ?? ''] ?? 'the request is not well-formed HTTP'
}

/** A host name or an IP address, with or without a port. */
const hostForm = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i

/** Returns why the address in a request's header `Host` cannot be believed (RFC 9112, 3.2), if so. */
export function hostProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'host' ? [rawHeaders[at + 1] ?? ''] : [],
  )
  if (hosts.length > 1) return 'the header Host must be given once'
  if (hosts.length === 0) return httpVersion === '1.1' ? 'the header Host is missing' : undefined
  return hostForm.test(hosts[0] ?? '') ? undefined : 'the header Host must be a host with or without a port'
}

/** Answers on a connection whose request is none, and ends the connection. */
export function refuseConnection(socket: Duplex, { status, headers, body }: Reply): void {
  socket.on('error', () => socket.destroy())
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${String(body)}`, () =>
    socket.destroy(),
  )
}
