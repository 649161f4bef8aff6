import type { QueuedDelivery } from './delivery-queue.ts'
import type { Delivery } from './delivery.ts'

/** The longest that a message can be held back, from the queue's service; longer waits are made of several. */
const longestDelaySeconds = 900

/**
 * Returns the message for the next attempt of a pending delivery. It can be received when the attempt is due. If that
 * is more than 15 minutes after `now` (epoch milliseconds), it is received earlier and has to be queued again.
 */
export function queuedAttempt(delivery: Delivery, now: number): QueuedDelivery {
  const { id, domain, hookId, tries, nextAttemptAt: dueAt = now, requestId } = delivery
  const delaySeconds = Math.min(Math.max(Math.ceil((dueAt - now) / 1000), 0), longestDelaySeconds)
  return { id, domain, hookId, attempt: tries + 1, dueAt, delaySeconds, requestId }
}
