import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as updateRole } from '../../../functions/acl/update-role.ts'
import { handler as logOut } from '../../../functions/auth/log-out.ts'
import { handler as whoAmI } from '../../../functions/auth/who-am-i.ts'
import { handler as beginTotp } from '../../../functions/auth/begin-totp.ts'
import { handler as listChannels } from '../../../functions/channels/list-channels.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { handler as createDomainToken } from '../../../functions/domains/create-domain-token.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { handler as deleteDomainToken } from '../../../functions/domains/delete-domain-token.ts'
import { handler as listDomainTokens } from '../../../functions/domains/list-domain-tokens.ts'
import { handler as updateDomainToken } from '../../../functions/domains/update-domain-token.ts'
import { anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aDomainToken, aRole } from '../../support/records/records.ts'

const domain = 'a.example.com'
const other = 'b.a.example.com'
const params = { domain_name: domain }
const yearMs = 365 * 86_400_000

async function setUp() {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const foreign = { ...(await api.as(await api.account({ domain: other, role: 'admin' }))) }
  const root = { ...(await api.as('root')) }
  const issue = (given: Record<string, unknown> = {}) =>
    api.call(createDomainToken, {
      params,
      headers,
      body: { expire: api.clock.now() + yearMs, role: 'admin', ...given },
    })
  /** Issues a token and gives the header that it is used by, and its uuid. */
  const issued = async (given: Record<string, unknown> = {}) => {
    const { body } = await issue(given)
    return { token: { 'x-access-token': String(body.info.token) }, uuid: String(body.info.data.uuid) }
  }
  return { api, headers, foreign, root, issue, issued }
}

