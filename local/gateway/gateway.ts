import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Route } from '../../contracts/routes/route.ts'
import type { CrossOrigin } from '../assembly/assembly.ts'
import { type Caution, readBody, timeFor } from '../gate/read-body.ts'
import { FunctionFailed } from '../functions/function-host.ts'
import { addressOf, listen } from '../processes/listen.ts'
import { requestTarget } from '../processes/request-target.ts'
import { Admission } from './admission.ts'
import { Callers } from './callers.ts'
import { crossOriginReply, linkHeaders, preflightReply } from './cors.ts'
import { failureReply, isSafe, refusalReply } from './failure-reply.ts'
import { type Reply, functionReply } from './function-reply.ts'
import { requestEvent, sourceAddress } from './request-event.ts'
import { type RouteTable, isPercentEncoded } from './route-table.ts'
import { hostProblem, refuseConnection, unreadableReason } from './unreadable-request.ts'

/**
 * The most that a route takes unless its declaration names more. An HTTP API hands on 10 MB, which functions answer 413; refused
 * here, a request of 10 MB holds no memory that others wait for.
 */
export const maxBodyBytes = 1024 * 1024
/** The limit of an HTTP API for request line and headers together. */
const maxHeaderBytes = 10_240

/** Connections are looked over this often, so headers take 10 to 12 s at most. */
const headersTimeoutMs = 10_000
const overlookMs = 2_000
/**
 * A client that sends or takes nothing holds memory and places for 5 s; one that keeps to 2 Mbit/s gets through, within 9 s
 * for the largest body.
 */
const pace = { graceMs: 5_000, bytesPerSecond: 256 * 1024 }
/** Up to the 10 MB of an HTTP API a body is read to its end before it is refused. */
const caution: Caution = { pace, droppedBytes: 9 * 1024 * 1024 }
/** A client that takes nothing of an object for this long is dropped: players pause. */
const linkIdleMs = 60_000
/** Each connection takes some 20 KB, also an idle one. */
const maxConnections = 4000

/**
 * Calls the function of a route with an event and returns its result. `sentOutside` is called when the function has sent a
 * request to an engine or a receiver, and waits from then on.
 */
export type Invoke = (functionName: string, event: unknown, sentOutside: () => void) => Promise<unknown>

/** The bytes that the bodies of routes may have, by route key. */
type BodyLimits = ReadonlyMap<string, number>

/** The routes and functions that the gateway serves. */
export interface Served {
  /** The target of each route is the name of its function. */
  readonly table: RouteTable<string>
  readonly invoke: Invoke
  /** Absent: pages of other origins may do nothing. */
  readonly crossOrigin?: CrossOrigin | undefined
  /** The declarations of routes: whether they check credentials, and whether they wait for something outside. */
  readonly routes?: readonly Route[]
  /** Answers a `GET` that carries a signature in its query, as links to objects do. Absent: there are no such links. */
  readonly answerLink?: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

/**
 * The HTTP API: turns requests into events, calls the route's function when there is room for it ({@link Admission}), and
 * turns its result into the reply.
 */
export class Gateway {
  readonly #server: Server
  /** The latest response of each connection. */
  readonly #responses = new WeakMap<Duplex, ServerResponse>()
  #served:
    | (Served & { readonly callers: Callers; readonly admission: Admission; readonly limits: BodyLimits })
    | undefined

