import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { type Api, anApi } from '../../support/api.ts'
import { aReport } from '../../support/records.ts'
import { type Things, handlerOf, requestTo } from '../../support/route-requests.ts'
import { aTenant, credentialOf, domainCredential, people, usualThings } from '../../support/tenant.ts'

const tenant = 'a.example.com'
const another = 'b.example.com'

/** `operator` has a role that its domain made, `program` the domain's own token with the role of a user. */
const callers = ['user', 'admin', 'operator', 'program', 'foreign admin', 'root'] as const
type Caller = (typeof callers)[number]

type Thing = 'own' | 'of the tenant' | 'of another tenant' | 'missing'

const forAll = '200 200 200 200 200 200'
const forManagers = '403 200 403 403 200 200'
const forRoot = '403 403 403 403 403 200'
const changeOfTheTenant = '403 200 403 403 404 200'
const changeOfAnother = '403 404 403 403 200 404'
const changeOfMissing = '403 404 403 403 404 404'

/** A record of a domain that is for its managers. */
const managed = {
  'of the tenant': changeOfTheTenant,
  'of another tenant': changeOfAnother,
  missing: changeOfMissing,
}

/** A default route, which the operator may read. */
const readable = {
  'of the tenant': '403 200 200 403 404 200',
  'of another tenant': '403 404 404 403 200 404',
  missing: '403 404 404 403 404 404',
}

/** A domain, which its managers may change. */
const itsDomain = {
  'of the tenant': '403 200 403 403 403 200',
  'of another tenant': '403 403 403 403 200 200',
  missing: '403 403 403 403 403 404',
}

/** A role, which root alone may change. */
const itsRole = {
  'of the tenant': forRoot,
  'of another tenant': '403 403 403 403 403 404',
  missing: '403 403 403 403 403 404',
}

/** Blacklists answer "none" for what is not there, so that only the permission tells. */
const anyList = (statuses: string) => ({
  'of the tenant': statuses,
  'of another tenant': statuses,
  missing: statuses,
})

