import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { takesKey } from '../../../contracts/routes/route.ts'
import { DomainError } from '../../../core/errors.ts'
import { createEndpoint, okInfo, reply } from '../../../functions/endpoint.ts'
import { logOut } from '../../../contracts/routes/auth.ts'
import { route } from '../../../contracts/routes/route.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { aContext, anApi, gatewayEvent, passwordOf } from '../../support/platform/api.ts'
import { checkedHandler } from '../../support/platform/declared.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aHookInput } from '../../support/records/hook-input.ts'

const account = { login: '2000', password: 's3cr3t-pass word', role: 'user' }

/** Two tenants with equal logins, an admin 1000 in each. */
async function setUp() {
  const api = anApi()
  const admin = await api.account({ login: '1000', role: 'admin' })
  const second = await api.account({ login: '1002', role: 'admin' })
  const other = await api.account({ domain: 'b.a.example.com', login: '1000', role: 'admin' })
  return {
    api,
    admin: { ...(await api.as(admin)), 'idempotency-key': 'k' },
    again: { ...(await api.as(admin)), 'idempotency-key': 'k' },
    second: { ...(await api.as(second)), 'idempotency-key': 'k' },
    other: { ...(await api.as(other)), 'idempotency-key': 'k' },
  }
}

/** A route with a second status of success. */
const eitherStatus = route({ ...logOut, otherStatuses: [201] })

/** An endpoint whose use case is the test's; it counts how often that ran. */
async function anEndpoint(useCase: (run: number) => Promise<unknown>) {
  const api = anApi()
  const headers = { ...(await api.as('root')), 'idempotency-key': 'k' }
  let runs = 0
  const counted = async () => useCase((runs += 1)) as never
  const handler = checkedHandler(eitherStatus, createEndpoint(eitherStatus, api.ports, counted, api.tools))
  const call = async () => {
    const answer = await handler(gatewayEvent(logOut, { headers }), aContext)
    return { ...answer, json: JSON.parse(answer.body ?? '') }
  }
  return { api, call, runs: () => runs }
}

describe('the same request under the same key', () => {
  it('a repeated request with the same key gets the first answer again, marked as a replay, and changes nothing', async () => {
    const { api, admin } = await setUp()

    const first = await api.call(createAccount, { body: account, headers: admin })
    const second = await api.call(createAccount, { body: account, headers: admin })

    expect(first).toMatchObject({ status: 200 })
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed')
    expect(second).toMatchObject({ status: 200, body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
    expect(second.headers['X-Request-Id']).not.toBe(first.headers['X-Request-Id'])
    expect(api.ports.state.accounts.size).toBe(4)
  })

  it('a repeated request with the same key gets the first answer after a new login too', async () => {
    const { api, admin, again } = await setUp()

    const first = await api.call(createAccount, { body: account, headers: admin })
    const second = await api.call(createAccount, { body: account, headers: again })

    expect(second).toMatchObject({ body: first.body, headers: { 'Idempotent-Replayed': 'true' } })
  })

  it('a repeated request with the same key gets the first refusal again, under its own request id', async () => {
    const { api, admin } = await setUp()
    const request = { body: { ...account, login: '1000' }, headers: admin }

    const first = await api.call(createAccount, request)
    await api.call(deleteAccount, { params: { account_id: '1000' }, headers: admin })
    const second = await api.call(createAccount, request)

    expect(first).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(second).toMatchObject({ status: 409, headers: { 'Idempotent-Replayed': 'true' } })
    expect(second.body).toEqual({ ...first.body, requestId: second.headers['X-Request-Id'] })
  })

  it('a request with a key of a day ago is a new request', async () => {
    const { api, admin } = await setUp()
    await api.call(createHooks, { body: aHookInput(), headers: admin })
    api.clock.move(86_400_000 - 1)
    const headers = { ...(await api.as(await api.account({ login: '1003', role: 'admin' }))), 'idempotency-key': 'k' }

    expect(await api.call(createHooks, { body: aHookInput(), headers })).toMatchObject({ status: 409 })
    api.clock.move(1)
    expect(await api.call(createHooks, { body: aHookInput(), headers })).toMatchObject({ status: 200 })
    expect(api.ports.state.hooks.size).toBe(2)
  })

  it('a repeated originate with the same key places no second call', async () => {
    const { api, admin } = await setUp()
    const request = { body: { calledId: '9196' }, headers: admin }

    const first = await api.call(originateCall, request)
    const second = await api.call(originateCall, request)

    expect(second.body).toEqual(first.body)
    expect(api.ports.engine.given).toHaveLength(1)
  })

  it('one of many simultaneous requests with the same key runs, and the others are refused because it is running', async () => {
    const { api, admin } = await setUp()

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(createAccount, { body: account, headers: admin })),
    )

    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(statuses.includes(409) ? ['in_progress'] : []),
    )
    expect(api.ports.state.accounts.size).toBe(4)
  })
})