describe('an issued token of a domain', () => {
  it('an issued domain token is shown once and stored as a digest', async () => {
    const { api, issue } = await setUp()

    const { status, body } = await issue({ description: 'CRM', role: 'user' })

    expect(status).toBe(200)
    expect(body.info.data).toEqual({
      uuid: expect.any(String),
      expire: api.clock.now() + yearMs,
      roleName: 'user',
      description: 'CRM',
      createdBy: `1000@${domain}`,
      createdOn: api.clock.now(),
      enabled: true,
    })
    const [kept] = api.ports.state.domainTokens.values()
    expect(Buffer.from(body.info.token.split('.')[2], 'base64url')).toHaveLength(32)
    expect(kept?.digest).toBe(createHash('sha256').update(body.info.token).digest('hex'))
    expect(JSON.stringify([...api.ports.state.domainTokens, ...api.ports.state.audit])).not.toContain(
      body.info.token.split('.')[2],
    )
  })

  it('domain tokens are listed without their text, oldest first', async () => {
    const { api, headers, issued } = await setUp()
    const first = await issued()
    api.clock.move(1000)
    const second = await issued()

    const { body, text } = await api.call(listDomainTokens, { params, headers })

    expect(body.info.map(({ uuid }: { uuid: string }) => uuid)).toEqual([first.uuid, second.uuid])
    expect(text).not.toContain(first.token['x-access-token'].split('.')[2])
    expect(text).not.toContain('digest')
  })

  it.each([
    [{ expire: undefined }, 400, 'missing_field'],
    [{ role: undefined }, 400, 'missing_field'],
    [{ expire: 0 }, 400, 'invalid_field'],
    [{ expire: '1' }, 400, 'invalid_field'],
    [{ expire: 1.5 }, 400, 'invalid_field'],
    [{ expire: Number.MAX_SAFE_INTEGER }, 400, 'invalid_field'],
    [{ role: 'nobody' }, 400, 'invalid_field'],
    [{ role: 'root' }, 400, 'invalid_field'],
    [{ role: 'toString' }, 400, 'invalid_field'],
    [{ description: 'a\tb' }, 400, 'invalid_field'],
    [{ description: 'x'.repeat(257) }, 400, 'invalid_field'],
    [{ role: 'mighty' }, 403, 'permission_denied'],
    [{ domain: other }, 403, 'permission_denied'],
  ])('a domain token is not created from %j: %i %s', async (given, status, code) => {
    const { api, issue } = await setUp()
    await api.ports.roles.write({
      domain,
      roles: [aRole({ name: 'mighty', allows: { license: ['r'] } })],
      version: 1,
    })

    expect(await issue(given)).toMatchObject({ status, body: { code } })
    expect(api.ports.state.domainTokens.size).toBe(0)
  })

  it('a domain token may expire at any moment from the next millisecond to five years ahead', async () => {
    const { api, issue } = await setUp()
    const fiveYears = Date.UTC(2031, 0, 15, 12)

    expect((await issue({ expire: api.clock.now() })).status).toBe(400)
    expect((await issue({ expire: api.clock.now() + 1 })).status).toBe(200)
    expect((await issue({ expire: fiveYears })).status).toBe(200)
    expect((await issue({ expire: fiveYears + 3 * 86_400_000 })).status).toBe(400)
  })

  it('a domain that has a hundred tokens is refused another one', async () => {
    const { api, issue } = await setUp()
    for (let count = 0; count < 99; count += 1) await api.ports.domainTokens.create(aDomainToken({ domain }), 100)

    expect((await issue()).status).toBe(200)
    expect(await issue()).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  it('a domain token is created once for an Idempotency-Key, and shown again', async () => {
    const { api, headers } = await setUp()
    const body = { expire: api.clock.now() + yearMs, role: 'user' }
    const request = { params, body, headers: { ...headers, 'idempotency-key': 'k-1' } }

    const first = await api.call(createDomainToken, request)
    const second = await api.call(createDomainToken, request)

    expect(second.body).toEqual(first.body)
    expect(api.ports.state.domainTokens.size).toBe(1)
    expect(JSON.stringify([...api.ports.state.requestKeys.values()])).not.toContain(first.body.info.token)
  })
})

describe('the tokens of a domain', () => {
  it('the tokens of any existing domain are managed by root', async () => {
    const { api, root, issued } = await setUp()
    const { uuid } = await issued()

    expect((await api.call(listDomainTokens, { params, headers: root })).body.info).toHaveLength(1)
    expect(await api.call(listDomainTokens, { params: { domain_name: 'no.test' }, headers: root })).toMatchObject({
      status: 404,
    })
    expect(await api.call(deleteDomainToken, { params: { ...params, uuid }, headers: root })).toMatchObject({
      status: 200,
    })
  })

  it('domain tokens above the caller can be neither enabled nor deleted', async () => {
    const { api, headers } = await setUp()
    const roles = [aRole({ name: 'mighty', allows: { license: ['r'] } })]
    await api.ports.roles.write({ domain, roles, version: 1 })
    const token = aDomainToken({ domain, role: 'mighty', enabled: false })
    await api.ports.domainTokens.create(token, 100)
    const one = { ...params, uuid: token.uuid }

    expect(await api.call(updateDomainToken, { params: one, headers, body: { state: true } })).toMatchObject({
      status: 403,
    })
    expect(await api.call(deleteDomainToken, { params: one, headers })).toMatchObject({ status: 403 })
    expect([...api.ports.state.domainTokens.values()]).toEqual([token])
  })

  it.each([
    ['not-a-uuid', { state: true }, 404],
    ['00000000-0000-4000-8000-000000000000', { state: true }, 404],
    ['issued', {}, 400],
    ['issued', { state: 'true' }, 400],
    ['issued', { state: null }, 400],
  ])('%s with %j is answered %i', async (which, body, status) => {
    const { api, headers, issued } = await setUp()
    const { uuid } = await issued()
    const one = { ...params, uuid: which === 'issued' ? uuid : which }

    expect(await api.call(updateDomainToken, { params: one, headers, body })).toMatchObject({ status })
  })
})

describe('a token of a domain in use', () => {
  it('a domain token needs no key, and if one is sent it must be right', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued()
    const use = async (key?: string) =>
      (await api.call(listAccounts, { headers: { ...token, ...(key === undefined ? {} : { 'x-key': key }) } })).status

    expect(await use()).toBe(200)
    expect(await use(uuid)).toBe(200)
    expect(await use('')).toBe(401)
    expect(await use(uuid.toUpperCase())).toBe(401)
    expect(await use('00000000-0000-4000-8000-000000000000')).toBe(401)
  })

  it('the description of a domain token names it and its permissions', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued()

    expect((await api.call(whoAmI, { headers: token })).body).toMatchObject({
      id: `${uuid}@${domain}`,
      domain,
      role: 1,
      roleName: 'admin',
      expires: api.clock.now() + yearMs,
    })
  })

  it('a domain token with changed claims is refused', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued({ role: 'user' })
    const [header, , secret] = token['x-access-token'].split('.')
    const forged = (claims: object) =>
      [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), secret].join('.')

    for (const claims of [
      { sub: `${uuid}@${other}`, dom: other, key: uuid, static: true },
      { sub: `1000@${domain}`, dom: domain, key: uuid, static: true },
      { sub: `${uuid}@${domain}`, dom: domain, key: uuid },
      { sub: 'root', dom: '', key: uuid, static: true },
      { sub: `${uuid}@`, dom: '', key: uuid, static: true },
      { sub: `${uuid}@${domain}`, dom: domain, key: uuid, static: true, exp: 1 },
      { sub: `${uuid}@${domain}`, dom: domain, key: uuid, static: 1 },
    ]) {
      const headers = { 'x-access-token': forged(claims), 'x-key': uuid }
      expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    }
  })

  const endings: [string, string, (given: Awaited<ReturnType<typeof setUp>>, uuid: string) => unknown][] = [
    [
      'it is disabled',
      'invalid_token',
      ({ api, headers }, uuid) =>
        api.call(updateDomainToken, { params: { ...params, uuid }, headers, body: { state: false } }),
    ],
    [
      'it is deleted',
      'invalid_token',
      ({ api, headers }, uuid) => api.call(deleteDomainToken, { params: { ...params, uuid }, headers }),
    ],
    ['its time is over', 'token_expired', ({ api }) => api.clock.move(yearMs)],
    ['its domain is deleted', 'invalid_token', ({ api, root }) => api.call(deleteDomain, { params, headers: root })],
  ]
  it.each(endings)('a domain token is refused by the next request once %s', async (_, code, end) => {
    const given = await setUp()
    const { token, uuid } = await given.issued()

    expect(await given.api.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
    await end(given, uuid)

    expect(await given.api.call(listAccounts, { headers: token })).toMatchObject({ status: 401, body: { code } })
  })

  it('a domain token is accepted again once it is enabled again', async () => {
    const { api, headers, issued } = await setUp()
    const { token, uuid } = await issued()
    const set = (state: boolean) =>
      api.call(updateDomainToken, { params: { ...params, uuid }, headers, body: { state } })

    expect((await set(false)).body.info).toMatchObject({ uuid, enabled: false })
    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 401 })
    expect((await set(true)).body.info).toMatchObject({ enabled: true })
    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
  })

  it('a domain token has the current permissions of its role', async () => {
    const { api, root, issued } = await setUp()
    await api.ports.roles.write({ domain, roles: [aRole({ name: 'reader', allows: { account: ['r'] } })], version: 1 })
    const { token } = await issued({ role: 'reader' })

    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
    await api.call(updateRole, {
      params: { name: 'reader' },
      headers: root,
      query: `domain=${domain}`,
      body: { allows: {} },
    })

    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 403 })
  })

  it('a domain token outlives its issuer', async () => {
    const { api, issued } = await setUp()
    const { token } = await issued()
    const [issuer] = await api.ports.accounts.list(domain)
    if (issuer !== undefined) await api.ports.accounts.remove(issuer)

    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
  })

  it('a domain token owns no account, not even one of the same name', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued({ role: 'user' })
    await api.account({ login: uuid })
    const own = { params: { account_id: uuid }, headers: token }

    expect(await api.call(updateAccount, { ...own, body: { password: 's3cr3t-taken over' } })).toMatchObject({
      status: 403,
    })
    expect(
      await api.call(updateAccount, { ...own, params: { account_id: `${uuid}@${domain}` }, body: {} }),
    ).toMatchObject({
      status: 403,
    })
    expect((await api.call(readAccount, own)).body.data).not.toHaveProperty('a1-hash')
  })

  it('a domain token owns no call, not even one of an account of the same name', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued({ role: 'user' })
    await api.account({ login: uuid })

    await api.call(listChannels, { headers: token })
    const call = await api.call(originateCall, { headers: token, body: { calledId: '9196', callerId: uuid } })
    const unnamed = await api.call(originateCall, { headers: token, body: { calledId: '9196' } })

    expect(api.ports.engine.given.map(({ scope }) => scope)).toEqual([
      { domain, presenceId: `token:${uuid}@${domain}` },
    ])
    expect(call.status).toBe(403)
    expect(unnamed).toMatchObject({ status: 400, body: { code: 'missing_field' } })
  })

  it('a domain token can neither log out nor have a second factor', async () => {
    const { api, issued } = await setUp()
    const { token } = await issued()

    expect(await api.call(logOut, { headers: token })).toMatchObject({ status: 403 })
    expect(await api.call(beginTotp, { headers: token })).toMatchObject({ status: 400 })
    expect(await api.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
  })

  it('the trail has the first use of a domain token from each network, and no later one', async () => {
    const { api, issued } = await setUp()
    const { token, uuid } = await issued()
    const use = (sourceAddress: string) => api.call(listAccounts, { headers: token, sourceAddress })

    for (const address of ['192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'])
      await use(address)

    const noted = api.ports.state.audit.filter(({ note }) => note !== undefined)
    expect(noted.map(({ sourceAddress }) => sourceAddress)).toEqual(['192.0.2.1', '2001:db8::1', '2001:db8:0:1::1'])
    expect(noted[0]).toMatchObject({
      caller: `${uuid}@${domain}`,
      domain,
      status: 200,
      method: 'GET',
      note: 'static-token use by a new source',
    })
  })

  it('a domain token is accepted even if its source cannot be recorded, and is not said to have a new one', async () => {
    const { api, issued } = await setUp()
    const { token } = await issued()
    const cut = api.with({ sessions: gone(api.ports.sessions, 'meet', () => true) })

    expect(await cut.call(listAccounts, { headers: token })).toMatchObject({ status: 200 })
    expect(api.log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'source not noted' }))
    expect(api.ports.state.audit.filter(({ note }) => note !== undefined)).toEqual([])
  })
})
