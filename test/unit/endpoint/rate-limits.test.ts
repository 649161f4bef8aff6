import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rateLimits } from '../../../contracts/settings/platform.ts'
import { readRateLimits, usualRateLimits } from '../../../contracts/settings/rates.ts'
import { readVariable } from '../../../contracts/settings/setting.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { type Route, limitNames, limitsOf } from '../../../contracts/routes/route.ts'
import type { RateVerdict } from '../../../core/requests/rate-limit.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as logOut } from '../../../functions/auth/log-out.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { handler as readStatus } from '../../../functions/status/read-status.ts'
import { createEndpoint } from '../../../functions/endpoint.ts'
import { type Api, aContext, anApi, gatewayEvent, passwordOf } from '../../support/platform/api.ts'
import { checkedHandler } from '../../support/platform/declared.ts'
import { gone } from '../../support/stores/flaky.ts'

afterEach(() => vi.restoreAllMocks())

/** A platform with rates, an admin and a user in one tenant, an admin in another. */
async function setUp(rates: string) {
  const api = anApi({ RATE_LIMITS: rates })
  const account = await api.account({ login: '1000', role: 'admin' })
  const admin = { ...(await api.as(account)) }
  const again = { ...(await api.as(account)) }
  const other = { ...(await api.as(await api.account({ domain: 'b.example.com', login: '1000', role: 'admin' }))) }
  return { api, admin, again, other }
}

/** One process of an endpoint: what it remembers, it remembers from request to request. */
function aProcess(api: Api, { route, over }: typeof listAccounts | typeof originateCall | typeof logIn) {
  const handler = checkedHandler(route, (over as typeof listAccounts.over)(api.ports, api.tools))
  return async (headers: Record<string, string>, more: { body?: unknown; sourceAddress?: string } = {}) => {
    const answer = await handler(gatewayEvent(route, { headers, ...more }), aContext)
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body ?? '') }
  }
}

describe('a token', () => {
  it('a token may make a number of requests at once, and is then refused with a Retry-After', async () => {
    const { api, admin } = await setUp('token=50/s:3')
    const answers = []
    for (let index = 0; index < 4; index += 1) answers.push(await api.call(listAccounts, { headers: admin }))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[0]?.headers).toMatchObject({
      'RateLimit-Limit': '3',
      'RateLimit-Remaining': '2',
      'RateLimit-Reset': '1',
    })
    expect(answers[3]).toMatchObject({
      body: { code: 'rate_limited' },
      headers: { 'Retry-After': '1', 'RateLimit-Limit': '3', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' },
    })
    api.clock.move(20)
    expect(await api.call(listAccounts, { headers: admin })).toMatchObject({ status: 200 })
  })

  it('each token has its own allowance', async () => {
    const { api, admin, again, other } = await setUp('token=1/h')

    for (const headers of [admin, again, other]) {
      expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 200 })
      expect(await api.call(listAccounts, { headers })).toMatchObject({
        status: 429,
        headers: { 'Retry-After': '3600' },
      })
    }
  })

  it('the allowance of a token is not used up by a client that has its key and claims but not its secret', async () => {
    const { api, admin } = await setUp('token=1/h,domain=1/h')
    const [header, claims] = admin['x-access-token'].split('.')
    const forged = { ...admin, 'x-access-token': `${header}.${claims}.${'A'.repeat(43)}` }

    for (let index = 0; index < 5; index += 1) await api.call(listAccounts, { headers: forged })

    expect(await api.call(listAccounts, { headers: admin })).toMatchObject({ status: 200 })
  })

  it('a token above its allowance is refused before any part of the request is checked or executed', async () => {
    const { api, admin } = await setUp('token=1/h')
    await api.call(listAccounts, { headers: admin })
    const audited = api.ports.state.audit.length

    const answer = await api.call(createAccount, {
      rawBody: '{',
      headers: { ...admin, 'idempotency-key': 'k' },
    })

    expect(answer).toMatchObject({ status: 429 })
    expect(api.ports.state.requestKeys.size).toBe(0)
    expect(api.ports.state.audit.length - audited).toBeLessThanOrEqual(1)
  })

  it('the counter of a token above its allowance is not written again while the token waits', async () => {
    const { api, admin } = await setUp('token=1/m')
    const take = vi.spyOn(api.ports.rateLimits, 'take')
    const call = aProcess(api, listAccounts)

    for (let index = 0; index < 10; index += 1) await call(admin)

    expect(take).toHaveBeenCalledTimes(2)
    api.clock.move(60_000)
    expect(await call(admin)).toMatchObject({ status: 200 })
  })
})

