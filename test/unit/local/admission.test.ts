import { once } from 'node:events'
import { type ClientRequest, IncomingMessage, ServerResponse, request } from 'node:http'
import { Socket } from 'node:net'
import * as z from 'zod/mini'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { originateCall } from '../../../contracts/routes/channels.ts'
import { lookUpDialplan } from '../../../contracts/routes/engine.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { writeToken } from '../../../functions/endpoint/token-text.ts'
import { Admission, longestLookupWaitMs, longestWorkMs, maxWaiting } from '../../../local/gateway/admission.ts'
import { Gateway, type Invoke } from '../../../local/gateway/gateway.ts'
import { RouteTable } from '../../../local/gateway/route-table.ts'

const ok = { statusCode: 200, body: '{}' }
const table = new RouteTable(
  routes.map(({ method, path, operationId }) => ({ key: `${method} ${path}`, target: operationId })),
)

let gateway: Gateway
let url: string
const withHeaders = z.object({ headers: z.record(z.string(), z.string()) })

/** A call of a function that is not answered. */
interface Held {
  readonly answer: (result: unknown) => void
  readonly token: string | undefined
  /** Reports that the function has sent its request outside. */
  readonly sentOutside: () => void
}

/** Calls that have come to functions, oldest first. */
let held: Held[]
/** Receives each call of a function. */
let called: () => void

