import * as z from 'zod/mini'
import { requestId } from '../fields.ts'

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
