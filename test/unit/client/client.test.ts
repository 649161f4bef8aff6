import { expect, it } from 'vitest'
import { CallplaneError, Client } from '../../../client/index.ts'
import { type Api, anApi, passwordOf } from '../../support/platform/api.ts'
import { memoryFetch } from '../../support/platform/memory-fetch.ts'

const domain = 'a.example.com'
const username = `1000@${domain}`
const url = 'https://api.test'

/** A client that logs in as the admin of a domain with three accounts. */
async function adminClient(api: Api = anApi()) {
  const password = passwordOf('1000')
  for (const login of ['1000', '1001', '1002']) await api.account({ login, domain, role: 'admin' })
  const { fetch, sent } = memoryFetch(api)
  return { api, sent, fetch, client: new Client({ url, login: { username, password }, fetch }) }
}

const logins = (sent: readonly { path: string }[]) => sent.filter(({ path }) => path === '/login').length

it('a client logs in before its first call and keeps the token', async () => {
  const { client, sent } = await adminClient()

  const caller = await client.call('whoAmI')
  await client.call('listAccounts')

  expect(caller).toMatchObject({ domain, roleName: 'admin' })
  expect(sent.map(({ path }) => path)).toEqual(['/login', '/api/v2/whoami', '/api/v2/accounts'])
  expect(sent[2]?.headers).toMatchObject({ 'x-access-token': client.token?.token, 'x-key': client.token?.key })
})

it('calls that begin together share one login', async () => {
  const { client, sent } = await adminClient()

  await Promise.all([client.call('whoAmI'), client.call('listAccounts'), client.call('whoAmI')])

  expect(logins(sent)).toBe(1)
})

it('a client whose token was ended logs in again and repeats the call once', async () => {
  const { client, fetch, sent } = await adminClient()
  await client.call('whoAmI')
  await new Client({ url, fetch, token: client.token ?? { token: '' } }).logOut()

  const deleted = await client.call('deleteAccount', { params: { account_id: '1002' } })

  expect(deleted.status).toBe('OK')
  expect(sent.map(({ path }) => path).slice(-3)).toEqual(['/api/v2/accounts/1002', '/login', '/api/v2/accounts/1002'])
})

it('a token that is refused right after its login is not renewed again', async () => {
  const { fetch, sent } = await adminClient()
  const broken = async (address: string, init?: RequestInit) =>
    address.endsWith('/login')
      ? fetch(address, init)
      : fetch(address, { ...init, headers: { 'x-access-token': 'a.b.c', 'x-key': 'none' } })
  const client = new Client({ url, fetch: broken, login: { username, password: passwordOf('1000') } })

  await expect(client.call('whoAmI')).rejects.toMatchObject({ status: 401, code: 'invalid_token' })

  expect(logins(sent)).toBe(2)
})

it('a wrong password is refused with one request', async () => {
  const { fetch, sent } = await adminClient()
  const client = new Client({ url, fetch, login: { username, password: 'wrong' } })

  await expect(client.call('whoAmI')).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' })

  expect(sent).toHaveLength(1)
})

it('a refused call throws its code, status, details and request id', async () => {
  const { client } = await adminClient()
  const body = { login: 'not a login', password: 's3cr3t-one', role: 'user' }

  const error = await client.call('createAccount', { body }).catch((problem: unknown) => problem)

  expect(error).toBeInstanceOf(CallplaneError)
  expect(error).toMatchObject({ code: 'invalid_field', status: 400, requestId: expect.stringMatching(/./) })
  expect(error).toMatchObject({ details: [{ field: 'login', problem: expect.any(String) }] })
  expect(String(error)).toContain('POST /api/v2/accounts was answered 400: invalid_field, ')
})

it('an answer that is not of the API throws unexpected_answer', async () => {
  const answer = (text: string, status: number) => async () => new Response(text, { status })

  const page = new Client({ url, fetch: answer('<h1>Bad gateway</h1>', 403) }).call('readHealth')
  const success = new Client({ url, fetch: answer('<h1>Welcome</h1>', 200) }).call('readHealth')

  await expect(page).rejects.toMatchObject({ code: 'unexpected_answer', status: 403 })
  await expect(success).rejects.toMatchObject({ code: 'unexpected_answer', status: 200 })
})

