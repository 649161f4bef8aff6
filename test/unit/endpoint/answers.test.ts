import { afterEach, describe, expect, it, vi } from 'vitest'
import { okInfo, createEndpoint } from '../../../functions/endpoint.ts'
import { logOut, logIn } from '../../../contracts/routes/auth.ts'
import { route } from '../../../contracts/routes/route.ts'
import { readStatus as statusRoute } from '../../../contracts/routes/status.ts'
import { errorCodes, errorStatus } from '../../../contracts/routes/shapes.ts'
import { DomainError, type ErrorCode } from '../../../core/errors.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { aContext, anApi, gatewayEvent } from '../../support/platform/api.ts'
import { checkedHandler } from '../../support/platform/declared.ts'
import { gone } from '../../support/stores/flaky.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A route that may be refused with every code. */
const anyRefusal = route({ ...logOut, errors: errorCodes })

/** An endpoint whose use case is the test's. */
async function setUp(useCase: () => Promise<{ status: 'OK'; info: string }>) {
  const api = anApi()
  const headers = { ...(await api.as('root')) }
  const handler = checkedHandler(anyRefusal, createEndpoint(anyRefusal, api.ports, useCase, api.tools))
  const call = async (context = aContext, more: Record<string, string> = {}) => {
    const event = gatewayEvent(logOut, { headers: { ...headers, ...more } })
    const answer = await handler(event, context)
    return { ...answer, json: JSON.parse(answer.body ?? '') }
  }
  return { api, call }
}

const succeed = async () => okInfo('done')

describe('a service that is reached over TLS', () => {
  it('every response of a service that is reached over TLS requires TLS of browsers', async () => {
    const api = anApi()

    const refused = await api.call(listAccounts)
    const served = await api.call(listAccounts, {
      headers: { ...(await api.as(await api.account({ role: 'admin' }))) },
    })

    expect([refused.status, refused.headers['Strict-Transport-Security']]).toEqual([401, 'max-age=31536000'])
    expect([served.status, served.headers['Strict-Transport-Security']]).toEqual([200, 'max-age=31536000'])
  })
})

