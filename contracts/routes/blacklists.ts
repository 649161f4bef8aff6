import * as z from 'zod/mini'
import { blacklistName, blacklistNumber, epochMs, plainText } from '../fields.ts'
import { domainQuery, listQuery } from './shapes.ts'
import { route } from './route.ts'

const listParams = z.object({ blacklist_name: blacklistName })
const entryParams = z.object({ blacklist_name: blacklistName, blacklist_number: blacklistNumber })

const entry = z.object({
  _id: z.string().check(z.regex(/^[0-9a-f]{24}$/)),
  number: z.string(),
  name: z.string(),
  domain: z.string(),
  expires: z.optional(z.int()),
  note: z.optional(z.string()),
})

const removed = z.object({ ok: z.literal(1), n: z.int() })

/** `GET /api/v2/routes/blacklists` */
export const listBlacklists = route({
  operationId: 'listBlacklists',
  group: 'blacklists',
  method: 'GET',
  path: '/api/v2/routes/blacklists',
  summary: 'List the blacklists of a domain',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'r' },
  domain: 'required',
  needs: { blacklists: ['names'] },
  query: listQuery,
  response: z.array(z.partial(z.object({ name: z.string() }))),
})

/** `GET /api/v2/routes/blacklists/<blacklist_name>`: always in pages. A missing list has no entries. */
export const readBlacklist = route({
  operationId: 'readBlacklist',
  group: 'blacklists',
  method: 'GET',
  path: '/api/v2/routes/blacklists/{blacklist_name}',
  summary: 'List the numbers of a blacklist',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'r' },
  domain: 'required',
  needs: { blacklists: ['page', 'entries'] },
  params: listParams,
  query: z.extend(listQuery, {
    order: z.optional(z.string()),
    orderValue: z.optional(z.enum(['1', '-1'], 'must be 1 or -1')),
  }),
  response: z.array(z.partial(entry)),
})

/** `POST /api/v2/routes/blacklists/<blacklist_name>`: the first number creates the list. */
export const addBlacklistNumber = route({
  operationId: 'addBlacklistNumber',
  group: 'blacklists',
  method: 'POST',
  path: '/api/v2/routes/blacklists/{blacklist_name}',
  summary: 'Add a number to a blacklist',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'c' },
  domain: 'required',
  needs: { blacklists: ['add', 'read'], domains: ['read'] },
  params: listParams,
  query: domainQuery,
  body: z.object({
    number: blacklistNumber,
    expires: z.optional(epochMs),
    note: z.optional(plainText(0, 500)),
  }),
  errors: ['conflict'],
  response: z.object({ ok: z.literal(1), Modified: z.int(), n: z.int() }),
})

/** `GET /api/v2/routes/blacklists/<blacklist_name>/<blacklist_number>`: the entry, or an empty answer. */
export const readBlacklistNumber = route({
  operationId: 'readBlacklistNumber',
  group: 'blacklists',
  method: 'GET',
  path: '/api/v2/routes/blacklists/{blacklist_name}/{blacklist_number}',
  summary: 'Find a number in a blacklist',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'r' },
  domain: 'required',
  needs: { blacklists: ['read'], domains: ['read'] },
  params: entryParams,
  query: domainQuery,
  response: z.array(entry),
})

/** `DELETE /api/v2/routes/blacklists/<blacklist_name>/<blacklist_number>`: the list goes with its last number. */
export const removeBlacklistNumber = route({
  operationId: 'removeBlacklistNumber',
  group: 'blacklists',
  method: 'DELETE',
  path: '/api/v2/routes/blacklists/{blacklist_name}/{blacklist_number}',
  summary: 'Remove a number from a blacklist',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'd' },
  domain: 'required',
  needs: { blacklists: ['remove'], domains: ['read'] },
  params: entryParams,
  query: domainQuery,
  response: removed,
})

/** `DELETE /api/v2/routes/blacklists/<blacklist_name>` */
export const deleteBlacklist = route({
  operationId: 'deleteBlacklist',
  group: 'blacklists',
  method: 'DELETE',
  path: '/api/v2/routes/blacklists/{blacklist_name}',
  summary: 'Delete a blacklist',
  authentication: 'token',
  permission: { resource: 'blacklist', action: 'd' },
  domain: 'required',
  needs: { blacklists: ['removeList', 'sweep'] },
  params: listParams,
  query: domainQuery,
  response: removed,
})
