// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createPublicRoute } from '../../../functions/public-routes/create-public-route.ts'
import { handler as lookUpDialplan } from '../../../functions/engine/look-up-dialplan.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aDomain, aGateway, aRoute } from '../../support/records/records.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const [domain, other] = ['a.example.com', 'b.example.com']
const [source, stranger] = ['192.0.2.7', '192.0.9.9']
const networks = ['192.0.2.0/24']

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain, role: 'admin' }))) }
})

const gateway = (given: Partial<Gateway> = {}) =>
  api.ports.gateways.create(aGateway({ domain, register: false, networks, ...given }), 9)
const route = (body: object) =>
  api.call(createPublicRoute, { headers, body: { destination_number: '.+', callflow: [{ answer: '' }], ...body } })

/** Asks as an engine about a call at the profile of gateways; the fields are variables of its channel. */
async function ask(variables: Readonly<Record<string, string>> = {}, number = '380441234567'): Promise<string> {
  const given = { sip_network_ip: source, sofia_profile_name: 'external', sip_req_host: '198.51.100.1', ...variables }
  const fields = new URLSearchParams({
    section: 'dialplan',
    'Hunt-Context': 'public',
    'Hunt-Destination-Number': number,
    'Hunt-Caller-ID-Number': '380671112233',
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`variable_${name}`, value])),
  })
  return answerTo(fields.toString())
}