it('a refusal is repeated from memory for a quarter of a second, even if the next request would be allowed sooner', async () => {
  const { api, admin } = await setUp('token=50/s:50')
  const take = vi.spyOn(api.ports.rateLimits, 'take')
  const call = aProcess(api, listAccounts)
  for (let index = 0; index < 51; index += 1) await call(admin)
  expect(take).toHaveBeenCalledTimes(51)

  api.clock.move(249)
  expect((await call(admin)).status).toBe(429)

  expect(take).toHaveBeenCalledTimes(51)
  api.clock.move(1)
  expect((await call(admin)).status).toBe(200)
})

it('the headers of a response show the allowance with the fewest requests left', async () => {
  const { api, admin } = await setUp('token=1/h:5,domain=1/h:3')

  expect(await api.call(listAccounts, { headers: admin })).toMatchObject({
    headers: { 'RateLimit-Limit': '3', 'RateLimit-Remaining': '2' },
  })
})

describe('a domain', () => {
  it('an ended token uses up the allowance of its domain by one request at most', async () => {
    const { api, admin, again } = await setUp('domain=1/h:5')
    const call = aProcess(api, listAccounts)
    expect((await call(admin)).status).toBe(200)
    expect((await api.call(logOut, { headers: admin })).status).toBe(200)

    for (let index = 0; index < 5; index += 1) expect((await call(admin)).status).toBe(401)

    expect([(await call(again)).status, (await call(again)).status, (await call(again)).status]).toEqual([
      200, 200, 429,
    ])
  })

  it('a domain has one allowance for all its tokens', async () => {
    const { api, admin, again, other } = await setUp('domain=1/m:3')
    const call = aProcess(api, listAccounts)

    const statuses = []
    for (const headers of [admin, again, admin, again, other]) statuses.push((await call(headers)).status)

    expect(statuses).toEqual([200, 200, 200, 429, 200])
  })

  it('a domain above its allowance places no call, even if every request meets a new process', async () => {
    const { api, admin } = await setUp('call=1/h:2')
    const body = { calledId: '9196' }

    const answers = await Promise.all(
      Array.from({ length: 15 }, () => api.call(originateCall, { headers: admin, body })),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(13)
    expect(api.ports.engine.given).toHaveLength(2)
  })

  it('the allowance of a domain is not used up by requests with a forged token', async () => {
    const { api, admin } = await setUp('domain=1/h:1')
    const [header, claims] = admin['x-access-token'].split('.')
    const forged = { ...admin, 'x-access-token': `${header}.${claims}.${'A'.repeat(43)}` }

    expect((await api.call(listAccounts, { headers: forged })).status).toBe(401)

    expect((await api.call(listAccounts, { headers: admin })).status).toBe(200)
    expect((await api.call(listAccounts, { headers: admin })).status).toBe(429)
  })

  it('the allowance of a domain is not used up by requests that are refused for their own token', async () => {
    const { api, admin, again } = await setUp('token=1/h:2,domain=1/h:5')
    const process = aProcess(api, listAccounts)

    const ofOneToken = []
    for (let index = 0; index < 20; index += 1) ofOneToken.push((await process(admin)).status)
    const ofAnother = [(await process(again)).status, (await process(again)).status]

    expect(ofOneToken.filter((status) => status === 200)).toHaveLength(2)
    expect(ofAnother).toEqual([200, 200])
  })

  it('the allowance of a domain does not limit root, which has none', async () => {
    const { api } = await setUp('domain=1/h')
    const root = { ...(await api.as('root')) }
    const handler = checkedHandler(readStatus.route, readStatus.over(api.ports, api.tools))

    for (let index = 0; index < 3; index += 1) {
      const answer = await handler(gatewayEvent(readStatus.route, { headers: root }), aContext)
      expect(answer.statusCode).toBe(200)
    }
  })

  it('a domain may place a limited number of calls in a second, while its lists are not limited', async () => {
    const { api, admin } = await setUp('call=5/s')
    const [originate, list] = [aProcess(api, originateCall), aProcess(api, listAccounts)]
    const body = { calledId: '9196' }
    const statuses = []
    for (let index = 0; index < 7; index += 1) statuses.push((await originate(admin, { body })).status)

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(api.ports.engine.given).toHaveLength(5)
    expect(await list(admin)).toMatchObject({ status: 200 })
  })
})

describe('logins', () => {
  it('logins are counted by their source address, right and wrong ones', async () => {
    const { api } = await setUp('login=2/m')
    const right = { username: '1000@a.example.com', password: passwordOf('1000') }
    const wrong = { ...right, password: 's3cr3t-wrong' }
    const login = (body: object, sourceAddress: string) => api.call(logIn, { body, sourceAddress })

    expect((await login(wrong, '198.51.100.1')).status).toBe(401)
    expect((await login(right, '198.51.100.1')).status).toBe(200)
    expect(await login(right, '198.51.100.1')).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: { 'Retry-After': '30' },
    })
    expect((await login(right, '198.51.100.2')).status).toBe(200)
  })
})

