import * as z from 'zod/mini'
import { assignments, login, password } from '../fields.ts'
import { domainQuery, listQuery, okData, okInOrder, okInfo } from './shapes.ts'
import { route } from './route.ts'

/** The path id of an account is its login. Any text is accepted; text that is not a login finds no account. */
const params = z.object({ account_id: z.string() })

/**
 * All values are text; the keys vary with the account and the caller. `ignored` names the keys, separated by commas,
 * that are not served to the engine because clients may no longer set them.
 */
const detail = z.record(z.string(), z.string())

/** `GET /api/v2/accounts` */
export const listAccounts = route({
  operationId: 'listAccounts',
  group: 'accounts',
  method: 'GET',
  path: '/api/v2/accounts',
  summary: 'List the accounts of a domain',
  authentication: 'token',
  permission: { resource: 'account', action: 'r', own: true },
  domain: 'required',
  needs: { accounts: ['list', 'read'], presence: ['list'], knownCalls: ['listOf'] },
  query: listQuery,
  response: okInOrder(
    z.partial(
      z.object({
        id: z.string(),
        domain: z.string(),
        scheme: z.literal('account'),
        online: z.boolean(),
        state: z.enum(['nonreg', 'onhook', 'isbusy']),
        /** Why a registered phone of the account is not rung; absent if all are. */
        refused: z.optional(z.literal('contact')),
      }),
    ),
  ),
})

/** `GET /api/v2/accounts/<account_id>` */
export const readAccount = route({
  operationId: 'readAccount',
  group: 'accounts',
  method: 'GET',
  path: '/api/v2/accounts/{account_id}',
  summary: 'Read an account',
  authentication: 'token',
  permission: { resource: 'account', action: 'r', own: true },
  domain: 'required',
  versioned: true,
  needs: { accounts: ['read'] },
  params,
  query: domainQuery,
  response: okData(detail),
})

/** `POST /api/v2/accounts` */
export const createAccount = route({
  operationId: 'createAccount',
  group: 'accounts',
  method: 'POST',
  path: '/api/v2/accounts',
  summary: 'Create an account',
  authentication: 'token',
  permission: { resource: 'account', action: 'c' },
  domain: 'required',
  needs: {
    accounts: ['create', 'read'],
    roles: ['read'],
    passwords: ['hash'],
    events: ['publish'],
    engine: ['send'],
  },
  query: domainQuery,
  body: z.object({
    login,
    password,
    role: z.string('must be the name of a role'),
    domain: z.optional(z.string('must be a domain name')),
    parameters: z.optional(assignments),
    variables: z.optional(assignments),
  }),
  errors: ['conflict'],
  response: okData(detail),
})

/** `PUT /api/v2/accounts/<account_id>` */
export const updateAccount = route({
  operationId: 'updateAccount',
  group: 'accounts',
  method: 'PUT',
  path: '/api/v2/accounts/{account_id}',
  summary: 'Update an account',
  authentication: 'token',
  permission: { resource: 'account', action: 'u', own: true },
  domain: 'required',
  versioned: true,
  needs: {
    accounts: ['read', 'update'],
    roles: ['read'],
    passwords: ['hash'],
    engine: ['send'],
  },
  params,
  query: domainQuery,
  body: z.object({
    login: z.optional(z.string('must be text')),
    domain: z.optional(z.string('must be a domain name')),
    password: z.optional(password),
    role: z.optional(z.string('must be the name of a role')),
    parameters: z.optional(assignments),
    variables: z.optional(assignments),
  }),
  errors: ['bad_request', 'conflict'],
  response: okInfo(detail),
})

/** `DELETE /api/v2/accounts/<account_id>` */
export const deleteAccount = route({
  operationId: 'deleteAccount',
  group: 'accounts',
  method: 'DELETE',
  path: '/api/v2/accounts/{account_id}',
  summary: 'Delete an account',
  authentication: 'token',
  permission: { resource: 'account', action: 'd' },
  domain: 'required',
  versioned: true,
  needs: {
    accounts: ['read', 'remove'],
    roles: ['read'],
    events: ['publish'],
    engine: ['send'],
  },
  params,
  query: domainQuery,
  errors: ['bad_request'],
  response: okInfo(z.literal('+OK destroyed!\n')),
})

/** `DELETE /api/v2/accounts/<account_id>/totp`: for a user who lost the device that generates the codes. */
export const endAccountTotp = route({
  operationId: 'endAccountTotp',
  group: 'accounts',
  method: 'DELETE',
  path: '/api/v2/accounts/{account_id}/totp',
  summary: "Switch an account's second factor off",
  authentication: 'token',
  permission: { resource: 'account', action: 'u' },
  domain: 'required',
  needs: { accounts: ['read', 'update'], roles: ['read'] },
  params,
  query: domainQuery,
  errors: ['bad_request', 'conflict'],
  response: okInfo(z.string()),
})
