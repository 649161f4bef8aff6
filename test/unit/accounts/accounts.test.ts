import { describe, expect, it } from 'vitest'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aKnownCall, aPresence } from '../../support/records/records.ts'

/** Two tenants with equal logins; an admin 1000 and a user 1001 in each. */
async function setUp() {
  const api = anApi()
  const admin = await api.account({ login: '1000', role: 'admin' })
  const user = await api.account({ login: '1001' })
  await api.account({ domain: 'b.a.example.com', login: '1000', role: 'admin' })
  await api.account({ domain: 'b.a.example.com', login: '1001' })
  return { api, admin: { ...(await api.as(admin)) }, user: { ...(await api.as(user)) } }
}

describe('the list of accounts', () => {
  it("the list of accounts contains those of the caller's domain by id, each with its state", async () => {
    const { api, admin } = await setUp()

    const { body } = await api.call(listAccounts, { headers: admin })

    expect(body).toEqual({
      status: 'OK',
      data: {
        '1000': { id: '1000', domain: 'a.example.com', scheme: 'account', online: false, state: 'nonreg' },
        '1001': { id: '1001', domain: 'a.example.com', scheme: 'account', online: false, state: 'nonreg' },
      },
      order: ['1000', '1001'],
    })
  })

  const called = { presenceId: '1000@a.example.com' }
  const states: [Parameters<typeof aPresence>[0], Parameters<typeof aKnownCall>[0] | undefined, object][] = [
    [{}, undefined, { online: true, state: 'onhook' }],
    [{}, called, { online: true, state: 'isbusy' }],
    [{}, { ...called, state: 'ended' }, { online: true, state: 'onhook' }],
    [{}, { presenceId: '1001@a.example.com' }, { online: true, state: 'onhook' }],
    [{}, { ...called, domain: 'b.a.example.com' }, { online: true, state: 'onhook' }],
    [{ contacts: [] }, undefined, { online: false, state: 'nonreg' }],
    [{ contacts: [] }, called, { online: true, state: 'isbusy' }],
    [{ domain: 'b.a.example.com' }, undefined, { online: false, state: 'nonreg' }],
  ]
  it.each(states)('after the engine reported phones %j and a leg %j the account is listed as %j', async (...given) => {
    const [presence, leg, state] = given
    const { api, admin } = await setUp()
    await api.ports.presence.put(aPresence({ login: '1000', ...presence }))
    if (leg !== undefined) {
      await api.ports.knownCalls.put(aKnownCall({ ...leg, uuid: 'leg', state: 'up' }))
      await api.ports.knownCalls.put(aKnownCall({ ...leg, uuid: 'leg' }))
    }

    const { body } = await api.call(listAccounts, { headers: admin })

    expect(body.data['1000']).toMatchObject(state)
  })

  it('an account is listed with the reason while one of its phones is not rung', async () => {
    const { api, admin } = await setUp()
    const expiresAt = api.clock.now() + 1000
    const hostile = { id: 'sip:hostile', expiresAt, refused: 'contact' } as const
    const listed = async () => (await api.call(listAccounts, { headers: admin })).body.data['1000']

    await api.ports.presence.put(aPresence({ contacts: [hostile] }))
    expect(await listed()).toMatchObject({ online: false, state: 'nonreg', refused: 'contact' })
    await api.ports.presence.put(aPresence({ contacts: [hostile, { id: 'sip:good', expiresAt: expiresAt + 1000 }] }))
    expect(await listed()).toMatchObject({ online: true, state: 'onhook', refused: 'contact' })
    api.clock.move(1000)
    expect(await listed()).not.toHaveProperty('refused')
  })

  it('the list of accounts counts a registration until the moment of its expiry', async () => {
    const { api, admin } = await setUp()
    await api.ports.presence.put(aPresence({ contacts: [{ id: 'c', expiresAt: api.clock.now() + 1000 }] }))
    const stateNow = async () => (await api.call(listAccounts, { headers: admin })).body.data['1000'].state

    expect(await stateNow()).toBe('onhook')
    api.clock.move(1000)
    expect(await stateNow()).toBe('nonreg')
  })

  it('the list of accounts can be paged, sorted, filtered and reduced to columns without changing its shape', async () => {
    const { api, admin } = await setUp()
    await api.account({ login: '2000' })

    const first = await api.call(listAccounts, {
      headers: admin,
      query: 'limit=1&sort=%7B%22id%22:-1%7D&columns=state',
    })
    const cursor = first.headers['X-Next-Cursor'] ?? ''
    const next = await api.call(listAccounts, { headers: admin, query: `limit=5&sort={"id":-1}&cursor=${cursor}` })
    const filtered = await api.call(listAccounts, { headers: admin, query: 'filter={"id":"10"}' })

    expect(first.body.data).toEqual({ '2000': { state: 'nonreg' } })
    expect(Object.keys(next.body.data).toSorted()).toEqual(['1000', '1001'])
    expect(Object.keys(filtered.body.data)).toEqual(['1000', '1001'])
  })

  it('the member `order` of the list has the logins as they are sorted, although numbers come first in an object', async () => {
    const { api, admin } = await setUp()
    await api.account({ login: 'anna' })
    const order = async (query: string) => (await api.call(listAccounts, { headers: admin, query })).body.order

    expect(await order('sort={"id":-1}')).toEqual(['anna', '1001', '1000'])
    expect(await order('sort={"id":-1}&limit=2&columns=state')).toEqual(['anna', '1001'])
    expect(await order('filter={"id":"zz"}')).toEqual([])
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'page=0',
    'sort=x',
    'columns=passwordHash',
    'limit=1&limit=2',
    'domain=%',
  ])('the list of accounts with %s is refused', async (query) => {
    const { api, admin } = await setUp()

    expect(await api.call(listAccounts, { headers: admin, query })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field' },
    })
  })

  it('the list of accounts requires a domain from root, and refuses another domain to a tenant', async () => {
    const { api, admin } = await setUp()
    const headers = { ...(await api.as('root')) }

    expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 400, body: { code: 'domain_required' } })
    expect(await api.call(listAccounts, { headers, query: 'domain=b.a.example.com' })).toMatchObject({ status: 200 })
    expect(await api.call(listAccounts, { headers: admin, query: 'domain=b.a.example.com' })).toMatchObject({
      status: 403,
    })
  })

  it('the list of accounts cannot be read during an outage of the store, and the answer says so', async () => {
    const { api, admin } = await setUp()
    const cut = api.with({ accounts: gone(api.ports.accounts, 'list', () => true) })

    expect(await cut.call(listAccounts, { headers: admin })).toMatchObject({
      status: 503,
      body: { code: 'store_unavailable' },
      headers: { 'Retry-After': '1' },
    })
  })
})

