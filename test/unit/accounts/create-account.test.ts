import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'

const good = { login: '2000', password: 's3cr3t-pass', role: 'user' }

async function setUp(given: { role?: string } = {}) {
  const api = anApi()
  const headers = { ...(await api.as(await api.account({ role: 'admin', ...given }))) }
  const create = (body: unknown, query = '') => api.call(createAccount, { body, headers, query })
  return { api, headers, create }
}

const storedLogins = (api: Api) => [...api.ports.state.accounts.values()].map(({ login }) => login)

describe('a created account', () => {
  it('a created account is returned in full, with every key that is always present', async () => {
    const { create } = await setUp()

    const { status, body } = await create({
      ...good,
      parameters: ['vm-enabled=true', 'x-badge=7'],
      variables: ['default_language=uk', "effective_caller_id_name=Лук'яненко, Зоя"],
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'OK',
      data: {
        'a1-hash': createHash('md5').update('2000:a.example.com:s3cr3t-pass').digest('hex'),
        'dial-string': expect.stringContaining('${sofia_contact(*/${dialed_user}@${dialed_domain}/${contact_mark}'),
        'vm-enabled': 'true',
        'svc-extensions': '2000',
        'cc-agent': 'false',
        'http-allowed-api': 'voicemail',
        'jsonrpc-allowed-methods': '',
        'jsonrpc-allowed-event-channels': 'demo,conference,presence',
        'svc-admin': 'false',
        'x-badge': '7',
        variable_default_language: 'uk',
        variable_effective_caller_id_name: "Лук'яненко, Зоя",
        variable_outbound_caller_id_name: '2000',
        variable_w_domain: 'a.example.com',
        variable_user_scheme: 'account',
        variable_user_context: 'a.example.com',
        variable_account_role: 'user',
      },
    })
  })

  it('a created account can be read back at once, in any case of its letters', async () => {
    const { api, headers, create } = await setUp()
    const { body } = await create({ ...good, login: 'Alice' })

    const read = await api.call(readAccount, { params: { account_id: 'aLICE' }, headers })

    expect(read.body.data).toEqual(body.data)
  })

  it('creating an account publishes an event and makes the engine read the directory again', async () => {
    const { api, create } = await setUp()

    await create(good)

    expect(api.ports.events.published).toEqual([
      expect.objectContaining({
        name: 'CUSTOM->svc::user_create',
        domain: 'a.example.com',
        fields: expect.objectContaining({ 'User-ID': '2000', 'Event-Domain': 'a.example.com' }),
      }),
    ])
    expect(api.ports.engine.given).toEqual([
      { command: { kind: 'flush-account', login: '2000' }, scope: { domain: 'a.example.com', presenceId: null } },
    ])
  })

  it('the event of a created account has the id of its request', async () => {
    const { api, headers } = await setUp()

    await api.call(createAccount, { body: good, headers: { ...headers, 'x-request-id': 'request-4711' } })

    expect(api.ports.events.published).toMatchObject([{ name: 'CUSTOM->svc::user_create', requestId: 'request-4711' }])
  })

  it('an account stays created when neither queue accepts the notification, and the log says so', async () => {
    const { api, headers } = await setUp()
    const { events, engine } = api.ports
    const cut = api.with({ events: gone(events, 'publish', () => true), engine: gone(engine, 'send', () => true) })

    const answer = await cut.call(createAccount, { body: good, headers })

    expect(answer.status).toBe(200)
    expect(storedLogins(api)).toContain('2000')
    expect(api.log.lines.filter(({ level }) => level === 'error').map(({ keys }) => keys['what'])).toEqual([
      'event CUSTOM->svc::user_create',
      'command flush-account',
    ])
  })

  it('a created account stores no password, and none is in the log or the trail', async () => {
    const { api, create } = await setUp()

    const { text } = await create({ ...good, parameters: ['vm-password=s3cr3t-pin', 'password=s3cr3t-other'] })

    const kept = JSON.stringify([[...api.ports.state.accounts.values()], api.log.lines, api.ports.state.audit])
    expect(kept).not.toContain('s3cr3t-')
    expect(text).not.toContain('s3cr3t-')
  })

  it('a created account shows a voicemail PIN as set, and stores the digest that the engine checks', async () => {
    const { api, create } = await setUp()

    const { body } = await create({ ...good, parameters: ['vm-password=4711'] })

    expect(body.data).toMatchObject({ 'vm-password': '********' })
    expect(body.data).not.toHaveProperty('vm-a1-hash')
    expect((await api.ports.accounts.read('a.example.com', '2000'))?.parameters).toMatchObject({
      'vm-a1-hash': createHash('md5').update('2000:a.example.com:4711').digest('hex'),
    })
  })

  it('a created account has the given numbers, each once, instead of its login', async () => {
    const { create } = await setUp()

    const { body } = await create({ ...good, parameters: ['svc-extensions=501,*7,501'] })

    expect(body.data).toMatchObject({ 'svc-extensions': '501,*7' })
  })

  it('root must name the domain of a new account, in the body or the query', async () => {
    const { api } = await setUp()
    const headers = { ...(await api.as('root')) }

    const none = await api.call(createAccount, { body: good, headers })
    const byQuery = await api.call(createAccount, { body: good, query: 'domain=a.example.com', headers })
    const byBody = await api.call(createAccount, { body: { ...good, login: '2001', domain: 'A.example.com' }, headers })

    expect(none).toMatchObject({ status: 400, body: { code: 'domain_required' } })
    expect([byQuery.status, byBody.status]).toEqual([200, 200])
  })
})

