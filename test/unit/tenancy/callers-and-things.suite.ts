import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import type { Api } from '../../support/platform/api.ts'
import type { FilledPlatform, PlatformKind } from '../../support/platform/filled-platform.ts'
import { shownSecrets } from '../../support/invariants/watched-secrets.ts'
import { opened } from '../../support/processes/opened.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { codeOf, giveSecondFactor } from '../../support/records/second-factor.ts'
import { people, usualThings } from '../../support/platform/tenant.ts'
import { type Caller, type Statuses, type Thing, callers, table } from './caller-table.ts'
import {
  another,
  type HeadersOf,
  fillTenants,
  respectScopes,
  homeOf,
  missingThings,
  ownLogin,
  tenant,
  thingsFor,
} from './two-tenants.ts'

type Platform = FilledPlatform<HeadersOf>

/** The traces that every request leaves: the time of the caller's activity, and the attempt. */
const traces = /^(?:sessions|networks|highestSessions|audit|failures|throttles) /

const hasCode = ({ operationId }: Route) => operationId === 'confirmTotp' || operationId === 'endTotp'

/** Brings a platform into the state that a thing of a route is asked for in. */
async function prepare({ api }: Platform, thing: Thing, route: Route): Promise<void> {
  respectScopes(api)
  if (thing === 'missing') for (const domain of [tenant, another]) await api.ports.emailSettings.remove(domain)
  if (!hasCode(route) || thing === 'missing') return
  for (const domain of [tenant, another]) {
    for (const login of [people.user, people.admin, people.operator]) {
      await giveSecondFactor(api, { domain, login }, route.operationId === 'endTotp')
    }
  }
}

function requestOf(api: Api, caller: Caller, thing: Thing, route: Route) {
  const [home, login] = [homeOf(caller), ownLogin(caller)]
  const devices: Partial<Record<Thing, { domain: string; login: string }>> = {
    own: { domain: home, login },
    'of the tenant': { domain: tenant, login: people.colleague },
    'of another tenant': { domain: home === tenant ? another : tenant, login },
  }
  const device = hasCode(route) ? devices[thing] : undefined
  const things = thingsFor(caller, thing, route)
  return requestTo(route, device === undefined ? things : { ...things, code: codeOf(api, device) })
}

/** Root must name a domain; every other caller works in its own. */
function queryOf(caller: Caller, { domain }: Route): string {
  return caller === 'root' && (domain === 'required' || domain === 'optional') ? `domain=${tenant}` : ''
}

const sentBy = ({ ports }: Api) =>
  structuredClone([
    ports.engine.given,
    ports.events.published,
    ports.mail.sent,
    ports.cleanups.queued,
    ports.cdrQueue.queued,
    ports.exportQueue.queued,
    ports.deliveryQueue.queued,
    ports.hookClient.sent,
  ])

/** The status of a response, and all that is not as it has to be. */
type Outcome = string

/** Outcomes by caller, or by the name that a request gave for its domain. */
type Outcomes = Record<string, Outcome>

/** One of the callers, or a request without a credential. */
const withoutCredential = 'no credential'
type Asking = Caller | typeof withoutCredential
const asking: readonly Asking[] = [...callers, withoutCredential]

const byOperation = routes.map((route) => [route.operationId, route] as const)

/** Runs the table of callers and things, and what callers and root are answered who name another domain. */
export function callersAndThings(kind: PlatformKind): void {
  const source = opened(() => kind.open({}, fillTenants))

  it.each(byOperation)(
    '%s answers each caller about each thing as the table says, and a refusal changes nothing and sends nothing',
    async (operationId, route) => {
      const things = Object.entries(table[operationId] ?? {}).map(([thing, line]) => [thing as Thing, line] as const)
      const answered: Partial<Record<Thing, Outcomes>> = {}

      for (const [thing] of things) {
        answered[thing] = {}
        for (const who of asking) answered[thing][who] = await outcomeOf(await source().fresh(), thing, who, route)
      }

      expect(answered).toEqual(Object.fromEntries(things.map(([thing, line]) => [thing, expectedOf(line, route)])))
    },
  )

  callersElsewhere(source)
}

function expectedOf(statuses: Statuses, { authentication }: Route): Outcomes {
  const refusal = { none: String(statuses.user), token: '401 invalid_token', engine: '401 invalid_credentials' }
  const expected = callers.map((caller) => [caller, String(statuses[caller])])
  return { ...Object.fromEntries(expected), [withoutCredential]: refusal[authentication] }
}

