import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CrossOrigin } from '../assembly/assembly.ts'
import { BodyTooLarge, readBody } from '../gate/read-body.ts'
import { FunctionFailed } from '../functions/function-host.ts'
import { addressOf, listen } from '../processes/listen.ts'
import { requestTarget } from '../processes/request-target.ts'
import { crossOriginReply, preflightReply } from './cors.ts'
import { type Reply, functionReply, gatewayReply } from './function-reply.ts'
import { requestEvent } from './request-event.ts'
import { type RouteTable, isPercentEncoded } from './route-table.ts'

/** The limits of an HTTP API: 10 MB of body; 10240 bytes of request line and headers together. */
const maxBodyBytes = 10 * 1024 * 1024
const maxHeaderBytes = 10_240

/** Calls the function behind a route with an event and answers its result. */
export type Invoke = (functionName: string, event: unknown) => Promise<unknown>

/** The HTTP API: turns requests into events, calls the route's function, and turns its result into the reply. */
export class Gateway {
  readonly #server: Server
  #routes: RouteTable<string> | undefined
  #invoke: Invoke | undefined
  #crossOrigin: CrossOrigin | undefined

  constructor() {
    this.#server = createServer({ maxHeaderSize: maxHeaderBytes }, (request, response) => {
      this.#answer(request).then(
        (reply) => send(request, response, reply),
        () => response.destroy(),
      )
    })
    this.#server.on('connect', (_request, socket) => refuseTunnel(socket))
  }

  /** Starts to listen; answers `host:port`. Every request is answered 503 until {@link serve}. */
  async open(host: string, port: number): Promise<string> {
    await listen(this.#server, { host, port })
    return addressOf(this.#server)
  }

  /** Starts to call functions. The target of each route is the name of its function. */
  serve(routes: RouteTable<string>, invoke: Invoke, crossOrigin?: CrossOrigin): void {
    this.#routes = routes
    this.#invoke = invoke
    this.#crossOrigin = crossOrigin
  }

  /** Takes no new request, waits a moment for those under way, then drops what is left. */
  async close(patienceMs = 2000): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeIdleConnections()
    const timer = setTimeout(() => this.#server.closeAllConnections(), patienceMs)
    await closed
    clearTimeout(timer)
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const asked = { method: request.method ?? 'GET', headers: request.headers }
    const preflight = preflightReply(this.#crossOrigin, asked)
    return preflight ?? crossOriginReply(this.#crossOrigin, asked, await this.#answerByFunction(request))
  }

  async #answerByFunction(request: IncomingMessage): Promise<Reply> {
    const target = requestTarget(request.url)
    const [routes, invoke] = [this.#routes, this.#invoke]
    if (routes === undefined || invoke === undefined) return gatewayReply(503, 'Service Unavailable')
    if (!isPercentEncoded(target.rawPath)) return gatewayReply(400, 'Bad Request')
    const match = routes.find(request.method ?? 'GET', target.rawPath)
    if (match === undefined) return gatewayReply(404, 'Not Found')
    let body: Buffer
    try {
      body = await readBody(request, maxBodyBytes)
    } catch (error) {
      if (error instanceof BodyTooLarge) return gatewayReply(413, 'Request Entity Too Large')
      throw error
    }
    try {
      const event = requestEvent(request, target, match, body, Date.now())
      return functionReply(await invoke(match.target, event))
    } catch (error) {
      const timedOut = error instanceof FunctionFailed && error.reason === 'timeout'
      return timedOut ? gatewayReply(503, 'Service Unavailable') : gatewayReply(500, 'Internal Server Error')
    }
  }
}

/** All headers go into one call: node then writes head and text in one piece. */
function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Reply): void {
  const empty = status === 204 || status === 304
  const all: Record<string, string | string[] | number> = { ...headers }
  // As bytes: a long text would be measured first, and then written piece by piece.
  const bytes = Buffer.from(body)
  if (!empty) all['content-length'] = bytes.length
  // A body that was not read to its end is in the way of the next request.
  if (!request.complete) all['connection'] = 'close'
  response.writeHead(status, all)
  response.end(empty || request.method === 'HEAD' ? undefined : bytes)
}

/** An HTTP API is no proxy. Unanswered, the server would end the connection without a word. */
function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.end('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
}