describe('a refused account', () => {
  const refusals: [object, number, string][] = [
    [{ password: 'xx' }, 400, 'invalid_field'],
    [{ password: 'x'.repeat(129) }, 400, 'invalid_field'],
    [{ role: 'root' }, 400, 'invalid_field'],
    [{ role: 'superuser' }, 400, 'invalid_field'],
    [{ role: '__proto__' }, 400, 'invalid_field'],
    [{ login: '__proto__' }, 400, 'invalid_field'],
    [{ login: '.' }, 400, 'invalid_field'],
    [{ login: '..' }, 400, 'invalid_field'],
    [{ login: '-x' }, 400, 'invalid_field'],
    [{ login: '1000' }, 409, 'conflict'],
    [{ parameters: ['svc-extensions=1000'] }, 409, 'conflict'],
    [{ parameters: ['svc-extensions=12a'] }, 400, 'invalid_field'],
    [{ parameters: ['vm-enabled'] }, 400, 'invalid_field'],
    [{ parameters: ['vm-enabled=a]b'] }, 400, 'invalid_field'],
    [{ parameters: [`vm-enabled=${'x'.repeat(1025)}`] }, 400, 'invalid_field'],
    [{ parameters: Array(101).fill('vm-enabled=true') }, 400, 'invalid_field'],
    [{ variables: ['default_language=\uffff'] }, 400, 'invalid_field'],
    [{ domain: 'b.example.com' }, 403, 'permission_denied'],
  ]
  it.each(refusals)(
    'creating an account with %j is answered %i %s and nothing is written or published',
    async (body, status, code) => {
      const { api, create } = await setUp()

      expect(await create({ ...good, ...body })).toMatchObject({ status, body: { code } })
      expect(storedLogins(api)).toEqual(['1000'])
      expect(api.ports.events.published).toEqual([])
      expect(api.ports.engine.given).toEqual([])
    },
  )

  it.each(['.a', '...', 'a-b', '+1', '_', 'a..b'])(
    'the login %s, which is no path and no option, is accepted',
    async (login) => {
      const { create } = await setUp()

      expect((await create({ ...good, login })).status).toBe(200)
    },
  )

  it.each(['login', 'password', 'role'] as const)(
    'creating an account without a %s names the missing field',
    async (field) => {
      const { api, create } = await setUp()
      const { [field]: _, ...body } = good

      expect(await create(body)).toMatchObject({ status: 400, body: { code: 'missing_field' } })
      expect(storedLogins(api)).toEqual(['1000'])
    },
  )

  it('the second of two equal simultaneous account creations is refused', async () => {
    const { create } = await setUp()

    const answers = await Promise.all(Array.from({ length: 20 }, () => create(good)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })
})

describe('names and values of the bad inputs', () => {
  const samples: Record<string, string[]> = JSON.parse(
    readFileSync(new URL('../../fixtures/bad-inputs/account-fields.json', import.meta.url), 'utf8'),
  )
  const bodies = ['names that run something or widen rights', 'markup', 'expansion', 'name=value items', 'identifiers']
    .flatMap((group) => samples[group] ?? [])
    .map((line) => /^(login|password|parameters|variables): (["[].*)$/s.exec(line) ?? [])
    .filter(([, , value = '']) => !value.includes('<64 KiB>'))
    .filter(([field]) => field !== undefined)
    .map(([, field = '', value = '']) => [field, JSON.parse(value)] as const)
  /** Names that the contract lets clients set although they are among the samples. */
  const allowed = new Set([
    'toll_allow=international',
    'vm-enabled=',
    'vm-enabled=true=false',
    'vm-enabled=false',
    '..',
  ])

  it.each(bodies)(
    'an account whose %s are %j is refused by that name, or has them as they were sent',
    async (field, value) => {
      const { api, create } = await setUp()

      const { status, body } = await create({ ...good, [field]: value })

      if (status === 200) {
        const items: unknown[] = [value].flat()
        expect(field === 'password' || allowed.has(String(items.at(-1)))).toBe(true)
      } else {
        expect(body).toMatchObject({ code: 'invalid_field', details: [{ field: expect.stringContaining(field) }] })
        expect(storedLogins(api)).toEqual(['1000'])
      }
    },
  )

  it.each(['vm-convert-cmd=id', 'vm-storage-dir=/etc', 'vm-cc=1000@b.example.com', 'vm-a1-hash=0', 'VM-enabled=true'])(
    'the parameter %s is refused, for the engine would act on it',
    async (parameter) => {
      const { create } = await setUp()

      expect(await create({ ...good, parameters: [parameter] })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'parameters[0]' }] },
      })
    },
  )

  it.each([
    'API_hangup_hook=x',
    'Execute_on_answer=x',
    'sip_h_X=1',
    'domain_name=b',
    'w_domain=b',
    'process_cdr=false',
    'Group_confirm_key=exec',
    'Voicemail_authorized=true',
  ])('the variable %s is refused whatever the case of its letters', async (variable) => {
    const { create } = await setUp()

    expect(await create({ ...good, variables: [variable] })).toMatchObject({ status: 400 })
  })
})
