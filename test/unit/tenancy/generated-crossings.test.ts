import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import { type Route, takesKey } from '../../../contracts/routes/route.ts'
import { type Api, type ApiRequest, anApi } from '../../support/platform/api.ts'
import { type Crossing, crossing, encode, foreign, otherNames, own } from '../../support/platform/crossing.ts'
import { fixed } from '../../support/records/hostile-text.ts'
import { ownedBy } from '../../support/stores/memory-dump.ts'
import { aReport } from '../../support/records/records.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { aTenant, credentialOf, domainCredential, people, usualThings } from '../../support/platform/tenant.ts'

const mark = 'planted-by-the-other'

/** The own tenant, optionally with the other. The engine knows the other's call, and respects the scope of orders. */
async function aHarness(other: string | undefined): Promise<Api> {
  const api = anApi()
  await aTenant(api, { domain: own, mark: 'own' })
  api.ports.state.requestKeys.clear()
  if (other !== undefined) await aTenant(api, { domain: other, mark, things: foreign })
  await api.ports.connectorStatus.report(aReport())
  api.ports.engine.answer = (command, { domain }) => {
    if (command.kind === 'list-channels') return { state: 'done', text: '{"row_count":0,"rows":[]}' }
    const uuid = 'target' in command ? command.target : 'uuid' in command ? command.uuid : ''
    if (command.kind === 'originate') return { state: 'done', text: '+OK', uuid }
    return other !== undefined && domain === other && uuid === foreign.channel
      ? { state: 'done', text: mark }
      : { state: 'absent' }
  }
  return api
}

const isList = ({ query }: Route) => query !== undefined && Object.hasOwn(Object(Reflect.get(query, 'shape')), 'cursor')

/** A genuine cursor of the other tenant, which continues its list after the first item. */
async function cursorOf(api: Api, { operationId, other }: Crossing): Promise<string | undefined> {
  const route = routeOf(operationId)
  const headers = await credentialOf(api, { domain: other }, people.admin)
  const request = requestTo(route, { ...foreign, domain: other })
  const answer = await api.call(await handlerOf(route), { ...request, headers, query: 'limit=1' })
  forget(api)
  return answer.headers['X-Next-Cursor']
}

async function requestFor(api: Api, given: Crossing, cursor: string | undefined): Promise<ApiRequest> {
  const { operationId, caller, things, query, bodyDomain } = given
  const route = routeOf(operationId)
  const request = requestTo(route, things)
  const isObject = typeof request.body === 'object' && request.body !== null && !Array.isArray(request.body)
  const body = isObject && bodyDomain !== undefined ? { ...request.body, domain: bodyDomain } : request.body
  const credential: Record<string, string> =
    caller === 'program'
      ? await domainCredential(api, { domain: own, role: 'admin' })
      : await credentialOf(api, { domain: own }, people[caller])
  return {
    ...request,
    ...(body === undefined ? {} : { body }),
    query: [...query, ...(cursor === undefined ? [] : [`cursor=${encode(cursor)}`])].join('&'),
    headers: { ...credential, 'x-request-id': 'fixed', ...(takesKey(route) ? { 'idempotency-key': 'shared' } : {}) },
  }
}

/** The other tenant makes the same request about its own things, and its answer is kept under the key. */
async function repeatFirst(api: Api, { operationId, other }: Crossing): Promise<void> {
  const route = routeOf(operationId)
  const headers = { ...(await credentialOf(api, { domain: other }, people.admin)), 'idempotency-key': 'shared' }
  await api.call(await handlerOf(route), { ...requestTo(route, { ...foreign, domain: other }), headers })
  forget(api)
}

/** Forgets what was sent so far. */
function forget({ ports }: Api): void {
  ports.engine.given.length = 0
  ports.events.published.length = 0
  ports.mail.sent.length = 0
}

function routeOf(operationId: string): Route {
  const route = routes.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`no route ${operationId}`)
  return route
}

