import { beforeEach, describe, expect, it } from 'vitest'
import { gatewayPasswordPurpose } from '../../../core/gateways/gateway.ts'
import { handler as createGateway } from '../../../functions/gateways/create-gateway.ts'
import { handler as deleteGateway } from '../../../functions/gateways/delete-gateway.ts'
import { handler as listGateways } from '../../../functions/gateways/list-gateways.ts'
import { handler as readGateway } from '../../../functions/gateways/read-gateway.ts'
import { handler as replaceGateway } from '../../../functions/gateways/replace-gateway.ts'
import { handler as updateGateway } from '../../../functions/gateways/update-gateway.ts'
import { planted } from '../../support/invariants/secret-forms.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aDomain, aGateway, aGatewayState, aReport } from '../../support/records/records.ts'

let api: Api
let headers: Record<string, string>
const password = planted('password-of-a-gateway')

beforeEach(() => start())

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  api = anApi(env)
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
}

const input = (given: object = {}) => ({ realm: 'sip.example.net', username: 'pbx', password, ...given })
const create = (body: object = {}) => api.call(createGateway, { headers, body: input({ name: 'trunk', ...body }) })
const at = (gateway_name = 'trunk', more: Readonly<Record<string, string>> = {}) => ({
  headers: { ...headers, ...more },
  params: { gateway_name },
})
const read = (name?: string) => api.call(readGateway, at(name))
const replace = (body: object, more = {}) => api.call(replaceGateway, { ...at('trunk', more), body })
const update = (body: object, more = {}) => api.call(updateGateway, { ...at('trunk', more), body })
const remove = (more = {}) => api.call(deleteGateway, at('trunk', more))
const stored = () => api.ports.gateways.read('a.example.com', 'trunk')

const defaults = {
  name: 'trunk',
  domain: 'a.example.com',
  enabled: true,
  profile: 'external',
  register: true,
  realm: 'sip.example.net',
  from_domain: 'sip.example.net',
  proxy: 'sip.example.net',
  username: 'pbx',
  password: '********',
  networks: [],
  confirmed_networks: [],
  transport: 'udp',
  srtp: 'off',
  expires: 600,
  caller_id: 'account',
  codecs: [],
}