describe('another request under the same key is refused', () => {
  it('a key that is used with another body, query or path is refused', async () => {
    const { api, admin } = await setUp()
    await api.call(createAccount, { body: account, headers: admin })

    const conflict = { status: 409, body: { code: 'idempotency_conflict' } }
    expect(await api.call(createAccount, { body: { ...account, login: '2001' }, headers: admin })).toMatchObject(
      conflict,
    )
    expect(
      await api.call(createAccount, { body: account, query: 'domain=a.example.com', headers: admin }),
    ).toMatchObject(conflict)
    expect(await api.call(createHooks, { body: aHookInput(), headers: admin })).toMatchObject(conflict)
    expect(api.ports.state.accounts.size).toBe(4)
    expect(api.ports.state.hooks.size).toBe(0)
  })

  it('a key of another caller of the domain is refused, since the answer was not for this caller', async () => {
    const { api, admin, second } = await setUp()
    await api.call(originateCall, { body: { calledId: '9196' }, headers: admin })

    expect(await api.call(originateCall, { body: { calledId: '9196' }, headers: second })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    })
  })

  it('the same key in another domain is a different key', async () => {
    const { api, admin, other } = await setUp()

    const first = await api.call(createAccount, { body: account, headers: admin })
    const second = await api.call(createAccount, { body: account, headers: other })

    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers).not.toHaveProperty('Idempotent-Replayed')
    expect(second.body.data['variable_w_domain']).toBe('b.a.example.com')
  })
})

describe('a request that still runs', () => {
  it('a request that is still running refuses its repetition with a time to retry, until its lease is over', async () => {
    const held = Promise.withResolvers<unknown>()
    const { api, call, runs } = await anEndpoint((run) => (run === 1 ? held.promise : Promise.resolve(okInfo('2'))))
    const first = call()
    await new Promise((resolve) => setImmediate(resolve))

    expect(await call()).toMatchObject({
      statusCode: 409,
      json: { code: 'in_progress' },
      headers: { 'Retry-After': '1' },
    })
    api.clock.move(30_000)
    expect((await call()).json).toEqual({ status: 'OK', info: '2' })

    held.resolve(okInfo('1'))
    expect((await first).json).toEqual({ status: 'OK', info: '1' })
    expect((await call()).json).toEqual({ status: 'OK', info: '2' })
    expect(runs()).toBe(2)
  })
})

describe('a request whose run died', () => {
  it('a request whose run died runs once more when two repetitions arrive together after its lease', async () => {
    const { api, call, runs } = await anEndpoint((run) =>
      run === 1 ? new Promise(() => {}) : Promise.resolve(okInfo('done')),
    )
    void call()
    await new Promise((resolve) => setImmediate(resolve))
    api.clock.move(30_000)

    const answers = await Promise.all([call(), call()])

    expect(runs()).toBe(2)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 409]))
  })
})

describe('an answer is not kept', () => {
  it.each([
    ['a failure of the service', new Error('broken'), 500],
    ['an outage', new DomainError('store_unavailable', 'away'), 503],
    ['a refusal for being too many', new DomainError('rate_limited', 'too many'), 429],
  ])('an answer that is %s is not kept: the request runs again at once', async (_title, error, status) => {
    const { call, runs } = await anEndpoint(async (run) => {
      if (run === 1) throw error
      return okInfo('done')
    })

    expect((await call()).statusCode).toBe(status)
    expect(await call()).toMatchObject({ statusCode: 200 })
    expect(await call()).toMatchObject({ statusCode: 200, headers: { 'Idempotent-Replayed': 'true' } })
    expect(runs()).toBe(2)
  })

  it('an answer above 200 KB is not stored, and a repetition runs again', async () => {
    const { call, runs } = await anEndpoint(async () => okInfo('x'.repeat(205_000)))

    await call()
    expect((await call()).headers).not.toHaveProperty('Idempotent-Replayed')
    expect(runs()).toBe(2)
  })

  it('an answer of exactly 200 KB is stored for repetitions', async () => {
    const { call, runs } = await anEndpoint(async () =>
      okInfo('x'.repeat(200 * 1024 - '{"status":"OK","info":""}\n'.length)),
    )

    await call()
    expect((await call()).headers).toHaveProperty('Idempotent-Replayed')
    expect(runs()).toBe(1)
  })

  it('an answer is returned even if the store fails after the request ran, and the failure is logged', async () => {
    const { api, admin } = await setUp()
    let isAway = true
    const broken = api.with({ idempotency: gone(api.ports.idempotency, 'complete', () => isAway) })

    const first = await broken.call(createAccount, { body: account, headers: admin })
    isAway = false
    api.clock.move(30_001)
    const second = await broken.call(createAccount, { body: account, headers: admin })

    expect(first).toMatchObject({ status: 200 })
    expect(second.body).toEqual(first.body)
    expect(api.log.lines.map(({ message }) => message)).toContain('answer of an idempotent request not kept')
    expect(api.ports.state.accounts.size).toBe(4)
  })

  it('a request with a key does not run if the store is down before it', async () => {
    const { api, admin } = await setUp()
    const broken = api.with({ idempotency: gone(api.ports.idempotency, 'create', () => true) })

    expect(await broken.call(createAccount, { body: account, headers: admin })).toMatchObject({ status: 503 })
    expect(api.ports.state.accounts.size).toBe(3)
  })

  it('a refusal before the request ran is not stored, so that the request can be corrected', async () => {
    const { api, admin } = await setUp()

    expect(await api.call(createAccount, { body: { login: '2000' }, headers: admin })).toMatchObject({ status: 400 })
    expect(await api.call(createAccount, { body: account, headers: admin })).toMatchObject({ status: 200 })
  })
})