/** The call in a harness with the other tenant, and the same in a harness that never knew it. */
async function cross(given: Crossing) {
  const [here, without] = [await aHarness(given.other), await aHarness(undefined)]
  const route = routeOf(given.operationId)
  if (given.repeats && takesKey(route) && given.operationId !== 'logOut') await repeatFirst(here, given)
  const genuine = given.cursor !== undefined && isList(route) ? await cursorOf(here, given) : undefined
  const cursor = genuine === undefined ? undefined : given.cursor?.(genuine)
  const before = ownedBy(here, given.other)
  const handler = await handlerOf(route)
  const answer = await here.call(handler, await requestFor(here, given, cursor))
  const there = await without.call(handler, await requestFor(without, given, cursor))
  return { here, before, cursor, answer, there }
}

/** Whether some part of the request names, readably, a domain that is not the own one. */
function namesAnother({ operationId, query, bodyDomain, things }: Crossing): boolean {
  const route = routeOf(operationId)
  if (route.domain === 'none') return false
  const asked = query.map((pair) => /^domain=(.*)$/.exec(pair)?.[1]).filter((name) => name !== undefined)
  const inBody = requestTo(route, things).body !== undefined && !Array.isArray(requestTo(route, things).body)
  const given = [...asked, ...(inBody && bodyDomain !== undefined ? [bodyDomain] : [])]
  const inPath = route.path.includes('{domain_name}') ? [things.domain] : []
  return [...given, ...inPath].some((name) => name.split('&')[0] !== own)
}

/**
 * Whether the request is about one thing, which the own tenant does not have. A blacklist that is not there is empty,
 * and each domain numbers its versions from 1.
 */
const isAboutThing = ({ path, group, operationId }: Route) =>
  operationId === 'originateCall' ||
  (group !== 'blacklists' && !path.includes('/versions') && /\{(?!domain_name)/.test(path))

/**
 * Each batch is a test of its own: a busy machine ends a hundred crossings within the time of a test, and not five
 * hundred.
 */
const batches = [1, 2, 3, 4, 5]

it.each(batches)(
  'no call about the things of another tenant changes, shows or gives away anything of it: batch %i',
  async (batch) => {
    const seen = { refused: 0, served: 0, cursors: 0 }

    await fc.assert(
      fc.asyncProperty(crossing, async (given) => {
        const { here, before, cursor, answer, there } = await cross(given)

        expect(answer.status, answer.text).toBeLessThan(500)
        expect(ownedBy(here, given.other)).toEqual(before)
        expect(answer.text + JSON.stringify(answer.headers)).not.toContain(mark)
        expect(answer.headers).not.toHaveProperty('Idempotent-Replayed')
        for (const { scope } of here.ports.engine.given) expect(scope.domain).toBe(own)
        for (const { domain } of here.ports.events.published) expect(domain).toBe(own)
        expect(answer.status).toBe(there.status)
        if (answer.status >= 400) expect(answer.text).toBe(there.text)
        if (namesAnother(given)) expect([400, 403]).toContain(answer.status)
        if (isAboutThing(routeOf(given.operationId)) || cursor !== undefined)
          expect([400, 403, 404]).toContain(answer.status)
        seen[answer.status < 400 ? 'served' : 'refused'] += 1
        if (cursor !== undefined) seen.cursors += 1
      }),
      { ...fixed(100), seed: fixed(100).seed + batch },
    )

    expect(seen.refused).toBeGreaterThan(40)
    expect(seen.served).toBeGreaterThan(4)
    expect(seen.cursors).toBeGreaterThan(0)
  },
)

it('the other tenant of these tests has the things that the requests name', async () => {
  const [other = ''] = otherNames
  const api = await aHarness(other)
  const headers = await credentialOf(api, { domain: other }, people.admin)
  const asked = routes.filter(
    (route) => route.authentication === 'token' && route.method === 'GET' && isAboutThing(route),
  )
  expect(asked).toHaveLength(12)
  for (const route of asked) {
    const request = requestTo(route, { ...foreign, domain: other })
    const { status } = await api.call(await handlerOf(route), { ...request, headers })
    expect(status, route.operationId).toBe(route.operationId === 'readRecording' ? 302 : 200)
  }
  expect(usualThings.account).not.toBe(foreign.account)
})
