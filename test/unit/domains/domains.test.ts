import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as listDomains } from '../../../functions/domains/list-domains.ts'
import { anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aDomain, aPresence } from '../../support/records/records.ts'

const good = { domain_name: 'New.Example.com', customer_id: 'customer-7' }

async function setUp() {
  const api = anApi()
  const root = { ...(await api.as('root')) }
  return { api, root, create: (body: unknown) => api.call(createDomain, { body, headers: root }) }
}

describe('a created domain', () => {
  it("a created domain is published in the engine's words, in lower case", async () => {
    const { api, create } = await setUp()

    const answer = await create({ ...good, variables: ['default_language=uk'], parameters: ['vm-enabled=true'] })

    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'OK', info: '+OK [new.example.com] created !\n', 'more info': '' },
    })
    expect(await api.ports.domains.read('new.example.com')).toEqual({
      name: 'new.example.com',
      customerId: 'customer-7',
      variables: { default_language: 'uk' },
      parameters: { 'vm-enabled': 'true' },
      createdAt: api.clock.now(),
      creationId: expect.any(String),
      accountCount: 0,
      version: 1,
    })
    expect(api.ports.events.published).toEqual([
      expect.objectContaining({ name: 'CUSTOM->svc::domain_create', domain: 'new.example.com' }),
    ])
  })

  it('a created domain stays when its event cannot be queued, and the answer warns', async () => {
    const { api, root } = await setUp()
    const cut = api.with({ events: gone(api.ports.events, 'publish', () => true) })

    const answer = await cut.call(createDomain, { body: good, headers: root })

    expect(answer).toMatchObject({ status: 200, body: { 'more info': expect.stringContaining('event') } })
    expect(api.ports.state.domains.size).toBe(1)
  })

  it('a created domain stays when the flush of directory answers cannot be queued, and the answer says how to repeat it', async () => {
    const { api, root } = await setUp()
    const cut = api.with({ engine: gone(api.ports.engine, 'send', () => true) })

    const answer = await cut.call(createDomain, { body: good, headers: root })

    const warning =
      'the domain is created; engines may keep old directory answers: change one of its settings to flush them'
    expect(answer).toMatchObject({ status: 200, body: { 'more info': warning } })
  })

  it('the creation of a domain warns when the queue itself refuses the event', async () => {
    const { api, create } = await setUp()
    api.ports.events.refuses = () => true

    expect((await create(good)).body['more info']).not.toBe('')
  })

  it('one of many simultaneous requests creates a domain', async () => {
    const { create } = await setUp()

    const answers = await Promise.all(Array.from({ length: 20 }, () => create(good)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'conflict')).toHaveLength(19)
  })

  it.each(['admin', 'user'])('an %s may not create a domain', async (role) => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role }))) }

    expect(await api.call(createDomain, { body: good, headers })).toMatchObject({ status: 403 })
  })
})

describe('a refused domain', () => {
  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/account-fields.json', import.meta.url), 'utf8'),
  )
  const names = (samples['identifiers'] ?? [])
    .map((line) => /^domain_name: (".*")$/.exec(line)?.[1])
    .filter((text) => text !== undefined)
    .map((text): string => JSON.parse(text))
    .filter((name) => !['localhost', '10.0.0.1'].includes(name))

  it.each([...names, 'x'.repeat(64), 'x.'.repeat(127), 'ü.example.com', 'a.example.com#ACCOUNT', 'a b'])(
    'a domain cannot be named %j',
    async (name) => {
      const { api, create } = await setUp()

      expect(await create({ ...good, domain_name: name })).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', details: [{ field: 'domain_name' }] },
      })
      expect(api.ports.state.domains.size).toBe(0)
    },
  )

  it.each(['localhost', '10.0.0.1', 'a.example.com'])('a domain can be named %s', async (name) => {
    const { create } = await setUp()

    expect(await create({ ...good, domain_name: name })).toMatchObject({ status: 200 })
  })

  it.each([
    [{ domain_name: 'a.example.com' }, 'missing_field'],
    [{ ...good, domain_name: 'public' }, 'invalid_field'],
    [{ ...good, domain_name: 'Global' }, 'invalid_field'],
    [{ customer_id: 'c' }, 'missing_field'],
    [{ ...good, customer_id: '' }, 'invalid_field'],
    [{ ...good, customer_id: 'a b' }, 'invalid_field'],
    [{ ...good, variables: ['api_hangup_hook=system id'] }, 'invalid_field'],
    [{ ...good, variables: ['group_confirm_key=exec'] }, 'invalid_field'],
    [{ ...good, variables: ['account_role=admin'] }, 'invalid_field'],
    [{ ...good, variables: ['default_language=${system(id)}'] }, 'invalid_field'],
    [{ ...good, parameters: ['dial-string=x'] }, 'invalid_field'],
    [{ ...good, parameters: ['password=everybody'] }, 'invalid_field'],
  ])('a domain cannot be %j', async (body, code) => {
    const { create } = await setUp()

    expect(await create(body)).toMatchObject({ status: 400, body: { code } })
  })
})

