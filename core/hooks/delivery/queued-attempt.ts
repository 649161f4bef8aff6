import type { QueuedDelivery } from './delivery-queue.ts'
import type { Delivery } from './delivery.ts'
import type { Hook } from '../definition/hook.ts'

/** The longest that a message can be held back, from the queue's service; longer waits are made of several. */
const longestDelaySeconds = 900

/**
 * The message for the next attempt of a pending delivery. It can be taken when the attempt is due, or, where that is more
 * than 15 minutes from `now` (epoch milliseconds), earlier: then it is to be queued again. Where the `hook` is not known,
 * it goes among the usual ones; it finds its way from there.
 */
export function queuedAttempt(delivery: Delivery, now: number, hook?: Pick<Hook, 'slowAt'>): QueuedDelivery {
  const { id, domain, hookId, tries, nextAttemptAt: dueAt = now, requestId } = delivery
  const delaySeconds = Math.min(Math.max(Math.ceil((dueAt - now) / 1000), 0), longestDelaySeconds)
  const queued = { id, domain, hookId, attempt: tries + 1, dueAt, delaySeconds, requestId }
  return hook?.slowAt === undefined ? queued : { ...queued, isSlow: true }
}
