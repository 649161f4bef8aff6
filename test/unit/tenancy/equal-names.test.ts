import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { handler as cleanUp } from '../../../functions/domains/clean-up-domain.ts'
import { type Api, aContext, anApi } from '../../support/api.ts'
import { aBatch } from '../../support/queue-batch.ts'
import { aReport } from '../../support/records.ts'
import { handlerOf, requestTo } from '../../support/route-requests.ts'
import { type Tenant, aTenant, credentialOf, domainCredential, people } from '../../support/tenant.ts'

/** Each name is a prefix, a suffix or a part of another. */
const names = ['a.example.com', 'x.a.example.com', 'a.example.com.au', 'example.com'] as const

/** Who acts for a tenant; root names it. */
const callers = ['user', 'admin', 'program', 'root'] as const
type Caller = (typeof callers)[number]

/** What nobody is served here: there is no second factor to confirm or to end, and root has no account for one. */
const unserved = new Set(['confirmTotp', 'endTotp'])

/** Tenants with equal accounts, ids and names of everything. Only what they wrote tells them apart. */
async function setUp() {
  const api = anApi()
  const tenants: Tenant[] = []
  for (const [index, domain] of names.entries())
    tenants.push(await aTenant(api, { domain, mark: `planted-by-${index}` }))
  await api.ports.connectorStatus.report(aReport())
  api.ports.engine.answer = ({ kind }) =>
    kind === 'list-channels'
      ? { state: 'done', text: '{"row_count":0,"rows":[]}' }
      : { state: 'done', text: '+OK', uuid: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }
  return { api, tenants }
}

async function headersOf(api: Api, tenant: Tenant, caller: Caller, route: Route): Promise<Record<string, string>> {
  if (route.authentication === 'none') return {}
  if (route.authentication === 'engine') {
    return { authorization: `Basic ${Buffer.from(`engine:${api.ports.secrets.engine}`).toString('base64')}` }
  }
  // A key that every other tenant has used already, with an answer of its own.
  const key: Record<string, string> = route.method === 'POST' ? { 'idempotency-key': 'key-1' } : {}
  if (caller === 'root') return { ...(await api.as('root')), ...key }
  if (caller === 'program') {
    return { ...(await domainCredential(api, { domain: tenant.domain, role: 'admin' })), ...key }
  }
  return { ...(await credentialOf(api, tenant, people[caller])), ...key }
}

const asText = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? [...member] : member))

/** Whether a text names a domain: the whole name, not as a part of another. */
const hasName = (text: string, domain: string) => text.split(/[^\w.-]+/).includes(domain)

/** Everything that is stored of a tenant: each entry of each store that names it. */
function recordsOf({ ports }: Api, domain: string): string[] {
  return Object.entries(ports.state)
    .flatMap(([store, kept]) => {
      const entries: unknown[] = kept instanceof Map ? [...kept] : [kept].flat()
      return entries.map((entry) => `${store} ${asText(entry)}`)
    })
    .filter((text) => hasName(text, domain))
    .sort()
}

/** All that left the service for the engine, the hooks, mail servers and the background. */
const sentBy = ({ ports }: Api) =>
  asText([ports.engine.given, ports.events.published, ports.mail.sent, ports.cleanups.queued])

/** One call for a tenant, in a world of its own, and what it did to the other tenants. */
async function callFor(name: string, caller: Caller, route: Route) {
  const { api, tenants } = await setUp()
  const own = tenants.find(({ domain }) => domain === name)
  if (own === undefined) throw new Error(`no tenant ${name}`)
  const others = tenants.filter((tenant) => tenant !== own)
  if (route.method === 'POST') dropKey(api, own)
  const headers = await headersOf(api, own, caller, route)
  // The colleague has a second factor on, and would need a code to log in.
  const things = route.authentication === 'token' ? own.things : { ...own.things, account: people.user }
  const request = requestTo(route, things)
  const isInQuery = route.domain === 'required' || route.domain === 'optional'
  const before = others.map(({ domain }) => recordsOf(api, domain))

  const answer = await api.call(await handlerOf(route), {
    ...request,
    headers: { ...request.headers, ...headers },
    query: caller === 'root' && isInQuery ? `domain=${name}` : '',
  })
  const isSwept = await cleanUpAfter(api)

  return { api, answer, others, before, isSwept }
}

/** Does what a deletion left to the background, with its grace over. Tells whether there was such a thing. */
async function cleanUpAfter({ ports, tools, clock }: Api): Promise<boolean> {
  const [queued] = ports.cleanups.queued
  if (queued === undefined) return false
  const { domain, requestedAt } = queued
  clock.move(120_000)
  await cleanUp.over(ports, tools)(aBatch([{ version: 1, domain, requestedAt }]), aContext)
  return !(await ports.domains.exists(domain)) && (await ports.accounts.list(domain)).length === 0
}

function dropKey({ ports }: Api, { domain }: Tenant): void {
  for (const [id, key] of ports.state.requestKeys) if (key.domain === domain) ports.state.requestKeys.delete(id)
}

it('a tenant of these tests has something in every store that knows tenants', async () => {
  const { api } = await setUp()
  const [tenant] = names

  const stores = new Set(recordsOf(api, tenant).map((text) => text.split(' ')[0]))

  const filled = Object.entries(api.ports.state).filter(([, kept]) => kept instanceof Map && kept.size > 0)
  expect(filled.map(([store]) => store).filter((store) => !stores.has(store))).toEqual(['connectors'])
  expect(filled.length).toBeGreaterThan(14)
  expect(stores).toContain('audit')
})

describe.each(names)('a call for %s', (name) => {
  it.each(routes.map((route) => [route.operationId, route] as const))(
    'of %s changes nothing of tenants with a name like it, tells nothing of them and sends nothing for them',
    async (operationId, route) => {
      const served: Caller[] = []
      for (const caller of route.authentication === 'token' ? callers : (['admin'] as const)) {
        const { api, answer, others, before, isSwept } = await callFor(name, caller, route)

        expect(isSwept).toBe(operationId === 'deleteDomain' && caller === 'root')
        if (answer.status === 200) served.push(caller)
        const shown = answer.text + asText(answer.headers)
        for (const [index, { domain, mark }] of others.entries()) {
          expect(recordsOf(api, domain), `${caller}: ${domain}`).toEqual(before[index])
          expect(shown, `${caller}: ${mark}`).not.toContain(mark)
          expect(hasName(sentBy(api), domain), `${caller}: sent to ${domain}`).toBe(false)
        }
      }
      if (!unserved.has(operationId)) expect(served).not.toEqual([])
    },
  )
})

describe('root, who names no domain', () => {
  it.each(['holdChannel', 'hangUpChannel', 'listChannels'])('works in all of them by %s', async (operationId) => {
    const { api, tenants } = await setUp()
    const route = routes.find((each) => each.operationId === operationId)
    if (route === undefined || tenants[0] === undefined) throw new Error('no such route')
    const before = names.map((name) => recordsOf(api, name))

    const headers = { ...(await api.as('root')) }
    const answer = await api.call(await handlerOf(route), { ...requestTo(route, tenants[0].things), headers })

    expect(answer.status).toBe(200)
    expect(api.ports.engine.given).toMatchObject([{ scope: { domain: null, presenceId: null } }])
    expect(names.map((name) => recordsOf(api, name))).toEqual(before)
  })
})
