import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../contracts/routes/index.ts'
import type { Permission, Route } from '../../../contracts/routes/route.ts'
import { writeToken } from '../../../functions/endpoint/token-text.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { shownSecrets } from '../../support/invariants/watched-secrets.ts'
import { handlerOf, requestTo } from '../../support/platform/route-requests.ts'
import { aTenant, credentialOf, domainCredential, people, usualThings } from '../../support/platform/tenant.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

const domain = 'a.example.com'
const like = 'x.a.example.com'

/** Every operation of the published API that is about records, calls and tokens, and who may use it. */
const published = `
  POST /login open
  POST /logout any
  GET /api/v2/whoami any
  POST /api/v2/whoami/totp any
  POST /api/v2/whoami/totp/confirm any
  DELETE /api/v2/whoami/totp any
  GET /api/v2/accounts account r or ro
  POST /api/v2/accounts account c
  GET /api/v2/accounts/{account_id} account r or ro
  PUT /api/v2/accounts/{account_id} account u or uo
  DELETE /api/v2/accounts/{account_id} account d
  DELETE /api/v2/accounts/{account_id}/totp account u
  GET /api/v2/domains domain r or ro
  POST /api/v2/domains domain c
  GET /api/v2/domains/{domain_name} domain r or ro
  DELETE /api/v2/domains/{domain_name} domain d
  PUT /api/v2/domains/{domain_name}/var domain u or uo
  PUT /api/v2/domains/{domain_name}/params domain u or uo
  POST /api/v2/domains/{domain_name}/settings/token domain u or uo
  GET /api/v2/domains/{domain_name}/settings/token domain u or uo
  PATCH /api/v2/domains/{domain_name}/settings/token/{uuid} domain u or uo
  DELETE /api/v2/domains/{domain_name}/settings/token/{uuid} domain u or uo
  GET /api/v2/domains/{domain_name}/versions domain u or uo
  GET /api/v2/domains/{domain_name}/versions/{version} domain u or uo
  PUT /api/v2/domains/{domain_name}/versions/{version} domain u or uo
  GET /api/v2/acl/roles acl/roles r
  POST /api/v2/acl/roles acl/roles c
  GET /api/v2/acl/roles/{name} acl/roles r
  PUT /api/v2/acl/roles/{name} acl/roles u
  DELETE /api/v2/acl/roles/{name} acl/roles d
  GET /api/v2/channels channels r or ro
  POST /api/v2/channels channels c or co
  PUT /api/v2/channels/{channel_id} channels u or uo
  PATCH /api/v2/channels/{channel_id} channels u or uo
  DELETE /api/v2/channels/{channel_id} channels d or do
  POST /api/v2/channels/{channel_id}/eavesdrop channels c
  GET /api/v2/routes/blacklists blacklist r
  GET /api/v2/routes/blacklists/{blacklist_name} blacklist r
  POST /api/v2/routes/blacklists/{blacklist_name} blacklist c
  DELETE /api/v2/routes/blacklists/{blacklist_name} blacklist d
  GET /api/v2/routes/blacklists/{blacklist_name}/{blacklist_number} blacklist r
  DELETE /api/v2/routes/blacklists/{blacklist_name}/{blacklist_number} blacklist d
  POST /api/v2/cdr/text cdr r or ro
  POST /api/v2/cdr/text/scroll cdr r or ro
  GET /api/v2/cdr/{uuid} cdr r or ro
  DELETE /api/v2/cdr/{uuid} cdr d
  GET /api/v2/cdr/{uuid}/b cdr r or ro
  POST /api/v2/cdr/export cdr r or ro
  GET /api/v2/cdr/export/{job_id} cdr r or ro
  POST /api/v2/erasures domain/item u and cdr d
  GET /api/v2/erasures/{job_id} domain/item u and cdr d
  GET /cdr/api/v2/files/{uuid} cdr/files r or ro
  DELETE /cdr/api/v2/files/{uuid} cdr/files d
  PUT /cdr/api/v2/files/{uuid}/hold cdr/files u
  GET /api/v2/email/settings domain/item r
  POST /api/v2/email/settings domain/item u
  PUT /api/v2/email/settings domain/item u
  DELETE /api/v2/email/settings domain/item u
  POST /api/v2/email/settings/test domain/item u
  GET /api/v2/hooks hook r
  POST /api/v2/hooks hook c
  GET /api/v2/hooks/{hook_id} hook r
  PUT /api/v2/hooks/{hook_id} hook u
  PATCH /api/v2/hooks/{hook_id} hook u
  DELETE /api/v2/hooks/{hook_id} hook d
  POST /api/v2/hooks/{hook_id}/secret hook u
  GET /api/v2/hooks/{hook_id}/deliveries hook r
  POST /api/v2/hooks/{hook_id}/deliveries/{delivery_id}/resend hook u
  POST /api/v2/hooks/{hook_id}/replay hook u
  POST /api/v2/hooks/{hook_id}/test hook u
  POST /api/v2/hooks/dry-run hook r
  GET /api/v2/events hook r
  GET /api/v2/routes/default rotes/default r
  POST /api/v2/routes/default rotes/default c
  GET /api/v2/routes/default/{route_id} rotes/default r
  PUT /api/v2/routes/default/{route_id} rotes/default u
  DELETE /api/v2/routes/default/{route_id} rotes/default d
  PUT /api/v2/routes/default/{route_id}/up rotes/default u
  PUT /api/v2/routes/default/{route_id}/down rotes/default u
  GET /api/v2/gateways gateway r
  POST /api/v2/gateways gateway c
  GET /api/v2/gateways/{gateway_name} gateway r
  PUT /api/v2/gateways/{gateway_name} gateway u
  PATCH /api/v2/gateways/{gateway_name} gateway u
  DELETE /api/v2/gateways/{gateway_name} gateway d
  GET /api/v2/status any
  GET /api/v2/audit acl/roles r and domain/item r
  GET /health open
  POST /engine/cdr engine
  POST /engine/directory engine
`
  .trim()
  .split('\n')
  .map((line) => line.trim())

