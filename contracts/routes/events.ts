import * as z from 'zod/mini'
import { callId } from '../fields.ts'
import { textByName } from './hook-shapes.ts'
import { route } from './route.ts'
import { wholeNumber } from './shapes.ts'

/** A number of a domain's list of events; 15 digits are exact in JSON, and no domain has more events. */
const sequence = z.pipe(
  z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number, 0 or the "next" of an answer before')),
  z.transform((text: string) => Number(text)),
)

/** The reason why events of a time may be missing. `several`: too many reasons to list one by one. */
const timeGapReason = z.enum([
  'engine_link_lost',
  'engine_restarted',
  'connector_ended',
  'events_dropped',
  'events_unreadable',
  'no_hook',
  'several',
])

/** Names of fields of an event, separated by commas. */
const fieldNames = z.pipe(
  z
    .string()
    .check(
      z.regex(
        /^[A-Za-z0-9_.-]{1,128}(?:,[A-Za-z0-9_.-]{1,128}){0,99}$/,
        'must be up to 100 names of fields, separated by commas',
      ),
    ),
  z.transform((text: string) => text.split(',')),
)

/** `GET /api/v2/events`: the events of a domain in the order of their numbers, and all possible gaps. */
export const listEvents = route({
  operationId: 'listEvents',
  group: 'events',
  method: 'GET',
  path: '/api/v2/events',
  summary: 'List the events of a domain by their numbers, with every gap',
  authentication: 'token',
  description:
    'Who may read channels, and no hooks, sees the events of calls; with `ro`, those of the own calls. `fields` and ' +
    '`compact` exclude each other.',
  permission: { resource: 'hook', action: 'r', or: { resource: 'channels', action: 'r', own: true } },
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
    /** Only events of this name, as a hook writes it. */
    name: z.optional(
      z.string().check(z.regex(/^[A-Za-z0-9_:>.-]{1,256}$/, 'must be the name of an event, as a hook has it')),
    ),
    /** Only events of this call. */
    call: z.optional(callId),
    /** Only these fields of each event, separated by commas. */
    fields: z.optional(fieldNames),
    /** Without the fields, but with what a dashboard needs. */
    compact: z.optional(z.enum(['true', 'false'], 'must be true or false')),
  }),
  response: z.object({
    status: z.literal('OK'),
    /** Advice for a domain whose events are not collected. */
    info: z.optional(z.string()),
    data: z.object({
      events: z.readonly(
        z.array(
          z.object({
            /** The `webhook-sequence` of its deliveries. */
            sequence: z.int(),
            /** The time of the event, epoch milliseconds. */
            at: z.int(),
            name: z.string(),
            /** The call; empty for an event without one. */
            uuid: z.string(),
            /** Its fields; none with `compact=true`, which has what follows instead, as far as the event has it. */
            event: z.readonly(textByName),
            account: z.optional(z.string()),
            from: z.optional(z.string()),
            to: z.optional(z.string()),
            state: z.optional(z.string()),
            hangupCause: z.optional(z.string()),
          }),
        ),
      ),
      gaps: z.readonly(
        z.array(
          z.discriminatedUnion('kind', [
            /** Numbers without an event, both ends included: it is no longer kept, or the number was never used. */
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
      /** The highest number that the domain has used; 0 before its first event. */
      head: z.int(),
      /** The `since` that continues after this answer. */
      next: z.int(),
      /** Whether there are already events after `next`. */
      more: z.boolean(),
      /** Whether the domain has a hook, without which its events are not collected. */
      isCollected: z.boolean(),
    }),
  }),
})

/** `GET /api/v2/events/types`: the known events, each with a JSON Schema of its fields. */
export const listEventTypes = route({
  operationId: 'listEventTypes',
  group: 'events',
  method: 'GET',
  path: '/api/v2/events/types',
  summary: 'List the known events with the schemas of their fields',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: {},
  response: z.object({
    status: z.literal('OK'),
    data: z.readonly(z.array(z.object({ event: z.string(), schema: z.record(z.string(), z.unknown()) }))),
  }),
})
