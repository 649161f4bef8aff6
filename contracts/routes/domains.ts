import * as z from 'zod/mini'
import { assignments, customerId, domainName } from '../fields.ts'
import { listQuery, okData } from './shapes.ts'
import { route } from './route.ts'

/** `GET /api/v2/domains`: the tenants; a caller bound to a domain sees just his own. */
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
  response: okData(
    z.record(
      z.string(),
      z.partial(
        z.object({
          id: z.string(),
          domain: z.string(),
          user: z.string().check(z.regex(/^\d+$/)),
          'acc/dvc': z.string().check(z.regex(/^\d+\/\d+$/)),
        }),
      ),
    ),
  ),
})

/** `POST /api/v2/domains`: makes a tenant. */
export const createDomain = route({
  operationId: 'createDomain',
  group: 'domains',
  method: 'POST',
  path: '/api/v2/domains',
  summary: 'Create a domain',
  authentication: 'token',
  permission: { resource: 'domain', action: 'c' },
  domain: 'none',
  needs: { domains: ['create'], events: ['publish'] },
  body: z.object({
    domain_name: domainName,
    customer_id: customerId,
    variables: z.optional(assignments),
    parameters: z.optional(assignments),
  }),
  response: z.object({ status: z.literal('OK'), info: z.string(), 'more info': z.string() }),
})
