import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { handler as searchCdrs } from '../../../functions/cdr/search-cdrs.ts'
import { handler as cleanUp } from '../../../functions/domains/clean-up-domain.ts'
import { type Api, aContext } from '../../support/platform/api.ts'
import { type PlatformKind, asText } from '../../support/platform/filled-platform.ts'
import { opened } from '../../support/processes/opened.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { codeOf, giveSecondFactor } from '../../support/records/second-factor.ts'
import { people } from '../../support/platform/tenant.ts'
import {
  type Caller,
  type Likes,
  callers,
  env,
  fillLikes,
  isNamed,
  names,
  obey,
  queryOf,
  recordsOf,
} from './like-names.ts'

/**
 * The records that the platform keeps for itself. An alias is two uuids; its owner is that of the channel that it leads
 * to. Deliveries that are in no index are marked as such, by their key, over memory only. Owed drops are written and
 * read by connectors alone.
 */
const ofNoTenant = new Set([
  'aliases',
  'connectors',
  'connectorStarts',
  'stageWaits',
  'gaps',
  'highestSessions',
  'pendingUnregistrations',
  'subscriptions',
  'places',
  'unlistedDeliveries',
])

/** A clean-up that is queued again more often has no end. */
const mostCleanups = 9

/** All that left the service for the engine, the hooks, mail servers and the background. */
const sentBy = ({ ports }: Api) =>
  asText([
    ports.engine.given,
    ports.events.published,
    ports.mail.sent,
    ports.cleanups.queued,
    ports.cdrQueue.queued,
    ports.exportQueue.queued,
  ])

/** Brings the platform into the state that a route is served in, for every tenant alike. */
async function prepare({ api, filled: { tenants } }: Likes, { operationId }: Route): Promise<void> {
  obey(api)
  if (operationId !== 'confirmTotp' && operationId !== 'endTotp') return
  for (const { domain } of tenants) {
    for (const login of [people.user, people.admin]) {
      await giveSecondFactor(api, { domain, login }, operationId === 'endTotp')
    }
  }
}

/** One call for a tenant, and what it did to the other tenants. */
async function callFor(platform: Likes, name: string, caller: Caller, route: Route) {
  const { api, filled, stored } = platform
  await prepare(platform, route)
  const own = filled.tenants.find(({ domain }) => domain === name)
  if (own === undefined) throw new Error(`no tenant ${name}`)
  const login = caller === 'admin' ? people.admin : people.user
  // The colleague has a second factor on, and would need a code to log in.
  const account = route.authentication === 'token' ? own.things.account : people.user
  const scrollId = await scrollIdFor(platform, name, caller, route)
  const request = requestTo(route, { ...own.things, account, scrollId, code: codeOf(api, { domain: name, login }) })
  const headers = { ...request.headers, ...filled.headersOf(name, caller, route) }
  const before = await stored()

  const query = queryOf(caller, name, route) || (request.query ?? '')
  const answer = await api.call(await handlerOf(route), { ...request, headers, query })
  const isSwept = await cleanUpAfter(api)

  return {
    api,
    answer,
    others: filled.tenants.filter((tenant) => tenant !== own),
    before,
    after: await stored(),
    isSwept,
  }
}

/** The scroll id of a search that the caller has begun, if a route continues one. */
async function scrollIdFor({ api, filled }: Likes, name: string, caller: Caller, route: Route) {
  if (route.operationId !== 'scrollCdrs') return undefined
  const headers = filled.headersOf(name, caller, route)
  const query = queryOf(caller, name, route)
  const begun = await api.call(searchCdrs, { headers, query, body: { limit: 1, scroll: true } })
  return begun.body.scrollId
}

