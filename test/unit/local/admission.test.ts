import { once } from 'node:events'
import { type ClientRequest, IncomingMessage, ServerResponse, request } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { originateCall } from '../../../contracts/routes/channels.ts'
import { lookUpDialplan } from '../../../contracts/routes/engine.ts'
import { routes } from '../../../contracts/routes/index.ts'
import {
  Admission,
  longestLookupWaitMs,
  lookingUp,
  maxWaiting,
  waitingOutside,
  working,
} from '../../../packages/laptop/gateway/admission.ts'
import { Gateway, type Invoke } from '../../../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../../../packages/laptop/gateway/route-table.ts'
import { contractRefusal } from '../../../local/platform/contract-refusal.ts'
import { routeTraits } from '../../../local/platform/route-traits.ts'

const ok = { statusCode: 200, body: '{}' }
const table = new RouteTable(
  routes.map(({ method, path, operationId }) => ({ key: `${method} ${path}`, target: operationId })),
)

let gateway: Gateway
let url: string

/** A call of a function that is not answered. */
interface Held {
  readonly answer: (result: unknown) => void
}

/** Calls that have come to functions, oldest first. */
let held: Held[]
/** Receives each call of a function. */
let called: () => void

beforeEach(async () => {
  // Lookups are refused after a while; here only when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  gateway = new Gateway({ refuse: contractRefusal })
  held = []
  called = () => {}
  url = `http://${await gateway.open('127.0.0.1', 0)}`
})

afterEach(async () => {
  vi.useRealTimers()
  await gateway.close(0)
})

/** Holds each call of an operation until the test answers it, and answers all others at once. */
function serve(operation: string): void {
  // Requests of an earlier test may still come to functions while their clients go.
  const own = held
  const invoke: Invoke = (name) => {
    if (name !== operation) return Promise.resolve(ok)
    return new Promise((answer) => {
      own.push({ answer })
      called()
    })
  }
  gateway.serve({ table, routes: routeTraits(routes), invoke })
}

/** Settles when so many calls are held. */
async function untilHeld(count: number): Promise<void> {
  while (held.length < count) await new Promise<void>((resolve) => (called = resolve))
}

interface Answer {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
  readonly text: string
}

function send(method: string, path: string) {
  const sent: ClientRequest = request(url + path, { method })
  sent.end()
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () =>
        resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'], text }),
      )
    })
  })
  return { sent, answer }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const openResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

/** A response whose client has gone. */
async function closedResponse(): Promise<ServerResponse> {
  const socket = new Socket()
  const response = openResponse()
  response.assignSocket(socket)
  socket.destroy()
  await once(response, 'close')
  return response
}

describe('the gateway', () => {
  it.each([
    ['an engine', 'originateCall'],
    ['a receiver', 'testHook'],
    ['a mail server', 'sendTestMail'],
  ])('requests that wait for %s take no place of those that only work', async (_what, operationId) => {
    const { method, path } = routes.find((route) => route.operationId === operationId) ?? expect.fail()
    const admission = new Admission(routeTraits(routes))
    for (let index = 0; index < waitingOutside + 1; index += 1) void admission.call(`${method} ${path}`, openResponse())

    await expect(admission.call('GET /api/v2/hooks', openResponse())).resolves.toBeInstanceOf(Function)
  })

  it('all places are given back after a crowd of requests of which some clients have left', async () => {
    serve('originateCall')
    const crowd = Array.from({ length: 200 }, () => send('POST', originateCall.path))
    for (const { answer } of crowd) answer.catch(() => {})
    await untilHeld(waitingOutside)
    for (const { sent } of crowd) sent.destroy()
    called = () => {
      for (const { answer } of held.splice(0)) answer(ok)
    }
    called()

    const others = Array.from({ length: waitingOutside }, () => send('POST', originateCall.path).answer)

    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(waitingOutside).fill(200))
  })

  it('the gateway refuses a request, in the form of the contract, only when a thousand already wait', async () => {
    serve('listHooks')
    const answers = Array.from({ length: working + maxWaiting + 1 }, () => send('GET', '/api/v2/hooks').answer)

    const refused = await Promise.race(answers)
    for (let next = 0; next < working + maxWaiting; next += 1) {
      await untilHeld(next + 1)
      held[next]?.answer(ok)
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status)

    expect([refused.status, refused.retryAfter]).toEqual([503, '1'])
    expect(JSON.parse(refused.text)).toEqual({
      status: 'error',
      code: 'store_unavailable',
      info: '1000 requests wait already; try again',
      requestId: expect.any(String),
    })
    expect(statuses.filter((status) => status !== 200)).toEqual([503])
  })
})