describe('logins over IPv6', () => {
  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 429],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', 401],
    ['::ffff:198.51.100.1', '198.51.100.1', 429],
    ['::ffff:c633:6401', '198.51.100.1', 429],
  ])(
    'logins from %s use up the allowance of %s where both are of one /64 or one IPv4 address',
    async (first, second, status) => {
      const { api } = await setUp('login=1/h')
      const body = { username: '1000@a.example.com', password: 's3cr3t-wrong' }
      await api.call(logIn, { body, sourceAddress: first })

      expect((await api.call(logIn, { body, sourceAddress: second })).status).toBe(status)
    },
  )
})

describe('counting', () => {
  it('a request that cannot be counted is admitted, and the failure is logged', async () => {
    const { api, admin } = await setUp('token=1/h')
    const broken = api.with({ rateLimits: gone(api.ports.rateLimits, 'take', () => true) })

    expect(await broken.call(listAccounts, { headers: admin })).toMatchObject({ status: 200 })
    expect(api.log.lines.map(({ message }) => message)).toContain('request not counted')
  })

  it('a count that arrives shortly after the credential was checked applies, even in the first request of a process', async () => {
    const { api, admin } = await setUp('domain=1/h:1')
    const { rateLimits } = api.ports
    const take: typeof rateLimits.take = async (...given) => {
      const verdict = await rateLimits.take(...given)
      // One turn: a busy machine may take more than the 50 ms for several.
      await new Promise((resolve) => setImmediate(resolve))
      return verdict
    }
    const slower = api.with({ rateLimits: { ...rateLimits, take } })

    expect((await slower.call(listAccounts, { headers: admin })).status).toBe(200)
    expect((await slower.call(listAccounts, { headers: admin })).status).toBe(429)
  })

  it('a request does not wait for a count that takes 50 ms longer than the credential read, which applies from the next request on', async () => {
    const { api, admin } = await setUp('token=1/h')
    const slow = Promise.withResolvers<RateVerdict>()
    const call = aProcess(api.with({ rateLimits: { ...api.ports.rateLimits, take: () => slow.promise } }), listAccounts)

    expect(await call(admin)).toMatchObject({ status: 200 })
    slow.resolve({ isAllowed: false, limit: 1, remaining: 0, resetMs: 1000, waitMs: 1000 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(await call(admin)).toMatchObject({ status: 429 })
  })

  it.each(['never ends', 'fails'])('a count that %s refuses a login, and no password is checked', async (how) => {
    const { api } = await setUp('login=10/m')
    const take = () => (how === 'fails' ? Promise.reject(new Error('gone')) : new Promise<RateVerdict>(() => {}))
    const stuck = api.with({ rateLimits: { ...api.ports.rateLimits, take } })
    const verify = vi.spyOn(api.ports.passwords, 'verify')

    const answers = await Promise.all(
      Array.from({ length: 36 }, () =>
        stuck.call(logIn, { body: { username: '1000@a.example.com', password: 's3cr3t-wrong' } }),
      ),
    )

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [429, 'rate_limited']))
    expect(answers[0]?.headers).toMatchObject({
      'Retry-After': '1',
      'RateLimit-Limit': '10',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '1',
    })
    expect(verify).not.toHaveBeenCalled()
  })

  it.each(['token', 'domain', 'call'])(
    'a count by %s that never ends refuses a call, and nothing is dialled',
    async (name) => {
      const { api, admin } = await setUp('token=9/s,domain=9/s,call=9/s')
      const { rateLimits } = api.ports
      const take: typeof rateLimits.take = (key, ...rest) =>
        key.startsWith(`${name}:`) ? new Promise<RateVerdict>(() => {}) : rateLimits.take(key, ...rest)
      const stuck = api.with({ rateLimits: { ...rateLimits, take } })

      const answer = await stuck.call(originateCall, { headers: admin, body: { calledId: '9196' } })

      expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'Retry-After': '1' } })
      expect(api.ports.engine.given).toHaveLength(0)
    },
  )

  describe('in the first request of a process', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => vi.useRealTimers())

    /** A login whose store becomes ready, and then counts, when a test says so. */
    async function aFirstLogin() {
      const { api } = await setUp('login=10/m')
      const [ready, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let calls = 0
      const take: typeof api.ports.rateLimits.take = async (...given) => {
        calls += 1
        await (calls === 1 ? ready.promise : counted.promise)
        return api.ports.rateLimits.take(...given)
      }
      const body = { username: '1000@a.example.com', password: passwordOf('1000') }
      const answer = api.with({ rateLimits: { ...api.ports.rateLimits, take } }).call(logIn, { body })
      let status: number | undefined
      void answer.then((given) => (status = given.status))
      return { ready, counted, answer, status: () => status }
    }

    it('the first request of a process waits for its count 50 ms after the connection to the store was opened, and no longer', async () => {
      const { ready, answer, status } = await aFirstLogin()
      await vi.advanceTimersByTimeAsync(700)
      ready.resolve()
      await vi.advanceTimersByTimeAsync(49)
      expect(status()).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)

      expect((await answer).status).toBe(429)
    })

    it('the first request of a process is admitted if it is counted within 50 ms of the connection', async () => {
      const { ready, counted, answer, status } = await aFirstLogin()
      await vi.advanceTimersByTimeAsync(900)
      ready.resolve()
      await vi.advanceTimersByTimeAsync(40)
      expect(status()).toBeUndefined()
      counted.resolve()

      expect((await answer).status).toBe(200)
    })

    it('the first request of a process is refused when the connection is not open within a second', async () => {
      const { answer, status } = await aFirstLogin()
      await vi.advanceTimersByTimeAsync(1_049)
      expect(status()).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)

      expect((await answer).status).toBe(429)
    })
  })

  it('an invalid credential of a costly operation is reported even if the count never returns', async () => {
    const { api, admin } = await setUp('token=9/s')
    const stuck = api.with({ rateLimits: { ...api.ports.rateLimits, take: () => new Promise<RateVerdict>(() => {}) } })
    const headers = { ...admin, 'x-access-token': 'a.b.c' }

    expect((await stuck.call(originateCall, { headers, body: { calledId: '9196' } })).status).toBe(401)
  })

  it('logins, calls, eavesdropping, exports and test mails are refused if they cannot be counted, and nothing else is', () => {
    const strict = Object.values(routes).filter((route: Route) => route.mustBeCounted === true)

    expect(strict.map(({ operationId }) => operationId).sort()).toEqual([
      'beginExport',
      'eavesdropChannel',
      'logIn',
      'originateCall',
      'sendTestMail',
    ])
  })

  it('the connection to the counters is opened while the credential is read', async () => {
    const { api, admin } = await setUp('token=1/h')
    const order: string[] = []
    const { credentials, rateLimits } = api.ports
    const watched = api.with({
      credentials: {
        ...credentials,
        async read(who) {
          order.push('credential asked')
          const found = await credentials.read(who)
          await new Promise((resolve) => setImmediate(resolve))
          order.push('credential known')
          return found
        },
      },
      rateLimits: {
        ...rateLimits,
        async take(...given) {
          order.push('count asked')
          return rateLimits.take(...given)
        },
      },
    })

    await watched.call(listAccounts, { headers: admin })

    expect(order.slice(0, 2).sort()).toEqual(['count asked', 'credential asked'])
    expect(order[2]).toBe('credential known')
  })

  it('no connection to the counters is opened when no rate is set', async () => {
    const api = anApi()
    const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const take = vi.spyOn(api.ports.rateLimits, 'take')

    const { headers } = await api.call(listAccounts, { headers: admin })

    expect(take).not.toHaveBeenCalled()
    expect(headers).not.toHaveProperty('RateLimit-Limit')
  })

  it('the keys of stored counters name no token and no user', async () => {
    const { api, admin } = await setUp(usualRateLimits)
    await api.call(listAccounts, { headers: admin })

    const keys = JSON.stringify([...api.ports.state.buckets.keys()])
    expect(keys).toMatch(/token:/)
    expect(keys).not.toContain(admin['x-access-token'].slice(0, 20))
    expect(keys).not.toContain(admin['x-key'])
  })
})

