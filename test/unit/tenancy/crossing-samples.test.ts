import { describe, expect, it } from 'vitest'
import { handler as listAccounts } from '../../../functions/accounts/list-accounts.ts'
import { handler as addBlacklistNumber } from '../../../functions/blacklists/add-blacklist-number.ts'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { type Api, type ApiRequest, aContext, anApi, gatewayEvent } from '../../support/platform/api.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { checkedHandler, routeFor } from '../../support/platform/declared.ts'
import { ownedBy } from '../../support/stores/memory-dump.ts'
import { handlerOf } from '../../support/platform/route-requests.ts'
import { type Tenant, aTenant, credentialOf, people, usualThings } from '../../support/platform/tenant.ts'

const samplesOf = badInputs('crossing-tenants')
const own = 'acme.example.com'
const other = 'other.example.com'
const foreignChannel = '7a2c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'

/** Two full tenants with equal accounts; the call of the other is its own. */
async function setUp() {
  const api = anApi()
  const tenant = await aTenant(api, { domain: own, mark: 'own' })
  await aTenant(api, { domain: other, mark: 'planted-by-the-other', things: { channel: foreignChannel } })
  api.ports.engine.answer = (command, { domain }) => {
    if (command.kind === 'list-channels') return { state: 'done', text: '{"row_count":0,"rows":[]}' }
    const uuid = 'target' in command ? command.target : 'uuid' in command ? command.uuid : ''
    const owner = uuid === foreignChannel ? other : own
    return domain === owner ? { state: 'done', text: '+OK', uuid } : { state: 'absent' }
  }
  return { api, tenant, before: ownedBy(api, other) }
}

/** `METHOD path?query {body} as role <role>`: the request of a sample, and by whom. */
function read(sample: string) {
  const [, method = '', target = '', text, role = 'admin'] =
    /^(\w+) (\S+|.*<[^>]+>\S*)(?: (\{.*\}))?(?: \(.*\))?(?: as role (\w+))?$/.exec(
      sample.replace('<uuid of the other tenant>', foreignChannel).replace('<own uuid>', usualThings.channel),
    ) ?? []
  const [path = '', query = ''] = target.split('?')
  const found = routeFor(method, path)
  if (found === undefined) throw new Error(`no route for the sample: ${sample}`)
  const request: ApiRequest = { params: found.params, query, ...(text === undefined ? {} : { rawBody: text }) }
  return { ...found, request, login: role === 'user' ? people.user : people.admin }
}

/** The answer to each sample. */
const answers: Readonly<Record<string, number>> = {
  'GET /api/v2/accounts/1000%40other.example.com': 404,
  'GET /api/v2/accounts/..%2Fother.example.com%2F1000': 404,
  'DELETE /api/v2/domains/other.example.com': 403,
  'PUT /api/v2/channels/<uuid of the other tenant> {"state":"hold"}': 404,
  'DELETE /api/v2/channels/<uuid of the other tenant>': 404,
  'POST /api/v2/channels/<uuid of the other tenant>/eavesdrop {"user":"1000"}': 404,
  // The listener is named by the login alone.
  'POST /api/v2/channels/<own uuid>/eavesdrop {"user":"1000@other.example.com"}': 400,
  'GET /api/v2/channels (rows of own calls only, also for a call between both tenants)': 200,
  'GET /api/v2/email/settings?domain=other.example.com': 403,
  'GET /api/v2/routes/default?domain=other.example.com': 403,
  'POST /api/v2/accounts {"domain":["acme.example.com","other.example.com"]}': 400,
  'POST /api/v2/accounts {"login":"1000","domain":"acme.example.com","role":"admin"} as role user': 403,
  'PUT /api/v2/accounts/1000 {"domain":"other.example.com"}': 403,
  'PUT /api/v2/accounts/1000 {"variables":["w_domain=other.example.com"]}': 400,
  'PUT /api/v2/accounts/1000 {"variables":["user_context=other"]}': 400,
  // A caller that may create no domain learns that first; root's answer is among the names of domains.
  'POST /api/v2/domains {"domain_name":"acme.example.com#ACCOUNT"}': 403,
}

