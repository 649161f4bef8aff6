import { createHash } from 'node:crypto'
import type { DeliveryIdOf } from '../../core/hooks/dispatch-event.ts'

/** `msg_` and the first 32 hex digits of the SHA-256 of both ids; neither may hold a line feed, which parts them. */
export const deliveryId: DeliveryIdOf = (eventId, hookId) =>
  `msg_${createHash('sha256').update(`${eventId}\n${hookId}`).digest('hex').slice(0, 32)}`
