/** Requests written byte by byte, for what no HTTP client would send. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A request, given by its one fault, and the status that it gets. */
export interface RawLines {
  readonly line: string
  readonly headers?: readonly string[]
  /** Its length is sent, unless a header gives it. */
  readonly body?: string | Buffer
  readonly status: number
}

const login = { line: 'POST /login HTTP/1.1' }
const json = 'Content-Type: application/json'
const get = (path: string, status: number): RawLines => ({ line: `GET ${path} HTTP/1.1`, status })

/** By the name of its sample, each malformed or unusual request. */
export const requestLines: Readonly<Record<string, RawLines>> = {
  'POST without Content-Length': { ...login, headers: [json], status: 400 },
  'Content-Length twice': {
    ...login,
    headers: [json, 'Content-Length: 2', 'Content-Length: 3'],
    body: '{}',
    status: 400,
  },
  'Content-Type: text/plain': { ...login, headers: ['Content-Type: text/plain'], body: '{}', status: 415 },
  'Content-Type absent': { ...login, body: '{}', status: 415 },
  'Content-Encoding: gzip with a 1,000:1 body': {
    ...login,
    headers: [json, 'Content-Encoding: gzip'],
    body: gzipSync(Buffer.alloc(1_000_000, ' ')),
    status: 415,
  },
  'Expect: 100-continue': { ...login, headers: [json, 'Expect: 100-continue'], body: '{}', status: 400 },
  'HTTP/1.0': { line: 'GET /nothing HTTP/1.0', status: 404 },
  'TRACE /': { line: 'TRACE / HTTP/1.1', status: 404 },
  'CONNECT x:443': { line: 'CONNECT x:443 HTTP/1.1', status: 405 },
  // Allowed by no header: it is the browser that refuses.
  'OPTIONS with another origin': {
    line: 'OPTIONS /api/v2/accounts HTTP/1.1',
    headers: ['Origin: https://evil.example', 'Access-Control-Request-Method: GET'],
    status: 204,
  },
  'X-HTTP-Method-Override: DELETE': {
    line: 'POST /api/v2/accounts/1000 HTTP/1.1',
    headers: ['X-HTTP-Method-Override: DELETE'],
    status: 405,
  },
  'Host: evil.example': get('/nothing', 404),
  'path /api/v2/./accounts': get('/api/v2/./accounts', 404),
  'path /api/v2/accounts/%2e%2e/domains': get('/api/v2/accounts/%2e%2e/domains', 404),
  'path /api/v2/accounts/%252e': get('/api/v2/accounts/%252e', 404),
  'path /api/v2/accounts/%zz': get('/api/v2/accounts/%zz', 400),
  'path /api/v2/accounts/%00': get('/api/v2/accounts/%00', 400),
  'path /api/v2/accounts;x=1': get('/api/v2/accounts;x=1', 404),
  'path /API/V2/ACCOUNTS': get('/API/V2/ACCOUNTS', 404),
  'path /api/v1/accounts': get('/api/v1/accounts', 404),
  'path /api/v2/channels/a/b/c/eavesdrop': get('/api/v2/channels/a/b/c/eavesdrop', 404),
}

/** The answer that came back; the last one if a provisional one (100) came before it. */
export interface LinesAnswer {
  /** 0 where the connection was closed without an answer. */
  readonly status: number
  readonly head: string
  readonly text: string
}

/** Sends a request over a connection of its own, under a host name that is not the platform's, and reads to its end. */
export async function sendLines(platformUrl: string, sent: RawLines, headers: readonly string[]): Promise<LinesAnswer> {
  const { line, body } = sent
  const { hostname, port } = new URL(platformUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const own = sent.headers ?? []
  const length = own.some((header) => header.startsWith('Content-Length')) || body === undefined ? [] : [lengthOf(body)]
  socket.write(
    `${[line, 'Host: evil.example', ...headers, ...own, ...length, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  )
  if (body !== undefined) socket.write(body)
  let all = ''
  for await (const chunk of socket) all += String(chunk)
  const last = all.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const [head = '', text = ''] = last.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0), head, text }
}

const lengthOf = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`
