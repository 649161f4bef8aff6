import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as listAudit } from '../../../functions/audit/list-audit.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'
import { aDomain, aRole, anAuditRecord } from '../../support/records/records.ts'

const domain = 'a.example.com'
const other = 'b.a.example.com'

/** Two tenants, each with an admin, and `lines` lines in the trail of the first, a second apart. */
async function setUp(lines = 0) {
  const api = anApi()
  await api.ports.domains.create(aDomain({ name: domain, createdAt: api.clock.now() }))
  const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const foreign = { ...(await api.as(await api.account({ domain: other, role: 'admin' }))) }
  const root = { ...(await api.as('root')) }
  for (let index = 0; index < lines; index += 1) {
    const status = index % 10 === 0 ? 403 : 200
    await api.ports.audit.append(anAuditRecord({ at: api.clock.now() + index * 1000, status, path: `/${index}` }))
  }
  const list = async (query = '', headers: Record<string, string> = admin) => api.call(listAudit, { query, headers })
  const paths = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
    body.data.map(({ path }: { path: string }) => path)
  return { api, admin, foreign, root, list, paths }
}

describe('the audit trail', () => {
  it('the audit trail shows author, source, result and the names of the set fields of each change', async () => {
    const { api, admin, list } = await setUp()
    await api.call(createAccount, {
      headers: { ...admin, 'x-request-id': 'request-7' },
      body: { login: '1001', password: 's3cr3t-account', role: 'user' },
      sourceAddress: '192.0.2.7',
    })

    const { body, text } = await list()

    expect(body.data).toEqual([
      {
        at: api.clock.now(),
        requestId: 'request-7',
        caller: `1000@${domain}`,
        domain,
        sourceAddress: '192.0.2.7',
        method: 'POST',
        path: '/api/v2/accounts',
        status: 200,
        fields: ['login', 'password', 'role'],
      },
    ])
    expect(text).not.toContain('secret')
  })

  it('the audit trail has logins, failed logins, refusals and eavesdropping, and no reading requests', async () => {
    const { api, admin, list } = await setUp()
    const username = `1000@${domain}`
    await api.call(logIn, { body: { username, password: 's3cr3t-wrong' } })
    await api.call(logIn, { body: { username, password: passwordOf('1000') } })
    await api.call(createAccount, { headers: admin, body: { login: 'a@b', password: 'x', role: 'user' } })
    await api.call(eavesdropChannel, {
      params: { channel_id: '00000000-0000-4000-8000-000000000001' },
      headers: admin,
      body: {},
    })
    await api.call(listAccounts, { headers: admin })

    const { body } = await list('sort={"at":1}')

    expect(body.data.map(({ path, status }: { path: string; status: number }) => [path, status])).toEqual([
      ['/login', 401],
      ['/login', 200],
      ['/api/v2/accounts', 400],
      ['/api/v2/channels/00000000-0000-4000-8000-000000000001/eavesdrop', 200],
    ])
  })

  it('the audit trail shows the newest line first, forty on each page', async () => {
    const { list, paths } = await setUp(50)

    const first = await list()

    expect(paths(first)).toEqual(Array.from({ length: 40 }, (_, index) => `/${49 - index}`))
    expect(first.headers).toHaveProperty('X-Next-Cursor')
  })

  it.each(['', '&sort={"at":1}', '&filter={"status":403}', '&columns=path'])(
    'the audit trail is read by cursors without loss or repetition (%s)',
    async (more) => {
      const { list, paths } = await setUp(50)
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await list(`limit=7${more}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
        seen.push(...paths(page))
        cursor = page.headers['X-Next-Cursor']
      } while (cursor !== undefined)

      const whole = paths(await list(`limit=1000${more}`))
      expect(seen).toEqual(whole)
      expect(whole).toHaveLength(more.includes('filter') ? 5 : 50)
    },
  )

  it('the audit trail continues after its last page even if new lines have been added meanwhile', async () => {
    const { api, list, paths } = await setUp(6)
    const first = await list('limit=3')
    await api.ports.audit.append(anAuditRecord({ at: api.clock.now() + 60_000, path: '/new' }))

    const second = await list(`limit=3&cursor=${first.headers['X-Next-Cursor']}`)

    expect(paths(second)).toEqual(['/2', '/1', '/0'])
  })

  it.each([
    ['limit=2&page=2', ['/4', '/3']],
    ['filter={"status":403}', ['/0']],
    ['filter={"path":"/3"}', ['/3']],
    ['filter={"caller":"1000@"}&limit=1', ['/6']],
    ['page=9', []],
  ])('the audit trail with %s shows %j', async (query, expected) => {
    const { list, paths } = await setUp(7)

    expect(paths(await list(query))).toEqual(expected)
  })

  it('the audit trail shows the requested columns only', async () => {
    const { list } = await setUp(1)

    expect((await list('columns=path,status')).body.data).toEqual([{ path: '/0', status: 403 }])
  })

  it.each([
    'limit=0',
    'limit=1001',
    'page=0',
    'page=300',
    'sort={"status":1}',
    'sort={"at":1,"status":1}',
    'sort=at',
    'filter={"password":"x"}',
    'filter=[]',
    'columns=position',
    'cursor=nonsense',
    'cursor=W10',
  ])('the audit trail refuses %s', async (query) => {
    const { list } = await setUp(3)

    expect(await list(query)).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  })

  it('the audit trail of another domain is not shown, nor by its cursor', async () => {
    const { foreign, list } = await setUp(5)
    const { headers } = await list('limit=2')

    expect((await list('', foreign)).body.data).toEqual([])
    expect(await list(`domain=${domain}`, foreign)).toMatchObject({ status: 403 })
    expect(await list(`cursor=${headers['X-Next-Cursor']}`, foreign)).toMatchObject({ status: 400 })
  })

  it('the audit trail of an earlier tenant of the same name is not shown to the new one', async () => {
    const { api, list, paths } = await setUp(3)
    await api.ports.audit.append(anAuditRecord({ at: api.clock.now() - 1, path: '/earlier' }))

    expect(paths(await list())).toEqual(['/2', '/1', '/0'])
  })

  it('the audit trail of a domain is shown to root, who names the domain', async () => {
    const { root, list, paths } = await setUp(2)

    expect(await list('', root)).toMatchObject({ status: 400, body: { code: 'domain_required' } })
    expect(paths(await list(`domain=${domain}`, root))).toEqual(['/1', '/0'])
    expect(await list('domain=no.example.com', root)).toMatchObject({ status: 404 })
  })

  it.each([
    ['user', {}, 403],
    ['roles only', { 'acl/roles': ['r'] }, 403],
    ['items only', { 'domain/item': ['r'] }, 403],
    ['own items only', { 'acl/roles': ['r'], 'domain/item': ['ro'] }, 403],
    ['both', { 'acl/roles': ['r'], 'domain/item': ['r'] }, 200],
  ] as const)('the audit trail needs two permissions: %s', async (kind, allows, status) => {
    const { api, list } = await setUp()
    await api.ports.roles.write({ domain, roles: [aRole({ name: 'some', allows })], version: 1 })
    const role = kind === 'user' ? 'user' : 'some'
    const headers = { ...(await api.as(await api.account({ login: '1001', role }))) }

    expect(await list('', headers)).toMatchObject({ status })
  })
})
