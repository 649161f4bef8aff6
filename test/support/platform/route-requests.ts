/** One request to each endpoint that takes things, about whichever things a test names. */
import { handlerName } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { type Api, type ApiRequest, passwordOf } from './api.ts'

/** The names of one thing of each kind. */
export interface Things {
  /** The domain in paths; other endpoints get theirs from the caller, or from the query. */
  readonly domain: string
  readonly account: string
  readonly channel: string
  readonly role: string
  readonly token: string
  readonly list: string
  readonly number: string
  readonly routes: readonly [string, string]
  readonly gateway: string
  readonly hook: string
  readonly delivery: string
  readonly job: string
  /** A one-time code; `123456` where none is named. */
  readonly code?: string
  /** The id of a search under way; none where it is not named. */
  readonly scrollId?: string | undefined
}

const route = { destination_number: '^1$', callflow: [{ answer: '' }] }
const trunk = { realm: 'sip.example.net', username: 'pbx', password: 's3cr3t-long-enough' }
const mailServer = { provider: 'smtp', from: 'pbx@mail.example.net', options: { host: 'smtp.example.net' } }
const action = { type: 'web', method: 'POST', url: 'https://receiver.example.net/' }

const requests: Record<string, (things: Things) => ApiRequest> = {
  createDomain: () => ({ body: { domain_name: 'new.example.net', customer_id: 'c' } }),
  readDomain: inPath(),
  deleteDomain: inPath(),
  updateDomainVariables: inPath(['timezone=UTC']),
  updateDomainParameters: inPath(['vm-enabled=true']),
  listDomainTokens: inPath(),
  createDomainToken: inPath({ expire: Date.UTC(2026, 5, 1), role: 'user' }),
  updateDomainToken: ({ domain, token }) => ({ params: { domain_name: domain, uuid: token }, body: { state: false } }),
  deleteDomainToken: ({ domain, token }) => ({ params: { domain_name: domain, uuid: token } }),
  listDomainVersions: inPath(),
  keepDomainVersion: ({ domain }) => ({
    params: { domain_name: domain, version: '3' },
    body: { document: `domain: ${domain}\n`, comment: 'a queue for the front desk' },
  }),
  readDomainVersion: ({ domain }) => ({ params: { domain_name: domain, version: '1' } }),
  readAccount: account(),
  createAccount: () => ({ body: { login: '3000', password: 's3cr3t-long enough', role: 'user' } }),
  updateAccount: account({ password: 's3cr3t-long enough' }),
  deleteAccount: account(),
  endAccountTotp: account(),
  originateCall: (things) => ({ body: { calledId: '9196', callerId: things.account } }),
  holdChannel: ({ channel }) => ({ params: { channel_id: channel }, body: { state: 'hold' } }),
  hangUpChannel: ({ channel }) => ({ params: { channel_id: channel } }),
  eavesdropChannel: ({ channel }) => ({ params: { channel_id: channel }, body: { user: '1000' } }),
  createRole: () => ({ body: { roles: 'new', allows: { hook: ['r'] } } }),
  readReferenceFile: () => ({ params: { file: 'reference.js' } }),
  readRole: ({ role }) => ({ params: { name: role } }),
  updateRole: ({ role }) => ({ params: { name: role }, body: { allows: { hook: ['c'] } } }),
  deleteRole: ({ role }) => ({ params: { name: role } }),
  readBlacklist: ({ list }) => ({ params: { blacklist_name: list } }),
  addBlacklistNumber: ({ list }) => ({ params: { blacklist_name: list }, body: { number: '200' } }),
  deleteBlacklist: ({ list }) => ({ params: { blacklist_name: list } }),
  readBlacklistNumber: inList,
  removeBlacklistNumber: inList,
  createDefaultRoute: () => ({ body: route }),
  readDefaultRoute: ({ routes: [id] }) => ({ params: { route_id: id } }),
  replaceDefaultRoute: ({ routes: [id] }) => ({ params: { route_id: id }, body: route }),
  deleteDefaultRoute: ({ routes: [id] }) => ({ params: { route_id: id } }),
  simulateDefaultRoutes: ({ account: number }) => ({ body: { number } }),
  moveDefaultRouteUp: ({ routes: [, id] }) => ({ params: { route_id: id } }),
  moveDefaultRouteDown: ({ routes: [id] }) => ({ params: { route_id: id } }),
  createPublicRoute: () => ({ body: { ...route, gateway: 'trunk' } }),
  readPublicRoute: ({ routes: [id] }) => ({ params: { route_id: id } }),
  replacePublicRoute: ({ routes: [id] }) => ({ params: { route_id: id }, body: route }),
  deletePublicRoute: ({ routes: [id] }) => ({ params: { route_id: id } }),
  movePublicRouteUp: ({ routes: [, id] }) => ({ params: { route_id: id } }),
  movePublicRouteDown: ({ routes: [id] }) => ({ params: { route_id: id } }),
  createGateway: () => ({ body: { name: 'new', ...trunk } }),
  readGateway: gateway(),
  replaceGateway: gateway(trunk),
  updateGateway: gateway({ enabled: false }),
  deleteGateway: gateway(),
  createHooks: () => ({ body: { event: 'CHANNEL_CREATE', action } }),
  readHook: hook(),
  replaceHook: hook({ event: 'CHANNEL_CREATE', action }),
  updateHook: hook({ event: 'CHANNEL_ANSWER' }),
  deleteHook: hook(),
  rotateHookSecret: hook(),
  listDeliveries: hook(),
  resendDelivery: ({ hook: id, delivery }) => ({ params: { hook_id: id, delivery_id: delivery } }),
  // Around the moment that tests begin at.
  replayDeliveries: hook({ from: Date.UTC(2026, 0, 15), to: Date.UTC(2026, 0, 16) }),
  testHook: hook({ force: true }),
  dryRunHook: () => ({ body: { event: 'CHANNEL_CREATE', action } }),
  createEmailSettings: () => ({ body: mailServer }),
  replaceEmailSettings: () => ({ body: mailServer }),
  sendTestMail: () => ({ body: { to: 'somebody@mail.example.net' } }),
  confirmTotp: ({ code = '123456' }) => ({ body: { code } }),
  endTotp: ({ code = '123456' }) => ({ body: { code } }),
  logIn: ({ account: login, domain }) => ({
    body: { username: `${login}@${domain}`, password: passwordOf(login) },
  }),
  searchCdrs: () => ({ body: { query: '*' } }),
  scrollCdrs: ({ scrollId = 'none' }) => ({ body: { scrollId } }),
  readCdr: call(),
  deleteCdr: call(),
  listOtherLegs: call(),
  beginExport: () => ({ body: { query: '*' } }),
  readExport: ({ job }) => ({ params: { job_id: job } }),
  beginErasure: () => ({ body: { number: '+49301234567' } }),
  readErasure: ({ job }) => ({ params: { job_id: job } }),
  readRecording: call(),
  deleteRecordings: call(),
  holdRecordings: call({ hold: true }),
  takeCdr: ({ account: login, domain }) => ({
    query: `uuid=${login}`,
    body: { variables: { uuid: login, domain_name: domain } },
  }),
  lookUpDirectory: ({ account: login, domain }) => ({
    rawBody: `section=directory&user=${login}&domain=${domain}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  uploadRecording: ({ account: login, domain }) => ({
    rawBody: `domain=${domain}&uuid=${login}&name=a.wav&size=1&sha256=${'0'.repeat(64)}&parts=${'0'.repeat(64)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  takeVoicemail: ({ account: login, domain }) => ({
    query: 'size=5',
    rawBody: `1795737600:0:${login}:${domain}:inbox:/voicemail/${domain}/${login}/msg_1.wav:1:Alice:1000:12\nsound`,
  }),
  lookUpDialplan: ({ account: login, domain }) => ({
    rawBody: `section=dialplan&Hunt-Destination-Number=${login}&Hunt-Context=${domain}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
}

/** A request that the endpoint serves where the things are there and the caller may. */
export function requestTo({ operationId }: Route, things: Things): ApiRequest {
  return requests[operationId]?.(things) ?? {}
}

/** The handler of a route, from the file that its record names. */
export async function handlerOf({ group, operationId }: Route) {
  const file: { handler: Parameters<Api['call']>[0] } = await import(
    `../../../functions/${group}/${handlerName(operationId)}.ts`
  )
  return file.handler
}

function inPath(body?: unknown) {
  return ({ domain }: Things): ApiRequest => ({
    params: { domain_name: domain },
    ...(body === undefined ? {} : { body }),
  })
}

function account(body?: unknown) {
  return ({ account: id }: Things): ApiRequest => ({
    params: { account_id: id },
    ...(body === undefined ? {} : { body }),
  })
}

function hook(body?: unknown) {
  return ({ hook: id }: Things): ApiRequest => ({
    params: { hook_id: id },
    ...(body === undefined ? {} : { body }),
  })
}

function gateway(body?: unknown) {
  return ({ gateway: name }: Things): ApiRequest => ({
    params: { gateway_name: name },
    ...(body === undefined ? {} : { body }),
  })
}

/** A call, and its recordings. */
function call(body?: unknown) {
  return ({ channel }: Things): ApiRequest => ({
    params: { uuid: channel },
    ...(body === undefined ? {} : { body }),
  })
}

function inList({ list, number }: Things): ApiRequest {
  return { params: { blacklist_name: list, blacklist_number: number } }
}

/** A route's path with its parameters filled in, percent-encoded. */
export function pathOf(route: Pick<Route, 'path'>, params: Readonly<Record<string, string>> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
