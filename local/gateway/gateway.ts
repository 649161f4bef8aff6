import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Route } from '../../contracts/routes/route.ts'
import type { CrossOrigin } from '../assembly/assembly.ts'
import { readBody } from '../gate/read-body.ts'
import { FunctionFailed } from '../functions/function-host.ts'
import { addressOf, listen } from '../processes/listen.ts'
import { requestTarget } from '../processes/request-target.ts'
import { Admission } from './admission.ts'
import { Callers } from './callers.ts'
import { crossOriginReply, preflightReply } from './cors.ts'
import { failureReply, isSafe, refusalReply } from './failure-reply.ts'
import { type Reply, functionReply } from './function-reply.ts'
import { requestEvent, sourceAddress } from './request-event.ts'
import { type RouteTable, isPercentEncoded } from './route-table.ts'

/** The limits of an HTTP API: 10 MB of body; 10240 bytes of request line and headers together. */
const maxBodyBytes = 10 * 1024 * 1024
const maxHeaderBytes = 10_240

/** An HTTP API gives up after 30 s, too. A body that trickles in holds memory for no longer than this. */
const requestTimeoutMs = 30_000
/** Each connection takes some 20 KB, also an idle one. */
const maxConnections = 4000

/** Calls the function behind a route with an event and answers its result. */
export type Invoke = (functionName: string, event: unknown) => Promise<unknown>

/** What the gateway serves. */
export interface Served {
  /** The target of each route is the name of its function. */
  readonly table: RouteTable<string>
  readonly invoke: Invoke
  /** Absent: pages of other origins may do nothing. */
  readonly crossOrigin?: CrossOrigin | undefined
  /** What the routes declare: which of them judge credentials, and which wait for something outside. */
  readonly routes?: readonly Route[]
}

/**
 * The HTTP API: turns requests into events, calls the route's function when there is room for it ({@link Admission}), and
 * turns its result into the reply.
 */
export class Gateway {
  readonly #server: Server
  #served: (Served & { readonly callers: Callers; readonly admission: Admission }) | undefined

  constructor() {
    this.#server = createServer(
      { maxHeaderSize: maxHeaderBytes, requestTimeout: requestTimeoutMs },
      (request, response) => {
        this.#answer(request, response).then(
          (reply) => send(request, response, reply),
          () => response.destroy(),
        )
      },
    )
    this.#server.maxConnections = maxConnections
    this.#server.on('connect', (_request, socket) => refuseTunnel(socket))
  }

  /** Starts to listen; answers `host:port`. Every request is answered 503 until {@link serve}. */
  async open(host: string, port: number): Promise<string> {
    await listen(this.#server, { host, port })
    return addressOf(this.#server)
  }

  /** Starts to call functions. */
  serve(served: Served): void {
    const { routes = [] } = served
    this.#served = { ...served, callers: new Callers(routes), admission: new Admission(routes) }
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const asked = { method: request.method ?? 'GET', headers: request.headers }
    const crossOrigin = this.#served?.crossOrigin
    const preflight = preflightReply(crossOrigin, asked)
    if (preflight !== undefined) return preflight
    const reply = await this.#answerByFunction(request, response).catch((error: unknown) =>
      failureReply(error, request),
    )
    return crossOriginReply(crossOrigin, asked, reply)
  }

  async #answerByFunction(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const target = requestTarget(request.url)
    const served = this.#served
    if (served === undefined) return refusalReply(request, 'store_unavailable', 'the platform is starting; try again')
    if (!isPercentEncoded(target.rawPath))
      return refusalReply(request, 'bad_request', 'the path is not well-formed: write % as %25')
    const match = served.table.find(request.method ?? 'GET', target.rawPath)
    if (match === undefined) return refusalReply(request, 'not_found', 'there is no such path')
    const calledBy = { headers: request.headers, address: sourceAddress(request) }
    const caller = served.callers.of(calledBy)
    await served.admission.body(caller.name, bytesOf(request), response)
    const body = await readBody(request, maxBodyBytes)
    await served.admission.call(caller.name, match.routeKey, response)
    const event = requestEvent(request, target, match, body, Date.now())
    const call = () => served.invoke(match.target, event)
    const reply = functionReply(await (isSafe(request) ? callAgain(call) : call()))
    served.callers.learn(caller, match.routeKey, calledBy, reply.status)
    return reply
  }
}

/** Calls a function, and once more when its thread went down. */
async function callAgain(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof FunctionFailed && error.reason === 'crash') return call()
    throw error
  }
}

/** Bytes that a request's body may have: as many as it says, or as may be where it says nothing. */
function bytesOf({ headers }: IncomingMessage): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding === undefined ? Math.min(Number(length ?? 0), maxBodyBytes) : maxBodyBytes
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
