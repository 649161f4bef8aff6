import * as z from 'zod/mini'
import type { JsonValue } from '../../core/hooks/definition/event-fields.ts'
import { hookInput, textByName } from './hook-shapes.ts'
import { domainQuery, okData, wholeNumber } from './shapes.ts'
import { route } from './route.ts'

/** A request as it is sent; names of headers are in lower case. */
const sentRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.readonly(textByName),
  body: z.string(),
})

const refusal = z.object({
  field: z.string(),
  operation: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  /** Cut to 256 characters; `null` where the event has no such field. */
  found: z.nullable(z.string()),
})

/** A value of a test's event; filters address nested values by names with dots. */
const json: z.ZodMiniType<JsonValue, JsonValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
)

/** `POST /api/v2/hooks/<id>/test`: sends one event to a hook, once. The answer shows its credentials. */
export const testHook = route({
  operationId: 'testHook',
  group: 'hooks',
  method: 'POST',
  path: '/api/v2/hooks/{hook_id}/test',
  summary: 'Send a test event to a hook',
  authentication: 'token',
  permission: { resource: 'hook', action: 'u' },
  domain: 'required',
  needs: {
    hooks: ['read'],
    eventLog: ['head'],
    deliveries: ['keepEvent', 'create', 'read', 'beginAttempt', 'recordAttempt'],
    hookClient: ['send'],
    secretBox: ['open'],
    rateLimits: ['takeInWindow'],
  },
  showsSecret: true,
  params: z.object({ hook_id: z.string() }),
  query: domainQuery,
  body: z.object({
    event: z.optional(z.record(z.string(), json, 'must be an object')),
    force: z.optional(z.boolean('must be true or false')),
  }),
  errors: ['conflict', 'rate_limited'],
  response: okData(
    z.object({
      /** `skipped`: a filter refused the event, and nothing was sent or recorded. */
      state: z.enum(['delivered', 'failed', 'skipped']),
      reason: z.optional(z.string()),
      delivery: z.optional(z.string()),
      sent: z.nullable(sentRequest),
      /** `null` when no answer came. */
      reply: z.nullable(z.object({ status: z.int(), durationMs: z.int(), snippet: z.string() })),
      refusedBy: z.readonly(z.array(refusal)),
    }),
  ),
})

/** `POST /api/v2/hooks/dry-run`: the effect that a hook would have had on the latest events of a domain. */
export const dryRunHook = route({
  operationId: 'dryRunHook',
  group: 'hooks',
  method: 'POST',
  path: '/api/v2/hooks/dry-run',
  summary: 'Show what a hook would make of the last events of a domain; nothing is sent or stored',
  authentication: 'token',
  permission: { resource: 'hook', action: 'r' },
  domain: 'required',
  needs: { eventLog: ['latest'] },
  audited: false,
  idempotent: false,
  query: z.object({ domain: z.optional(z.string()), limit: z.optional(wholeNumber(1, 100)) }),
  body: hookInput,
  response: okData(
    z.object({
      /** The number of events of the domain that were examined, at most 200. */
      looked: z.int(),
      otherEvents: z.readonly(z.array(z.object({ event: z.string(), count: z.int() }))),
      /** Events with the hook's name that would have fired it, and those that a filter refuses. */
      matched: z.int(),
      refused: z.int(),
      /** Both kinds of events, newest first. */
      events: z.readonly(
        z.array(
          z.object({
            sequence: z.int(),
            uuid: z.string(),
            occurredAt: z.int(),
            matches: z.boolean(),
            refusedBy: z.readonly(z.array(refusal)),
            authRequest: z.optional(sentRequest),
            request: z.optional(sentRequest),
            problem: z.optional(z.enum(['auth_failed', 'bad_template'])),
          }),
        ),
      ),
      /** Whether there are more than `limit` of them, or more than an answer can hold. */
      isCut: z.boolean(),
      /** The secret that made the `webhook-signature` of this answer. */
      exampleSecret: z.string(),
    }),
  ),
})