describe('a reply of its own status and headers', () => {
  it('a reply with its own status and headers is repeated with them', async () => {
    const { call } = await anEndpoint(async () =>
      reply(okInfo('made'), { status: 201, headers: { 'X-Truncated': 'x' } }),
    )

    await call()

    expect(await call()).toMatchObject({ statusCode: 201, headers: { 'X-Truncated': 'x' } })
  })
})

describe('an answer that shows a secret', () => {
  it('an answer that contains a secret is stored encrypted, and repeated in plain text', async () => {
    const { api, admin } = await setUp()

    const first = await api.call(createHooks, { body: aHookInput(), headers: admin })
    const second = await api.call(createHooks, { body: aHookInput(), headers: admin })

    const secrets: string[] = Object.values(first.body.data.secrets)
    expect(second.body).toEqual(first.body)
    const [kept] = [...api.ports.state.requestKeys.values()]
    const written = JSON.stringify([kept, api.log.lines, api.ports.state.audit])
    expect(kept?.answer).toBeDefined()
    expect(written).not.toContain('whsec_')
    for (const secret of secrets) expect(written).not.toContain(secret.slice(6))
    expect(written).not.toContain('insertedIds')
  })

  it('an answer that contains a secret cannot be decrypted with the store alone, since the seed is encrypted for its key', async () => {
    const { api, admin } = await setUp()
    await api.call(createHooks, { body: aHookInput(), headers: admin })
    const [kept] = [...api.ports.state.requestKeys.values()]
    const seed = kept?.seed ?? ''

    expect((await api.ports.secretBox.open(seed, 'request-seed:a.example.com:k')).length).toBe(32)
    await expect(api.ports.secretBox.open(seed, 'request-seed:b.a.example.com:k')).rejects.toThrow()
  })
})

describe('a key', () => {
  it.each(['x', 'x'.repeat(128), '!~', '{"a":1}'])('an Idempotency-Key may be %s', async (key) => {
    const { api, admin } = await setUp()

    expect(
      await api.call(createAccount, { body: account, headers: { ...admin, 'idempotency-key': key } }),
    ).toMatchObject({ status: 200 })
  })

  it.each(['', 'x'.repeat(129), 'a b', 'ü', 'a\tb', 'a, b'])('an Idempotency-Key may not be %j', async (key) => {
    const { api, admin } = await setUp()

    expect(
      await api.call(createAccount, { body: account, headers: { ...admin, 'idempotency-key': key } }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_field', details: [{ field: 'Idempotency-Key' }] } })
    expect(api.ports.state.accounts.size).toBe(3)
  })

  it('an Idempotency-Key is ignored by a login', async () => {
    const { api } = await setUp()
    const body = { username: '1000@a.example.com', password: passwordOf('1000') }
    const headers = { 'idempotency-key': 'k' }

    const [first, second] = [await api.call(logIn, { body, headers }), await api.call(logIn, { body, headers })]

    expect(second.body.key).not.toBe(first.body.key)
  })

  it('an Idempotency-Key is accepted by every POST with a token except searches and dry runs, and by no other request', () => {
    for (const route of routes) {
      const isOut = route.authentication !== 'token' || route.idempotent === false
      expect(takesKey(route), route.operationId).toBe(route.method === 'POST' && !isOut)
    }
  })
})