beforeEach(async () => {
  // Working places come back after a while; here only when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  gateway = new Gateway()
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
  const invoke: Invoke = (name, event, sentOutside) => {
    if (name !== operation) return Promise.resolve(ok)
    return new Promise((answer) => {
      own.push({ answer, token: z.parse(withHeaders, event).headers['x-access-token'], sentOutside })
      called()
    })
  }
  gateway.serve({ table, routes, invoke })
}

/** Settles when so many calls are held. */
async function untilHeld(count: number): Promise<void> {
  while (held.length < count) await new Promise<void>((resolve) => (called = resolve))
}

/** Settles when the functions of so many calls have sent their call to the engine. */
async function untilRinging(count: number): Promise<void> {
  for (let next = 0; next < count; next += 1) {
    await untilHeld(next + 1)
    held[next]?.sentOutside()
  }
}

const tokenOf = (domain: string) => ({
  'x-access-token': writeToken(
    { username: `1000@${domain}`, domain, key: '00000000-0000-4000-8000-000000000000' },
    new Uint8Array(32),
  ),
})

const [a, b] = [tokenOf('a.example.com'), tokenOf('b.example.com')]

interface Answer {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
  readonly text: string
}

function send(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const sent: ClientRequest = request(url + path, { method, headers })
  sent.end(body)
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

const originate = (headers: Record<string, string>) => send('POST', originateCall.path, headers).answer

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Shows the gateway that tokens are genuine. */
async function proveTokens(): Promise<void> {
  for (const headers of [a, b]) await send('GET', '/api/v2/accounts', headers).answer
}

describe('the gateway', () => {
  it('the gateway calls the function for a tenant at once while hundreds of calls of another tenant still ring', async () => {
    serve('originateCall')
    await proveTokens()
    const ringing = Array.from({ length: 400 }, () => originate(a))
    await untilRinging(64)

    const other = originate(b)
    await untilRinging(65)
    held.at(-1)?.answer(ok)
    const { status } = await other
    for (let next = 0; next < 401; next += 1) {
      await untilRinging(next + 1)
      held[next]?.answer(ok)
    }

    expect(status).toBe(200)
    expect((await Promise.all(ringing)).every((answer) => answer.status === 200)).toBe(true)
  })

  it('the next originate of a tenant is forwarded while forty of another tenant have not reached the engine yet', async () => {
    serve('originateCall')
    await proveTokens()
    const many = Array.from({ length: 40 }, () => originate(a))
    await untilHeld(5)

    const other = originate(b)
    await untilHeld(6)
    held[5]?.answer(ok)

    expect((await other).status).toBe(200)
    for (let next = 0; next < 41; next += 1) {
      await untilHeld(next + 1)
      held[next]?.answer(ok)
    }
    expect((await Promise.all(many)).every(({ status }) => status === 200)).toBe(true)
  })

  it('all slots are released after a crowd of requests of which some clients have left', async () => {
    serve('originateCall')
    await proveTokens()
    const crowd = Array.from({ length: 200 }, () => send('POST', originateCall.path, a))
    for (const { answer } of crowd) answer.catch(() => {})
    await untilRinging(64)
    for (const { sent } of crowd) sent.destroy()

    // So many ring at one time only when no other tenant has a place.
    const others = Array.from({ length: 64 }, () => originate(b))
    const ofOthers = () => held.filter(({ token }) => token === b['x-access-token'])
    for (let next = 64; ofOthers().length < 64; next += 1) await untilRinging(next)
    for (const { answer } of ofOthers()) answer(ok)

    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(64).fill(200))
  })

  it('originates that sent nothing to an engine make room for others of their tenant after a second', async () => {
    serve('originateCall')
    await proveTokens()
    const many = Array.from({ length: 10 }, () => originate(a))
    await untilHeld(5)

    vi.advanceTimersByTime(longestWorkMs)
    await untilHeld(10)
    for (const { answer } of held) answer(ok)

    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(10).fill(200))
  })

  it.each([
    ['an engine', 'originateCall'],
    ['a receiver', 'testHook'],
    ['a mail server', 'sendTestMail'],
  ])('requests that wait for %s give their working places back after a second', async (_what, operationId) => {
    const { method, path } = routes.find((route) => route.operationId === operationId) ?? expect.fail()
    const admission = new Admission(routes)
    const aResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
    for (let index = 0; index < 10; index += 1) void admission.call('a', `${method} ${path}`, aResponse())
    await settled()
    expect(admission.call('a', 'GET /api/v2/hooks', aResponse())).toBeInstanceOf(Promise)

    vi.advanceTimersByTime(longestWorkMs)
    await settled()
    vi.advanceTimersByTime(longestWorkMs)
    await settled()

    expect(admission.call('a', 'GET /api/v2/hooks', aResponse())).not.toBeInstanceOf(Promise)
  })

  it('the gateway calls the function for a tenant at once while invalid tokens of a thousand domains wait', async () => {
    serve('listHooks')
    await proveTokens()
    const flood = Array.from({ length: 500 }, (_, index) =>
      send('GET', '/api/v2/hooks', tokenOf(`made-up-${index}.example.com`)),
    )
    await untilHeld(5)

    const { answer } = send('GET', '/api/v2/hooks', a)
    await untilHeld(6)
    held.at(-1)?.answer(ok)

    expect((await answer).status).toBe(200)
    for (const { sent, answer: unanswered } of flood) {
      unanswered.catch(() => {})
      sent.destroy()
    }
  })

  it('the gateway refuses a request, in the form of the contract, only when a thousand already wait', async () => {
    serve('listHooks')
    // Five of one caller run.
    const answers = Array.from({ length: 5 + maxWaiting + 1 }, () => send('GET', '/api/v2/hooks').answer)

    const refused = await Promise.race(answers)
    for (let next = 0; next < 5 + maxWaiting; next += 1) {
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
  /** The lookups of one caller that run at one time. */
  const atOnce = 16
  const key = `${lookUpDialplan.method} ${lookUpDialplan.path}`
  const lookUp = () => send('POST', lookUpDialplan.path)
  const openResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
  const closedResponse = async () => {
    const socket = new Socket()
    const response = openResponse()
    response.assignSocket(socket)
    socket.destroy()
    await once(response, 'close')
    return response
  }
  /** Takes all places that one caller has, and returns what gives them back. */
  const allTaken = (admission: Admission, response: ServerResponse) =>
    Array.from({ length: atOnce }, () => admission.call('engine', key, response)).map((leave) =>
      leave instanceof Promise ? expect.fail() : leave,
    )

  it('a lookup runs at once while requests of tenants take all places', async () => {
    serve('listHooks')
    const waiting = Array.from({ length: 50 }, () => send('GET', '/api/v2/hooks'))
    await untilHeld(5)

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
    const admission = new Admission(routes)
    const leaves = allTaken(admission, openResponse())

    const next = admission.call('engine', key, openResponse())
    vi.advanceTimersByTime(longestLookupWaitMs - 1)
    leaves[0]?.()

    await expect(next).resolves.toBeInstanceOf(Function)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lookups whose engine has hung up keep their places until their functions are done', async () => {
    const admission = new Admission(routes)
    const leaves = allTaken(admission, await closedResponse())

    const refused = admission.call('engine', key, openResponse())
    vi.advanceTimersByTime(longestLookupWaitMs)
    await expect(refused).rejects.toThrow('nothing was free')
    for (const leave of leaves) leave()

    expect(allTaken(admission, openResponse())).toHaveLength(atOnce)
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

it('a request whose client disconnects before it gets its slot keeps none', async () => {
  const admission = new Admission(routes)
  const socket = new Socket()
  const gone = new ServerResponse(new IncomingMessage(socket))
  gone.assignSocket(socket)
  socket.destroy()
  await once(gone, 'close')

  // One caller alone has at most this many places.
  for (let index = 0; index < 10; index += 1) void admission.call('a', 'GET /api/v2/hooks', gone)

  const open = new ServerResponse(new IncomingMessage(new Socket()))
  expect(admission.call('a', 'GET /api/v2/hooks', open)).not.toBeInstanceOf(Promise)
})