describe('a gateway', () => {
  it('a gateway is created with its defaults, read back and listed', async () => {
    const created = await create()

    expect([created.status, created.body]).toEqual([200, { status: 'OK', data: defaults }])
    const shown = { ...defaults, state: 'UNKNOWN', status: 'UNKNOWN' }
    expect((await read()).body).toEqual({ status: 'OK', data: shown })
    expect((await api.call(listGateways, { headers })).body).toEqual({ status: 'OK', data: [shown] })
  })

  it('a gateway is shown in its worst state at the engines to which connectors have been connected since', async () => {
    await create()
    await create({ name: 'other' })
    const now = api.clock.now()
    const link = (engine: string, upSince: number) => ({ engine, upSince, last: { coreUuid: '', sequence: '' } })
    const [good, bad, away] = ['192.0.2.1:8021', '192.0.2.2:8021', '192.0.2.3:8021'] as const
    const eventLinks = [link(good, now - 60_000), link(bad, now - 60_000), link(away, 0)]
    await api.ports.connectorStatus.report(aReport({ reportedAt: now, eventLinks }))
    await api.ports.gatewayStates.put([
      aGatewayState({ engine: good, observedAt: now - 50_000 }),
      aGatewayState({ engine: bad, state: 'FAIL_WAIT', status: 'DOWN', observedAt: now }),
      aGatewayState({ engine: away, state: 'TIMEOUT', status: 'DOWN', observedAt: now }),
      aGatewayState({ name: 'other', engine: good, observedAt: now - 70_000 }),
      aGatewayState({ domain: 'b.example.com', name: 'other', engine: good, observedAt: now }),
    ])

    expect((await read()).body).toMatchObject({ data: { state: 'FAIL_WAIT', status: 'DOWN' } })
    expect((await read('other')).body).toMatchObject({ data: { state: 'UNKNOWN', status: 'UNKNOWN' } })

    await api.ports.gatewayStates.remove([aGatewayState({ engine: bad })])
    const filter = encodeURIComponent(JSON.stringify({ state: 'REGED' }))
    const listed = await api.call(listGateways, { headers, query: `filter=${filter}&columns=name,state,status` })
    expect(listed.body).toEqual({ status: 'OK', data: [{ name: 'trunk', state: 'REGED', status: 'UP' }] })

    api.clock.move(20_000)
    expect((await read()).body).toMatchObject({ data: { state: 'UNKNOWN', status: 'UNKNOWN' } })
  })

  it('a gateway is created with all its fields, hosts in lower case', async () => {
    const given = {
      realm: 'SIP.example.net',
      from_domain: 'Office.example.com',
      proxy: 'Edge.example.net:5080',
      register: false,
      from_user: 'office+1',
      networks: ['198.51.100.0/24', '2001:db8::/48'],
      transport: 'tls',
      srtp: 'required',
      expires: 60,
      caller_id: 'number:+380441234567',
      max_calls: 30,
      codecs: ['PCMA', 'PCMU'],
      enabled: false,
    }

    const { status, body } = await create(given)

    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...defaults,
      ...given,
      realm: 'sip.example.net',
      from_domain: 'office.example.com',
      proxy: 'edge.example.net:5080',
    })
  })

  it('a password of a gateway is stored encrypted, and never shown, logged or audited', async () => {
    await create()

    const sealed = (await stored())?.sealedPassword ?? ''
    const purpose = gatewayPasswordPurpose({ domain: 'a.example.com', name: 'trunk' })
    expect(new TextDecoder().decode(await api.ports.secretBox.open(sealed, purpose))).toBe(password)
    const other = gatewayPasswordPurpose({ domain: 'a.example.com', name: 'trunk2' })
    await expect(api.ports.secretBox.open(sealed, other)).rejects.toThrow()
    expect(JSON.stringify([api.log.lines, api.ports.state.audit, (await read()).text])).not.toContain(password)
  })

  it('the name of a gateway is unique in its domain', async () => {
    await create()

    expect(await create()).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  it('a domain has at most a hundred gateways', async () => {
    for (let index = 0; index < 100; index += 1) {
      await api.ports.gateways.create(aGateway({ name: `g${index}` }), 100)
    }

    expect(await create()).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  it('a gateway is replaced as a whole, and eight asterisks keep its password', async () => {
    await create({ max_calls: 3, from_user: 'x', networks: ['192.0.2.1/32'] })
    const before = (await stored())?.sealedPassword

    const { status, body } = await replace(input({ password: '********', transport: 'tcp' }))

    expect([status, body.data]).toEqual([200, { ...defaults, transport: 'tcp' }])
    expect((await stored())?.sealedPassword).toBe(before)
  })

  it('a patch of a gateway changes the given fields, and null removes a field', async () => {
    await create({ max_calls: 3, from_user: 'x' })
    const before = (await stored())?.sealedPassword

    const { body } = await update({ enabled: false, max_calls: null })

    expect(body.data).toEqual({ ...defaults, from_user: 'x', enabled: false })
    expect((await stored())?.sealedPassword).toBe(before)
    await update({ password: planted('another-password') })
    expect((await stored())?.sealedPassword).not.toBe(before)
  })

  it('a gateway without a registration loses its password by null', async () => {
    await create({ register: false, networks: ['192.0.2.1/32'] })

    const { body } = await update({ password: null, username: null })

    expect(Object.keys(body.data)).not.toContain('password')
    expect(Object.keys(body.data)).not.toContain('username')
    expect(await update({ password: '********' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'password' }] },
    })
  })

  it('a gateway is changed and removed only in the version that the request names', async () => {
    const { headers: made } = await create()
    const old = { 'if-match': made['ETag'] ?? '' }
    await update({ expires: 90 })

    for (const answer of [await replace(input(), old), await update({}, old), await remove(old)]) {
      expect(answer).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    }
    const current = { 'if-match': (await read()).headers['ETag'] ?? '' }
    expect(await remove(current)).toMatchObject({ status: 200, body: { status: 'OK', info: 'Removed 1 gateway.' } })
    expect(await remove()).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it.each(['none', 'x'.repeat(65), '..', '__proto__', 'TRUNK', 'b.example.com_trunk'])(
    'a gateway is not found as %s',
    async (name) => {
      await create()

      expect(await read(name)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    },
  )
})

describe('refused gateways', () => {
  it.each([
    ['name', 'Trunk'],
    ['name', '1trunk'],
    ['name', 'a.b'],
    ['name', 'x'.repeat(65)],
    ['realm', 'sip example net'],
    ['realm', 'sip.example.net;transport=tcp'],
    ['realm', '10.0.0.1'],
    ['realm', 'localhost'],
    ['realm', '127.1'],
    ['realm', '2130706433'],
    ['realm', '0x7F000001'],
    ['realm', '0300.0250.1.1'],
    ['realm', '1.2.3.4.5'],
    ['from_domain', '<sip>'],
    ['from_domain', '192.168.1.1'],
    ['proxy', 'sip.example.net:0'],
    ['proxy', 'sip.example.net:65536'],
    ['proxy', 'sip.example.net:8021'],
    ['proxy', 'sip.example.net:08021'],
    ['proxy', '127.0.0.1:5060'],
    ['proxy', '127.1:5060'],
    ['from_domain', '10.1'],
    ['proxy', 'sip:sip.example.net'],
    ['username', 'p"bx'],
    ['username', 'x'.repeat(65)],
    ['from_user', 'a b'],
    ['password', ''],
    ['password', 'x'.repeat(129)],
    ['password', 'a b'],
    ['password', 'a${b}'],
    ['password', 'a"b'],
    ['password', 'a<b'],
    ['password', 'a>b'],
    ['password', 'X-pre-process'],
    ['password', 'naïve'],
    ['password', '********'],
    ['transport', 'ws'],
    ['expires', 59],
    ['expires', 3601],
    ['caller_id', 'number:'],
    ['caller_id', 'number:1;x=y'],
    ['caller_id', 'all'],
    ['max_calls', 0],
    ['max_calls', 1001],
    ['codecs', ['GSM']],
    ['codecs', ['opus']],
    ['srtp', 'on'],
    ['srtp', 'optional'],
    ['caller_id', 'keep'],
    ['codecs', 'PCMU'],
    ['profile', 'internal'],
    ['networks', ['192.0.2.1']],
    ['networks', ['192.0.2.0/33']],
    ['networks', ['192.0.2.0/23']],
    ['networks', ['2001:db8::/47']],
    ['networks', ['::ffff:192.0.2.0/119']],
    ['networks', ['0.0.0.0/0']],
    ['networks', ['::/0']],
    ['networks', ['::ffff:0.0.0.0/96']],
    ['networks', Array.from({ length: 21 }, (_, index) => `192.0.2.${index}/32`)],
  ])('a gateway with the %s %j is refused, and nothing is stored', async (field, value) => {
    const { status, body } = await create({ [field]: value })

    expect([status, body.code]).toEqual([400, 'invalid_field'])
    expect(body.details[0].field.startsWith(field)).toBe(true)
    expect(api.ports.state.gateways.size).toBe(0)
  })

  it.each([
    [{ realm: undefined }, 'realm'],
    [{ username: undefined }, 'username'],
    [{ password: undefined }, 'password'],
    [{ register: false }, 'networks'],
  ])('a gateway with %j lacks its %s', async (given, field) => {
    expect(await create(given)).toMatchObject({
      status: 400,
      body: { code: 'missing_field', details: [{ field }] },
    })
  })

  it('a patch cannot remove a field that a registering gateway needs', async () => {
    await create()

    expect(await update({ password: null })).toMatchObject({ status: 400, body: { details: [{ field: 'password' }] } })
    expect(await update({ register: false })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'networks' }] },
    })
  })

  it.each([
    ['opus', { codecs: ['opus'] }, /must be one of PCMU, PCMA/],
    ['what phones send', { caller_id: 'keep' }, /must be account or number:<digits>: .*trusted-caller-ids/],
    ['encrypted media without TLS', { srtp: 'required', transport: 'tcp' }, /must be off, unless transport is tls/],
  ])('the refusal of a gateway with %s names the way out', async (_what, given, info) => {
    expect((await create(given)).body.info).toMatch(info)
  })

  it('a gateway with TLS is refused if an engine is known to have none, and accepted otherwise', async () => {
    const now = api.clock.now()
    const known = { name: '192.0.2.1:8021', coreUuid: '', connected: true, heardAt: now, status: 'UP' }
    const report = (hasGatewayTls?: boolean) =>
      api.ports.connectorStatus.report(aReport({ reportedAt: now, engines: [{ ...known, hasGatewayTls }] }))
    await report(false)
    const refused = await create({ transport: 'tls' })
    expect([refused.status, refused.body.info]).toEqual([
      400,
      'transport: must be udp or tcp: the engines have no TLS for gateways',
    ])

    await report(true)
    expect((await create({ transport: 'tls' })).status).toBe(200)
    await report()
    expect((await create({ name: 'other', transport: 'tls' })).status).toBe(200)
  })

  it('a gateway with a private address is accepted if the deployment allows its network', async () => {
    await start({ HOOK_ALLOWED_NETWORKS: '10.0.0.0/8' })

    expect((await create({ realm: '10.0.0.1', proxy: '10.0.0.1:5070' })).status).toBe(200)
  })
})