it('the pages of a list hold every item once', async () => {
  const { client, sent } = await adminClient()

  const names: (string | undefined)[] = []
  for await (const { data } of client.pages('listAccounts', { query: { limit: 1 } })) {
    names.push(...Object.values(data).map(({ id }) => id))
  }

  expect(names).toEqual(['1000', '1001', '1002'])
  expect(sent.filter(({ path }) => path === '/api/v2/accounts').map(({ query }) => query.split('&')[0])).toEqual(
    Array.from({ length: 3 }, () => 'limit=1'),
  )
})

it('all events are read until there are no more', async () => {
  const batch = (first: number, more: boolean) => ({
    status: 'OK',
    data: { events: [{ sequence: first }, { sequence: first + 1 }], gaps: [], next: first + 1, more },
  })
  const queries: string[] = []
  const fetch = async (address: string) => {
    const { search } = new URL(address)
    queries.push(search)
    return Response.json(batch(search === '' ? 1 : 3, search === ''))
  }

  const numbers: number[] = []
  for await (const { sequence } of new Client({ url, fetch }).events()) numbers.push(sequence)

  expect(numbers).toEqual([1, 2, 3, 4])
  expect(queries).toEqual(['', '?since=2'])
})

it('a search is continued by its scroll id until a page is empty', async () => {
  const bodies: unknown[] = []
  const pages = [['one', 'two'], ['three'], []]
  const fetch = async (_: string, init?: RequestInit) => {
    bodies.push(JSON.parse(typeof init?.body === 'string' ? init.body : ''))
    const hits = (pages.shift() ?? []).map((_id) => ({ _id }))
    return Response.json({ hits: { total: 3, hits }, scrollId: `after ${hits.length}` })
  }

  const found: string[] = []
  for await (const { _id } of new Client({ url, fetch }).cdrs({ body: { query: 'duration:>1' } })) found.push(_id)

  expect(found).toEqual(['one', 'two', 'three'])
  expect(bodies).toEqual([{ query: 'duration:>1', scroll: true }, { scrollId: 'after 2' }, { scrollId: 'after 1' }])
})

it('a recording is fetched from the object store without a credential', async () => {
  const link = 'https://store.test/object?X-Amz-Signature=s'
  const requests: { address: string; headers: unknown }[] = []
  const fetch = async (address: string, init?: RequestInit) => {
    requests.push({ address, headers: init?.headers ?? {} })
    return address === link ? new Response('sound') : Response.json({ url: link, expires: 1, size: 5 })
  }
  const client = new Client({ url, fetch, token: { token: 'a.b.c', key: 'k' } })

  const response = await client.recording('11111111-2222-4333-8444-555555555555', { query: { name: 'a/b' } })

  expect(await response.text()).toBe('sound')
  expect(requests).toEqual([
    {
      address: `${url}/cdr/api/v2/files/11111111-2222-4333-8444-555555555555?name=a%2Fb`,
      headers: { accept: 'application/json', 'x-access-token': 'a.b.c', 'x-key': 'k' },
    },
    { address: link, headers: {} },
  ])
})

it('names in a path are percent-encoded', async () => {
  const addresses: string[] = []
  const fetch = async (address: string) => {
    addresses.push(address)
    return Response.json({ status: 'OK' })
  }

  await new Client({ url: `${url}/`, fetch }).call('readAccount', { params: { account_id: '../a?b' } })

  expect(addresses).toEqual([`${url}/api/v2/accounts/..%2Fa%3Fb`])
})

it.each(['', '.', '..'])('the name %j cannot lead to another path', async (account_id) => {
  const addresses: string[] = []
  const fetch = async (address: string) => {
    addresses.push(address)
    return Response.json({ status: 'OK' })
  }

  const deleted = new Client({ url, fetch }).call('deleteAccount', { params: { account_id } })

  await expect(deleted).rejects.toThrow('params.account_id must be a name, got')
  expect(addresses).toEqual([])
})
