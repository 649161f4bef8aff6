import * as z from 'zod/mini'
import { assignment, assignments, customerId, domainName, settingName, settingValue } from '../fields.ts'
import { listQuery, okInOrder, okInfo } from './shapes.ts'
import { route } from './route.ts'

/** `GET /api/v2/domains`: the tenants; a caller that is bound to a domain sees only its own. */
export const listDomains = route({
  operationId: 'listDomains',
  group: 'domains',
  method: 'GET',
  path: '/api/v2/domains',
  summary: 'List domains',
  authentication: 'token',
  permission: { resource: 'domain', action: 'r', own: true },
  domain: 'optional',
  needs: { domains: ['list', 'read'], presence: ['list'] },
  query: z.extend(listQuery, { customerId: z.optional(customerId) }),
  response: okInOrder(
    z.partial(
      z.object({
        id: z.string(),
        domain: z.string(),
        user: z.string().check(z.regex(/^\d+$/)),
        'acc/dvc': z.string().check(z.regex(/^\d+\/\d+$/)),
      }),
    ),
  ),
})

/** `POST /api/v2/domains`: creates a tenant. */
export const createDomain = route({
  operationId: 'createDomain',
  group: 'domains',
  method: 'POST',
  path: '/api/v2/domains',
  summary: 'Create a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'c' },
  domain: 'none',
  needs: { domains: ['create'], events: ['publish'], engine: ['send'] },
  body: z.object({
    domain_name: domainName,
    customer_id: customerId,
    variables: z.optional(assignments),
    parameters: z.optional(assignments),
  }),
  errors: ['conflict'],
  response: z.object({ status: z.literal('OK'), info: z.string(), 'more info': z.string() }),
})

/** The path names the domain: a caller that is bound to a domain may name no other. */
const params = z.object({ domain_name: z.string() })

const detail = z.object({
  name: z.string(),
  customer_id: z.string(),
  variables: z.array(z.string()),
  parameters: z.array(z.string()),
  /** Settings such as `variables.foo` that clients may no longer set and that are not served to the engine. */
  ignored: z.optional(z.array(z.string())),
  created_on: z.int(),
  counts: z.object({ accounts: z.int(), devices: z.int() }),
})

/** `GET /api/v2/domains/<domain_name>` */
export const readDomain = route({
  operationId: 'readDomain',
  group: 'domains',
  method: 'GET',
  path: '/api/v2/domains/{domain_name}',
  summary: 'Read a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'r', own: true },
  domain: 'path',
  versioned: true,
  needs: { domains: ['read'], presence: ['list'] },
  params,
  response: okInfo(detail),
})

/** Settings, each `name=value` or `{key, value}`; the rules of domains limit their number. */
const settings = z.array(z.union([assignment, z.object({ key: settingName, value: settingValue })]))

const settingNeeds = { domains: ['read', 'replaceSettings'], presence: ['list'], engine: ['send'] } as const

/** `PUT /api/v2/domains/<domain_name>/var`: merges variables into those of the domain. */
export const updateDomainVariables = route({
  operationId: 'updateDomainVariables',
  group: 'domains',
  method: 'PUT',
  path: '/api/v2/domains/{domain_name}/var',
  summary: 'Change variables of a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'u', own: true },
  domain: 'path',
  versioned: true,
  needs: settingNeeds,
  params,
  body: settings,
  errors: ['bad_request', 'conflict'],
  response: okInfo(detail),
})

/** `PUT /api/v2/domains/<domain_name>/params`: merges parameters into those of the domain. */
export const updateDomainParameters = route({
  operationId: 'updateDomainParameters',
  group: 'domains',
  method: 'PUT',
  path: '/api/v2/domains/{domain_name}/params',
  summary: 'Change parameters of a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'u', own: true },
  domain: 'path',
  versioned: true,
  needs: settingNeeds,
  params,
  body: settings,
  errors: ['bad_request', 'conflict'],
  response: okInfo(detail),
})

/** `DELETE /api/v2/domains/<domain_name>`: takes effect at once; its records are removed in the background. */
export const deleteDomain = route({
  operationId: 'deleteDomain',
  group: 'domains',
  method: 'DELETE',
  path: '/api/v2/domains/{domain_name}',
  summary: 'Delete a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'd' },
  domain: 'path',
  versioned: true,
  needs: {
    domains: ['read', 'beginDeletion'],
    cleanups: ['send'],
    engine: ['send', 'run'],
    events: ['publish'],
  },
  params,
  response: z.object({ status: z.literal('OK'), info: z.string(), 'more info': z.string() }),
})
