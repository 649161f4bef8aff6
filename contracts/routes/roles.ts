import * as z from 'zod/mini'
import { roleName } from '../fields.ts'
import { route } from './route.ts'
import { domainQuery, listQuery, okInfo } from './shapes.ts'

/** Resource to permissions. The rules of roles know the valid words, and refuse a wrong one by name. */
const aclInput = z.record(z.string().check(z.maxLength(64)), z.array(z.string()).check(z.maxLength(9)))

const parentsInput = z.nullable(z.union([z.string(), z.array(z.string()).check(z.maxLength(1))]))

const acl = z.record(z.string(), z.array(z.string()))
const params = z.object({ name: z.string() })

/** `GET /api/v2/acl/roles`: the roles of a domain, each with its own permissions and its parent. */
export const listRoles = route({
  operationId: 'listRoles',
  group: 'acl',
  method: 'GET',
  path: '/api/v2/acl/roles',
  summary: 'List the roles of a domain',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'r' },
  domain: 'required',
  needs: { roles: ['read'] },
  query: listQuery,
  response: okInfo(
    z.array(
      z.partial(z.object({ roles: z.string(), allows: acl, parents: z.array(z.string()).check(z.maxLength(1)) })),
    ),
  ),
})

/** `POST /api/v2/acl/roles` */
export const createRole = route({
  operationId: 'createRole',
  group: 'acl',
  method: 'POST',
  path: '/api/v2/acl/roles',
  summary: 'Create a role',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'c' },
  domain: 'required',
  needs: { roles: ['read', 'write'] },
  query: domainQuery,
  body: z.object({
    roles: z.union([roleName, z.tuple([roleName])]),
    allows: z.optional(aclInput),
    parents: z.optional(parentsInput),
    domain: z.optional(z.string('must be a domain name')),
  }),
  errors: ['not_found', 'conflict'],
  response: okInfo(z.string()),
})

/** `GET /api/v2/acl/roles/<name>`: everything that a role allows, including the permissions of its parents. */
export const readRole = route({
  operationId: 'readRole',
  group: 'acl',
  method: 'GET',
  path: '/api/v2/acl/roles/{name}',
  summary: 'Read what a role allows',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'r' },
  domain: 'required',
  versioned: true,
  needs: { roles: ['read'] },
  params,
  query: domainQuery,
  response: okInfo(acl),
})

/** `PUT /api/v2/acl/roles/<name>`: replaces its permissions, its parent, or both. */
export const updateRole = route({
  operationId: 'updateRole',
  group: 'acl',
  method: 'PUT',
  path: '/api/v2/acl/roles/{name}',
  summary: 'Change a role',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'u' },
  domain: 'required',
  versioned: true,
  needs: { roles: ['read', 'write'] },
  params,
  query: domainQuery,
  body: z.object({
    allows: z.optional(aclInput),
    parents: z.optional(parentsInput),
    domain: z.optional(z.string('must be a domain name')),
  }),
  errors: ['bad_request', 'conflict'],
  response: okInfo(z.string()),
})

/** `DELETE /api/v2/acl/roles/<name>` */
export const deleteRole = route({
  operationId: 'deleteRole',
  group: 'acl',
  method: 'DELETE',
  path: '/api/v2/acl/roles/{name}',
  summary: 'Delete a role that no account has',
  authentication: 'token',
  permission: { resource: 'acl/roles', action: 'd' },
  domain: 'required',
  versioned: true,
  needs: { roles: ['read', 'write'], accounts: ['list'], domainTokens: ['list'] },
  params,
  query: domainQuery,
  errors: ['bad_request', 'conflict'],
  response: okInfo(z.string()),
})
