import * as z from 'zod/mini'
import { epochMs, plainText } from '../fields.ts'
import { route } from './route.ts'
import { listQuery, okInfo } from './shapes.ts'

/** The path names the domain: a caller that is bound to a domain may name no other. */
const params = z.object({ domain_name: z.string() })
const oneToken = z.object({
  domain_name: z.string(),
  uuid: z.pipe(
    z.string(),
    z.transform((id) => id.toLowerCase()),
  ),
})

/** A token as it is shown, always without its text. `expire` and `createdOn` are epoch milliseconds. */
const shown = z.object({
  uuid: z.uuid(),
  expire: z.int(),
  roleName: z.string(),
  description: z.string(),
  createdBy: z.string(),
  createdOn: z.int(),
  enabled: z.boolean(),
})

const permission = { resource: 'domain', action: 'u', own: true } as const
const path = '/api/v2/domains/{domain_name}/settings/token'

/** `POST /api/v2/domains/<name>/settings/token`: the answer contains the token's text, once. */
export const createDomainToken = route({
  operationId: 'createDomainToken',
  group: 'domains',
  method: 'POST',
  path,
  summary: 'Issue a static token of a domain',
  authentication: 'token',
  permission,
  domain: 'path',
  showsSecret: true,
  // The wrapper encrypts the answer, which contains the token, and decrypts it for a repeated request.
  needs: { domainTokens: ['create'], roles: ['read'], secretBox: [] },
  params,
  body: z.object({
    expire: epochMs,
    role: z.string('must be the name of a role'),
    description: z.optional(plainText(0, 256)),
    domain: z.optional(z.string('must be a domain name')),
  }),
  errors: ['conflict'],
  response: okInfo(z.object({ data: shown, token: z.string().check(z.regex(/^[\w-]+\.[\w-]+\.[\w-]{43}$/)) })),
})

/** `GET /api/v2/domains/<name>/settings/token` */
export const listDomainTokens = route({
  operationId: 'listDomainTokens',
  group: 'domains',
  method: 'GET',
  path,
  summary: 'List the static tokens of a domain',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainTokens: ['list'] },
  params,
  query: listQuery,
  response: okInfo(z.array(z.partial(shown))),
})

/** `PATCH /api/v2/domains/<name>/settings/token/<uuid>` */
export const updateDomainToken = route({
  operationId: 'updateDomainToken',
  group: 'domains',
  method: 'PATCH',
  path: `${path}/{uuid}`,
  summary: 'Enable or disable a static token of a domain',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainTokens: ['read', 'setEnabled'], roles: ['read'] },
  params: oneToken,
  body: z.object({ state: z.boolean(), domain: z.optional(z.string('must be a domain name')) }),
  response: okInfo(shown),
})

/** `DELETE /api/v2/domains/<name>/settings/token/<uuid>` */
export const deleteDomainToken = route({
  operationId: 'deleteDomainToken',
  group: 'domains',
  method: 'DELETE',
  path: `${path}/{uuid}`,
  summary: 'Delete a static token of a domain',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainTokens: ['read', 'remove'], roles: ['read'] },
  params: oneToken,
  response: okInfo(z.string()),
})
