import type { Delivery } from '../model.ts'
import type { QueuedDelivery } from '../ports.ts'

/** The longest that a message can be held back, from the queue's service; longer waits are made of several. */
const longestDelaySeconds = 900

/**
 * The message for the next attempt of a pending delivery. It can be taken when the attempt is due, or, where that is more
 * than 15 minutes from `now` (epoch milliseconds), earlier: then it is to be queued again.
 */
export function queuedAttempt(delivery: Delivery, now: number): QueuedDelivery {
  const { id, domain, hookId, tries, nextAttemptAt: dueAt = now } = delivery
  const delaySeconds = Math.min(Math.max(Math.ceil((dueAt - now) / 1000), 0), longestDelaySeconds)
  return { id, domain, hookId, attempt: tries + 1, dueAt, delaySeconds }
}
