import { describe, expect, it } from 'vitest'
import { handlerName, routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { type Api, type ApiRequest, anApi } from '../../support/api.ts'
import { aReport } from '../../support/records.ts'

const callers = ['nobody', 'expired', 'user', 'admin', 'other', 'root'] as const
type Caller = (typeof callers)[number]

/** One sensible request for each endpoint, and the status that each caller gets: the contract's section 5.3. */
const table: Record<string, [ApiRequest, Record<Caller, number>]> = {
  logOut: [{}, all(200)],
  listDomains: [{}, { ...all(200), user: 403 }],
  createDomain: [{ body: { domain_name: 'new.example.com', customer_id: 'c' } }, { ...all(403), root: 200 }],
  listAccounts: [inDomain(), { ...all(200), other: 403 }],
  readAccount: [inDomain({ params: { account_id: '1001' } }), { ...all(200), other: 403 }],
  createAccount: [
    inDomain({ body: { login: '3000', password: 'long enough', role: 'user' } }),
    { ...all(200), user: 403, other: 403 },
  ],
  updateAccount: [
    inDomain({ params: { account_id: '1001' }, body: { password: 'long enough' } }),
    { ...all(200), user: 403, other: 403 },
  ],
  deleteAccount: [inDomain({ params: { account_id: '1001' } }), { ...all(200), user: 403, other: 403 }],
  listChannels: [inDomain(), { ...all(200), other: 403 }],
  originateCall: [inDomain({ body: { calledId: '9196', callerId: '1000' } }), { ...all(200), other: 403 }],
  holdChannel: [inDomain({ params: channel(), body: { state: 'hold' } }), { ...all(200), other: 403 }],
  hangUpChannel: [inDomain({ params: channel() }), { ...all(200), other: 403 }],
  eavesdropChannel: [inDomain({ params: channel(), body: { user: '1000' } }), { ...all(200), user: 403, other: 403 }],
  listHooks: [inDomain(), { ...all(200), user: 403, other: 403 }],
  createHooks: [
    inDomain({
      body: { event: 'CHANNEL_CREATE', action: { type: 'web', method: 'POST', url: 'https://receiver.example.com/' } },
    }),
    { ...all(200), user: 403, other: 403 },
  ],
  readStatus: [{}, all(200)],
}

function all(status: number): Record<Caller, number> {
  return { nobody: 401, expired: 401, user: status, admin: status, other: status, root: status }
}

function inDomain(request: ApiRequest = {}): ApiRequest {
  return { query: 'domain=a.example.com', ...request }
}

function channel() {
  return { channel_id: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' }
}

async function handlerOf({ group, operationId }: Route) {
  const file: { handler: Parameters<Api['call']>[0] } = await import(
    `../../../functions/${group}/${handlerName(operationId)}.ts`
  )
  return file.handler
}

/** A tenant with a user 1000 and admins 1001 and 1002, another with an admin, and an engine that does what it is told. */
async function setUp() {
  const api = anApi()
  const accounts = {
    user: await api.account({ login: '1000' }),
    admin: await api.account({ login: '1002', role: 'admin' }),
    other: await api.account({ domain: 'b.example.com', login: '1002', role: 'admin' }),
    root: 'root' as const,
  }
  await api.account({ login: '1001' })
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
  it('has its handler where its record says', async () => {
    expect((await handlerOf(route)).route.operationId).toBe(operationId)
  })

  if (route.authentication !== 'token') return
  it.each(callers)('answers %s as the contract says, and a refusal changes nothing', async (caller) => {
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
  })
})