async function answerTo(rawBody: string): Promise<string> {
  const basic = engineAuthorization(api.ports.secrets.engine)
  const answer = await api.call(lookUpDialplan, {
    rawBody,
    headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(answer.status).toBe(200)
  return answer.text
}

const applications = (xml: string) =>
  [...xml.matchAll(/application="([^"]*)" data="([^"]*)"/g)].map(([, name, data]) => `${name} ${data}`.trim())
/** The applications of the route itself. */
const ran = async (variables: Readonly<Record<string, string>> = {}, number?: string) =>
  applications(await ask(variables, number)).filter((line) => !/^(?:export|set (?!svc_))/.test(line))
/** Whether a call is refused as that of a stranger. An engine that gets no answer says 503 instead. */
const nothing = (xml: string) =>
  xml.includes('context name="public"') && applications(xml).join() === 'hangup CALL_REJECTED'

describe('the source of a call from a gateway', () => {
  beforeEach(() => route({ callflow: [{ answer: '' }] }))

  it('a call from the networks of a gateway uses a public route of its domain', async () => {
    await gateway()

    const xml = await ask()

    expect(xml).toContain('context name="public"')
    expect(applications(xml)).toContain(`set w_domain=${domain}`)
    expect(applications(xml).at(-1)).toBe('answer')
  })

  it.each([
    ['a call from elsewhere', { sip_network_ip: stranger }],
    ['a call without a source', { sip_network_ip: '' }],
    ['a call at another profile', { sofia_profile_name: 'phones' }],
    ['a call that claims the contact of the gateway', { sip_gateway: `${domain}_trunk`, sip_network_ip: stranger }],
    ['a call to the contact of a gateway that is not there', { sip_gateway: `${domain}_none` }],
    ['a call to a contact that no gateway has', { sip_gateway: 'Trunk' }],
    ['a call that names the domain', { sip_network_ip: stranger, sip_req_host: domain, domain_name: domain }],
  ])('%s gets no route', async (_what, variables) => {
    await gateway()

    expect(nothing(await ask(variables))).toBe(true)
  })

  it("a call to the contact of a registered gateway is accepted if it comes from the gateway's proxy", async () => {
    const sip_gateway = `${domain}_trunk`
    await gateway({ register: true, networks: [], proxy: `${source}:5070` })

    expect(await ran({ sip_gateway })).toEqual(['answer'])
    expect(nothing(await ask({ sip_gateway, sip_network_ip: stranger }))).toBe(true)
    expect(nothing(await ask())).toBe(true)
  })

  it("the name of a gateway's proxy is resolved to its addresses", async () => {
    const sip_gateway = `${domain}_trunk`
    await gateway({ register: true, networks: [], proxy: 'localhost:5070' })

    expect(await ran({ sip_gateway, sip_network_ip: '127.0.0.1' })).toEqual(['answer'])
    expect(nothing(await ask({ sip_gateway, sip_network_ip: '127.0.0.2' }))).toBe(true)
  })

  it('calls from a disabled gateway, and from one of a deleted domain, get no route', async () => {
    await gateway({ enabled: false })
    expect(nothing(await ask())).toBe(true)
    expect(nothing(await ask({ sip_gateway: `${domain}_trunk` }))).toBe(true)

    await gateway({ name: 'enabled' })
    expect(nothing(await ask())).toBe(false)
    api.ports.state.domains.clear()
    expect(nothing(await ask())).toBe(true)
  })

  /** Another domain, whose calls are busy, with a gateway that has the source as well. */
  const rival = async (given: Partial<Gateway> = {}) => {
    api.ports.state.domains.set(other, aDomain({ name: other }))
    await gateway({ domain: other, name: 'claim', networks: ['192.0.2.7/32'], ...given })
    await api.ports.publicRoutes.create(aRoute({ domain: other, callflow: [{ hangup: 'USER_BUSY' }] }), 0)
  }
  const [own, ofRival] = [['answer'], ['hangup USER_BUSY']]

  it('a source that belongs to gateways of two domains is assigned by the called address, else to the older network', async () => {
    await gateway({ networksSince: { '192.0.2.0/24': 5 } })
    await rival({ createdAt: 1, networksSince: { '192.0.2.7/32': 6 } })

    expect(await ran()).toEqual(own)
    expect(await ran({ sip_req_host: 'c.example.com' })).toEqual(own)
    expect(await ran({ sip_req_host: domain.toUpperCase() })).toEqual(own)
    expect(await ran({ sip_req_host: other })).toEqual(ofRival)
    expect(await ran({ sip_gateway: `${domain}_trunk` })).toEqual(own)
  })

  it('a network that root has confirmed is stronger than an older one, for the network itself only', async () => {
    await gateway({ networksSince: { '192.0.2.0/24': 5 } })
    await rival({ networksSince: { '192.0.2.7/32': 6, '192.0.9.9/32': 1 }, networks: ['192.0.2.7/32', '192.0.9.9/32'] })
    const claim = await api.ports.gateways.read(other, 'claim')
    if (claim) await api.ports.gateways.replace({ ...claim, confirmedNetworks: ['192.0.9.9/32'], version: 2 })
    expect(await ran()).toEqual(own)

    if (claim) await api.ports.gateways.replace({ ...claim, confirmedNetworks: ['192.0.2.7/32'], version: 3 })
    expect(await ran()).toEqual(ofRival)
    expect(await ran({ sip_req_host: domain })).toEqual(own)
  })

  it('a network that could not be named today takes no call from a gateway that names it properly, however old it is', async () => {
    await gateway({ networksSince: { '192.0.2.0/24': 5 } })
    await rival({ networks: ['192.0.0.0/16'], networksSince: { '192.0.0.0/16': 1 } })

    expect(await ran()).toEqual(own)
  })

  it.each([
    ['a disabled gateway', { enabled: false }],
    ['a gateway that has only its proxy there', { networks: [], register: true, proxy: source }],
  ])('%s of another domain changes nothing, although it is older', async (_what, given) => {
    await gateway({ networksSince: { '192.0.2.0/24': 5 } })
    await rival({ networksSince: { '192.0.2.7/32': 1 }, ...given })

    expect(await ran()).toEqual(own)
  })

  it('calls that only the age of a network assigns are logged once by source, and other calls never', async () => {
    api.ports.state.domains.set(other, aDomain({ name: other }))
    const [shared, logged] = ['192.0.3.7', () => api.log.lines.filter(({ level }) => level === 'warn')]
    await gateway({ networks: ['192.0.3.0/24'] })
    await gateway({ domain: other, name: 'claim', networks: ['192.0.3.7/32'] })

    await ask({ sip_network_ip: shared, sip_req_host: domain })
    await ask({ sip_network_ip: stranger })
    expect(logged()).toEqual([])

    for (let call = 0; call < 3; call++) await ask({ sip_network_ip: shared })
    const keys = { source: shared, domains: `${domain} ${other}` }
    const message = 'gateways of several domains have the source of a call: the oldest has got it'
    expect(logged()).toMatchObject([{ level: 'warn', message, keys }])
  })

  it.each([
    ['to an address of the engine', 1, '380441234567'],
    ['to the contact of a gateway', 2, 'gw+acme.example.com_trunk'],
  ])('the recorded question about a call %s is answered by a public route', async (_what, at, number) => {
    const file = `../../fixtures/freeswitch/xml-curl/call-from-gateway-${at}.http`
    const recorded = readFileSync(new URL(file, import.meta.url), 'utf8').split('\r\n\r\n')[1] ?? ''
    const acme = 'acme.example.com'
    api.ports.state.domains.set(acme, aDomain({ name: acme }))
    await gateway({ domain: acme, networks: ['127.0.0.11/32'] })
    const callflow = [{ hangup: 'USER_BUSY' }]
    await api.ports.publicRoutes.create(aRoute({ domain: acme, destinationNumber: '.+', callflow }), 0)

    const lines = applications(await answerTo(recorded))

    expect(lines.at(-1)).toBe('hangup USER_BUSY')
    expect(lines).toContain(`set w_domain=${acme}`)
    expect(recorded).toContain(`Hunt-Destination-Number=${encodeURIComponent(number)}`)
  })

  it('an IPv4 source address in IPv6 form counts as the IPv4 address', async () => {
    await gateway({ networks: ['::ffff:192.0.2.0/120', '2001:db8::/32'] })

    expect(await ran({ sip_network_ip: '::ffff:192.0.2.7' })).toEqual(['answer'])
    expect(await ran({ sip_network_ip: '2001:db8::1' })).toEqual(['answer'])
    expect(nothing(await ask({ sip_network_ip: '::ffff:192.0.3.7' }))).toBe(true)
  })
})

describe('public routes at work', () => {
  beforeEach(() => gateway())

  it('routes that name the gateway come before those that name none, and those of other gateways are never used', async () => {
    await route({ name: 'any', callflow: [{ hangup: 'USER_BUSY' }], order: 1 })
    await route({ name: 'another', gateway: 'another', callflow: [{ hangup: 'NO_ANSWER' }], order: 2 })
    await route({ name: 'off', gateway: 'trunk', disabled: true, order: 3 })
    expect(await ran()).toEqual(['hangup USER_BUSY'])

    await route({ name: 'own', gateway: 'trunk', callflow: [{ hangup: 'CALL_REJECTED' }], order: 4 })
    const simulated = await simulate({ number: '1', gateway: 'trunk' })

    expect(await ran()).toEqual(['hangup CALL_REJECTED'])
    expect(simulated.matched).toMatchObject({ kind: 'public', name: 'own' })
    expect(simulated.considered.map(({ name, reason }: Record<string, string>) => [name, reason])).toEqual([
      ['another', 'is for another gateway'],
      ['off', 'is disabled'],
      ['own', 'matches'],
    ])
  })

  it('a number without a public route gets UNALLOCATED_NUMBER, even if it is an account or has a default route', async () => {
    await api.ports.defaultRoutes.create(aRoute({ domain }), 0)
    await route({ destination_number: '7' })

    expect(await ran({}, '1000')).toEqual(['hangup UNALLOCATED_NUMBER'])
    expect((await ran({}, '112')).at(-1)).toBe('hangup UNALLOCATED_NUMBER')
    expect((await simulate({ number: '1000', gateway: 'trunk' })).end).toEqual({ cause: 'UNALLOCATED_NUMBER' })
  })

  it("a caller on the domain's default blacklist is refused, even if it presents an emergency number", async () => {
    await api.ports.blacklists.add(
      { id: 'f'.repeat(24), domain, list: 'spam', number: '380671112233', createdAt: 0 },
      { entries: 9, lists: 9 },
    )
    api.ports.state.domains.set(domain, aDomain({ name: domain, variables: { default_blacklist: 'spam' } }))
    await route({})

    expect(await ran()).toEqual(['hangup CALL_REJECTED'])
    expect(await ran({}, '112')).toEqual(['hangup CALL_REJECTED'])
  })

  it('a condition after a wait is decided in the public context at the step where the route paused', async () => {
    const { body } = await route({
      callflow: [{ sleep: 10 }, { if: { expression: '${x} == 1', then: [{ hangup: 'USER_BUSY' }] } }],
    })

    const [set = '', ...rest] = (await ran()).slice(-2)
    expect([set, ...rest]).toEqual([`set svc_route=${body._id}:1:380441234567`, 'transfer 380441234567 XML public'])
    const svc_route = set.slice('set svc_route='.length)
    expect(await ran({ svc_route, x: '1' })).toEqual(['unset svc_route', 'hangup USER_BUSY'])
    expect(nothing(await ask({ svc_route, x: '1', sip_network_ip: stranger }))).toBe(true)
  })

  it('a public route can send a call to a number of the domain, although the call has no account', async () => {
    await route({ destination_number: '38044(\\d+)', callflow: [{ goto: '1000' }] })

    const data = await simulate({ number: '380441000', gateway: 'trunk', caller: '1000' })

    expect(await ran()).toEqual([`transfer 1000 XML ${domain}`])
    const lines = data.steps.map(({ application, data: of }: Record<string, string>) => `${application} ${of}`)
    expect(lines).toContain(`bridge user/1000@${domain}`)
    expect(lines).not.toContain(`set presence_id=1000@${domain}`)
  })

  it('a call is counted at its gateway first, and ends if the gateway is over its limit', async () => {
    await gateway({ name: 'small', networks: ['192.0.9.9/32'], maxCalls: 2 })
    await route({})

    const lines = applications(await ask({ sip_network_ip: stranger }))

    expect(lines.slice(0, 3)).toEqual([
      `set w_domain=${domain}`,
      'set limit_ignore_transfer=true',
      `limit hash gateway ${domain}_small 2 !NORMAL_CIRCUIT_CONGESTION`,
    ])
    expect(applications(await ask({ sip_network_ip: stranger }, '112'))).toContain(
      `limit hash gateway ${domain}_small 2 !NORMAL_CIRCUIT_CONGESTION`,
    )
  })
})

const simulate = async (body: object) =>
  (await api.call(simulateDefaultRoutes, { headers, body: { direction: 'inbound', ...body } })).body.data

describe('a simulated call from a gateway', () => {
  it.each([[{}], [{ gateway: 'none' }], [{ gateway: 'off' }]])('the call %j is refused', async (given) => {
    await gateway({ name: 'off', enabled: false })
    const body = { direction: 'inbound', number: '1', ...given }

    const answer = await api.call(simulateDefaultRoutes, { headers, body })

    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'gateway'])
  })

  it('a simulated call from a gateway uses the proposed routes instead of the public ones', async () => {
    await gateway()
    const routes = [{ destination_number: '1', gateway: 'trunk', callflow: [{ hangup: 'USER_BUSY' }] }]

    expect(await simulate({ number: '1', gateway: 'trunk', routes })).toMatchObject({
      matched: { kind: 'public' },
      end: { cause: 'USER_BUSY' },
    })
  })
})
