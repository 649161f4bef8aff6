import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { entityTag, readIfMatch } from '../../../core/requests/precondition.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as deleteAccount } from '../../../functions/accounts/delete-account.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as holdChannel } from '../../../functions/channels/hold-channel.ts'
import { anApi } from '../../support/platform/api.ts'

const params = { account_id: '1001' }

async function setUp() {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ login: '1000', role: 'admin' }))) }
  await api.account({ login: '1001' })
  const tag = async () => (await api.call(readAccount, { params, headers: admin })).headers['ETag'] ?? ''
  const update = (language: string, ifMatch?: string) =>
    api.call(updateAccount, {
      params,
      body: { variables: [`default_language=${language}`] },
      headers: { ...admin, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
    })
  const remove = (ifMatch: string) => api.call(deleteAccount, { params, headers: { ...admin, 'if-match': ifMatch } })
  return { api, admin, tag, update, remove }
}

const failed = { status: 412, body: { code: 'precondition_failed' } }

describe('the tag of a record', () => {
  it('the ETag of a record is weak, stays while nothing changes, and changes with every change', async () => {
    const { tag, update } = await setUp()

    const first = await tag()
    expect(first).toMatch(/^W\/"[\w-]+"$/)
    expect(await tag()).toBe(first)
    const { headers } = await update('uk')
    expect(headers['ETag']).not.toBe(first)
    expect(await tag()).toBe(headers['ETag'])
  })

  it('the ETag of a record that was deleted and created again differs', async () => {
    const { api, admin, tag, remove } = await setUp()
    const first = await tag()
    await remove(first)
    api.clock.move(1)
    await api.call(createAccount, {
      body: { login: '1001', password: 's3cr3t-pass word', role: 'user' },
      headers: admin,
    })

    expect(await tag()).not.toBe(first)
  })

  it('a list has no ETag', async () => {
    const { api, admin } = await setUp()

    expect((await api.call(listAccounts, { headers: admin })).headers).not.toHaveProperty('ETag')
  })
})

describe('a change under If-Match', () => {
  it('a change under If-Match succeeds on the version that was read', async () => {
    const { tag, update, remove } = await setUp()

    expect(await update('uk', await tag())).toMatchObject({ status: 200 })
    expect(await remove(await tag())).toMatchObject({ status: 200 })
  })

  it('a change under If-Match is refused, and changes nothing, on any other version', async () => {
    const { api, tag, update, remove } = await setUp()
    const stale = await tag()
    await update('uk')
    const before = structuredClone(api.ports.state.accounts)

    expect(await update('de', stale)).toMatchObject(failed)
    expect(await remove(stale)).toMatchObject(failed)
    expect(api.ports.state.accounts).toEqual(before)
  })

  it.each([
    ['*', 200],
    [' * ', 200],
    ['W/"x", %', 200],
    ['%', 200],
    ['W/"x"', 412],
    ['W/"x","y"', 412],
    ['', 400],
    ['x', 400],
    ['W/x', 400],
    ['%,', 400],
    ['"a"b"', 400],
    [`"${'x'.repeat(2000)}"`, 400],
  ])('a change under If-Match of %j has the status %i', async (form, status) => {
    const { tag, update } = await setUp()

    expect(await update('uk', form.replace('%', await tag()))).toMatchObject({ status })
  })

  it('a change under If-Match accepts the ETag in strong form, too', async () => {
    const { tag, update } = await setUp()

    expect(await update('uk', (await tag()).replace('W/', ''))).toMatchObject({ status: 200 })
  })

  it('one of many simultaneous changes under If-Match of one version succeeds', async () => {
    const { api, tag, update } = await setUp()
    const read = await tag()

    const answers = await Promise.all(['aa', 'bb', 'cc', 'dd', 'ee'].map((language) => update(language, read)))

    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(4)
    expect(api.ports.state.accounts.get('["a.example.com","1001"]')?.version).toBe(2)
  })

  it('a change under If-Match gets 412 if another change comes between its read and its write', async () => {
    const { api, admin, tag } = await setUp()
    const { accounts } = api.ports
    const forestalled = api.with({
      accounts: {
        ...accounts,
        async read(domain, login) {
          const account = await accounts.read(domain, login)
          if (account) await accounts.update({ ...account, version: account.version + 1 }, account)
          return account
        },
      },
    })
    const body = { variables: ['default_language=uk'] }
    const headers = { ...admin, 'if-match': await tag() }

    expect(await forestalled.call(updateAccount, { params, body, headers })).toMatchObject(failed)
    expect(
      await forestalled.call(deleteAccount, { params, headers: { ...headers, 'if-match': await tag() } }),
    ).toMatchObject(failed)
    expect(await forestalled.call(updateAccount, { params, body, headers: admin })).toMatchObject({
      status: 503,
      body: { code: 'store_unavailable' },
    })
  })

  it('a change under If-Match of a record without versions is refused, except with If-Match: *', async () => {
    const { api, admin } = await setUp()
    const request = { params: { channel_id: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }, body: { state: 'hold' } }

    expect(await api.call(holdChannel, { ...request, headers: { ...admin, 'if-match': 'W/"x"' } })).toMatchObject(
      failed,
    )
    expect(api.ports.engine.given).toEqual([])
    expect(await api.call(holdChannel, { ...request, headers: { ...admin, 'if-match': '*' } })).toMatchObject({
      status: 200,
    })
  })
})

