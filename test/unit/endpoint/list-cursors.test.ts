import { describe, expect, it } from 'vitest'
import { aDomain, aHook, anAccount } from '../../support/records/records.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as listChannels } from '../../../functions/channels/list-channels.ts'
import { handler as listDomains } from '../../../functions/domains/list-domains.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'

const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** A list of the service: how it is filled, and what its answer shows, as ids. */
interface ListCase {
  readonly fill: (api: Api, count: number) => Promise<void>
  readonly read: (api: Api, query: string) => Promise<ApiAnswer>
  readonly ids: (answer: ApiAnswer) => string[]
  readonly sorts: readonly string[]
}

const roots = new WeakMap<Api, Record<string, string>>()

/** The headers of one token of root; a user has at most fifty. */
async function root(api: Api): Promise<Record<string, string>> {
  const headers = roots.get(api) ?? { ...(await api.as('root')) }
  roots.set(api, headers)
  return headers
}
const inDomain = (query: string) => `domain=a.example.com${query === '' ? '' : `&${query}`}`

const lists: Record<string, ListCase> = {
  accounts: {
    async fill(api, count) {
      await api.ports.domains.create(aDomain())
      for (let index = 0; index < count; index += 1) {
        await api.ports.accounts.create(anAccount({ login: `u${(index * 7919) % 10_007}` }), 10_000)
      }
    },
    read: async (api, query) => api.call(listAccounts, { query: inDomain(query), headers: await root(api) }),
    ids: ({ body }) => Object.keys(body.data),
    sorts: ['{"id":-1}', '{"state":1}'],
  },
  domains: {
    async fill(api, count) {
      for (let index = 0; index < count; index += 1) {
        await api.ports.domains.create(aDomain({ name: `d${(index * 7919) % 10_007}.example.com` }))
      }
    },
    read: async (api, query) => api.call(listDomains, { query, headers: await root(api) }),
    ids: ({ body }) => Object.keys(body.data),
    sorts: ['{"domain":-1}', '{"user":1,"id":-1}'],
  },
  channels: {
    async fill(api, count) {
      await api.ports.domains.create(aDomain())
      const rows = Array.from({ length: count }, (_, index) => ({
        uuid: uuidOf((index * 7919) % 10_007),
        created_epoch: String(1_700_000_000 + (index % 5)),
        callstate: index % 2 === 0 ? 'ACTIVE' : 'RINGING',
      }))
      api.ports.engine.answer = () => ({ state: 'done', text: JSON.stringify({ row_count: count, rows }) })
    },
    read: async (api, query) => api.call(listChannels, { query: inDomain(query), headers: await root(api) }),
    ids: ({ body }) => body.data.rows.map(({ uuid }: { uuid: string }) => uuid),
    sorts: ['{"callstate":-1}', '{"uuid":1}'],
  },
  hooks: {
    async fill(api, count) {
      await api.ports.domains.create(aDomain())
      const hooks = Array.from({ length: count }, (_, index) =>
        aHook({ createdAt: 1_000_000 + (index % 3), description: 'x'.repeat(400) + (index % 4) }),
      )
      await api.ports.hooks.create(hooks, 10_000)
    },
    read: async (api, query) => api.call(listHooks, { query: inDomain(query), headers: await root(api) }),
    ids: ({ body }) => body.data.map(({ _id }: { _id: string }) => _id),
    sorts: ['{"description":-1}', '{"enable":1,"_id":-1}'],
  },
}

/** Every id of a list, page by page, and how many items each page had. */
async function pages(list: ListCase, api: Api, query: string) {
  const [ids, sizes]: [string[], number[]] = [[], []]
  let next = ''
  do {
    const answer = await list.read(api, next === '' ? query : `${query}&cursor=${encodeURIComponent(next)}`)
    expect(answer.status).toBe(200)
    ids.push(...list.ids(answer))
    sizes.push(list.ids(answer).length)
    next = answer.headers['X-Next-Cursor'] ?? ''
  } while (next !== '')
  return { ids, sizes }
}