describe('the list of domains', () => {
  async function withDomains() {
    const { api, root } = await setUp()
    for (const login of ['1000', '1001']) await api.account({ login, role: 'admin' })
    await api.account({ domain: 'b.example.com', login: '1000' })
    await api.ports.domains.create(aDomain({ name: 'c.example.com', customerId: 'customer-2' }))
    await api.ports.presence.put(aPresence({ contacts: [contact('1'), contact('2')] }))
    await api.ports.presence.put(aPresence({ login: '1001', contacts: [contact('3')] }))
    return { api, root }
  }
  const contact = (id: string) => ({ id, expiresAt: Number.MAX_SAFE_INTEGER })

  it('the list of domains shows root every domain with its accounts and registered phones', async () => {
    const { api, root } = await withDomains()

    const { body } = await api.call(listDomains, { headers: root })

    expect(body).toEqual({
      status: 'OK',
      data: {
        'a.example.com': { id: 'a.example.com', domain: 'a.example.com', user: '2', 'acc/dvc': '2/3' },
        'b.example.com': { id: 'b.example.com', domain: 'b.example.com', user: '1', 'acc/dvc': '1/0' },
        'c.example.com': { id: 'c.example.com', domain: 'c.example.com', user: '0', 'acc/dvc': '0/0' },
      },
      order: ['a.example.com', 'b.example.com', 'c.example.com'],
    })
  })

  it('the list of domains shows an admin the own domain and a user none', async () => {
    const { api } = await withDomains()
    const list = async (role: string) => {
      const account = await api.account({ login: role, role })
      return api.call(listDomains, { headers: { ...(await api.as(account)) } })
    }

    expect(Object.keys((await list('admin')).body.data)).toEqual(['a.example.com'])
    expect(await list('user')).toMatchObject({ status: 403 })
  })

  it.each([
    ['customerId=customer-2', ['c.example.com']],
    ['domain=B.example.com', ['b.example.com']],
    ['sort={"acc/dvc":-1}&limit=2', ['a.example.com', 'b.example.com']],
    ['filter={"acc/dvc":"2/3"}', ['a.example.com']],
    ['filter={"id":"c"}', ['c.example.com']],
    ['page=2', []],
  ])('the list of domains with %s shows %j', async (query, ids) => {
    const { api, root } = await withDomains()

    const { body } = await api.call(listDomains, { headers: root, query })

    expect(Object.keys(body.data)).toEqual(ids)
    expect(body.order).toEqual(ids)
  })

  it('domains whose names are numbers keep their place in the member `order` of the list', async () => {
    const { api, root } = await withDomains()
    await api.ports.domains.create(aDomain({ name: '42' }))

    const { body } = await api.call(listDomains, { headers: root, query: 'sort={"id":-1}' })

    expect(body.order).toEqual(['c.example.com', 'b.example.com', 'a.example.com', '42'])
  })

  it('the list of domains counts phones only for the domains that it shows', async () => {
    const { api, root } = await withDomains()
    const list = vi.spyOn(api.ports.presence, 'list')

    const page = await api.call(listDomains, { headers: root, query: 'limit=1' })
    const names = await api.call(listDomains, { headers: root, query: 'columns=id' })

    expect(page.body.data['a.example.com']['acc/dvc']).toBe('2/3')
    expect(names.body.data['a.example.com']).toEqual({ id: 'a.example.com' })
    expect(list.mock.calls).toEqual([['a.example.com']])
  })
})