describe('a request that reaches for another tenant', () => {
  const samples = [...samplesOf('object of another tenant by its id'), ...samplesOf('body against query')]

  it.each(samples.map((sample) => [sample, answers[sample]] as const))(
    'the crossing request %s is answered %s',
    async (sample, status) => {
      const { api, before } = await setUp()
      const { route, request, login } = read(sample)
      const headers = await credentialOf(api, { domain: own }, login)

      const answer = await api.call(await handlerOf(route), { ...request, headers })

      expect(answer.status, answer.text).toBe(status)
      expect(answer.text).not.toContain('planted-by-the-other')
      expect(ownedBy(api, other)).toEqual(before)
      for (const { scope } of api.ports.engine.given) expect(scope.domain).toBe(own)
    },
  )
})

type Harness = Awaited<ReturnType<typeof setUp>>
const adminOf = (api: Api, domain: string) => credentialOf(api, { domain }, people.admin)

async function cursorOf(api: Api, domain: string): Promise<string> {
  const answer = await api.call(listAccounts, { headers: await adminOf(api, domain), query: 'limit=1' })
  return answer.headers['X-Next-Cursor'] ?? 'no cursor'
}

async function goOn(api: Api, cursor: string) {
  const query = `limit=1&cursor=${encodeURIComponent(cursor)}`
  return api.call(listAccounts, { headers: await adminOf(api, own), query })
}

const stale: Readonly<Record<string, (harness: Harness) => Promise<void>>> = {
  'own token after the domain was deleted and created by another customer': async ({ api }) => {
    const headers = await adminOf(api, own)
    await api.call(deleteDomain, { params: { domain_name: own }, headers: { ...(await api.as('root')) } })
    await api.ports.tenantData.purge(own, Number.MAX_SAFE_INTEGER)
    await api.ports.domains.endDeletion(own)
    await aTenant(api, { domain: own, mark: 'another-customer' })

    expect(await api.call(listAccounts, { headers })).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
  },
  'page cursor of the other tenant': async ({ api }) => {
    expect(await goOn(api, await cursorOf(api, own))).toMatchObject({ status: 200 })
    const answer = await goOn(api, await cursorOf(api, other))
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } })
  },
  'own cursor with one byte changed': async ({ api }) => {
    const cursor = await cursorOf(api, own)
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      expect(await goOn(api, changed)).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } })
    }
  },
  'idempotency key of the other tenant with the same body': async ({ api }) => {
    const request = { params: { blacklist_name: 'new' }, body: { number: '7' } }
    const key = { 'idempotency-key': 'the-same' }
    await api.call(addBlacklistNumber, { ...request, headers: { ...(await adminOf(api, other)), ...key } })

    const answer = await api.call(addBlacklistNumber, { ...request, headers: { ...(await adminOf(api, own)), ...key } })

    expect(answer).toMatchObject({ status: 200, body: { ok: 1, Modified: 1, n: 1 } })
    expect(answer.headers).not.toHaveProperty('Idempotent-Replayed')
  },
  'warm function that served the other tenant a moment ago (no cached client, no cached record)': async ({ api }) => {
    const list = checkedHandler(listAccounts.route, listAccounts.over(api.ports, api.tools))
    const create = checkedHandler(createAccount.route, createAccount.over(api.ports, api.tools))
    const loginsOf = async (domain: string): Promise<string[]> => {
      const headers = await adminOf(api, domain)
      const { body } = await list(gatewayEvent(listAccounts.route, { headers }), aContext)
      return Object.keys(JSON.parse(body ?? '').data)
    }
    const before = await loginsOf(other)
    const body = { login: 'only-there', password: 's3cr3t-long enough', role: 'user' }
    await create(gatewayEvent(createAccount.route, { headers: await adminOf(api, other), body }), aContext)

    expect(await loginsOf(own)).not.toContain('only-there')
    expect(await loginsOf(other)).toEqual([...before, 'only-there'])
  },
}

describe('state that is stale or shared', () => {
  it.each(samplesOf('stale and shared state'))('%s gives nothing away', async (sample) => {
    const judge = stale[sample]
    if (judge === undefined) throw new Error('the sample has no test')

    await judge(await setUp())
  })
})

it('both tenants of the tests have the things that the samples name', async () => {
  const { api, tenant } = await setUp()
  const has = async ({ domain }: Pick<Tenant, 'domain'>) =>
    (await api.ports.accounts.read(domain, '1000')) !== undefined

  expect([await has(tenant), await has({ domain: other })]).toEqual([true, true])
})
