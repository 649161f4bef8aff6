import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as listDomains } from '../../../functions/domains/list-domains.ts'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'

async function setUp() {
  const api = anApi()
  const account = await api.account({ role: 'admin' })
  const headers: Record<string, string> = { ...(await api.as(account)) }
  const list = (given: Record<string, string | undefined>, query = '') =>
    api.call(listAccounts, { query, headers: given as Record<string, string> })
  return { api, account, headers, list, token: headers['x-access-token'] ?? '', key: headers['x-key'] ?? '' }
}

type SetUp = Awaited<ReturnType<typeof setUp>>

describe('a pair of headers', () => {
  it('a pair of credential headers is accepted if it is exactly what the login returned', async () => {
    const { headers, list } = await setUp()

    expect(await list(headers)).toMatchObject({ status: 200 })
  })

  const shapes: [string, (given: SetUp) => Record<string, string>][] = [
    ['none', () => ({})],
    ['key only', ({ key }) => ({ 'x-key': key })],
    ['token only', ({ token }) => ({ 'x-access-token': token })],
    ['empty token', ({ key }) => ({ 'x-key': key, 'x-access-token': '' })],
    ['swapped', ({ key, token }) => ({ 'x-key': token, 'x-access-token': key })],
    ['token twice', ({ key, token }) => ({ 'x-key': key, 'x-access-token': `wrong,${token}` })],
    ['right token twice', ({ key, token }) => ({ 'x-key': key, 'x-access-token': `${token},${token}` })],
    ['key twice', ({ key, token }) => ({ 'x-key': `${key},${key}`, 'x-access-token': token })],
    ['token in upper case', ({ key, token }) => ({ 'x-key': key, 'x-access-token': token.toUpperCase() })],
    ['token with = appended', ({ key, token }) => ({ 'x-key': key, 'x-access-token': `${token}=` })],
    ['token with a space', ({ key, token }) => ({ 'x-key': key, 'x-access-token': `${token} ` })],
    ['cut token', ({ key, token }) => ({ 'x-key': key, 'x-access-token': token.slice(0, -1) })],
    ['key of another form', ({ token }) => ({ 'x-key': '../other', 'x-access-token': token })],
    ['underscores', ({ key, token }) => ({ x_key: key, x_access_token: token })],
    ['bearer', ({ token }) => ({ authorization: `Bearer ${token}` })],
  ]
  it.each(shapes)('a pair of credential headers in the form "%s" is refused', async (_, shape) => {
    const given = await setUp()

    expect(await given.list(shape(given))).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  })

  it("a mix of two users' credential headers is refused", async () => {
    const { api, token, key, list } = await setUp()
    const other: Record<string, string> = { ...(await api.as(await api.account({ login: '1001' }))) }

    expect(await list({ 'x-access-token': token, 'x-key': other['x-key'] })).toMatchObject({ status: 401 })
    expect(await list({ 'x-access-token': other['x-access-token'], 'x-key': key })).toMatchObject({ status: 401 })
  })

  it('credentials in the query are ignored', async () => {
    const { list, token, key } = await setUp()

    expect(await list({}, `access_token=${token}&x_key=${key}`)).toMatchObject({ status: 401 })
  })

  it('a token whose claims name another user or key is invalid', async () => {
    const { api, token, key, list } = await setUp()
    await api.account({ login: '1001', role: 'admin' })
    const [header, , secret] = token.split('.')
    const forged = (claims: object) =>
      [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), secret].join('.')

    for (const claims of [
      { sub: '1001@a.example.com', dom: 'a.example.com', key },
      { sub: 'root', dom: '', key },
      { sub: '1000@a.example.com', dom: 'example.com', key },
      { sub: '1000@a.example.com', dom: 'a.example.com', key, exp: 1 },
      [],
      {},
    ]) {
      expect(await list({ 'x-access-token': forged(claims), 'x-key': key })).toMatchObject({ status: 401 })
    }
  })

  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/credentials.json', import.meta.url), 'utf8'),
  )
  it.each(samples['signed token forgeries'] ?? [])('the forged token of the sample %s is refused', async (line) => {
    const { key, list } = await setUp()

    expect(await list({ 'x-access-token': line.slice(line.indexOf(' ') + 1), 'x-key': key })).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    })
  })
})