describe.each(Object.entries(lists))('the list of %s', (_name, list) => {
  it('the pages of a list contain the same as the whole list, in every order', async () => {
    const api = anApi()
    await list.fill(api, 23)

    for (const order of ['', ...list.sorts.map((sort) => `&sort=${encodeURIComponent(sort)}`)]) {
      const whole = list.ids(await list.read(api, order.slice(1)))
      const { ids, sizes } = await pages(list, api, `limit=7${order}`)

      expect(ids).toEqual(whole)
      expect(sizes).toEqual([7, 7, 7, 2])
    }
  })

  it('a list has no cursor on its last page', async () => {
    const api = anApi()
    await list.fill(api, 7)

    expect((await list.read(api, 'limit=7')).headers).not.toHaveProperty('X-Next-Cursor')
    expect((await list.read(api, '')).headers).not.toHaveProperty('X-Next-Cursor')
  })

  it('a list refuses a cursor that is damaged, made up, of another sort order or of another list', async () => {
    const api = anApi()
    await list.fill(api, 9)
    const cursor = (await list.read(api, 'limit=3')).headers['X-Next-Cursor'] ?? ''
    const flipped = Array.from(cursor, (_, at) => {
      const other = cursor[at] === 'A' ? 'B' : 'A'
      return cursor.slice(0, at) + other + cursor.slice(at + 1)
    })
    const [position = ''] = cursor.split('.')
    const madeUp = [position, `${position}.`, '.', 'x', Buffer.from('["u1","u1"]').toString('base64url'), `${cursor}.x`]

    for (const forged of [...flipped, ...madeUp]) {
      expect(await list.read(api, `limit=3&cursor=${encodeURIComponent(forged)}`), forged).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', details: [{ field: 'cursor' }] },
      })
    }
    const sorted = `limit=3&sort=${encodeURIComponent(list.sorts[0] ?? '')}&cursor=${encodeURIComponent(cursor)}`
    expect(await list.read(api, sorted)).toMatchObject({ status: 400 })
    await api.ports.domains.create(aDomain())
    for (const other of Object.values(lists).filter((each) => each !== list)) {
      expect(await other.read(api, `limit=3&cursor=${encodeURIComponent(cursor)}`)).toMatchObject({ status: 400 })
    }
  })

  it('a list accepts its cursor with other columns and another limit', async () => {
    const api = anApi()
    await list.fill(api, 9)
    const whole = list.ids(await list.read(api, ''))
    const cursor = (await list.read(api, 'limit=3')).headers['X-Next-Cursor'] ?? ''

    expect(list.ids(await list.read(api, `limit=6&cursor=${encodeURIComponent(cursor)}`))).toEqual(whole.slice(3))
  })
})

describe.each([
  ['accounts', lists['accounts']] as const,
  ['domains', lists['domains']] as const,
  ['channels', lists['channels']] as const,
])('an unpaged list of %s', (_name, list) => {
  it('a list of 4 000 items is complete; a longer one is cut, says so, and continues exactly there', async () => {
    if (list === undefined) throw new Error('the list of the test is not there')
    const [exact, more] = [anApi(), anApi()]
    await list.fill(exact, 4000)
    await list.fill(more, 4003)

    const whole = await list.read(exact, '')
    const cut = await list.read(more, '')

    expect(list.ids(whole)).toHaveLength(4000)
    expect(whole.headers).not.toHaveProperty('X-Truncated')
    expect(list.ids(cut)).toHaveLength(4000)
    expect(cut.headers).toMatchObject({ 'X-Truncated': 'true', 'X-Next-Cursor': expect.any(String) })
    const rest = await list.read(more, `cursor=${encodeURIComponent(cut.headers['X-Next-Cursor'] ?? '')}`)
    expect(list.ids(rest)).toHaveLength(3)
    expect(new Set([...list.ids(cut), ...list.ids(rest)]).size).toBe(4003)
    expect(rest.headers).not.toHaveProperty('X-Truncated')
  })
})

describe('a cursor of one tenant', () => {
  it('a cursor of one tenant is refused to another whose list has the same content', async () => {
    const api = anApi()
    const admins = []
    for (const domain of ['a.example.com', 'b.example.com']) {
      for (const login of ['1000', '1001', '1002']) {
        const account = await api.account({ domain, login, role: 'admin' })
        if (login === '1000') admins.push({ ...(await api.as(account)) })
      }
    }
    const [first, second] = admins
    const { headers } = await api.call(listAccounts, { query: 'limit=1', headers: first ?? {} })

    const query = `limit=1&cursor=${encodeURIComponent(headers['X-Next-Cursor'] ?? '')}`
    expect(await api.call(listAccounts, { query, headers: second ?? {} })).toMatchObject({ status: 400 })
    expect(await api.call(listAccounts, { query, headers: first ?? {} })).toMatchObject({ status: 200 })
  })
})

describe('a list that changes between two pages', () => {
  it('a list continues after an item that was removed, even if its sort value is long', async () => {
    const api = anApi()
    await lists['hooks']?.fill(api, 12)
    const sort = `sort=${encodeURIComponent('{"description":1}')}`
    const read = (query: string) => lists['hooks']?.read(api, query)
    const idsOf = (answer: ApiAnswer | undefined): string[] =>
      answer === undefined ? [] : (lists['hooks']?.ids(answer) ?? [])
    const whole = idsOf(await read(sort))
    const first = await read(`limit=5&${sort}`)
    const gone = whole[4] ?? ''
    for (const [key, hook] of api.ports.state.hooks) if (hook.id === gone) api.ports.state.hooks.delete(key)

    const cursor = encodeURIComponent(first?.headers['X-Next-Cursor'] ?? '')
    expect(idsOf(await read(`limit=50&${sort}&cursor=${cursor}`))).toEqual(whole.slice(5))
  })
})
