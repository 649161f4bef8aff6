import * as z from 'zod/mini'
import { domainName, requestId } from '../fields.ts'
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

const head = {
  version: z.literal(1),
  id: z.string().check(z.minLength(1), z.maxLength(256)),
  uuid: z.string().check(z.minLength(1), z.maxLength(128)),
}

/** A message of the CDR queue: something that changes the CDR of one leg. */
export const cdrMessage = z.discriminatedUnion('kind', [
  z.object({ ...head, kind: z.literal('event'), domain: domainName, occurredAt: z.int(), fields: texts }),
  z.object({ ...head, kind: z.literal('post'), occurredAt: z.int(), fields: texts }),
  z.object({
    ...head,
    kind: z.literal('recording'),
    domain: domainName,
    leg: z.enum(['a', 'b']),
    createdTime: z.int(),
  }),
])

/** See {@link cdrMessage}. */
export type CdrMessage = z.infer<typeof cdrMessage>

/** A message of the clean-up queue: a domain whose deletion was asked for. */
export const cleanupMessage = z.object({
  version: z.literal(1),
  domain: domainName,
  requestedAt: z.int(),
  silencedAt: z.optional(z.int()),
})

/** See {@link cleanupMessage}. */
export type CleanupMessage = z.infer<typeof cleanupMessage>

/** A message of the delivery queue: the key of the delivery's record, without its content. */
export const deliveryMessage = z.object({
  version: z.literal(1),
  id: z.string(),
  domain: z.string(),
  hookId: z.string(),
  attempt: z.int().check(z.minimum(1)),
  /** The moment that the attempt was planned for, epoch milliseconds. */
  dueAt: z.int(),
  requestId: z.optional(requestId),
})

/** See {@link deliveryMessage}. */
export type DeliveryMessage = z.infer<typeof deliveryMessage>

/** A message of the export queue: which export is to be worked on. */
export const exportMessage = z.object({
  version: z.literal(1),
  /** Empty: the CDRs of all domains. */
  domain: z.union([z.literal(''), domainName]),
  id: z.uuid(),
})

/** See {@link exportMessage}. */
export type ExportMessage = z.infer<typeof exportMessage>
