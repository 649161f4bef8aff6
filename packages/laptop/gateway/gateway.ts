import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CrossOrigin } from '../assembly/assembly.ts'
import { readBody } from '../gate/read-body.ts'
import { FunctionFailed } from '../functions/function-host.ts'
import { addressOf, listen } from '../processes/listen.ts'
import { requestTarget } from '../processes/request-target.ts'
import { Admission, type RouteTraits } from './admission.ts'
import { crossOriginReply, originHeaders, preflightReply } from './cors.ts'
import { type Refuse, type RefusalCode, failureReply, isSafe, plainRefusal } from './failure-reply.ts'
import { type Reply, functionReply } from './function-reply.ts'
import { requestEvent } from './request-event.ts'
import { type RouteMatch, type RouteTable, isPercentEncoded } from './route-table.ts'
import { hostProblem, refuseConnection, unreadableReason } from './unreadable-request.ts'

/**
 * The most that a route takes unless its declaration names more. An HTTP API hands on 10 MB, which functions answer
 * 413; refused here, a request of 10 MB holds no memory that others wait for.
 */
export const maxBodyBytes = 1024 * 1024
/** The limit of an HTTP API for request line and headers together. */
const maxHeaderBytes = 10_240

/** Up to the 10 MB of an HTTP API a body is read to its end before it is refused. */
const droppedBytes = 9 * 1024 * 1024
/**
 * How long a client may take for its headers, for its request, and between two bytes of an answer, in milliseconds; all
 * are looked over this often.
 */
const usualTimes = { headers: 10_000, request: 30_000, idle: 60_000, overlook: 2_000 }
/** Each connection takes some 20 KB, also an idle one. */
const maxConnections = 4000

/** Calls the function of a route with an event and returns its result. */
export type Invoke = (functionName: string, event: unknown) => Promise<unknown>

type BodyLimits = ReadonlyMap<string, number>

/** The routes and functions that the gateway serves. */
export interface Served {
  /** The target of each route is the name of its function. */
  readonly table: RouteTable<string>
  readonly invoke: Invoke
  /** Absent: pages of other origins may do nothing. */
  readonly crossOrigin?: CrossOrigin | undefined
  /** The same for the answers of `answerLink`. */
  readonly linkCrossOrigin?: CrossOrigin | undefined
  /** What is special about some of the routes. */
  readonly routes?: readonly RouteTraits[]
  /** Answers a `GET` that carries a signature in its query, as links to objects do. Absent: there are no such links. */
  readonly answerLink?: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

/** How a gateway answers by itself. */
export interface GatewayOptions {
  readonly times?: typeof usualTimes
  /** The form of its refusals; by default a code and a message. */
  readonly refuse?: Refuse
}

/**
 * The HTTP API: turns requests into events, calls the route's function when there is room for it ({@link Admission}),
 * and turns its result into the reply.
 */
export class Gateway {
  readonly #server: Server
  readonly #refuse: Refuse
  readonly #responses = new WeakMap<Duplex, ServerResponse>()
  #served: (Served & { readonly admission: Admission; readonly limits: BodyLimits }) | undefined

  constructor({ times = usualTimes, refuse = plainRefusal }: GatewayOptions = {}) {
    this.#refuse = refuse
    this.#server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: times.headers,
        requestTimeout: times.request,
        connectionsCheckingInterval: times.overlook,
        // The server's own refusals have no body.
        requireHostHeader: false,
      },
      (request, response) => {
        this.#responses.set(request.socket, response)
        const answerLink = isSignedLink(request) ? this.#served?.answerLink : undefined
        if (answerLink !== undefined) {
          const asked = { method: 'GET', headers: request.headers }
          const allowed = originHeaders(this.#served?.linkCrossOrigin, asked)
          response.setHeaders(new Map(Object.entries(allowed)))
          return void answerLink(request, response).catch(() => response.destroy())
        }
        void this.#answer(request, response)
      },
    )
    this.#server.maxConnections = maxConnections
    this.#server.timeout = times.idle
    // An HTTP API is no proxy.
    this.#server.on('connect', (_request, socket) =>
      refuseConnection(socket, this.#refusal('method_not_allowed', 'there are no tunnels here')),
    )
    this.#server.on('checkExpectation', (request, response) =>
      send(request, response, this.#refusal('bad_request', 'Expect may only be 100-continue', request)),
    )
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const response = this.#responses.get(socket)
      const isAnswering = response?.headersSent === true && !response.writableFinished
      if (isAnswering || !socket.writable) socket.destroy()
      else refuseConnection(socket, this.#refusal('bad_request', unreadableReason(error.code)))
    })
  }

  /** Starts to listen; answers `host:port`. Every request is answered 503 until {@link serve}. */
  async open(host: string, port: number): Promise<string> {
    await listen(this.#server, { host, port })
    return addressOf(this.#server)
  }

  serve(served: Served): void {
    const { routes = [] } = served
    this.#served = {
      ...served,
      admission: new Admission(routes),
      limits: new Map(routes.map(({ key, maxBodyBytes = 0 }) => [key, maxBodyBytes])),
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
      return failureReply(error, request, this.#refuse)
    }
  }

  #refusal(code: RefusalCode, text: string, request?: IncomingMessage): Reply {
    return functionReply(this.#refuse(code, text, request?.headers ?? {}))
  }

  async #answerByFunction(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    const target = requestTarget(request.url)
    const served = this.#served
    if (served === undefined) return this.#refusal('store_unavailable', 'the platform is starting; try again', request)
    const problem = hostProblem(request)
    if (problem !== undefined) return this.#refusal('bad_request', problem, request)
    if (!isPercentEncoded(target.rawPath))
      return this.#refusal('bad_request', 'the path is not well-formed: write % as %25', request)
    const match = served.table.find(request.method ?? 'GET', target.rawPath)
    if (match === undefined) return this.#refusal('not_found', 'there is no such path', request)
    const limit = Math.max(maxBodyBytes, served.limits.get(match.routeKey) ?? 0)
    const leaveBody = await served.admission.body(bytesOf(request, limit), response)
    try {
      const body = await readBody(request, limit, droppedBytes)
      return await this.#callFunction(served, match, { request, response, body })
    } finally {
      leaveBody()
    }
  }

  async #callFunction(
    { admission, invoke }: Served & { readonly admission: Admission },
    match: RouteMatch<string>,
    { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: Buffer },
  ): Promise<Reply> {
    const leave = await admission.call(match.routeKey, response)
    try {
      if (response.closed) throw new Error('the client has gone before its function was called')
      const event = requestEvent(request, requestTarget(request.url), match, body, Date.now())
      const call = () => invoke(match.target, event)
      return functionReply(await (isSafe(request) ? callAgain(call) : call()))
    } finally {
      leave()
    }
  }
}

/**
 * Whether it reads an object or stores a part of one, with a well-formed path and a signature in its query. No
 * operation of the API is asked so.
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

function bytesOf({ headers }: IncomingMessage, limit: number): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding === undefined ? Math.min(Number(length ?? 0), limit) : limit
}

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
}