describe('networks of gateways', () => {
  const [first, second] = ['198.51.100.0/24', '203.0.113.0/24'] as const
  const claims = async () => {
    const { networksSince, confirmedNetworks } = (await stored()) ?? {}
    return { networksSince, confirmedNetworks }
  }
  const asRoot = async (work: () => Promise<ApiAnswer>) => {
    const before = headers
    headers = { ...(await api.as('root')) }
    try {
      return await work()
    } finally {
      headers = before
    }
  }
  const own = { query: 'domain=a.example.com' }
  const confirm = (confirmed_networks: readonly string[]) =>
    asRoot(() => api.call(updateGateway, { ...at(), ...own, body: { confirmed_networks } }))

  it('a network counts from the time when the gateway got it, and another change keeps that time', async () => {
    const made = api.clock.now()
    await create({ networks: [first] })
    api.clock.move(1_000)
    await update({ networks: [first, second] })
    api.clock.move(1_000)
    await replace(input({ networks: [second, first], password: '********' }))
    expect((await claims()).networksSince).toEqual({ [first]: made, [second]: made + 1_000 })

    await update({ networks: [second] })
    await update({ networks: [first] })
    expect((await claims()).networksSince).toEqual({ [first]: made + 2_000 })
  })

  it('only root confirms networks, and a confirmation ends with its network', async () => {
    await create({ networks: [first] })
    for (const answer of [
      await update({ confirmed_networks: [first] }),
      await replace(input({ networks: [first], confirmed_networks: [first] })),
      await create({ name: 'other', networks: [first], confirmed_networks: [first] }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
    }

    expect((await confirm([second])).status).toBe(400)
    expect((await confirm([first])).body.data).toMatchObject({ confirmed_networks: [first] })
    await update({ max_calls: 3 })
    expect((await replace(input({ networks: [first, second] }))).body.data.confirmed_networks).toEqual([first])
    expect((await update({ confirmed_networks: [first], networks: [first] })).status).toBe(200)
    expect((await update({ networks: [second] })).body.data.confirmed_networks).toEqual([])
    expect((await update({ networks: [first] })).body.data.confirmed_networks).toEqual([])
  })

  it('root sees which gateways of other domains share addresses, and no one else does', async () => {
    await create({ networks: ['198.51.100.128/25'] })
    await create({ name: 'alone', networks: ['192.0.2.0/24'] })
    const rival = { domain: 'b.example.com', name: 'claim', networks: [second, '::ffff:198.51.100.0/120'] }
    await api.ports.domains.create(aDomain({ name: 'b.example.com' }))
    await api.ports.gateways.create(aGateway(rival), 9)
    const list = (query = '') => api.call(listGateways, { headers, query })
    const overlapsOf = ({ body }: ApiAnswer) =>
      body.data.map(({ name, overlaps }: { name: string; overlaps?: string[] }) => [name, overlaps])

    expect(overlapsOf(await list())).toEqual([
      ['alone', undefined],
      ['trunk', undefined],
    ])
    expect(overlapsOf(await asRoot(() => list(own.query)))).toEqual([
      ['alone', undefined],
      ['trunk', ['b.example.com/claim']],
    ])
  })

  it('a gateway that was stored before the rules is read with the names of its ignored fields', async () => {
    const old = { networks: ['198.51.0.0/16', first], callerId: 'keep', codecs: ['G729'] }
    await api.ports.gateways.create(aGateway(old), 9)
    const ignored = ['networks', 'codecs', 'caller_id']

    expect((await read()).body.data).toMatchObject({ caller_id: 'keep', codecs: ['G729'], ignored })
    expect((await api.call(listGateways, { headers })).body.data).toMatchObject([{ name: 'trunk', ignored }])
    expect((await update({ max_calls: 3 })).status).toBe(400)
    const mended = { caller_id: 'account', codecs: [], networks: [first] }
    expect((await update(mended)).body.data).not.toHaveProperty('ignored')
  })
})
