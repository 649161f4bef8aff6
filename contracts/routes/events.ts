import * as z from 'zod/mini'
import { textByName } from './hook-shapes.ts'
import { route } from './route.ts'
import { wholeNumber } from './shapes.ts'

/** A number of a domain's list of events; 15 digits are exact in JSON, and more than any domain comes to. */
const sequence = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number, 0 or the "next" of an answer before')),
  z.transform((text: string) => Number(text)),
)

/** Why events of a time may be missing. `several`: more than are told one by one. */
const timeGapReason = z.enum([
  'engine_link_lost',
  'engine_restarted',
  'connector_ended',
  'events_dropped',
  'events_unreadable',
  'no_hook',
  'several',
])

/** `GET /api/v2/events`: the events of a domain in the order of their numbers, and all that may be missing. */
export const listEvents = route({
  operationId: 'listEvents',
  group: 'events',
  method: 'GET',
  path: '/api/v2/events',
  summary: 'List the events of a domain by their numbers, with every gap',
  authentication: 'token',
  permission: { resource: 'hook', action: 'r' },
  domain: 'required',
  needs: {
    eventLog: ['head', 'read'],
    hooks: ['count'],
    gaps: ['list'],
    connectorStatus: ['list'],
  },
  query: z.object({
    domain: z.optional(z.string()),
    since: z.optional(sequence),
    limit: z.optional(wholeNumber(1, 1000)),
  }),
  response: z.object({
    status: z.literal('OK'),
    /** What to do, where no events are collected. */
    info: z.optional(z.string()),
    data: z.object({
      events: z.readonly(
        z.array(
          z.object({
            /** The `webhook-sequence` of its deliveries. */
            sequence: z.int(),
            /** When it occurred, epoch milliseconds. */
            at: z.int(),
            name: z.string(),
            /** The call; empty for an event without one. */
            uuid: z.string(),
            event: z.readonly(textByName),
          }),
        ),
      ),
      gaps: z.readonly(
        z.array(
          z.discriminatedUnion('kind', [
            /** Numbers without an event, both ends included: of events that are not kept any more, or never given to one. */
            z.object({
              kind: z.literal('numbers'),
              reason: z.enum(['not_kept', 'void']),
              fromSequence: z.int(),
              toSequence: z.int(),
            }),
            /** A time in which events may have been missed, epoch milliseconds. */
            z.object({ kind: z.literal('time'), reason: timeGapReason, from: z.int(), to: z.int() }),
          ]),
        ),
      ),
      /** The highest number that the domain has given; 0 before its first event. */
      head: z.int(),
      /** The `since` that goes on behind this answer. */
      next: z.int(),
      /** Whether there is more behind `next` already. */
      more: z.boolean(),
      /** Whether the domain has a hook, without which its events are not collected. */
      isCollected: z.boolean(),
    }),
  }),
})