describe('lookups of engines', () => {
  const { places: atOnce } = lookingUp
  const key = `${lookUpDialplan.method} ${lookUpDialplan.path}`
  const lookUp = () => send('POST', lookUpDialplan.path)
  /** Takes all places, and returns what gives them back. */
  const allTaken = (admission: Admission, response: ServerResponse) =>
    Promise.all(Array.from({ length: atOnce }, () => admission.call(key, response)))

  it('a lookup runs at once while requests of tenants take all places', async () => {
    serve('listHooks')
    const waiting = Array.from({ length: 50 }, () => send('GET', '/api/v2/hooks'))
    await untilHeld(working)

    expect((await lookUp().answer).status).toBe(200)

    for (const { sent, answer } of waiting) {
      answer.catch(() => {})
      sent.destroy()
    }
  })

  it('a lookup that finds no place within 50 ms is refused, in the form of the contract', async () => {
    serve('lookUpDialplan')
    const first = Array.from({ length: atOnce }, () => lookUp().answer)
    await untilHeld(atOnce)

    const late = lookUp().answer
    while (vi.getTimerCount() === 0) await settled()
    vi.advanceTimersByTime(longestLookupWaitMs)
    const { status, retryAfter, text } = await late
    for (const { answer } of held) answer(ok)

    expect([status, retryAfter, JSON.parse(text).info]).toEqual([503, '1', 'nothing was free within 50 ms; try again'])
    expect((await Promise.all(first)).map((answer) => answer.status)).toEqual(Array(atOnce).fill(200))
    expect(held).toHaveLength(atOnce)
  })

  it('lookups run when others are done before they are refused', async () => {
    const admission = new Admission(routeTraits(routes))
    const leaves = await allTaken(admission, openResponse())

    const next = admission.call(key, openResponse())
    vi.advanceTimersByTime(longestLookupWaitMs - 1)
    leaves[0]?.()

    await expect(next).resolves.toBeInstanceOf(Function)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lookups whose engine has hung up keep their places until their functions are done', async () => {
    const admission = new Admission(routeTraits(routes))
    const leaves = await allTaken(admission, await closedResponse())

    const refused = admission.call(key, openResponse())
    vi.advanceTimersByTime(longestLookupWaitMs)
    await expect(refused).rejects.toThrow('nothing was free')
    for (const leave of leaves) leave()

    expect(await allTaken(admission, openResponse())).toHaveLength(atOnce)
  })

  it('a lookup whose engine has hung up before its turn never reaches its function', async () => {
    serve('lookUpDialplan')
    const first = Array.from({ length: atOnce }, () => lookUp().answer)
    await untilHeld(atOnce)
    const gone = lookUp()
    gone.answer.catch(() => {})
    while (vi.getTimerCount() === 0) await settled()

    gone.sent.destroy()
    while (vi.getTimerCount() > 0) await settled()
    for (const { answer } of held) answer(ok)
    await Promise.all(first)

    expect(held).toHaveLength(atOnce)
  })
})

it('a request whose client disconnects before its turn keeps no place', async () => {
  const admission = new Admission(routeTraits(routes))
  const call = (response: ServerResponse) => admission.call('GET /api/v2/hooks', response)
  const leaves = await Promise.all(Array.from({ length: working }, () => call(openResponse())))

  await expect(call(await closedResponse())).rejects.toThrow()
  for (const leave of leaves) leave()

  await expect(Promise.all(leaves.map(() => call(openResponse())))).resolves.toHaveLength(working)
})