/** A record as the table writes it: one line for each of its methods. */
function linesOf({ method, otherMethods = [], path, authentication, permission }: Route): string[] {
  const whose = { none: 'open', engine: 'engine', token: wordsOf(permission) }[authentication]
  return [method, ...otherMethods].map((each) => `${each} ${path} ${whose}`)
}

function wordsOf(permission: Permission | null): string {
  if (permission === null) return 'any'
  const { resource, action, own, and } = permission
  const least = own === true ? ` or ${action}o` : ''
  return `${resource} ${action}${least}${and === undefined ? '' : ` and ${and.resource} ${and.action}`}`
}

describe('the routes', () => {
  it('the handler of each route is in the file that its record names', async () => {
    const served = await Promise.all(routes.map(async (route) => (await handlerOf(route)).route.operationId))

    expect(served).toEqual(routes.map(({ operationId }) => operationId))
  })

  it('the routes in the table have exactly the permissions of the table', () => {
    const operations = new Set(published.map((line) => line.split(' ', 2).join(' ')))
    const declared = routes.flatMap(linesOf).filter((line) => operations.has(line.split(' ', 2).join(' ')))

    expect(declared.toSorted()).toEqual(published.toSorted())
  })

  it('the routes never serve one method of one path twice, and each has its own name', () => {
    const served = routes.flatMap(({ method, otherMethods = [], path }) =>
      [method, ...otherMethods].map((each) => `${each} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
    )

    expect(new Set(served).size).toBe(served.length)
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length)
  })

  it('the routes each say what a caller needs: a permission, or expressly none', () => {
    for (const route of routes) expect(route, route.operationId).toHaveProperty('permission')
    const open = routes.filter(({ authentication }) => authentication === 'none').map(({ path }) => path)
    expect(open.toSorted()).toEqual(['/asyncapi.json', '/docs', '/docs/{file}', '/health', '/login', '/openapi.json'])
    expect(
      routes.filter(({ permission, authentication }) => permission !== null && authentication !== 'token'),
    ).toEqual([])
  })
})

type Headers = Record<string, string>

/** The invalid credentials of a request, made from a genuine one, with the code of their refusal. */
const amiss: [string, string, (api: Api) => Promise<Headers>][] = [
  ['no credential', 'invalid_token', async () => ({})],
  ['a wrong token', 'invalid_token', async (api) => ({ ...(await admin(api)), 'x-access-token': wrongToken() })],
  [
    'a key of another login',
    'invalid_token',
    async (api) => ({ ...(await admin(api)), 'x-key': keyOf(await user(api)) }),
  ],
  [
    'an expired token',
    'token_expired',
    async (api) => {
      const headers = await admin(api)
      api.clock.move(3_600_000)
      return headers
    },
  ],
  [
    'a disabled token',
    'invalid_token',
    async (api) => {
      const headers = await admin(api)
      const { tokens } = api.ports.state
      for (const [id, token] of tokens) tokens.set(id, { ...token, enabled: false })
      return headers
    },
  ],
  ['a token of another tenant with a key of this one', 'invalid_token', mixed],
  ['a token of another tenant that claims this one', 'invalid_token', relabelled],
  ['the credential of the engine', 'invalid_token', async (api) => engineHeaders(api)],
  ['a static token with a wrong secret', 'invalid_token', async (api) => programOf(api, { digest: '0'.repeat(64) })],
  ['an expired static token', 'token_expired', async (api) => programOf(api, { expiresAt: api.clock.now() })],
  ['a disabled static token', 'invalid_token', async (api) => programOf(api, { enabled: false })],
  [
    'a static token with a key of another',
    'invalid_token',
    async (api) => ({ ...(await programOf(api)), 'x-key': usualThings.token }),
  ],
  [
    'a static token of a deleted domain',
    'invalid_token',
    async (api) => {
      const headers = await programOf(api)
      api.ports.state.domains.delete(domain)
      return headers
    },
  ],
]

const admin = (api: Api): Promise<Headers> => credentialOf(api, { domain }, people.admin).then(spread)
const user = (api: Api): Promise<Headers> => credentialOf(api, { domain }, people.user).then(spread)
const programOf = (api: Api, given = {}): Promise<Headers> =>
  domainCredential(api, { domain, role: 'admin', ...given }).then(spread)
const spread = (headers: object): Headers => ({ ...headers })
const keyOf = (headers: Headers) => headers['x-key'] ?? ''

function wrongToken(): string {
  const key = usualThings.token
  return writeToken({ username: `${people.admin}@${domain}`, domain, key }, new Uint8Array(32))
}

async function mixed(api: Api): Promise<Headers> {
  const foreign = await credentialOf(api, { domain: like }, people.admin)
  return { ...foreign, 'x-key': keyOf(await admin(api)) }
}

async function relabelled(api: Api): Promise<Headers> {
  const foreign: Headers = { ...(await credentialOf(api, { domain: like }, people.admin)) }
  const [header, , secret] = foreign['x-access-token']?.split('.') ?? []
  const claims = JSON.stringify({ sub: `${people.admin}@${domain}`, dom: domain, key: keyOf(foreign) })
  return { ...foreign, 'x-access-token': [header, Buffer.from(claims).toString('base64url'), secret].join('.') }
}

function engineHeaders({ ports }: Api): Headers {
  return engineAuthorization(ports.secrets.engine)
}

/** All that a refused request must leave as it was. */
const kept = ({ ports }: Api) =>
  structuredClone([ports.state, ports.engine.given, ports.events.published, ports.mail.sent, ports.cleanups.queued])

const byAuthentication = (wanted: Route['authentication']) =>
  routes.filter(({ authentication }) => authentication === wanted).map((route) => [route.operationId, route] as const)

const engineAmiss: [string, string, (api: Api) => Promise<Headers>][] = [
  ['no credential', 'invalid_credentials', async () => ({})],
  ['a wrong credential', 'invalid_credentials', async () => engineAuthorization('wrong')],
  ['a token of an admin', 'invalid_credentials', admin],
  ['a token of root', 'invalid_credentials', async (api) => spread(await api.as('root'))],
  ['a static token', 'invalid_credentials', async (api) => programOf(api)],
]

/** Sends a request with an invalid credential. Returns status and code, and all that is not as it has to be. */
async function refusalOf(route: Route, headersOf: (api: Api) => Promise<Headers>): Promise<string> {
  const api = anApi()
  await aTenant(api, { domain, mark: 'mark-a' })
  await aTenant(api, { domain: like, mark: 'mark-b' })
  const given = await headersOf(api)
  const before = kept(api)
  const request = requestTo(route, { ...usualThings, domain })
  const headers = route.authentication === 'engine' ? { ...request.headers, ...given } : given

  const answer = await api.call(await handlerOf(route), { ...request, headers })

  const { status, code, requestId, info, details } = answer.body
  const isNamed = typeof info === 'string' && requestId === answer.headers['X-Request-Id']
  const problems = [
    (status !== 'error' || !isNamed || !/^[\w.-]{1,64}$/.test(requestId)) && 'in another form',
    code === 'invalid_token' && details?.length !== 1 && 'without details',
    answer.headers['Content-Type'] !== 'application/json' && 'not as JSON',
    /mark-[ab]/.test(answer.text) && 'shows a record',
    !isDeepStrictEqual(kept(api), before) && 'changes something',
    shownSecrets().length > 0 && 'writes a secret',
  ].filter((problem) => problem !== false)
  return [answer.status, code, ...problems].join(' ')
}

describe.each([
  { authentication: 'token', invalid: amiss },
  { authentication: 'engine', invalid: engineAmiss },
] as const)('invalid credentials', ({ authentication, invalid }) => {
  it.each(byAuthentication(authentication))(
    '%s is refused with each invalid credential by its code, and nothing is done',
    async (_, route) => {
      const refusals: Record<string, string> = {}

      for (const [title, , headersOf] of invalid) refusals[title] = await refusalOf(route, headersOf)

      expect(refusals).toEqual(Object.fromEntries(invalid.map(([title, code]) => [title, `401 ${code}`])))
    },
  )
})
