import { createHash, createHmac } from 'node:crypto'
import type { DeliveryIdOf } from '../../core/hooks/attempt/first-attempts.ts'
import type { HmacSha256 } from '../../core/hooks/definition/signing.ts'

/**
 * Returns the id of a delivery: `msg_`, twelve hex digits of the sequence, and the first twenty of the SHA-256 of both
 * ids. Neither id may contain a line feed, which separates them.
 */
export const deliveryId: DeliveryIdOf = (eventId, hookId, sequence) => {
  const hash = createHash('sha256').update(`${eventId}\n${hookId}`).digest('hex')
  return `msg_${sequence.toString(16).padStart(12, '0')}${hash.slice(0, 20)}`
}

/** See {@link HmacSha256}. */
export const hmacSha256: HmacSha256 = (key, text) => createHmac('sha256', key).update(text, 'utf8').digest('base64')
