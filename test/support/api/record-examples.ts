/**
 * Examples for the API description: one request to each operation is sent to a platform in memory that has one of
 * everything, and what was sent and answered is kept. Ids are numbered and secrets masked, so that the same code always
 * gives the same examples.
 */
import { routes } from '../../../contracts/routes/index.ts'
import { describedForms } from '../../../contracts/openapi/operation.ts'
import type { Examples } from '../../../contracts/openapi/examples.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { type Api, type ApiRequest, anApi } from '../platform/api.ts'
import { aTenant, credentialOf, people, usualThings } from '../platform/tenant.ts'
import { handlerOf, requestTo } from '../platform/route-requests.ts'
import { aReport, anEngineReport } from '../records/records.ts'
import { codeOf, giveSecondFactor } from '../records/second-factor.ts'
import { exampleRequests } from './example-requests.ts'
import { plainValue } from './plain-value.ts'
import { recordRefusals } from './record-refusals.ts'
import { engineAuthorization } from '../platform/engine-credential.ts'

const domain = 'example.com'
const things = { ...usualThings, domain, role: 'supervisor', list: 'unwanted', number: '442071838750' }

/**
 * Records an example of each operation that has a body or answers one, and of each refusal. Throws if an operation
 * answers otherwise.
 */
export async function recordExamples(): Promise<Examples> {
  const examples: Record<string, object> = {}
  for (const route of routes.toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1))) {
    const { request, answer } = describedForms(route)
    if (!request && !answer) continue
    const sent = await exchange(route)
    const example = {
      ...(request && sent.body !== undefined ? { request: plainValue(sent.body, route) } : {}),
      ...(answer ? { answer: plainValue(sent.answer, route) } : {}),
    }
    examples[route.operationId] = example
  }
  return { operations: examples, refusals: await recordRefusals() }
}

async function exchange(route: Route): Promise<{ readonly body: unknown; readonly answer: unknown }> {
  const api = anApi()
  await aTenant(api, { domain, mark: 'front-desk', things })
  await api.ports.connectorStatus.report(
    aReport({ engines: [anEngineReport({ status: 'UP 0 years, 3 days, 2 hours, 14 minutes' })] }),
  )
  answerAsEngine(api)
  const device = { domain, login: people.admin }
  const hasCode = route.operationId === 'confirmTotp' || route.operationId === 'endTotp'
  if (hasCode) await giveSecondFactor(api, device, route.operationId === 'endTotp')
  const headers = await credentialFor(api, route)
  const scrollId = route.operationId === 'scrollCdrs' ? await beginScroll(api, headers) : undefined
  const usual = requestTo(route, { ...things, code: hasCode ? codeOf(api, device) : '123456', scrollId })
  const request: ApiRequest = { ...usual, ...exampleRequests[route.operationId] }
  const answer = await answerTo(api, route, { ...request, headers: { ...request.headers, ...headers } })
  if (answer.status !== 200)
    throw new Error(
      `no example of ${route.operationId}: ${answer.status} ${answer.text}; example-requests.ts may name a better request`,
    )
  const { body, rawBody } = request
  const form = rawBody === undefined ? undefined : Object.fromEntries(new URLSearchParams(rawBody))
  return { body: body ?? form, answer: answer.body }
}

/** Asks as an admin, and as root what an admin may not do. */
async function answerTo(api: Api, route: Route, request: ApiRequest) {
  const handler = await handlerOf(route)
  const answer = await api.call(handler, request)
  if (answer.status !== 403) return answer
  const query = route.domain === 'none' || route.domain === 'path' ? '' : `domain=${domain}`
  return api.call(handler, { ...request, query, headers: { ...(await api.as('root')) } })
}

/** Returns the credential of an admin, or the engine's. */
async function credentialFor(api: Api, { authentication }: Route): Promise<Record<string, string>> {
  if (authentication === 'none') return {}
  if (authentication === 'token') return credentialOf(api, { domain }, people.admin)
  const secret = await api.ports.secrets.engineCredential()
  return engineAuthorization(secret)
}

async function beginScroll(api: Api, headers: Record<string, string>): Promise<string> {
  const search = routes.find(({ operationId }) => operationId === 'searchCdrs')
  if (search === undefined) throw new Error('there is no search of CDRs')
  const { body } = await api.call(await handlerOf(search), { headers, body: { query: '*', scroll: true, limit: 1 } })
  return body.scrollId
}

/** The engine has one call, and does what it is asked. */
function answerAsEngine(api: Api): void {
  const row = {
    uuid: things.channel,
    direction: 'inbound',
    created: '2026-01-15 11:59:42',
    created_epoch: '1768478382',
    name: `sofia/internal/${people.user}@${domain}`,
    state: 'CS_EXECUTE',
    cid_name: 'Front desk',
    cid_num: people.user,
    dest: '9196',
    application: 'echo',
    callstate: 'ACTIVE',
    presence_id: `${people.user}@${domain}`,
    context: domain,
  }
  api.ports.engine.answer = (command) =>
    command.kind === 'list-channels'
      ? { state: 'done', text: JSON.stringify({ row_count: 1, rows: [row] }) }
      : {
          state: 'done',
          text: command.kind === 'originate' ? `+OK ${things.channel}\n` : '+OK Success\n',
          uuid: things.channel,
        }
}