describe('a request with If-None-Match', () => {
  it('a GET with the present ETag has the status 304, that ETag and no body', async () => {
    const { api, admin, tag } = await setUp()
    const etag = await tag()

    for (const header of [etag, etag.replace('W/', ''), `"x", ${etag}`, '*']) {
      const headers = { ...admin, 'if-none-match': header }
      expect(await api.call(readAccount, { params, headers })).toMatchObject({ status: 304, headers: { ETag: etag } })
    }
  })

  it('a GET with another ETag has the record, and one of a record that is not there is 404', async () => {
    const { api, admin, tag, update } = await setUp()
    const stale = await tag()
    await update('uk')
    const ask = (account_id: string, header: string) =>
      api.call(readAccount, { params: { account_id }, headers: { ...admin, 'if-none-match': header } })

    expect(await ask('1001', stale)).toMatchObject({ status: 200, body: { status: 'OK' } })
    expect(await ask('9999', '*')).toMatchObject({ status: 404 })
  })

  it.each(['x', '"a', '"a" "b"', '"a",', '', '"ä"', `"${'x'.repeat(1100)}"`, '"a,b"'])(
    'a GET with the If-None-Match %j, which is unreadable or names another version, has the record',
    async (header) => {
      const { api, admin } = await setUp()

      const answer = await api.call(readAccount, { params, headers: { ...admin, 'if-none-match': header } })

      expect(answer).toMatchObject({ status: 200, body: { status: 'OK' } })
    },
  )

  it('a comma inside the quotes of a tag belongs to the tag', async () => {
    const { api, admin, tag } = await setUp()
    const header = `"a,b" , W/",",${await tag()}`

    expect(await api.call(readAccount, { params, headers: { ...admin, 'if-none-match': header } })).toMatchObject({
      status: 304,
    })
    expect(readIfMatch('"a,b", "c"').allows('W/"a,b"')).toBe(true)
    expect(readIfMatch('"a,b", "c"').allows('W/"b"')).toBe(false)
  })

  it.each([
    ['*', 412],
    ['%', 412],
    ['"x", %', 412],
    ['"x"', 200],
    ['x', 400],
  ])('a change with If-None-Match of %j has the status %i', async (form, status) => {
    const { api, admin, tag } = await setUp()
    const headers = { ...admin, 'if-none-match': form.replace('%', await tag()) }

    const answer = await api.call(updateAccount, { params, body: { variables: ['default_language=uk'] }, headers })

    expect(answer).toMatchObject({ status })
  })

  it('a PUT with If-None-Match: * is refused where the record has no versions but exists', async () => {
    const { api, admin } = await setUp()
    const headers = { ...admin, 'if-none-match': '*' }
    const request = { params: { channel_id: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }, body: { state: 'hold' }, headers }

    expect(await api.call(holdChannel, request)).toMatchObject(failed)
    expect(api.ports.engine.given).toEqual([])
  })

  it('a list ignores If-None-Match', async () => {
    const { api, admin } = await setUp()

    expect(await api.call(listAccounts, { headers: { ...admin, 'if-none-match': 'x' } })).toMatchObject({ status: 200 })
  })
})

describe('every route', () => {
  it('only routes without a version to read create the record that their path names', () => {
    expect(routes.filter(({ creates }) => creates).map(({ operationId }) => operationId)).toEqual(['keepDomainVersion'])
  })

  it('every route that changes a record whose GET has an ETag supports If-Match', () => {
    const read = new Set(routes.filter((route) => route.method === 'GET' && route.versioned).map(({ path }) => path))

    const forgotten = routes.filter(
      ({ method, path, versioned }) => method !== 'GET' && method !== 'POST' && read.has(path) && versioned !== true,
    )

    expect(read.size).toBeGreaterThan(0)
    expect(forgotten.map(({ operationId }) => operationId)).toEqual([])
  })
})

describe('tags are compared', () => {
  it('an ETag covers the creation of the record and its version', () => {
    const precondition = readIfMatch(entityTag({ createdAt: 1, version: 2 }))

    expect(precondition.allows(entityTag({ createdAt: 1, version: 2 }))).toBe(true)
    expect(precondition.allows(entityTag({ createdAt: 2, version: 2 }))).toBe(false)
    expect(precondition.allows(entityTag({ createdAt: 1, version: 3 }))).toBe(false)
    expect(precondition.allows(undefined)).toBe(false)
  })
})