describe('the rates of a deployment', () => {
  it('the rates of a deployment are those of the contract by default', () => {
    expect(readRateLimits(usualRateLimits)).toEqual({
      token: { intervalMs: 20, burst: 100 },
      domain: { intervalMs: 5, burst: 400 },
      login: { intervalMs: 6000, burst: 10 },
      call: { intervalMs: 200, burst: 5 },
      search: { intervalMs: 200, burst: 5 },
      searching: 2,
    })
    expect(readRateLimits('off')).toEqual({})
  })

  it.each([
    'on',
    'token',
    'token=50',
    'token=0/s',
    'searching=0',
    'searching=2/s',
    'token=5/d',
    'token=5/s:0',
    'nobody=5/s',
    'token=5/s;',
    '__proto__=1/s',
  ])('the rates of a deployment cannot be %j: the variable is named', (text) => {
    expect(() => readVariable(rateLimits, { RATE_LIMITS: text })).toThrow(/^RATE_LIMITS must be "off" or rates such as/)
  })

  it('every route with a token has the limits of token and domain, and additionally those that its record names', () => {
    const named = Object.fromEntries(routes.map((route) => [route.operationId, limitsOf(route)]))

    expect(named['listAccounts']).toEqual(['token', 'domain'])
    expect(named['originateCall']).toEqual(['token', 'domain', 'call'])
    expect(named['eavesdropChannel']).toEqual(['token', 'domain', 'call'])
    expect(named['logIn']).toEqual(['login'])
    expect(named['readHealth']).toEqual([])
    expect(new Set(Object.values(named).flat())).toEqual(new Set(limitNames))
  })

  it('a configured rate without a port to count it is an internal error', async () => {
    const { api, admin } = await setUp('token=1/h')
    const { rateLimits: _none, ...ports } = api.ports
    const unlimited = createEndpoint(readStatus.route, ports, async () => ({}) as never, api.tools)
    const handler = checkedHandler(readStatus.route, unlimited)

    expect((await handler(gatewayEvent(readStatus.route, { headers: admin }), aContext)).statusCode).toBe(500)
  })
})