  constructor() {
    this.#server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersTimeoutMs,
        connectionsCheckingInterval: overlookMs,
        // Bodies have their pace instead: a request may also wait until others make room for its body.
        requestTimeout: 0,
        // The server's own refusals have no body.
        requireHostHeader: false,
      },
      (request, response) => {
        this.#responses.set(request.socket, response)
        const answerLink = isSignedLink(request) ? this.#served?.answerLink : undefined
        if (answerLink !== undefined) {
          const asked = { method: 'GET', headers: request.headers }
          response.setHeaders(new Map(Object.entries(linkHeaders(this.#served?.crossOrigin, asked))))
          // An object has no time limit while its bytes are taken.
          response.setTimeout(linkIdleMs, () => response.destroy())
          return void answerLink(request, response).catch(() => response.destroy())
        }
        void this.#answer(request, response)
      },
    )
    this.#server.maxConnections = maxConnections
    // An HTTP API is no proxy.
    this.#server.on('connect', (_request, socket) =>
      refuseConnection(socket, 'method_not_allowed', 'there are no tunnels here'),
    )
    this.#server.on('checkExpectation', (request, response) =>
      send(request, response, refusalReply(request, 'bad_request', 'Expect may only be 100-continue')),
    )
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const response = this.#responses.get(socket)
      const isAnswering = response?.headersSent === true && !response.writableFinished
      if (isAnswering || !socket.writable) socket.destroy()
      else refuseConnection(socket, 'bad_request', unreadableReason(error.code))
    })
  }

  /** Starts to listen; answers `host:port`. Every request is answered 503 until {@link serve}. */
  async open(host: string, port: number): Promise<string> {
    await listen(this.#server, { host, port })
    return addressOf(this.#server)
  }

  /** Starts to call functions. */
  serve(served: Served): void {
    const { routes = [] } = served
    this.#served = {
      ...served,
      callers: new Callers(routes),
      admission: new Admission(routes),
      limits: new Map(routes.map(({ method, path, maxBodyBytes: own = 0 }) => [`${method} ${path}`, own])),
    }
  }

  /** Accepts no new request, waits a moment for those under way, then drops the rest. */
  async close(patienceMs = 2000): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeIdleConnections()
    const timer = setTimeout(() => this.#server.closeAllConnections(), patienceMs)
    await closed
    clearTimeout(timer)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = { method: request.method ?? 'GET', headers: request.headers }
    const crossOrigin = this.#served?.crossOrigin
    try {
      const reply =
        preflightReply(crossOrigin, asked) ??
        crossOriginReply(crossOrigin, asked, await this.#replyOfFunction(request, response))
      send(request, response, reply)
    } catch {
      response.destroy()
    }
  }

  async #replyOfFunction(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    try {
      return await this.#answerByFunction(request, response)
    } catch (error) {
      return failureReply(error, request)
    }
  }

  async #answerByFunction(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const target = requestTarget(request.url)
    const served = this.#served
    if (served === undefined) return refusalReply(request, 'store_unavailable', 'the platform is starting; try again')
    const problem = hostProblem(request)
    if (problem !== undefined) return refusalReply(request, 'bad_request', problem)
    if (!isPercentEncoded(target.rawPath))
      return refusalReply(request, 'bad_request', 'the path is not well-formed: write % as %25')
    const match = served.table.find(request.method ?? 'GET', target.rawPath)
    if (match === undefined) return refusalReply(request, 'not_found', 'there is no such path')
    const calledBy = { headers: request.headers, address: sourceAddress(request) }
    const caller = served.callers.of(calledBy)
    const limit = Math.max(maxBodyBytes, served.limits.get(match.routeKey) ?? 0)
    await served.admission.body(caller.name, bytesOf(request, limit), response)
    const body = await readBody(request, limit, caution)
    const leaveWork = await served.admission.call(caller.name, match.routeKey, response)
    try {
      if (response.closed) throw new Error('the client has gone before its function was called')
      const event = requestEvent(request, target, match, body, Date.now())
      const call = () => served.invoke(match.target, event, leaveWork)
      const reply = functionReply(await (isSafe(request) ? callAgain(call) : call()))
      served.callers.learn(caller, match.routeKey, calledBy, reply.status)
      return reply
    } finally {
      leaveWork()
    }
  }
}

/**
 * Whether it reads an object or stores a part of one, with a well-formed path and a signature in its query. No operation of the API is
 * asked so.
 */
function isSignedLink({ method, url }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'PUT') return false
  const { rawPath, rawQuery } = requestTarget(url)
  if (rawQuery === '' || !isPercentEncoded(rawPath)) return false
  const query = new URLSearchParams(rawQuery)
  return query.has('X-Amz-Signature') && (method === 'GET' || query.has('partNumber'))
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

/** Returns the bytes that a request's body may have: its stated length, or the limit. */
function bytesOf({ headers }: IncomingMessage, limit: number): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding === undefined ? Math.min(Number(length ?? 0), limit) : limit
}

/** Characters of a text that is written together with its head. */
const shortTextLength = 16 * 1024

/** Sends a reply. All headers go into one call, so that Node writes head and text in one piece. */
function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Reply): void {
  const empty = status === 204 || status === 304
  const all: Record<string, string | string[] | number> = { ...headers }
  // Node writes head and text in one piece, and head and bytes in two. A long text would be copied for that.
  const isShort = typeof body === 'string' && body.length <= shortTextLength
  const content = isShort ? body : Buffer.from(body)
  const length = Buffer.byteLength(content)
  if (!empty) all['content-length'] = length
  // A body that was not read to its end is in the way of the next request.
  if (!request.complete) all['connection'] = 'close'
  response.writeHead(status, all)
  response.end(empty || request.method === 'HEAD' ? undefined : content)
  // Most answers are with the system by now and need no timer.
  if (request.socket.writableLength === 0) return
  const timer = setTimeout(() => response.destroy(), timeFor(length, pace))
  response.once('close', () => clearTimeout(timer))
}