/** One request on a platform of its own, and what it did there. */
async function outcomeOf(platform: Platform, thing: Thing, who: Asking, route: Route): Promise<Outcome> {
  await prepare(platform, thing, route)
  const { api, filled, stored } = platform
  const isKnown = who !== withoutCredential
  const caller = isKnown ? who : 'root'
  const request = requestOf(api, caller, thing, route)
  const own = isKnown ? { headers: { ...request.headers, ...filled[who] }, query: queryOf(who, route) } : {}
  const [before, sent] = [await stored(), sentBy(api)]

  const { status, body } = await api.call(await handlerOf(route), { ...request, ...own })

  const after = await stored()
  const isOpen = route.authentication === 'none'
  const [found, kept] = isKnown || isOpen ? [withoutTraces(after), withoutTraces(before)] : [after, before]
  const isUnsent = status === 401 || status === 403 || !isKnown
  const problems = [
    status === 403 && (body.code !== 'permission_denied' || body.info !== 'Permission denied!') && `says ${body.info}`,
    isUnsent && !isDeepStrictEqual(sentBy(api), sent) && 'sends something',
    status >= 400 && !isDeepStrictEqual(found, kept) && 'changes records',
    shownSecrets().length > 0 && 'writes a secret',
  ].filter((problem) => problem !== false)
  return [status, ...(isKnown || isOpen ? [] : [body.code]), ...problems].join(' ')
}

const withoutTraces = (records: readonly string[]) => records.filter((text) => !traces.test(text))

const inDomains = byOperation.filter(
  ([, { authentication, domain }]) => authentication === 'token' && (domain === 'required' || domain === 'optional'),
)

/** Domains that a caller of {@link tenant} may not name: the refusal is the same whether or not they exist. */
const otherDomains = [another, missingThings.domain, `x.${tenant}`, `${tenant}.`, 'example.com', '']

/** Queries with which root names no domain that exists. */
const missingDomains = [`domain=${missingThings.domain}`, `domain=x.${tenant}`, 'domain=']

/** Cases of routes that root may call without a domain: the thing was not started by root, or belongs to a domain. */
const elsewhere: Readonly<Record<string, string>> = { scrollCdrs: '400 invalid_field', readExport: '404 not_found' }

function callersElsewhere(source: () => { fresh(): Promise<Platform> }): void {
  it.each(inDomains)(
    '%s refuses a caller of one domain every other domain, whether or not it exists, and root those that do not exist',
    async (operationId, route) => {
      const bound = callers.filter((each) => each !== 'root' && each !== 'foreign admin')
      const answered: Record<string, Outcomes> = {}
      const expected: Record<string, Outcomes> = { root: {} }
      const ask = async (platform: Platform, caller: Caller, query: string): Promise<Outcome> => {
        const { api, filled } = platform
        const request = requestTo(route, { ...usualThings, domain: tenant })
        const given = { ...request, headers: filled[caller], query }
        const { status, body } = await api.call(await handlerOf(route), given)
        return status < 400 ? `${status}` : `${status} ${body.code}`
      }

      for (const domain of otherDomains) {
        const platform = await source().fresh()
        await prepare(platform, 'of the tenant', route)
        const sent = sentBy(platform.api)
        const outcomes: Outcomes = {}
        for (const caller of bound) outcomes[caller] = await ask(platform, caller, `domain=${domain}`)
        outcomes['sends'] = isDeepStrictEqual(sentBy(platform.api), sent) ? 'nothing' : 'something'
        answered[`domain=${domain}`] = outcomes
        expected[`domain=${domain}`] = {
          ...Object.fromEntries(bound.map((caller) => [caller, '403 permission_denied'])),
          sends: 'nothing',
        }
      }
      answered['root'] = {}
      for (const query of [...missingDomains, '']) {
        const platform = await source().fresh()
        await prepare(platform, 'of the tenant', route)
        answered['root'][query] = await ask(platform, 'root', query)
      }

      const unnamed = route.domain === 'required' ? '400 domain_required' : (elsewhere[operationId] ?? '200')
      expected['root'] = {
        ...Object.fromEntries(missingDomains.map((query) => [query, '404 not_found'])),
        '': unnamed,
      }
      expect(answered).toEqual(expected)
    },
  )
}
