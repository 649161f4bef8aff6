/**
 * Refusals for the API description: for each code of a status 4xx, a request to a platform in memory that is answered
 * with it.
 */
import type { ErrorCode } from '../../../core/errors.ts'
import { errorStatus } from '../../../contracts/routes/shapes.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { type Api, type ApiAnswer, type ApiRequest, anApi } from '../platform/api.ts'
import { handlerOf } from '../platform/route-requests.ts'
import { credentialOf, aTenant, people, usualThings } from '../platform/tenant.ts'
import { plainValue } from './plain-value.ts'

/** Asks an operation: as an admin, unless `headers` say otherwise. */
type Ask = (operationId: string, request: ApiRequest) => Promise<ApiAnswer>

/** Makes a platform answer a code, and returns that answer. */
type Refuse = (ask: Ask, api: Api) => Promise<ApiAnswer>

const domain = 'example.com'
const things = { ...usualThings, domain }
const account = { login: '3000', password: 'a long password', role: 'user' }
const call = { callerId: '1001', calledId: '9196' }
const user = `${people.user}@${domain}`

/** Asks twice, with the same key of a request. */
function twice(ask: Ask, first: object, second: object): readonly Promise<ApiAnswer>[] {
  const headers = { 'idempotency-key': 'order-4711' }
  return [first, second].map((body) => ask('createAccount', { body, headers }))
}

const refusals: Readonly<Partial<Record<ErrorCode, Refuse>>> = {
  invalid_json: (ask) => ask('createAccount', { rawBody: '{"login": "3000",' }),
  invalid_field: (ask) => ask('listAccounts', { query: 'limit=5000' }),
  missing_field: (ask) => ask('createAccount', { body: { login: '3000', role: 'user' } }),
  domain_required: async (ask, api) => ask('listAccounts', { headers: { ...(await api.as('root')) } }),
  bad_request: (ask) => ask('deleteAccount', { params: { account_id: people.admin } }),
  engine_refused: (ask, api) => {
    api.ports.engine.answer = () => ({ state: 'refused', text: '-ERR USER_NOT_REGISTERED\n' })
    return ask('originateCall', { body: call })
  },
  query_refused: (ask) => ask('searchCdrs', { body: { query: 'caller_id_number:/10.*/' } }),
  invalid_credentials: (ask) => ask('logIn', { body: { username: user, password: 'another password' } }),
  invalid_token: (ask) => ask('listAccounts', { headers: { 'x-access-token': '', 'x-key': '' } }),
  token_expired: (ask, api) => {
    // The tokens of tests last an hour.
    api.clock.move(3_600_000)
    return ask('listAccounts', {})
  },
  permission_denied: async (ask, api) =>
    ask('createAccount', { body: account, headers: await credentialOf(api, things, people.user) }),
  not_found: (ask) => ask('readAccount', { params: { account_id: '9999' } }),
  conflict: (ask) => ask('createAccount', { body: { ...account, login: people.user } }),
  idempotency_conflict: async (ask) => {
    const [first, second] = twice(ask, account, { ...account, login: '3001' })
    await first
    return second ?? ask('createAccount', {})
  },
  in_progress: async (ask) => {
    const answers = await Promise.all(twice(ask, account, account))
    return answers.find(({ status }) => status === errorStatus.in_progress) ?? ask('createAccount', {})
  },
  precondition_failed: (ask) =>
    ask('updateAccount', {
      params: { account_id: people.user },
      body: { variables: ['default_language=en'] },
      headers: { 'if-match': 'W/"3"' },
    }),
  payload_too_large: (ask) => ask('createAccount', { rawBody: `{"login":"${'0'.repeat(256 * 1024)}"}` }),
  unsupported_media_type: (ask) =>
    ask('createAccount', { rawBody: 'login=3000', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  rate_limited: async (ask) => {
    await ask('originateCall', { body: call })
    return ask('originateCall', { body: call })
  },
  locked_out: async (ask) => {
    const attempt = { body: { username: user, password: 'another password' } }
    for (let failures = 0; failures < 10; failures += 1) await ask('logIn', attempt)
    return ask('logIn', attempt)
  },
}

/** Records the body of a refusal for each code. Throws when a request is answered otherwise. */
export async function recordRefusals(): Promise<Readonly<Record<string, unknown>>> {
  const recorded: Record<string, unknown> = {}
  for (const [code, refuse] of Object.entries(refusals)) {
    const api = anApi(code === 'rate_limited' ? { RATE_LIMITS: 'call=1/s:1' } : {})
    await aTenant(api, { domain, mark: 'front-desk', things })
    const admin = await credentialOf(api, things, people.admin)
    const answer = await refuse((operationId, request) => asked(api, operationId, request, admin), api)
    if (answer.body?.code !== code) throw new Error(`no example of ${code}: ${answer.status} ${answer.text}`)
    recorded[code] = plainValue(answer.body, { operationId: code })
  }
  return recorded
}

async function asked(api: Api, operationId: string, request: ApiRequest, admin: object): Promise<ApiAnswer> {
  const route = routes.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`there is no operation ${operationId}`)
  const headers = route.authentication === 'token' ? { ...admin, ...request.headers } : request.headers
  return api.call(await handlerOf(route), { ...request, ...(headers && { headers }) })
}
