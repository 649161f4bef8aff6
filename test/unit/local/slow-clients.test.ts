import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { Gateway, maxBodyBytes } from '../../../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../../../packages/laptop/gateway/route-table.ts'
import { unreadableReason } from '../../../packages/laptop/gateway/unreadable-request.ts'
import { contractRefusal } from '../../../local/platform/contract-refusal.ts'
import { routeTraits } from '../../../local/platform/route-traits.ts'

let gateway: Gateway
let port: number
let sockets: Socket[]
/** The answer of each function. */
let body: string

beforeEach(async () => {
  await serve(new Gateway({ refuse: contractRefusal }))
})

/** Starts a gateway. */
async function serve(started: Gateway): Promise<void> {
  gateway = started
  port = Number((await gateway.open('127.0.0.1', 0)).split(':')[1])
  sockets = []
  body = '{}'
  gateway.serve({
    table: new RouteTable([{ key: '$default', target: 'any' }]),
    invoke: async () => ({ statusCode: 200, body }),
  })
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway.close(0)
})

/** Opens a connection from an address and sends the first part of a request on it. */
async function open(text: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** Returns all that comes on a connection until the gateway ends it. */
async function answerOn(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  await once(socket, 'close')
  return text
}

/** Starts a gateway whose clients have hardly any time for something. */
async function serveImpatiently(times: { readonly request?: number; readonly idle?: number }): Promise<void> {
  await gateway.close(0)
  await serve(
    new Gateway({
      refuse: contractRefusal,
      times: { headers: 50, request: 60_000, idle: 60_000, overlook: 10, ...times },
    }),
  )
}

const post = (bytes: number) => `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes}\r\nConnection: close\r\n\r\n`

/** The status and the body of an answer. */
function read(answer: string): readonly [number, unknown] {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  return [Number(head.split(' ')[1]), JSON.parse(rest.join(''))]
}

const refusal = (info: unknown) => ({ status: 'error', code: 'bad_request', info, requestId: expect.any(String) })

it('bodies that arrive slowly from four networks do not delay a body of a fifth one', async () => {
  for (const [index, bytes] of [10_000_000, 10_000_000, 10_000_000, 3_400_000].entries())
    await open(`${post(bytes)}{`, `127.0.${index + 1}.1`)

  const socket = await open(post(maxBodyBytes))
  socket.write(Buffer.alloc(maxBodyBytes))

  expect(read(await answerOn(socket))).toEqual([200, {}])
})

it('a body that does not come in time is refused, in the form of the contract', async () => {
  await serveImpatiently({ request: 50 })

  const socket = await open(`${post(100_000)}{`)

  expect(read(await answerOn(socket))).toEqual([400, refusal('the request came too slowly; send it again')])
})

it('a client that does not read its response loses its connection', async () => {
  await serveImpatiently({ idle: 50 })
  body = JSON.stringify('x'.repeat(20_000_000))
  const socket = await open('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await once(socket, 'readable')

  // Nothing else ends the connection within that time.
  await gateway.close(60_000)

  let bytes = 0
  socket.on('data', (part) => (bytes += part.length)).on('error', () => {})
  await once(socket, 'close')
  expect(bytes).toBeLessThan(body.length)
})

it.each([
  ['that is not HTTP', 'nonsense\r\n\r\n', 'the request is not well-formed HTTP'],
  [
    'whose headers are too long',
    `GET / HTTP/1.1\r\nHost: h\r\nX-A: ${'a'.repeat(11_000)}\r\n\r\n`,
    'the request line and the headers are too long; send at most 10240 bytes',
  ],
  ['without the header Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 'the header Host is missing'],
  [
    'that expects what there is not',
    'GET / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nConnection: close\r\n\r\n',
    'Expect may only be 100-continue',
  ],
])('a request %s is refused in the form of the contract', async (_which, text, info) => {
  expect(read(await answerOn(await open(text)))).toEqual([400, refusal(info)])
})

it('a request for a tunnel is refused in the form of the contract', async () => {
  const answer = await answerOn(await open('CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n'))

  expect(read(answer)).toMatchObject([405, { status: 'error', code: 'method_not_allowed' }])
})

it('headers that arrive too slowly are distinguished from malformed ones', () => {
  expect(unreadableReason('ERR_HTTP_REQUEST_TIMEOUT')).toMatch(/too slowly/)
  expect(unreadableReason('HPE_INVALID_METHOD')).toMatch(/not well-formed/)
})

it('the gateway passes on a body as large as its route declares, and no larger one', async () => {
  const largest = routes.reduce((one, other) => ((other.maxBodyBytes ?? 0) > (one.maxBodyBytes ?? 0) ? other : one))
  const { method, path, maxBodyBytes: bytes = 0 } = largest
  const table = new RouteTable([{ key: `${method} ${path}`, target: 'any' }])
  gateway.serve({ table, routes: routeTraits(routes), invoke: async () => ({ statusCode: 200, body }) })
  const send = async (count: number) => {
    const socket = await open(post(count).replace('/', path))
    socket.write(Buffer.alloc(count))
    return read(await answerOn(socket))[0]
  }

  expect(bytes).toBeGreaterThan(maxBodyBytes)
  expect([await send(bytes), await send(bytes + 1)]).toEqual([200, 413])
})
