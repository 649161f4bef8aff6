import * as z from 'zod/mini'
import { hookInput, textByName } from './hook-shapes.ts'
import { okData, wholeNumber } from './shapes.ts'
import { route } from './route.ts'

/** A request as it goes over the wire; names of headers are in lower case. */
const sentRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.readonly(textByName),
  body: z.string(),
})

/** A filter that an event does not pass, and what stands in the event there. */
const refusal = z.object({
  field: z.string(),
  operation: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  /** Cut to 256 characters; `null` where the event has no such field. */
  found: z.nullable(z.string()),
})

/** `POST /api/v2/hooks/dry-run`: what a hook would have made of the last events of a domain. */
export const dryRunHook = route({
  operationId: 'dryRunHook',
  group: 'hooks',
  method: 'POST',
  path: '/api/v2/hooks/dry-run',
  summary: 'Show what a hook would make of the last events of a domain; nothing is sent or stored',
  authentication: 'token',
  permission: { resource: 'hook', action: 'r' },
  domain: 'required',
  needs: { domains: ['read'], eventLog: ['latest'] },
  audited: false,
  idempotent: false,
  query: z.object({ domain: z.optional(z.string()), limit: z.optional(wholeNumber(1, 100)) }),
  body: hookInput,
  response: okData(
    z.object({
      /** Events of the domain that were looked at, at most 200. */
      looked: z.int(),
      /** Those of other names. */
      otherEvents: z.readonly(z.array(z.object({ event: z.string(), count: z.int() }))),
      /** Those of the hook's name that it would have fired for, and those that a filter refuses. */
      matched: z.int(),
      refused: z.int(),
      /** Of both, the newest first. */
      events: z.readonly(
        z.array(
          z.object({
            sequence: z.int(),
            uuid: z.string(),
            occurredAt: z.int(),
            matches: z.boolean(),
            refusedBy: z.readonly(z.array(refusal)),
            /** The pre-request, where the hook wants one. */
            authRequest: z.optional(sentRequest),
            request: z.optional(sentRequest),
            /** Why no request could be made. */
            problem: z.optional(z.enum(['auth_failed', 'bad_template'])),
          }),
        ),
      ),
      /** Whether there are more than `limit` of them, or more than an answer can hold. */
      isCut: z.boolean(),
      /** What `webhook-signature` is made with here. */
      exampleSecret: z.string(),
    }),
  ),
})
