/** A receiver of hooks that keeps every request byte for byte and answers as scripted, over TCP or TLS. */
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** One request as it came over the wire. */
export interface RecordedRequest {
  /** Every byte, from the request line to the end of the body. */
  readonly bytes: Buffer
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Names and values in the order and case sent. */
  readonly headerLines: readonly (readonly [string, string])[]
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers one request. It may write what it likes, end, destroy or stay silent. */
export type SinkScript = (socket: Socket, request: RecordedRequest) => void

/** A running sink. */
export interface HookSink {
  readonly port: number
  /** Every complete request, in order. */
  readonly requests: RecordedRequest[]
  /** How many connections were accepted. */
  connections(): number
  /** The next request that completes from now on. */
  nextRequest(): Promise<RecordedRequest>
  /** Ends when a connection has been accepted, from now on. */
  nextConnection(): Promise<void>
  /** Ends when a connection to the sink has closed, from now on. */
  nextClose(): Promise<void>
  url(path?: string): string
  close(): Promise<void>
}

/** A complete HTTP answer as text. */
export function httpAnswer(status: number, body = '', headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  return `HTTP/1.1 ${status} Any\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** Answers every request with a status and a body. */
export const answering =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): SinkScript =>
  (socket) => {
    socket.write(httpAnswer(status, body, headers))
  }

/** Who waits for what. */
interface Waiting {
  readonly request: ((request: RecordedRequest) => void)[]
  readonly connection: (() => void)[]
  readonly close: (() => void)[]
}

/** Starts a sink on a free port of 127.0.0.1. Close it at the end of the test. */
export async function startHookSink(script: SinkScript = answering(200, 'ok'), tls?: TlsOptions): Promise<HookSink> {
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  const waiting: Waiting = { request: [], connection: [], close: [] }
  let accepted = 0
  const accept = (socket: Socket): void => {
    accepted += 1
    sockets.add(socket)
    for (const tell of waiting.connection.splice(0)) tell()
    // A client that hangs up at once is part of many scripts.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      for (const tell of waiting.close.splice(0)) tell()
    })
    readRequests(socket, (request) => {
      requests.push(request)
      for (const tell of waiting.request.splice(0)) tell(request)
      script(socket, request)
    })
  }
  const server = tls === undefined ? createTcpServer(accept) : createTlsServer(tls, accept)
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    connections: () => accepted,
    nextRequest: () => new Promise((tell) => waiting.request.push(tell)),
    nextConnection: () => new Promise((tell) => waiting.connection.push(tell)),
    nextClose: () => new Promise((tell) => waiting.close.push(tell)),
    url: (path = '/') => `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}${path}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function readRequests(socket: Socket, found: (request: RecordedRequest) => void): void {
  let buffered = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    for (let request = firstRequest(buffered); request !== undefined; request = firstRequest(buffered)) {
      buffered = buffered.subarray(request.bytes.length)
      found(request)
    }
  })
}

/** The first complete request of a buffer; the length of a body is its Content-Length. */
function firstRequest(buffered: Buffer): RecordedRequest | undefined {
  const headEnd = buffered.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [requestLine = '', ...lines] = buffered.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headerLines = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    return [line.slice(0, at), line.slice(at + 1).trim()]
  })
  const headers = Object.fromEntries(headerLines.map(([name, value]) => [name.toLowerCase(), value]))
  const bodyStart = headEnd + 4
  const end = bodyStart + Number(headers['content-length'] ?? 0)
  if (buffered.length < end) return undefined
  const [method = '', target = ''] = requestLine.split(' ')
  const bytes = Buffer.from(buffered.subarray(0, end))
  return { bytes, method, target, headerLines, headers, body: bytes.subarray(bodyStart).toString('utf8') }
}
