import * as z from 'zod/mini'
import { accountName, blacklistNumber, uuid } from '../fields.ts'
import { route } from './route.ts'
import { domainQuery, okData } from './shapes.ts'

const common = {
  group: 'erasures',
  authentication: 'token',
  permission: { resource: 'domain/item', action: 'u', and: { resource: 'cdr', action: 'd' } },
  domain: 'required',
} as const

const count = z.int()

/** `POST /api/v2/erasures`: removes what names a number or an account. */
export const beginErasure = route({
  ...common,
  operationId: 'beginErasure',
  method: 'POST',
  path: '/api/v2/erasures',
  summary: 'Erase what names a number or an account',
  description:
    'Removes it from call detail records, events, deliveries, recordings, exports and voicemail. Recordings under a legal hold stay and are counted.',
  needs: {
    domains: ['read'],
    accounts: ['read'],
    erasures: ['create', 'replace'],
    erasureQueue: ['send'],
    rateLimits: ['takeInWindow'],
    secrets: ['cursorKey'],
  },
  query: domainQuery,
  body: z.object({
    number: z.optional(blacklistNumber),
    account: z.optional(accountName),
    domain: z.optional(z.string()),
  }),
  errors: ['rate_limited'],
  response: okData(z.object({ jobId: z.string() })),
})

/** `GET /api/v2/erasures/<jobId>`: how far an erasure is. */
export const readErasure = route({
  ...common,
  operationId: 'readErasure',
  method: 'GET',
  path: '/api/v2/erasures/{job_id}',
  summary: 'Get the state of an erasure and what it has removed',
  needs: { erasures: ['read'] },
  params: z.object({ job_id: uuid }),
  query: domainQuery,
  response: okData(
    z.object({
      jobId: z.string(),
      state: z.enum(['queued', 'running', 'done']),
      /** Epoch milliseconds. */
      createdOn: z.int(),
      counts: z.object({
        cdrs: count,
        recordings: count,
        /** Recordings that a legal hold has kept. */
        held: count,
        events: count,
        deliveries: count,
        exports: count,
        voicemails: count,
      }),
    }),
  ),
})