describe('a request id', () => {
  it.each(['a', 'A.b_c-1', 'x'.repeat(64)])('%s of the caller is used', async (id) => {
    const { call } = await setUp(succeed)

    expect((await call(aContext, { 'x-request-id': id })).headers['X-Request-Id']).toBe(id)
  })

  it.each(['', 'a b', 'x'.repeat(65), 'a,b', 'ü', 'a\r\nb'])(
    'the request id %j is replaced by a new one',
    async (id) => {
      const { call } = await setUp(succeed)

      expect((await call(aContext, { 'x-request-id': id })).headers['X-Request-Id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  const traceId = '0af7651916cd43dd8448eb211c80319c'

  it('a request without an id of its own gets the id of its W3C trace', async () => {
    const { call } = await setUp(succeed)
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`

    expect((await call(aContext, { traceparent })).headers['X-Request-Id']).toBe(traceId)
    expect((await call(aContext, { traceparent, 'x-request-id': 'mine' })).headers['X-Request-Id']).toBe('mine')
  })

  it.each([
    '',
    traceId,
    `00-${traceId}-b7ad6b7169203331`,
    `00-${traceId.toUpperCase()}-b7ad6b7169203331-01`,
    `01-${traceId}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-b7ad6b7169203331-01\n`,
    `00-${traceId}-b7ad6b7169203331-01 x`,
  ])('the traceparent %j is no id of a request', async (traceparent) => {
    const { call } = await setUp(succeed)

    expect((await call(aContext, { traceparent })).headers['X-Request-Id']).toMatch(/^[0-9a-f]{8}-/)
  })

  it('a request id is in the body of a refusal and on every log line', async () => {
    const api = anApi()

    const answer = await api.call(listAccounts, { headers: { 'x-request-id': 'mine' } })

    expect(answer).toMatchObject({ status: 401, body: { requestId: 'mine' }, headers: { 'X-Request-Id': 'mine' } })
    expect(api.log.lines.map(({ keys }) => keys['requestId'])).toEqual(['mine'])
  })
})

describe('an answer', () => {
  it('no response may be cached', async () => {
    const { call } = await setUp(succeed)

    expect((await call()).headers).toMatchObject({
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
    })
  })

  it.each(Object.entries(errorStatus))('the refusal %s has the status %i', async (code, status) => {
    const { call } = await setUp(async () => {
      throw new DomainError(code as ErrorCode, 'what happened')
    })

    const answer = await call()

    expect(answer.statusCode).toBe(status)
    expect(answer.json).toEqual({
      status: 'error',
      info: 'what happened',
      code,
      requestId: answer.headers['X-Request-Id'],
    })
  })

  it('an answer says when to retry, also during an outage of a store', async () => {
    const later = await setUp(async () => {
      throw new DomainError('rate_limited', 'slower', { retryAfterSeconds: 7 })
    })
    const down = await setUp(async () => {
      throw new DomainError('store_unavailable', 'the store is down')
    })

    expect((await later.call()).headers['Retry-After']).toBe('7')
    expect((await down.call()).headers['Retry-After']).toBe('1')
  })

  it('an answer to an unforeseen error reveals nothing of it, and the log contains all', async () => {
    const { api, call } = await setUp(async () => {
      throw new TypeError('cannot read secret-table')
    })

    const { statusCode, json } = await call()

    expect(statusCode).toBe(500)
    expect(json).toMatchObject({ code: 'internal_error', info: 'internal error' })
    expect(JSON.stringify(json)).not.toContain('secret-table')
    expect(api.log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'request failed' }))
  })

  it('an answer in another form than the route declares is a failure of the service', async () => {
    const api = anApi()
    const empty = createEndpoint(statusRoute, api.ports, async () => ({}) as never, api.tools)
    const handler = checkedHandler(statusRoute, empty)

    const answer = await handler(gatewayEvent(statusRoute, { headers: { ...(await api.as('root')) } }), aContext)

    expect(answer.statusCode).toBe(500)
  })

  it('an answer contains only members that the route names', async () => {
    const { call } = await setUp(async () => ({ ...okInfo('done'), passwordHash: 'planted' }))

    expect((await call()).json).toEqual({ status: 'OK', info: 'done' })
  })

  it('an answer after a failed request is unaffected by it', async () => {
    let fails = true
    const { call } = await setUp(async () => {
      if (fails) throw new Error('once')
      return okInfo('done')
    })

    const first = await call()
    fails = false

    expect(first.statusCode).toBe(500)
    expect((await call()).statusCode).toBe(200)
  })
})

describe('a request that would outlive its function', () => {
  it.each([
    [10_000, 9_500],
    [60_000, 28_000],
  ])('a request with %i ms left is ended after %i ms with 504', async (remainingMs, endsAfterMs) => {
    vi.useFakeTimers()
    const { call } = await setUp(() => new Promise(() => {}))
    let isOver = false

    const answer = call({ getRemainingTimeInMillis: () => remainingMs }).finally(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(endsAfterMs - 1)
    const before = isOver
    await vi.advanceTimersByTimeAsync(1)

    expect(before).toBe(false)
    expect(await answer).toMatchObject({ statusCode: 504, json: { code: 'deadline_exceeded' } })
  })

  it("a request that was cut off by its function's time limit is audited, since it may still take effect", async () => {
    vi.useFakeTimers()
    const { api, call } = await setUp(() => new Promise(() => {}))

    const answer = call()
    await vi.advanceTimersByTimeAsync(28_000)
    await answer

    expect(api.ports.state.audit).toEqual([expect.objectContaining({ caller: 'root', status: 504 })])
  })
})

describe('the trail', () => {
  const body = { domain_name: 'new.example.com', customer_id: 'planted-value', junk: 1 }

  it('the audit trail has each change with author, operation and the names of fields, and none of their values', async () => {
    const api = anApi()

    await api.call(createDomain, { body, headers: { ...(await api.as('root')), 'x-request-id': 'r1' } })

    expect(api.ports.state.audit).toEqual([
      {
        at: api.clock.now(),
        requestId: 'r1',
        caller: 'root',
        domain: '',
        sourceAddress: '198.51.100.7',
        method: 'POST',
        path: '/api/v2/domains',
        status: 200,
        fields: ['customer_id', 'domain_name'],
      },
    ])
    expect(JSON.stringify(api.ports.state.audit)).not.toContain('planted')
  })

  it('the audit trail has refused changes of known callers, none of unknown ones, and no reading requests', async () => {
    const api = anApi()
    const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }

    await api.call(createDomain, { body, headers: admin })
    await api.call(createDomain, { body })
    await api.call(listAccounts, { headers: admin })

    expect(api.ports.state.audit.map(({ caller, status }) => ({ caller, status }))).toEqual([
      { caller: '1000@a.example.com', status: 403 },
    ])
  })

  it('an audit record that cannot be written leaves the response unchanged and is logged', async () => {
    const api = anApi()
    const audit = gone(api.ports.audit, 'append', () => true)
    const headers = { ...(await api.as('root')) }

    const answer = await api.with({ audit }).call(createDomain, { body, headers })

    expect(answer.status).toBe(200)
    expect(api.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'audit record not written' }),
    )
  })

  it('an audit record that is written slowly delays the response by 400 ms at most', async () => {
    vi.useFakeTimers()
    const api = anApi()
    const headers = { ...(await api.as('root')) }
    const audit = { ...api.ports.audit, append: () => new Promise<void>(() => {}) }

    const answer = api.with({ audit }).call(createDomain, { body, headers })
    await vi.advanceTimersByTimeAsync(400)

    expect((await answer).status).toBe(200)
  })
})

describe('a session', () => {
  it('a session is recorded once a minute for each user', async () => {
    const api = anApi()
    const handler = checkedHandler(logOut, createEndpoint(logOut, api.ports, succeed, api.tools))
    const touch = vi.spyOn(api.ports.sessions, 'touch')
    const event = async () => gatewayEvent(logOut, { headers: { ...(await api.as('root')) } })

    await handler(await event(), aContext)
    api.clock.move(59_999)
    await handler(await event(), aContext)
    api.clock.move(1)
    await handler(await event(), aContext)

    expect(touch.mock.calls.map(([username]) => username)).toEqual(['root', 'root'])
  })

  it('a session that cannot be recorded fails no request, and is tried again at the next one', async () => {
    const api = anApi()
    let isGone = true
    const ports = { ...api.ports, sessions: gone(api.ports.sessions, 'touch', () => isGone) }
    const handler = checkedHandler(logOut, createEndpoint(logOut, ports, succeed, api.tools))
    const event = gatewayEvent(logOut, { headers: { ...(await api.as('root')) } })

    const answer = await handler(event, aContext)
    isGone = false
    await handler(event, aContext)

    expect(answer.statusCode).toBe(200)
    expect([...api.ports.state.sessions.keys()]).toEqual(['root'])
  })
})

describe('a refusal of fields', () => {
  it('a refusal of fields names each field and its problem', async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }

    const { body } = await api.call(createDomain, {
      body: { domain_name: 'a_b', customer_id: 'c', variables: ['no assignment', 5] },
      headers,
    })

    expect(body).toMatchObject({ code: 'invalid_field', info: expect.stringContaining('domain_name: ') })
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual([
      'domain_name',
      'variables[0]',
      'variables[1]',
    ])
  })

  it('a refusal of fields distinguishes a missing field from a wrong one', async () => {
    const api = anApi()

    const { body } = await api.call(createDomain, {
      body: { customer_id: 'c' },
      headers: { ...(await api.as('root')) },
    })

    expect(body).toMatchObject({
      code: 'missing_field',
      info: 'domain_name: must be given',
      details: [{ field: 'domain_name', problem: 'must be given' }],
    })
  })

  it('a refused login says "text" where text is expected', async () => {
    const handler = createEndpoint(logIn, anApi().ports, async () => ({}) as never, anApi().tools)

    const answer = await checkedHandler(logIn, handler)(gatewayEvent(logIn, { body: { username: ['x'] } }), aContext)

    expect(JSON.parse(answer.body ?? '')).toMatchObject({ details: [{ field: 'username', problem: 'must be text' }] })
  })
})