describe('a token', () => {
  it('a token is valid until its expiry and not a moment longer, even if it is still stored', async () => {
    const { api, headers, list } = await setUp()

    api.clock.move(3_600_000 - 1)
    const before = await list(headers)
    api.clock.move(1)
    const after = await list(headers)

    expect(before.status).toBe(200)
    expect(after).toMatchObject({ status: 401, body: { code: 'token_expired' } })
    expect(api.ports.state.tokens.size).toBe(1)
  })

  const endings: [string, (given: SetUp) => Promise<unknown> | void][] = [
    ['its account is gone', ({ api, account }) => api.ports.accounts.remove(account)],
    ['its domain is gone', ({ api }) => api.ports.state.domains.clear()],
    [
      'its account got another password or role',
      ({ api, account }) => api.ports.accounts.update({ ...account, credentialsId: 'another', version: 2 }, account),
    ],
    ['it is disabled', ({ api }) => disable(api)],
    ['it is removed', ({ api }) => api.ports.state.tokens.clear()],
  ]
  it.each(endings)('a token is refused when %s', async (_, end) => {
    const given = await setUp()

    await end(given)

    expect(await given.list(given.headers)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  })

  it('a token of a deleted account is not valid for a new account of the same name', async () => {
    const { api, account, headers, list } = await setUp()

    await api.ports.accounts.remove(account)
    await api.account({ role: 'admin' })

    expect(await list(headers)).toMatchObject({ status: 401 })
  })

  it("a change of root's password ends only root's tokens", async () => {
    const api = anApi()
    const root = async () => {
      const { body } = await api.call(logIn, { body: { username: 'root', password: api.ports.secrets.root } })
      return { 'x-access-token': String(body.token), 'x-key': String(body.key) }
    }
    const status = async (headers: Record<string, string>) => (await api.call(listDomains, { headers })).status
    const [user, before] = [{ ...(await api.as(await api.account({ role: 'admin' }))) }, await root()]
    expect(await status(before)).toBe(200)

    api.ports.secrets.root = 'another password'

    expect(await status(before)).toBe(401)
    expect(await status(user)).toBe(200)
    expect(await status(await root())).toBe(200)
  })

  it("a token of root is refused while the version of root's password cannot be read", async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')) }
    const cut = api.with({ secrets: gone(api.ports.secrets, 'rootVersion', () => true) })

    expect(await cut.call(listDomains, { headers })).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
  })
})

describe('the engine', () => {
  const ask = (authorization: string | undefined, api: Api = anApi()) =>
    api.call(lookUpDirectory, {
      rawBody: 'section=directory',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      },
    })
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it('the engine is admitted by its own credential', async () => {
    const api = anApi()

    expect(await ask(basic(`engine:${api.ports.secrets.engine}`), api)).toMatchObject({ status: 200 })
  })

  it.each([
    ['nothing', () => undefined],
    ['a scheme alone', () => 'Basic'],
    ['no credential', () => basic('engine:')],
    ['another credential', () => basic('engine:wrong')],
    ['its credential under another name', (credential: string) => basic(`root:${credential}`)],
    ['its credential under no name', basic],
    [
      'its credential by another scheme',
      (credential: string) => basic(`engine:${credential}`).replace('Basic', 'Bearer'),
    ],
    ['another credential and its own', (credential: string) => `${basic('engine:x')},${basic(`engine:${credential}`)}`],
  ])('the engine is refused with %s', async (_, authorization) => {
    const api = anApi()

    expect(await ask(authorization(api.ports.secrets.engine), api)).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    })
  })

  it("the engine's endpoints refuse a user's token", async () => {
    const api = anApi()
    const headers = { ...(await api.as('root')), 'content-type': 'application/x-www-form-urlencoded' }

    expect(await api.call(lookUpDirectory, { rawBody: 'section=directory', headers })).toMatchObject({ status: 401 })
  })
})

function disable({ ports }: Api): void {
  for (const [id, token] of ports.state.tokens) ports.state.tokens.set(id, { ...token, enabled: false })
}