describe('an account detail', () => {
  it('an account detail shows the digest only to callers who may change accounts', async () => {
    const { api, admin, user } = await setUp()
    const read = (headers: Record<string, string>) => api.call(readAccount, { params: { account_id: '1001' }, headers })

    expect((await read(admin)).body.data).toHaveProperty('a1-hash')
    expect((await read(user)).body.data).not.toHaveProperty('a1-hash')
  })

  it.each(['9999', '1001@b.a.example.com', '..', 'b.a.example.com/1001', '*'])(
    'the account detail of %j is not found',
    async (id) => {
      const { api, admin } = await setUp()

      expect(await api.call(readAccount, { params: { account_id: id }, headers: admin })).toMatchObject({
        status: 404,
        body: { code: 'not_found', info: 'Account not found' },
      })
    },
  )
})

describe('a deleted account', () => {
  const remove = async (given: Awaited<ReturnType<typeof setUp>>, id: string, who: 'admin' | 'user' = 'admin') =>
    given.api.call(deleteAccount, { params: { account_id: id }, headers: given[who] })

  it('a deleted account has no tokens, its numbers are free, and the engine drops its phones', async () => {
    const given = await setUp()
    const { api, user } = given

    const answer = await remove(given, '1001')

    expect(answer).toMatchObject({ status: 200, body: { status: 'OK', info: '+OK destroyed!\n' } })
    expect(await api.call(readAccount, { params: { account_id: '1001' }, headers: user })).toMatchObject({
      status: 401,
    })
    expect(await api.ports.accounts.readByNumber('a.example.com', '1001')).toBeUndefined()
    expect(api.ports.engine.given.map(({ command, scope }) => ({ ...command, ...scope }))).toEqual([
      { kind: 'drop-registrations', login: '1001', domain: 'a.example.com', presenceId: null },
    ])
    expect(api.ports.events.published.map(({ name, domain }) => ({ name, domain }))).toEqual([
      { name: 'CUSTOM->svc::user_destroy', domain: 'a.example.com' },
    ])
    expect(await api.ports.accounts.read('b.a.example.com', '1001')).toBeDefined()
  })

  it.each([
    ['1000', 'admin', 400, 'bad_request'],
    ['9999', 'admin', 404, 'not_found'],
    ['1000', 'user', 403, 'permission_denied'],
    ['1001', 'user', 403, 'permission_denied'],
  ] as const)('a deleted account is not %s by the %s: %i %s', async (id, who, status, code) => {
    const given = await setUp()

    expect(await remove(given, id, who)).toMatchObject({ status, body: { code } })
    expect(given.api.ports.state.accounts.size).toBe(4)
    expect(given.api.ports.engine.given).toEqual([])
  })

  it('one of two simultaneous deletions of an account finds it', async () => {
    const given = await setUp()

    const answers = await Promise.all([remove(given, '1001'), remove(given, '1001')])

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  })
})
