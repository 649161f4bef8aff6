import { describe, expect, it } from 'vitest'
import { handlerName, routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { type Api, type ApiRequest, anApi } from '../../support/platform/api.ts'
import {
  aDelivery,
  aDomainToken,
  aDomainVersion,
  aHook,
  aReport,
  aRole,
  aRoute,
  anEntry,
  anEvent,
  anExport,
  aGateway,
  emailSettingsOf,
} from '../../support/records/records.ts'
import { plantCdr, plantRecording } from '../../support/platform/tenant.ts'

const callers = ['nobody', 'expired', 'user', 'admin', 'other', 'root'] as const
type Caller = (typeof callers)[number]

/** The routes for admins of the domain and for root. */
const managers: Record<Caller, number> = { ...all(200), user: 403, other: 403 }

const tenant = { domain_name: 'a.example.com' }
const spam = { blacklist_name: 'spam' }
const tokenId = '0d3d3d0e-8c1f-4f6c-9a43-0c7e1f2b3a4d'
const deliveryId = `msg_${'a'.repeat(32)}`
const jobId = '2b8e1c7e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
const routeIds = ['a'.repeat(24), 'b'.repeat(24)] as const

/** One sensible request for each endpoint, and the status that each caller gets: the contract's section 5.3. */
const table: Record<string, [ApiRequest, Record<Caller, number>]> = {
  logOut: [{}, all(200)],
  listDomains: [{}, { ...all(200), user: 403 }],
  createDomain: [{ body: { domain_name: 'new.example.com', customer_id: 'c' } }, { ...all(403), root: 200 }],
  listAccounts: [inDomain(), { ...all(200), other: 403 }],
  readAccount: [inDomain({ params: { account_id: '1001' } }), { ...all(200), other: 403 }],
  createAccount: [inDomain({ body: { login: '3000', password: 's3cr3t-long enough', role: 'user' } }), managers],
  updateAccount: [inDomain({ params: { account_id: '1001' }, body: { password: 's3cr3t-long enough' } }), managers],
  deleteAccount: [inDomain({ params: { account_id: '1001' } }), managers],
  listChannels: [inDomain(), { ...all(200), other: 403 }],
  originateCall: [inDomain({ body: { calledId: '9196', callerId: '1000' } }), { ...all(200), other: 403 }],
  holdChannel: [inDomain({ params: channel(), body: { state: 'hold' } }), { ...all(200), other: 403 }],
  hangUpChannel: [inDomain({ params: channel() }), { ...all(200), other: 403 }],
  eavesdropChannel: [inDomain({ params: channel(), body: { user: '1000' } }), managers],
  listHooks: [inDomain(), managers],
  readHook: [inDomain({ params: hook() }), managers],
  replaceHook: [inDomain({ params: hook(), body: hookBody() }), managers],
  updateHook: [inDomain({ params: hook(), body: { event: 'DTMF' } }), managers],
  deleteHook: [inDomain({ params: hook() }), managers],
  rotateHookSecret: [inDomain({ params: hook() }), managers],
  listDeliveries: [inDomain({ params: hook() }), managers],
  resendDelivery: [inDomain({ params: { ...hook(), delivery_id: deliveryId } }), managers],
  replayDeliveries: [
    inDomain({ params: hook(), body: { from: Date.UTC(2026, 0, 15), to: Date.UTC(2026, 0, 16) } }),
    managers,
  ],
  testHook: [inDomain({ params: hook(), body: { force: true } }), managers],
  dryRunHook: [inDomain({ body: hookBody() }), managers],
  createHooks: [inDomain({ body: hookBody() }), managers],
  readStatus: [{}, all(200)],
  listEventTypes: [{}, all(200)],
  whoAmI: [{}, all(200)],
  beginTotp: [{}, { ...all(200), root: 400 }],
  // No second factor was begun, so a permitted caller has none to confirm or to end.
  confirmTotp: [{ body: { code: '123456' } }, { ...all(409), root: 400 }],
  endTotp: [{ body: { code: '123456' } }, { ...all(404), root: 400 }],
  endAccountTotp: [inDomain({ params: { account_id: '1001' } }), managers],
  listRoles: [inDomain(), { ...all(200), other: 403 }],
  readRole: [inDomain({ params: { name: 'operator' } }), { ...all(200), other: 403 }],
  createRole: [inDomain({ body: { roles: 'new', allows: { hook: ['r'] } } }), { ...all(403), root: 200 }],
  updateRole: [
    inDomain({ params: { name: 'operator' }, body: { allows: { hook: ['c'] } } }),
    { ...all(403), root: 200 },
  ],
  deleteRole: [inDomain({ params: { name: 'operator' } }), { ...all(403), root: 200 }],
  readDomain: [{ params: tenant }, managers],
  deleteDomain: [{ params: tenant }, { ...all(403), root: 200 }],
  updateDomainVariables: [{ params: tenant, body: ['timezone=UTC'] }, managers],
  updateDomainParameters: [{ params: tenant, body: ['vm-enabled=true'] }, managers],
  listDomainTokens: [{ params: tenant }, managers],
  createDomainToken: [{ params: tenant, body: { expire: Date.UTC(2026, 5, 1), role: 'user' } }, managers],
  updateDomainToken: [{ params: { ...tenant, uuid: tokenId }, body: { state: false } }, managers],
  deleteDomainToken: [{ params: { ...tenant, uuid: tokenId } }, managers],
  listDomainVersions: [{ params: tenant }, managers],
  keepDomainVersion: [{ params: { ...tenant, version: '2' }, body: { document: 'domain: a.example.com' } }, managers],
  readDomainVersion: [{ params: { ...tenant, version: '1' } }, managers],
  listBlacklists: [inDomain(), { ...all(200), other: 403 }],
  readBlacklist: [inDomain({ params: spam }), { ...all(200), other: 403 }],
  readBlacklistNumber: [inDomain({ params: { ...spam, blacklist_number: '100' } }), { ...all(200), other: 403 }],
  addBlacklistNumber: [inDomain({ params: spam, body: { number: '200' } }), { ...all(200), other: 403 }],
  removeBlacklistNumber: [inDomain({ params: { ...spam, blacklist_number: '100' } }), managers],
  deleteBlacklist: [inDomain({ params: spam }), managers],
  listDefaultRoutes: [inDomain(), managers],
  readDefaultRoute: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  createDefaultRoute: [inDomain({ body: { destination_number: '^1$', callflow: [{ answer: '' }] } }), managers],
  replaceDefaultRoute: [
    inDomain({ params: { route_id: routeIds[0] }, body: { destination_number: '^1$', callflow: [{ answer: '' }] } }),
    managers,
  ],
  simulateDefaultRoutes: [inDomain({ body: { number: '1' } }), managers],
  moveDefaultRouteUp: [inDomain({ params: { route_id: routeIds[1] } }), managers],
  moveDefaultRouteDown: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  deleteDefaultRoute: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  listPublicRoutes: [inDomain(), managers],
  readPublicRoute: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  createPublicRoute: [inDomain({ body: { destination_number: '^1$', gateway: 'trunk' } }), managers],
  replacePublicRoute: [inDomain({ params: { route_id: routeIds[0] }, body: { destination_number: '^1$' } }), managers],
  movePublicRouteUp: [inDomain({ params: { route_id: routeIds[1] } }), managers],
  movePublicRouteDown: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  deletePublicRoute: [inDomain({ params: { route_id: routeIds[0] } }), managers],
  listGateways: [inDomain(), managers],
  readGateway: [inDomain({ params: trunk() }), managers],
  createGateway: [inDomain({ body: { name: 'new', ...trunkBody() } }), managers],
  replaceGateway: [inDomain({ params: trunk(), body: trunkBody() }), managers],
  updateGateway: [inDomain({ params: trunk(), body: { enabled: false } }), managers],
  deleteGateway: [inDomain({ params: trunk() }), managers],
  readEmailSettings: [inDomain(), managers],
  createEmailSettings: [inDomain({ body: mailServer() }), managers],
  replaceEmailSettings: [inDomain({ body: mailServer() }), managers],
  deleteEmailSettings: [inDomain(), managers],
  sendTestMail: [inDomain({ body: { to: 'somebody@example.com' } }), managers],
  searchCdrs: [inDomain({ body: {} }), { ...all(200), other: 403 }],
  // No search was begun that could be continued.
  scrollCdrs: [inDomain({ body: { scrollId: 'none' } }), { ...all(400), other: 403 }],
  readCdr: [inDomain({ params: call() }), { ...all(200), other: 403 }],
  listOtherLegs: [inDomain({ params: call() }), { ...all(200), other: 403 }],
  beginExport: [inDomain({ body: {} }), { ...all(200), other: 403 }],
  readExport: [inDomain({ params: { job_id: jobId } }), { ...all(404), user: 200, other: 403 }],
  readRecording: [inDomain({ params: call(), query: 'domain=a.example.com&type=all' }), { ...all(200), other: 403 }],
  deleteRecordings: [inDomain({ params: call() }), managers],
  holdRecordings: [inDomain({ params: call(), body: { hold: true } }), managers],
  listEvents: [inDomain(), managers],
  listAudit: [inDomain(), managers],
}

function mailServer() {
  return { provider: 'smtp', options: { host: 'smtp.example.com' } }
}

function all(status: number): Record<Caller, number> {
  return { nobody: 401, expired: 401, user: status, admin: status, other: status, root: status }
}

function inDomain(request: ApiRequest = {}): ApiRequest {
  return { query: 'domain=a.example.com', ...request }
}

function hook() {
  return { hook_id: 'c'.repeat(24) }
}

function hookBody() {
  return { event: 'CHANNEL_CREATE', action: { type: 'web', method: 'POST', url: 'https://receiver.example.com/' } }
}

function trunk() {
  return { gateway_name: 'trunk' }
}

function trunkBody() {
  return { realm: 'sip.example.net', username: 'pbx', password: 's3cr3t-long-enough' }
}

function channel() {
  return { channel_id: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }
}

function call() {
  return { uuid: channel().channel_id }
}

async function handlerOf({ group, operationId }: Route) {
  const file: { handler: Parameters<Api['call']>[0] } = await import(
    `../../../functions/${group}/${handlerName(operationId)}.ts`
  )
  return file.handler
}

/** One of each thing that the requests name. */
async function fill({ ports, clock }: Api): Promise<void> {
  const domain = 'a.example.com'
  await ports.roles.write({ domain, roles: [aRole()], version: 1 })
  await ports.domainTokens.create(aDomainToken({ domain, uuid: tokenId }), 9)
  await ports.domainVersions.create(aDomainVersion({ domain }), 9)
  await ports.blacklists.add(anEntry({ domain, list: 'spam', number: '100' }), { entries: 9, lists: 9 })
  for (const [order, id] of routeIds.entries()) {
    await ports.defaultRoutes.create(aRoute({ domain, id, order }), order)
    await ports.publicRoutes.create(aRoute({ domain, id, order }), order)
  }
  const secret = await ports.secretBox.seal(new Uint8Array(32), secretPurpose(domain, hook().hook_id))
  await ports.hooks.create([aHook({ domain, id: hook().hook_id, secrets: [{ sealed: secret }] })], 9)
  const event = anEvent({ domain })
  await ports.deliveries.keepEvent(event)
  await ports.deliveries.create(aDelivery({ id: deliveryId, hookId: hook().hook_id, event }))
  await plantRecording({ ports }, { domain, ...call() })
  await plantCdr({ ports, clock }, { domain_name: domain, uuid: call().uuid, presence_id: `1000@${domain}` })
  const owner = `1000@${domain}`
  await ports.exports.create(anExport({ domain, id: jobId, owner, presenceId: owner, createdAt: clock.now() }))
  await ports.gateways.create(aGateway({ domain }), 9)
  const { options, ...settings } = emailSettingsOf({ domain })
  await ports.emailSettings.put({ ...settings, options: { ...options, auth: undefined } })
}

/** A tenant with a user 1000 and admins 1001 and 1002, another with an admin, and an engine that carries out every order. */
async function setUp() {
  const api = anApi()
  const accounts = {
    user: await api.account({ login: '1000' }),
    admin: await api.account({ login: '1002', role: 'admin' }),
    other: await api.account({ domain: 'b.example.com', login: '1002', role: 'admin' }),
    root: 'root' as const,
  }
  await api.account({ login: '1001', secondFactor: { sealed: 'c2VhbGVk', isOn: true, usedStep: 0 } })
  await fill(api)
  await api.ports.connectorStatus.report(aReport())
  api.ports.engine.answer = ({ kind }) =>
    kind === 'list-channels'
      ? { state: 'done', text: '{"row_count":0,"rows":[]}' }
      : { state: 'done', text: '+OK', uuid: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }
  const headersOf = async (caller: Caller): Promise<Record<string, string>> => {
    if (caller === 'nobody') return {}
    if (caller !== 'expired') return { ...(await api.as(accounts[caller])) }
    const headers = { ...(await api.as('root')) }
    api.clock.move(3_600_000)
    return headers
  }
  return { api, headersOf }
}

const stores = (api: Api) => {
  const { tokens: _tokens, sessions: _sessions, highestSessions: _highest, audit: _audit, ...kept } = api.ports.state
  return structuredClone(kept)
}

describe.each(routes.map((route) => [route.operationId, route] as const))('%s', (operationId, route) => {
  it('the route has its handler where its record says', async () => {
    expect((await handlerOf(route)).route.operationId).toBe(operationId)
  })

  if (route.authentication !== 'token') return
  it.each(callers)('the route answers %s as the contract says, and a refusal changes nothing', async (caller) => {
    const { api, headersOf } = await setUp()
    const [request, statuses] = table[operationId] ?? [{}, all(0)]
    const headers = await headersOf(caller)
    const before = stores(api)

    const answer = await api.call(await handlerOf(route), { ...request, headers })

    expect(answer.status).toBe(statuses[caller])
    if (answer.status === 200) return
    expect(stores(api)).toEqual(before)
    expect(api.ports.engine.given).toEqual([])
    expect(api.ports.events.published).toEqual([])
    expect([api.ports.deliveryQueue.queued, api.ports.hookClient.sent]).toEqual([[], []])
  })
})
