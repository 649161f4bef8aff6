import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import type { Api } from '../../support/platform/api.ts'
import type { FilledPlatform, PlatformKind } from '../../support/platform/filled-platform.ts'
import { opened } from '../../support/processes/opened.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { codeOf, giveSecondFactor } from '../../support/records/second-factor.ts'
import { people, usualThings } from '../../support/platform/tenant.ts'
import { type Caller, type Thing, callers, table } from './caller-table.ts'
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

const cases = routes.flatMap((route) =>
  Object.entries(table[route.operationId] ?? {}).map(
    ([thing, statuses]) => [route.operationId, thing as Thing, statuses, route] as const,
  ),
)

/** Runs the table of callers and things, and what callers and root are answered who name another domain. */
export function callersAndThings(kind: PlatformKind): void {
  const source = opened(() => kind.open({}, fillTenants))

  describe.each(cases)('%s asked for a thing %s', (_, thing, statuses, route) => {
    it.each(callers.map((caller, index) => [caller, Number(statuses.split(' ')[index])] as const))(
      'answers %s %i',
      async (caller, status) => {
        const platform = await source().fresh()
        await prepare(platform, thing, route)
        const { api, filled, stored } = platform
        const request = requestOf(api, caller, thing, route)
        const headers = { ...request.headers, ...filled[caller] }
        const [before, sent] = [await stored(), sentBy(api)]

        const answer = await api.call(await handlerOf(route), { ...request, headers, query: queryOf(caller, route) })

        expect(answer.status).toBe(status)
        if (status === 403) expect(answer.body).toMatchObject({ code: 'permission_denied', info: 'Permission denied!' })
        if (status === 401 || status === 403) expect(sentBy(api)).toEqual(sent)
        if (status >= 400) expect(withoutTraces(await stored())).toEqual(withoutTraces(before))
      },
    )

    const least = route.authentication === 'none' ? Number(statuses.split(' ')[0]) : 401
    it(`a caller without a credential gets ${least}`, async () => {
      const platform = await source().fresh()
      const { api, stored } = platform
      await prepare(platform, thing, route)
      const [before, sent] = [await stored(), sentBy(api)]

      const answer = await api.call(await handlerOf(route), requestOf(api, 'root', thing, route))

      expect(answer.status).toBe(least)
      expect(sentBy(api)).toEqual(sent)
      if (route.authentication === 'none') return
      const code = route.authentication === 'token' ? 'invalid_token' : 'invalid_credentials'
      expect(answer.body).toMatchObject({ code })
      expect(await stored()).toEqual(before)
    })
  })

  callersElsewhere(source)
}

const withoutTraces = (records: readonly string[]) => records.filter((text) => !traces.test(text))

const inDomains = routes.filter(
  ({ authentication, domain }) => authentication === 'token' && (domain === 'required' || domain === 'optional'),
)

/** Cases of routes that root may call without a domain: the thing was not started by root, or belongs to a domain. */
const elsewhere: Readonly<Record<string, number>> = { scrollCdrs: 400, readExport: 404 }

function callersElsewhere(source: () => { fresh(): Promise<Platform> }): void {
  describe.each(inDomains.map((route) => [route.operationId, route] as const))('%s', (_, route) => {
    it.each([another, missingThings.domain, `x.${tenant}`, `${tenant}.`, 'example.com', ''])(
      'a caller bound to a domain is refused the domain "%s", whether or not it exists',
      async (domain) => {
        const platform = await source().fresh()
        const { api, filled } = platform
        await prepare(platform, 'of the tenant', route)
        const sent = sentBy(api)

        for (const caller of callers.filter((each) => each !== 'root' && each !== 'foreign admin')) {
          const request = requestTo(route, { ...usualThings, domain: tenant })
          const headers = filled[caller]
          const answer = await api.call(await handlerOf(route), { ...request, headers, query: `domain=${domain}` })
          expect(answer, caller).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
        }

        expect(sentBy(api)).toEqual(sent)
      },
    )

    it.each([
      [`domain=${missingThings.domain}`, 404],
      [`domain=x.${tenant}`, 404],
      ['domain=', 404],
      ['', route.domain === 'required' ? 400 : undefined],
    ])(`root's request with the query "%s" is answered %s`, async (query, status) => {
      const platform = await source().fresh()
      const { api, filled } = platform
      await prepare(platform, 'of the tenant', route)
      const request = requestTo(route, { ...usualThings, domain: tenant })

      const answer = await api.call(await handlerOf(route), { ...request, headers: filled.root, query })

      if (status === undefined) expect(answer.status).toBe(elsewhere[route.operationId] ?? 200)
      else expect(answer).toMatchObject({ status, body: { code: status === 400 ? 'domain_required' : 'not_found' } })
    })
  })
}
