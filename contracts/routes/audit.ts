import * as z from 'zod/mini'
import { route } from './route.ts'
import { listQuery, okData } from './shapes.ts'

/** `GET /api/v2/audit`: the changes in a domain and their authors, newest first. */
export const listAudit = route({
  operationId: 'listAudit',
  group: 'audit',
  method: 'GET',
  path: '/api/v2/audit',
  summary: 'List the audit trail of a domain',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'r', and: { resource: 'domain/item', action: 'r' } },
  domain: 'required',
  needs: { audit: ['list'] },
  query: listQuery,
  response: okData(
    z.array(
      z.partial(
        z.object({
          at: z.int(),
          requestId: z.string(),
          caller: z.string(),
          domain: z.string(),
          sourceAddress: z.string(),
          method: z.string(),
          path: z.string(),
          status: z.int(),
          fields: z.readonly(z.array(z.string())),
          note: z.string(),
        }),
      ),
    ),
  ),
})
