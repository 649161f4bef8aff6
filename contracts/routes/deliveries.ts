import * as z from 'zod/mini'
import { domainQuery, listQuery, okData } from './shapes.ts'
import { route } from './route.ts'

const states = ['pending', 'delivered', 'failed', 'skipped'] as const

/** A delivery as callers see it. Moments are epoch milliseconds. */
const deliveryOutput = z.object({
  id: z.string(),
  hook: z.string(),
  event: z.string(),
  /** The call's uuid; empty for an event without a call. */
  uuid: z.string(),
  /** The number of the event in its domain; 0 for a test. */
  sequence: z.int(),
  /** The id of the API request that caused the event, its `X-Request-Id`; absent if none did or if unknown. */
  requestId: z.optional(z.string()),
  created: z.int(),
  state: z.enum(states),
  attempts: z.array(
    z.object({
      at: z.int(),
      status: z.optional(z.int()),
      durationMs: z.int(),
      reason: z.optional(z.string()),
      /** The first 1 KiB of the answer. */
      replySnippet: z.optional(z.string()),
      /** Headers in which letters of the event outside ASCII were sent as `?`. */
      replacedHeaders: z.optional(z.readonly(z.array(z.string()))),
    }),
  ),
  nextAttemptAt: z.optional(z.int()),
})

const common = {
  group: 'hooks',
  authentication: 'token',
  domain: 'required',
} as const

/** A moment in epoch milliseconds. */
const moment = z
  .int('must be epoch milliseconds')
  .check(z.minimum(0, 'must be epoch milliseconds'), z.maximum(8_640_000_000_000_000, 'must be epoch milliseconds'))

/** `GET /api/v2/hooks/<id>/deliveries`: the log of a hook, the newest event first. */
export const listDeliveries = route({
  ...common,
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/api/v2/hooks/{hook_id}/deliveries',
  summary: 'List the deliveries of a hook and their attempts',
  permission: { resource: 'hook', action: 'r' },
  needs: { hooks: ['read'], deliveries: ['list'] },
  params: z.object({ hook_id: z.string() }),
  query: z.extend(listQuery, {
    state: z.optional(z.enum(states, 'must be pending, delivered, failed or skipped')),
  }),
  response: okData(z.array(z.partial(deliveryOutput))),
})

/** `POST /api/v2/hooks/<id>/deliveries/<delivery>/resend`: sends a delivery again, with the same id. */
export const resendDelivery = route({
  ...common,
  operationId: 'resendDelivery',
  method: 'POST',
  path: '/api/v2/hooks/{hook_id}/deliveries/{delivery_id}/resend',
  summary: 'Send a delivery again',
  permission: { resource: 'hook', action: 'u' },
  needs: {
    hooks: ['read'],
    deliveries: ['read', 'readEvent', 'reopen', 'reschedule'],
    deliveryQueue: ['send'],
  },
  params: z.object({ hook_id: z.string(), delivery_id: z.string() }),
  query: domainQuery,
  errors: ['conflict'],
  response: okData(deliveryOutput),
})

/** `POST /api/v2/hooks/<id>/replay`: sends the deliveries of a time range again, each with the same id. */
export const replayDeliveries = route({
  ...common,
  operationId: 'replayDeliveries',
  method: 'POST',
  path: '/api/v2/hooks/{hook_id}/replay',
  summary: 'Send the deliveries of a time again',
  permission: { resource: 'hook', action: 'u' },
  needs: {
    hooks: ['read'],
    deliveries: ['list', 'reopen'],
    deliveryQueue: ['send'],
    rateLimits: ['takeInWindow'],
  },
  params: z.object({ hook_id: z.string() }),
  query: domainQuery,
  body: z.object({
    from: moment,
    to: moment,
    state: z.optional(z.enum(['delivered', 'failed', 'skipped'], 'must be delivered, failed or skipped')),
    cursor: z.optional(z.string('must be the next of a replay')),
  }),
  errors: ['conflict', 'rate_limited'],
  response: okData(
    z.object({
      requeued: z.int(),
      /** Deliveries that already wait for an attempt. */
      pending: z.int(),
      /** Deliveries that were sent too often, or that another request changed meanwhile. */
      left: z.int(),
      /** The `cursor` of the next page; `null` at the end of the window. */
      next: z.nullable(z.string()),
    }),
  ),
})