/** Of each endpoint and each thing that it can be asked for, what each of {@link callers} is answered. */
const table: Record<string, Partial<Record<Thing, string>>> = {
  logOut: { own: '200 200 200 403 200 200' },
  whoAmI: { own: forAll },
  beginTotp: { own: '200 200 200 400 200 400' },
  // Nobody has begun a second factor.
  confirmTotp: { own: '409 409 409 400 409 400' },
  endTotp: { own: '404 404 404 400 404 400' },
  readStatus: { own: forAll },

  listDomains: { 'of the tenant': '403 200 200 403 200 200' },
  createDomain: { own: forRoot },
  readDomain: {
    'of the tenant': '403 200 200 403 403 200',
    'of another tenant': '403 403 403 403 200 200',
    missing: '403 403 403 403 403 404',
  },
  updateDomainVariables: itsDomain,
  updateDomainParameters: itsDomain,
  deleteDomain: { 'of the tenant': forRoot, 'of another tenant': forRoot, missing: '403 403 403 403 403 404' },
  listDomainTokens: itsDomain,
  createDomainToken: itsDomain,
  updateDomainToken: managed,
  deleteDomainToken: managed,

  listAccounts: { 'of the tenant': forAll },
  createAccount: { 'of the tenant': forManagers },
  readAccount: {
    own: forAll,
    'of the tenant': '200 200 403 200 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  updateAccount: { own: '200 200 200 403 200 200', ...managed },
  // Nobody deletes himself; root deletes the user.
  deleteAccount: { own: '403 400 403 403 400 200', ...managed },
  // One's own second factor takes a code; the user, whom root asks for, has none.
  endAccountTotp: { own: '403 400 403 403 400 404', ...managed },

  listRoles: { 'of the tenant': '200 200 403 200 200 200' },
  createRole: { 'of the tenant': forRoot },
  readRole: {
    'of the tenant': '200 200 403 200 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  updateRole: itsRole,
  deleteRole: itsRole,

  listChannels: { 'of the tenant': forAll },
  originateCall: {
    own: '200 200 403 403 200 200',
    'of the tenant': changeOfTheTenant,
    'of another tenant': changeOfAnother,
    missing: changeOfMissing,
  },
  // A program owns no call, also none of the user whose role it has.
  holdChannel: {
    own: '200 200 403 404 200 200',
    'of the tenant': '404 200 403 404 404 200',
    'of another tenant': '404 404 403 404 200 404',
    missing: '404 404 403 404 404 404',
  },
  hangUpChannel: {
    own: '200 200 200 404 200 200',
    'of the tenant': '404 200 404 404 404 200',
    'of another tenant': '404 404 404 404 200 404',
    missing: '404 404 404 404 404 404',
  },
  eavesdropChannel: { own: forManagers, ...managed },

  listBlacklists: { 'of the tenant': forAll },
  readBlacklist: anyList(forAll),
  readBlacklistNumber: anyList(forAll),
  addBlacklistNumber: anyList('200 200 403 200 200 200'),
  removeBlacklistNumber: anyList(forManagers),
  deleteBlacklist: anyList(forManagers),

  listDefaultRoutes: { 'of the tenant': '403 200 200 403 200 200' },
  createDefaultRoute: { 'of the tenant': forManagers },
  readDefaultRoute: readable,
  replaceDefaultRoute: managed,
  moveDefaultRouteUp: managed,
  moveDefaultRouteDown: managed,
  deleteDefaultRoute: managed,

  listHooks: { 'of the tenant': '403 200 200 403 200 200' },
  createHooks: { 'of the tenant': forManagers },

  readEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  createEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  replaceEmailSettings: { 'of the tenant': forManagers, missing: changeOfMissing },
  deleteEmailSettings: { 'of the tenant': forManagers, missing: forManagers },
  sendTestMail: { 'of the tenant': forManagers, missing: changeOfMissing },

  listAudit: { 'of the tenant': forManagers },
}

/** What only the other tenant has. */
const foreignThings: Omit<Things, 'domain'> = {
  account: '2003',
  channel: '7a2c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  role: 'chief',
  token: '1e4e4e1f-8c1f-4f6c-9a43-0c7e1f2b3a4d',
  list: 'fraud',
  number: '900',
  routes: ['d'.repeat(24), 'e'.repeat(24)],
}

const missingThings: Things = {
  domain: 'c.example.com',
  account: '9999',
  channel: '00000000-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  role: 'nobody',
  token: '00000000-8c1f-4f6c-9a43-0c7e1f2b3a4d',
  list: 'none',
  number: '555',
  routes: ['f'.repeat(24), '0'.repeat(24)],
}

const homeOf = (caller: Caller) => (caller === 'foreign admin' ? another : tenant)

/** The login whose things are the caller's own; of those who have no account the user's. */
function ownLogin(caller: Caller): string {
  if (caller === 'foreign admin') return people.admin
  return caller === 'program' || caller === 'root' ? people.user : people[caller]
}

const ownChannel = (caller: Caller) => `${callers.indexOf(caller) + 1}`.repeat(8) + usualThings.channel.slice(8)

function thingsFor(caller: Caller, thing: Thing, { path }: Route): Things {
  const home = homeOf(caller)
  const things: Record<Thing, Things> = {
    own: { ...usualThings, account: ownLogin(caller), channel: ownChannel(caller), domain: home },
    'of the tenant': { ...usualThings, domain: tenant },
    'of another tenant': { ...foreignThings, domain: another },
    missing: missingThings,
  }
  // Of a token the path names the domain too: it is the caller's, so that the token alone is in question.
  return path.includes('{uuid}') ? { ...things[thing], domain: home } : things[thing]
}

/** An engine with a call of each caller and one of a colleague in each tenant; it heeds whose orders it is given. */
function engineOf(api: Api): void {
  const owned = callers.map((caller) => [ownChannel(caller), ownLogin(caller), homeOf(caller)] as const)
  const calls = [
    ...owned,
    [usualThings.channel, people.colleague, tenant] as const,
    [foreignThings.channel, foreignThings.account, another] as const,
  ]
  api.ports.engine.answer = (command, { domain, presenceId }) => {
    if (command.kind === 'list-channels') return { state: 'done', text: '{"row_count":0,"rows":[]}' }
    const target = 'target' in command ? command.target : 'uuid' in command ? command.uuid : ''
    const call = command.kind === 'originate' ? undefined : calls.find(([uuid]) => uuid === target)
    const isInReach =
      call !== undefined &&
      (domain === null || domain === call[2]) &&
      (presenceId === null || presenceId === `${call[1]}@${call[2]}`)
    if (command.kind !== 'originate' && !isInReach) return { state: 'absent' }
    return { state: 'done', text: '+OK', uuid: target }
  }
}

async function setUp(thing: Thing) {
  const api = anApi()
  await aTenant(api, { domain: tenant, mark: 'mark-a' })
  await aTenant(api, { domain: another, mark: 'mark-b', things: foreignThings })
  if (thing === 'missing') api.ports.state.emailSettings.clear()
  await api.ports.connectorStatus.report(aReport())
  engineOf(api)
  return api
}

async function headersOf(api: Api, caller: Caller): Promise<Record<string, string>> {
  if (caller === 'root') return { ...(await api.as('root')) }
  if (caller === 'program') return domainCredential(api, { domain: tenant, role: 'user' })
  return credentialOf(api, { domain: homeOf(caller) }, ownLogin(caller))
}

/** Root must say where; everybody else works in his own domain. */
function queryOf(caller: Caller, { domain }: Route): string {
  return caller === 'root' && (domain === 'required' || domain === 'optional') ? `domain=${tenant}` : ''
}

const kept = ({ ports }: Api) => {
  const { sessions: _sessions, networks: _networks, highestSessions: _highest, audit: _audit, ...rest } = ports.state
  const { failures: _failures, ...stores } = rest
  return structuredClone({ stores, given: ports.engine.given.length, published: ports.events.published })
}

const withToken = routes.filter(({ authentication }) => authentication === 'token')
const cases = withToken.flatMap((route) =>
  Object.entries(table[route.operationId] ?? { own: 'no line' }).map(
    ([thing, statuses]) => [route.operationId, thing as Thing, statuses, route] as const,
  ),
)

describe.each(cases)('%s asked for a thing %s', (_, thing, statuses, route) => {
  it.each(callers.map((caller, index) => [caller, Number(statuses.split(' ')[index])] as const))(
    'answers %s %i',
    async (caller, status) => {
      const api = await setUp(thing)
      const headers = await headersOf(api, caller)
      const request = requestTo(route, thingsFor(caller, thing, route))
      const before = kept(api)

      const answer = await api.call(await handlerOf(route), { ...request, headers, query: queryOf(caller, route) })

      expect(answer.status).toBe(status)
      if (status === 403) expect(answer.body).toMatchObject({ code: 'permission_denied', info: 'Permission denied!' })
      if (status === 403) expect(kept(api)).toEqual(before)
      if (status >= 400) expect(kept(api).stores).toEqual(before.stores)
    },
  )

  it('answers nobody 401', async () => {
    const api = await setUp(thing)
    const before = kept(api)

    const answer = await api.call(await handlerOf(route), requestTo(route, thingsFor('root', thing, route)))

    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    expect(kept(api)).toEqual(before)
  })
})

const inDomains = withToken.filter(({ domain }) => domain === 'required' || domain === 'optional')

describe.each(inDomains.map((route) => [route.operationId, route] as const))('%s', (_, route) => {
  it.each([another, missingThings.domain, `x.${tenant}`, `${tenant}.`, 'example.com', ''])(
    'refuses whoever is bound to a domain the domain "%s", whether or not there is one',
    async (domain) => {
      const api = await setUp('of the tenant')
      const bound = callers.filter((caller) => caller !== 'root' && caller !== 'foreign admin')
      const before = kept(api)

      for (const caller of bound) {
        const headers = await headersOf(api, caller)
        const request = requestTo(route, { ...usualThings, domain: tenant })
        const answer = await api.call(await handlerOf(route), { ...request, headers, query: `domain=${domain}` })
        expect(answer, caller).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
      }

      expect(kept(api).given).toBe(before.given)
    },
  )

  it.each([
    [`domain=${missingThings.domain}`, 404],
    [`domain=x.${tenant}`, 404],
    ['domain=', 404],
    ['', route.domain === 'required' ? 400 : undefined],
  ])('answers root with the query "%s" %s', async (query, status) => {
    const api = await setUp('of the tenant')
    const headers = await headersOf(api, 'root')
    const request = requestTo(route, { ...usualThings, domain: tenant })

    const answer = await api.call(await handlerOf(route), { ...request, headers, query })

    if (status === undefined) expect(answer.status).toBe(200)
    else expect(answer).toMatchObject({ status, body: { code: status === 400 ? 'domain_required' : 'not_found' } })
  })
})
