import * as z from 'zod/mini'
import { callId, uuid } from '../fields.ts'
import { route } from './route.ts'
import { domainQuery, okData, okInfo } from './shapes.ts'

const common = { group: 'cdr', authentication: 'token', domain: 'optional' } as const
const permission = { resource: 'cdr', action: 'r', own: true } as const

/** A search. The search rules in core read its members and ignore unknown ones. */
const search = z.looseObject({ domain: z.optional(z.string()) })

const query = z.object({
  domain: z.optional(z.string()),
  leg: z.optional(z.enum(['a', 'b', '*'], 'must be a, b or *')),
})

/** A complete CDR: the contract's fields, as far as they are known. */
const cdr = z.record(z.string(), z.unknown())

const answer = z.object({
  /** Milliseconds that the search took. */
  took: z.int(),
  timed_out: z.boolean(),
  _shards: z.object({ total: z.int(), successful: z.int(), skipped: z.int(), failed: z.int() }),
  hits: z.object({
    total: z.int(),
    max_score: z.null(),
    hits: z.readonly(
      z.array(
        z.object({
          _index: z.string(),
          _type: z.literal('cdr'),
          _id: z.string(),
          _score: z.null(),
          fields: z.optional(z.record(z.string(), z.readonly(z.array(z.union([z.string(), z.number()]))))),
          _source: z.optional(cdr),
          sort: z.readonly(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
        }),
      ),
    ),
  }),
  aggregations: z.optional(z.record(z.string(), z.unknown())),
  scrollId: z.optional(z.string()),
})

/** `POST /api/v2/cdr/text`: a search of CDRs, in the form of a search engine's. */
export const searchCdrs = route({
  ...common,
  operationId: 'searchCdrs',
  method: 'POST',
  path: '/api/v2/cdr/text',
  summary: 'Search call detail records',
  permission,
  needs: { cdrs: ['search'], secrets: ['cursorKey'] },
  query,
  body: search,
  errors: ['query_refused', 'not_found'],
  response: answer,
  audited: false,
  idempotent: false,
  limits: ['search'],
  atOnce: 'searching',
})

/** `POST /api/v2/cdr/text/scroll`: the next page of a search that started with `scroll`. */
export const scrollCdrs = route({
  ...common,
  operationId: 'scrollCdrs',
  method: 'POST',
  path: '/api/v2/cdr/text/scroll',
  summary: 'Continue a search of call detail records',
  permission,
  needs: { cdrs: ['search'], secrets: ['cursorKey'] },
  query: domainQuery,
  body: z.object({
    domain: z.optional(z.string()),
    scrollId: z
      .string('must be the scrollId of a search')
      .check(z.maxLength(131_072, 'must be the scrollId of a search')),
  }),
  errors: ['query_refused', 'permission_denied'],
  response: answer,
  audited: false,
  idempotent: false,
  limits: ['search'],
  atOnce: 'searching',
})

/** `GET /api/v2/cdr/<uuid>`: the record of one leg. */
export const readCdr = route({
  ...common,
  operationId: 'readCdr',
  method: 'GET',
  path: '/api/v2/cdr/{uuid}',
  summary: 'Get the call detail record of a leg',
  permission,
  needs: { cdrs: ['search'] },
  params: z.object({ uuid: callId }),
  query: domainQuery,
  errors: ['payload_too_large'],
  response: okData(cdr),
  limits: ['search'],
  atOnce: 'searching',
})

/** `DELETE /api/v2/cdr/<uuid>`: removes the records of a call, found by any of its legs. */
export const deleteCdr = route({
  ...common,
  operationId: 'deleteCdr',
  method: 'DELETE',
  path: '/api/v2/cdr/{uuid}',
  summary: 'Delete the call detail records of a call',
  description:
    "Removes the records of all legs of the call, and later ones of the same call. The call's recordings stay.",
  permission: { resource: 'cdr', action: 'd' },
  needs: { cdrs: ['search', 'remove'], erasures: ['mark'] },
  params: z.object({ uuid: callId }),
  query: domainQuery,
  errors: ['payload_too_large'],
  response: okInfo(z.string()),
  limits: ['search'],
  atOnce: 'searching',
})

/** `GET /api/v2/cdr/<uuid>/b`: the records of the other legs of its call. */
export const listOtherLegs = route({
  ...common,
  operationId: 'listOtherLegs',
  method: 'GET',
  path: '/api/v2/cdr/{uuid}/b',
  summary: "Get the call detail records of a call's other legs",
  permission,
  needs: { cdrs: ['search'] },
  params: z.object({ uuid: callId }),
  query: domainQuery,
  errors: ['payload_too_large'],
  response: okData(z.readonly(z.array(cdr))),
  limits: ['search'],
  atOnce: 'searching',
})

/** `POST /api/v2/cdr/export`: writes all results of a search to a file. */
export const beginExport = route({
  ...common,
  operationId: 'beginExport',
  method: 'POST',
  path: '/api/v2/cdr/export',
  summary: 'Export call detail records to a file',
  permission,
  needs: { exports: ['create'], exportQueue: ['send'], rateLimits: ['takeInWindow'] },
  query,
  body: z.looseObject({
    domain: z.optional(z.string()),
    format: z.optional(z.enum(['csv', 'jsonl'], 'must be csv or jsonl')),
  }),
  errors: ['query_refused', 'not_found', 'rate_limited'],
  response: okData(z.object({ jobId: z.string() })),
  mustBeCounted: true,
  limits: ['search'],
})

/** `GET /api/v2/cdr/export/<jobId>`: the progress of an export, and a link to its file. */
export const readExport = route({
  ...common,
  operationId: 'readExport',
  method: 'GET',
  path: '/api/v2/cdr/export/{job_id}',
  summary: 'Get the state of an export and the link to its file',
  permission,
  needs: { exports: ['read'], exportFiles: ['sign'] },
  params: z.object({ job_id: uuid }),
  query: domainQuery,
  response: okData(
    z.object({
      jobId: z.string(),
      state: z.enum(['queued', 'running', 'done', 'failed']),
      format: z.enum(['csv', 'jsonl']),
      createdOn: z.int(),
      rows: z.int(),
      size: z.optional(z.int()),
      url: z.optional(z.string()),
      expires: z.optional(z.int()),
      reason: z.optional(z.string()),
    }),
  ),
})