/** Does the background work of a deletion, however often it is queued again. Returns whether all of it is done. */
async function cleanUpAfter({ ports, tools, clock }: Api): Promise<boolean> {
  const { queued } = ports.cleanups
  for (let done = 0; done < queued.length && done < mostCleanups; done += 1) {
    const { delaySeconds: _, ...message } = { delaySeconds: 0, ...queued[done] }
    clock.move(120_000)
    await cleanUp.over(ports, tools)(aBatch([{ version: 1, ...message }]), aContext)
  }
  const [{ domain } = { domain: '' }] = queued
  return domain !== '' && !(await ports.domains.exists(domain)) && (await ports.accounts.list(domain)).length === 0
}

/** Lists the harm that a call did to other tenants. */
function harmOf({ api, answer, others, before, after }: Awaited<ReturnType<typeof callFor>>): string[] {
  const shown = answer.text + asText(answer.headers)
  return others.flatMap(({ domain, mark }) => {
    const of = (records: readonly string[]) => records.filter((text) => isNamed(text, domain))
    return [
      ...(isDeepStrictEqual(of(after), of(before)) ? [] : [`changed ${domain}`]),
      ...(shown.includes(mark) ? [`shows ${mark}`] : []),
      ...(isNamed(sentBy(api), domain) ? [`sent something for ${domain}`] : []),
    ]
  })
}

/** Every caller, the ones that most routes serve first. */
const byReach: readonly Caller[] = ['admin', 'root', 'user', 'program']

/** Every caller for the first tenant, whose name is a part of all others or has them as parts. */
const callersOf = (name: string): readonly Caller[] => (name === names[0] ? callers : byReach)

/**
 * Calls every endpoint for each tenant and compares all that is stored of every other tenant before and after. Every
 * caller calls for the first tenant; for the others the first caller that is served, unless `isWhole`: then all do.
 */
export function equalNames(kind: PlatformKind, isWhole: boolean): void {
  const source = opened(() => kind.open(env, fillLikes))

  it('a tenant of these tests has something in every store that knows tenants', async () => {
    const platform = await source().fresh()
    const { filled, stores } = platform

    for (const { domain } of filled.tenants.slice(0, names.length)) {
      const records = await recordsOf(platform, domain)
      const empty = stores.filter((store) => !records.some((text) => text.startsWith(`${store} `)))
      expect(empty.filter((store) => !ofNoTenant.has(store) && store !== 'deletedDomains')).toEqual([])
    }
  })

  it.each(routes.map((route) => [route.operationId, route] as const))(
    '%s changes nothing of tenants with a similar name, reveals nothing of them and sends nothing for them, for every caller',
    async (operationId, route) => {
      const harm: Record<string, string[]> = {}
      const served = new Set<string>()
      for (const name of names) {
        for (const caller of route.authentication === 'token' ? callersOf(name) : (['admin'] as const)) {
          if (!isWhole && name !== names[0] && served.has(name)) continue
          const platform = await source().fresh()
          const called = await callFor(platform, name, caller, route)
          if (called.answer.status < 400) served.add(name)
          harm[`${caller} of ${name}`] = [
            ...harmOf(called),
            ...(called.isSwept === (operationId === 'deleteDomain' && caller === 'root') ? [] : ['clean-up']),
          ]
        }
      }

      expect(harm).toEqual(Object.fromEntries(Object.keys(harm).map((call) => [call, []])))
      expect([...served]).toEqual(names)
    },
  )

  describe('root, who names no domain', () => {
    it.each(['holdChannel', 'hangUpChannel', 'listChannels'])('works in all of them by %s', async (operationId) => {
      const platform = await source().fresh()
      const { api, filled } = platform
      obey(api)
      const route = routes.find((each) => each.operationId === operationId)
      const [first] = filled.tenants
      if (route === undefined || first === undefined) throw new Error('no such route')
      const before = await Promise.all(names.map((name) => recordsOf(platform, name)))

      const headers = filled.headersOf(first.domain, 'root', route)
      const answer = await api.call(await handlerOf(route), { ...requestTo(route, first.things), headers })

      expect(answer.status).toBe(200)
      expect(api.ports.engine.given).toMatchObject([{ scope: { domain: null, presenceId: null } }])
      expect(await Promise.all(names.map((name) => recordsOf(platform, name)))).toEqual(before)
    })
  })
}
