import { describe, expect, it } from 'vitest'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { handler as cleanUp } from '../../../functions/domains/clean-up-domain.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { handler as listDomains } from '../../../functions/domains/list-domains.ts'
import { handler as readDomain } from '../../../functions/domains/read-domain.ts'
import { handler as updateParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { handler as updateVariables } from '../../../functions/domains/update-domain-variables.ts'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { aContext, anApi, passwordOf } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aHook, aPresence, aRole } from '../../support/records/records.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const name = 'a.example.com'
const params = { domain_name: name }

async function setUp() {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const user = { ...(await api.as(await api.account({ login: '1001' }))) }
  const foreign = { ...(await api.as(await api.account({ domain: 'b.a.example.com', role: 'admin' }))) }
  const root = { ...(await api.as('root')) }
  return { api, admin, user, foreign, root }
}

describe('a domain', () => {
  it('a domain is shown with its settings and counts', async () => {
    const { api, admin } = await setUp()
    await api.call(updateVariables, { params, headers: admin, body: ['default_language=uk'] })
    await api.ports.presence.put(aPresence())
    await api.ports.presence.put(aPresence({ login: '1001', contacts: [] }))

    const { body, headers } = await api.call(readDomain, { params, headers: admin })

    expect(body).toEqual({
      status: 'OK',
      info: {
        name,
        customer_id: 'customer-1',
        variables: ['default_language=uk'],
        parameters: [],
        created_on: 0,
        counts: { accounts: 2, devices: 1 },
      },
    })
    expect(headers['ETag']).toMatch(/^W\/"/)
  })

  it('changed variables and parameters are flushed from engines that keep directory answers', async () => {
    const { api, admin } = await setUp()
    const flush = { command: { kind: 'flush-directory' }, scope: { domain: name, presenceId: null } }

    await api.call(updateVariables, { params, headers: admin, body: ['default_language=uk'] })
    expect(api.ports.engine.given).toEqual([flush])

    await api.call(updateParameters, { params, headers: admin, body: ['x-a=1'] })
    expect(api.ports.engine.given).toEqual([flush, flush])
  })

  it('a domain is shown to root in any case of its name, and a missing one is not found', async () => {
    const { api, root } = await setUp()
    const read = (domain_name: string) => api.call(readDomain, { params: { domain_name }, headers: root })

    expect(await read('A.Example.com')).toMatchObject({ status: 200, body: { info: { name } } })
    for (const none of 'no.example.com example.com a.example.co * .. ａ.example.com a.example.com|'.split(' ')) {
      expect(await read(none)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
})

describe('the settings of a domain', () => {
  it('settings of a domain are merged into the present ones, and an empty value removes its name', async () => {
    const { api, admin } = await setUp()
    const put = (body: unknown) => api.call(updateVariables, { params, headers: admin, body })

    await put(['default_language=uk', 'timezone=Europe/Kyiv', 'x_a=a=b'])
    const { body } = await put([{ key: 'default_language', value: 'en' }, 'timezone=', { key: 'x_b', value: '1' }])

    expect(body.info.variables).toEqual(['default_language=en', 'x_a=a=b', 'x_b=1'])
    expect(body.info.parameters).toEqual([])
  })

  it('variables and parameters of a domain are separate', async () => {
    const { api, admin } = await setUp()

    const { body } = await api.call(updateParameters, { params, headers: admin, body: ['vm-enabled=true'] })

    expect(body.info).toMatchObject({ parameters: ['vm-enabled=true'], variables: [] })
  })

  it.each([
    [undefined, 'invalid_json'],
    [{}, 'invalid_json'],
    [[], 'bad_request'],
    [['novalue'], 'invalid_field'],
    [['=x'], 'invalid_field'],
    [['api_hangup_hook=system id'], 'invalid_field'],
    [['default_language=${system(id)}'], 'invalid_field'],
    [['default_language=a]b'], 'invalid_field'],
    [['user_context=public'], 'invalid_field'],
    [['__proto__=x'], 'invalid_field'],
    [[{ key: 'api_hangup_hook', value: 'system id' }], 'invalid_field'],
    [[{ key: 'a=b', value: 'c' }], 'invalid_field'],
    [[{ key: 'a', value: 'b}' }], 'invalid_field'],
    [[{ key: 'a' }], 'missing_field'],
    [[{ key: 'a', value: 1 }], 'invalid_field'],
    [[1], 'invalid_field'],
    [[['a=b']], 'invalid_field'],
    [Array.from({ length: 101 }, (_, index) => `x_v${index}=1`), 'invalid_field'],
  ])('a domain refuses %j as variables', async (body, code) => {
    const { api, admin } = await setUp()
    const before = await api.ports.domains.read(name)

    const answer = await api.call(updateVariables, { params, headers: admin, body })

    expect(answer).toMatchObject({ status: 400, body: { code } })
    expect(await api.ports.domains.read(name)).toEqual(before)
  })

  it.each(['dial-string=x', 'password=everybody', 'http-allowed-api=all', 'svc-admin=true', 'timezone=UTC'])(
    'refuse %s as a parameter',
    async (item) => {
      const { api, admin } = await setUp()

      expect(await api.call(updateParameters, { params, headers: admin, body: [item] })).toMatchObject({ status: 400 })
    },
  )

  it('only root sets the parameters that decide which numbers the gateways of a domain show', async () => {
    const { api, admin, root } = await setUp()
    const set = (headers: typeof admin, ...body: string[]) => api.call(updateParameters, { params, headers, body })
    for (const parameter of [
      'trusted-caller-ids=true',
      'own-numbers=380441230000',
      'own-numbers=',
      'trusted-caller-ids=',
    ]) {
      const { status, body } = await set(admin, 'vm-enabled=true', parameter)
      expect([status, body.details[0].problem]).toEqual([403, expect.stringMatching(/^only root may set /)])
    }

    const wanted = ['own-numbers=380441230000,+380441230001', 'trusted-caller-ids=true']
    expect((await set(root, ...wanted)).body.info.parameters).toEqual(wanted)
    expect((await set(admin, 'own-numbers=')).status).toBe(403)
    expect((await set(admin, 'vm-enabled=true')).body.info.parameters).toEqual([...wanted, 'vm-enabled=true'])
    for (const refused of ['trusted-caller-ids=yes', 'own-numbers=1,', 'own-numbers=1;2', 'own-numbers=bob']) {
      expect((await set(root, refused)).status).toBe(400)
    }
    const created = { domain_name: 'c.example.com', customer_id: '1', parameters: wanted }
    expect((await api.call(createDomain, { headers: root, body: created })).status).toBe(200)
  })

  it('a domain has at most a hundred settings of a kind', async () => {
    const { api, admin } = await setUp()
    const put = (body: unknown) => api.call(updateVariables, { params, headers: admin, body })
    const many = Array.from({ length: 100 }, (_, index) => `x_v${index}=1`)

    expect(await put(many)).toMatchObject({ status: 200 })
    expect(await put(['x-one-more=1'])).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(await put(['x_v0=2'])).toMatchObject({ status: 200 })
  })

  it("simultaneous changes of a domain's settings are all kept", async () => {
    const { api, admin } = await setUp()
    const names = Array.from({ length: 10 }, (_, index) => `v${index}`)

    await Promise.all(
      names.map((each, index) =>
        index % 2
          ? api.call(updateVariables, { params, headers: admin, body: [`x_${each}=1`] })
          : api.call(updateParameters, { params, headers: admin, body: [`x-${each}=1`] }),
      ),
    )

    const domain = await api.ports.domains.read(name)
    expect(Object.keys({ ...domain?.variables, ...domain?.parameters })).toHaveLength(10)
    expect(domain?.version).toBe(11)
  })

  it("a change of a domain's settings respects If-Match", async () => {
    const { api, admin } = await setUp()
    const { headers } = await api.call(readDomain, { params, headers: admin })
    const put = (tag: string) =>
      api.call(updateVariables, { params, headers: { ...admin, 'if-match': tag }, body: ['x_a=1'] })

    expect(await put('W/"other"')).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect(await put(headers['ETag'] ?? '')).toMatchObject({ status: 200 })
    expect(await put(headers['ETag'] ?? '')).toMatchObject({ status: 412 })
  })
})

describe('a deleted domain', () => {
  it("the deletion of a domain is published in the engine's words, and the engine is notified", async () => {
    const { api, root } = await setUp()

    const answer = await api.call(deleteDomain, { params, headers: root })

    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'OK', info: `+OK [${name}] destroy !\n`, 'more info': '' },
    })
    expect(api.ports.events.published).toEqual([
      expect.objectContaining({ name: 'CUSTOM->svc::domain_destroy', domain: name }),
    ])
    const scope = { domain: name, presenceId: null }
    expect(api.ports.engine.given).toEqual([
      { command: { kind: 'drop-domain-registrations' }, scope, waitMs: 3_000 },
      { command: { kind: 'hang-up-domain' }, scope },
    ])
  })

  it('a deleted domain refuses the next request of each of its credentials, and shows nothing any more', async () => {
    const { api, admin, user, root } = await setUp()
    await api.call(deleteDomain, { params, headers: root })

    for (const headers of [admin, user]) {
      expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    }
    expect(await api.call(logIn, { body: { username: `1000@${name}`, password: passwordOf('1000') } })).toMatchObject({
      status: 404,
      body: { info: 'User not found' },
    })
    expect(await api.call(listAccounts, { headers: root, query: `domain=${name}` })).toMatchObject({ status: 404 })
    expect(await api.call(readDomain, { params, headers: root })).toMatchObject({ status: 404 })
    expect(Object.keys((await api.call(listDomains, { headers: root })).body.data)).toEqual(['b.a.example.com'])
  })

  it("a deleted domain's accounts are unknown to the engine, so that its phones can neither call nor be called", async () => {
    const { api, root } = await setUp()
    const ask = () =>
      api.call(lookUpDirectory, {
        rawBody: `section=directory&key_name=name&key_value=${name}&user=1000&domain=${name}`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...engineAuthorization(api.ports.secrets.engine),
        },
      })
    expect((await ask()).text).toContain('a1-hash')

    await api.call(deleteDomain, { params, headers: root })

    expect((await ask()).text).toContain('not found')
  })

  it('a deleted domain keeps its name until its records are removed', async () => {
    const { api, root } = await setUp()
    const create = () =>
      api.call(createDomain, { headers: root, body: { domain_name: name, customer_id: 'another-customer' } })
    await api.call(deleteDomain, { params, headers: root })

    expect(await create()).toMatchObject({ status: 409, body: { code: 'conflict' } })
    await finish(api)

    expect(await create()).toMatchObject({ status: 200 })
    expect(await api.ports.accounts.list(name)).toEqual([])
  })

  it.each(['no.example.com', 'example.com'])('deleting a missing domain is not found (%s)', async (domain_name) => {
    const { api, root } = await setUp()

    expect(await api.call(deleteDomain, { params: { domain_name }, headers: root })).toMatchObject({ status: 404 })
    expect(api.ports.cleanups.queued).toEqual([])
  })

  it('a domain can be deleted once', async () => {
    const { api, root } = await setUp()

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.call(deleteDomain, { params, headers: root })),
    )

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404])
    expect(api.ports.events.published).toHaveLength(1)
  })

  it.each(['admin', 'user'])('a domain cannot be deleted by an %s', async (role) => {
    const given = await setUp()
    const headers = role === 'admin' ? given.admin : given.user

    expect(await given.api.call(deleteDomain, { params, headers })).toMatchObject({ status: 403 })
    expect(await given.api.ports.domains.read(name)).toBeDefined()
  })

  it('a domain can be deleted by a custom role that root gave this permission', async () => {
    const { api } = await setUp()
    await api.ports.roles.write({
      domain: name,
      roles: [aRole({ name: 'owner', parent: 'admin', allows: { domain: ['d'] } })],
      version: 1,
    })
    const owner = { ...(await api.as(await api.account({ login: 'owner', role: 'owner' }))) }
    const remove = (domain_name: string) => api.call(deleteDomain, { params: { domain_name }, headers: owner })

    expect(await remove('b.a.example.com')).toMatchObject({ status: 403 })
    expect(await remove(name)).toMatchObject({ status: 200 })
  })

  it('a domain is not marked as deleted when its clean-up cannot be queued, and the request can be repeated', async () => {
    const { api, root } = await setUp()
    const cut = api.with({ cleanups: gone(api.ports.cleanups, 'send', () => true) })

    expect(await cut.call(deleteDomain, { params, headers: root })).toMatchObject({ status: 503 })
    expect(await api.ports.domains.read(name)).toBeDefined()
    expect(await api.call(deleteDomain, { params, headers: root })).toMatchObject({ status: 200 })
  })

  it('a domain is deleted even if hooks and engine cannot be notified, and the answer warns', async () => {
    const { api, root } = await setUp()
    const cut = api.with({
      events: gone(api.ports.events, 'publish', () => true),
      engine: gone(api.ports.engine, 'send', () => true),
    })

    expect(await cut.call(deleteDomain, { params, headers: root })).toMatchObject({
      status: 200,
      body: { 'more info': expect.stringContaining('event') },
    })
  })

  it('the deletion of a domain respects If-Match', async () => {
    const { api, root } = await setUp()
    const remove = (tag: string) => api.call(deleteDomain, { params, headers: { ...root, 'if-match': tag } })

    expect(await remove('W/"other"')).toMatchObject({ status: 412 })
    expect(await remove('*')).toMatchObject({ status: 200 })
  })
})

