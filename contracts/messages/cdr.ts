import * as z from 'zod/mini'
import { domainName } from '../fields.ts'
import { texts } from './texts.ts'

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
