import * as z from 'zod/mini'
import { requestId } from '../fields.ts'
import { texts } from './texts.ts'

/** A message of the event queue: one event of the engine or the platform. */
export const eventMessage = z.object({
  version: z.literal(1),
  id: z.string().check(z.minLength(1), z.maxLength(128)),
  name: z.string().check(z.minLength(1), z.maxLength(256)),
  domain: z.string().check(z.minLength(1), z.maxLength(253)),
  uuid: z.string().check(z.maxLength(128)),
  occurredAt: z.int(),
  fields: texts,
  requestId: z.optional(requestId),
})

/** See {@link eventMessage}. */
export type EventMessage = z.infer<typeof eventMessage>