describe('the clean-up of a deleted domain', () => {
  it('the clean-up of a deleted domain ends its calls and drops its phones at once, and removes nothing before that is over', async () => {
    const { api, root } = await setUp()
    await api.ports.presence.put(aPresence())
    await api.ports.presence.put(aPresence({ login: '1001', contacts: [] }))
    await api.ports.hooks.create([aHook()], 100)
    await api.call(deleteDomain, { params, headers: root })
    api.ports.engine.given.length = 0

    await work(api)

    expect(api.ports.engine.given.map(({ command }) => command)).toEqual([
      { kind: 'drop-domain-registrations' },
      { kind: 'hang-up-domain' },
      // The next owner of the name must not hear what is in their mailboxes.
      { kind: 'drop-registrations', login: '1000' },
      { kind: 'drop-registrations', login: '1001' },
    ])
    expect(await api.ports.hooks.list(name)).toHaveLength(1)
    expect(api.ports.cleanups.queued).toMatchObject([{ domain: name, delaySeconds: 120 }])
    await finish(api)
    expect(await api.ports.hooks.list(name)).toEqual([])
    expect(await api.ports.domains.exists(name)).toBe(false)
  })

  it('a late clean-up of a deleted domain still ends calls and drops phones, and waits for that before it removes records', async () => {
    const { api, root } = await setUp()
    await api.ports.presence.put(aPresence())
    await api.call(deleteDomain, { params, headers: root })
    api.ports.engine.given.length = 0
    api.clock.move(3_600_000)

    await work(api)

    expect(api.ports.engine.given.map(({ command }) => command.kind)).toContain('drop-domain-registrations')
    expect(await api.ports.accounts.list(name)).toHaveLength(2)
    expect(api.ports.cleanups.queued).toMatchObject([{ domain: name, delaySeconds: 75 }])
    await finish(api)
    expect(await api.ports.domains.exists(name)).toBe(false)
  })

  it('the clean-up of a deleted domain orders its calls to end and its phones to be dropped once, and again for a later domain of the name', async () => {
    const { api, root } = await setUp()
    await api.call(deleteDomain, { params, headers: root })
    await work(api)
    const [message] = api.ports.cleanups.queued
    const silences = () => api.ports.engine.given.filter(({ command }) => command.kind === 'hang-up-domain').length
    const before = silences()
    await finish(api)
    expect(silences()).toBe(before)
    api.clock.move(1)
    await api.account()
    await api.call(deleteDomain, { params, headers: root })
    api.ports.cleanups.queued.length = 0
    if (message !== undefined) await api.ports.cleanups.send(message)

    await work(api)

    expect(silences()).toBe(before + 2)
    expect(await api.ports.accounts.list(name)).toHaveLength(1)
  })

  it('the clean-up of a deleted domain is delayed by the setting of the deployment, and checks well before that that the domain is marked as deleted', async () => {
    const api = anApi({ DELETION_GRACE_SECONDS: '4' })
    await api.account()
    await api.call(deleteDomain, { params, headers: { ...(await api.as('root')) } })

    expect(api.ports.cleanups.queued).toMatchObject([{ delaySeconds: 2 }])
    api.clock.move(2000)
    await work(api)
    expect(api.ports.cleanups.queued).toMatchObject([{ delaySeconds: 4 }])
    await finish(api)
    expect(await api.ports.domains.exists(name)).toBe(false)
  })

  it('the clean-up of a domain that is not marked as deleted waits, and gives up when the mark cannot appear any more', async () => {
    const { api } = await setUp()
    await api.ports.cleanups.send({ domain: name, requestedAt: api.clock.now(), delaySeconds: 0 })

    await work(api)
    expect(api.ports.cleanups.queued).toMatchObject([{ domain: name, delaySeconds: 15 }])
    api.clock.move(31_000)
    await work(api)

    expect(api.ports.cleanups.queued).toEqual([])
    expect(await api.ports.domains.read(name)).toBeDefined()
    expect(await api.ports.accounts.list(name)).toHaveLength(2)
  })

  it('the clean-up of a deleted domain never touches a new domain of the same name', async () => {
    const { api, root } = await setUp()
    await api.call(deleteDomain, { params, headers: root })
    const [message] = api.ports.cleanups.queued
    await finish(api)
    await api.account({ login: 'new' })

    if (message !== undefined) await api.ports.cleanups.send(message)
    api.clock.move(3_600_000)
    await finish(api)

    expect(await api.ports.accounts.list(name)).toHaveLength(1)
  })

  it('a failed clean-up of a deleted domain is redelivered', async () => {
    const { api, root } = await setUp()
    await api.call(deleteDomain, { params, headers: root })
    await work(api)
    api.clock.move(200_000)
    const cut = api.with({ tenantData: gone(api.ports.tenantData, 'purge', () => true) })

    expect(await work(cut)).toBe('failed')
    expect(await api.ports.domains.exists(name)).toBe(true)
    await finish(api)
    expect(await api.ports.domains.exists(name)).toBe(false)
  })
})

/** Hands the next queued clean-up to the worker; it is off the queue only when that worked. */
async function work({ ports, tools }: ReturnType<typeof anApi>): Promise<'done' | 'failed'> {
  const [next] = ports.cleanups.queued
  if (next === undefined) return 'done'
  const { delaySeconds: _, ...message } = next
  const batch = aBatch([{ version: 1, ...message }])
  const { batchItemFailures } = await cleanUp.over(ports, tools)(batch, aContext)
  if (batchItemFailures.length > 0) return 'failed'
  ports.cleanups.queued.splice(0, 1)
  return 'done'
}

/** Works until nothing is queued, each message at its time. */
async function finish(api: ReturnType<typeof anApi>): Promise<void> {
  while (api.ports.cleanups.queued.length > 0) {
    api.clock.move((api.ports.cleanups.queued[0]?.delaySeconds ?? 0) * 1000)
    await work(api)
  }
}
