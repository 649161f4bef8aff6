import * as z from 'zod/mini'
import { plainText } from '../fields.ts'
import { route } from './route.ts'
import { listQuery, okInfo } from './shapes.ts'

/** The path names the domain: a caller that is bound to a domain may name no other. */
const params = z.object({ domain_name: z.string() })

/** Any text is accepted as a version; text that is not a number finds none. */
const oneVersion = z.object({ domain_name: z.string(), version: z.string() })

/** A version without its document. `createdOn` is in epoch milliseconds, `bytes` the size of the document in UTF-8. */
const shown = z.object({
  version: z.int(),
  comment: z.string(),
  createdBy: z.string(),
  createdOn: z.int(),
  bytes: z.int(),
})

const permission = { resource: 'domain', action: 'u', own: true } as const
const path = '/api/v2/domains/{domain_name}/versions'

/** `GET /api/v2/domains/<name>/versions`: newest first. */
export const listDomainVersions = route({
  operationId: 'listDomainVersions',
  group: 'domains',
  method: 'GET',
  path,
  summary: 'List the kept versions of a domain',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainVersions: ['list'] },
  params,
  query: listQuery,
  response: okInfo(z.array(z.partial(shown))),
})

/** `PUT /api/v2/domains/<name>/versions/<version>`: the number is in the path, so the audit trail has it. */
export const keepDomainVersion = route({
  operationId: 'keepDomainVersion',
  group: 'domains',
  method: 'PUT',
  path: `${path}/{version}`,
  summary: 'Keep a version of a domain',
  description:
    'The document describes the domain without secrets, as `callplane export` writes it; the platform does not read it. The version must be the one after the newest. A domain keeps its 200 newest versions, each for 400 days.',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainVersions: ['create', 'list', 'read'] },
  creates: true,
  params: oneVersion,
  maxBodyBytes: 1024 * 1024,
  body: z.object({
    document: z.string('must be text').check(z.minLength(1, 'must not be empty')),
    comment: z.optional(plainText(0, 200)),
  }),
  errors: ['conflict'],
  response: okInfo(shown),
})

/** `GET /api/v2/domains/<name>/versions/<version>` */
export const readDomainVersion = route({
  operationId: 'readDomainVersion',
  group: 'domains',
  method: 'GET',
  path: `${path}/{version}`,
  summary: 'Read a kept version of a domain with its document',
  authentication: 'token',
  permission,
  domain: 'path',
  needs: { domainVersions: ['read'] },
  params: oneVersion,
  response: okInfo(z.extend(shown, { document: z.string() })),
})
