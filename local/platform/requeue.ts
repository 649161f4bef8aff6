import type { CleanupQueue } from '../../core/domains/cleanup-queue.ts'
import type { DomainStore } from '../../core/domains/domain-store.ts'
import type { DeliveryQueue } from '../../core/hooks/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../core/hooks/delivery/delivery-store.ts'
import { queuedAttempt } from '../../core/hooks/delivery/delivery.ts'
import type { Clock } from '../../core/time.ts'

/** How many deliveries are read and queued at one time, and how often those are sent that the queue refuses. */
const page = 500
const maxSends = 3

/** Later than every moment that an attempt is planned for, epoch milliseconds. */
const endOfTime = 9_999_999_999_999

/** How many deliveries were queued, and how many the queue did not take. */
export interface QueuedPending {
  readonly queued: number
  readonly refused: number
}

/** The stores and queues of {@link requeueWork}. */
export interface RequeueDeps {
  readonly deliveries: Pick<DeliveryStore, 'listDue'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly domains: Pick<DomainStore, 'listDeleted'>
  readonly cleanups: Pick<CleanupQueue, 'send'>
  readonly clock: Clock
}

/**
 * Finds the work that was under way when the platform ended, since the embedded queues are in memory: pending
 * deliveries are queued for their next attempt, with the rest of their delay if it is in the future, and the clean-ups
 * of domains whose deletion has begun.
 */
export async function requeueWork(deps: RequeueDeps): Promise<QueuedPending> {
  const end = await queuePending(deps)
  for (const { name, since } of await deps.domains.listDeleted()) {
    await deps.cleanups.send({ domain: name, requestedAt: since, delaySeconds: 0 })
  }
  return end
}

/** Queues the next attempt of each pending delivery. What the queue refuses is sent up to three times in all. */
async function queuePending({ deliveries, deliveryQueue, clock }: RequeueDeps): Promise<QueuedPending> {
  let [queued, refused] = [0, 0]
  let { deliveries: found } = await deliveries.listDue(endOfTime, page)
  while (found.length > 0) {
    let left = found.map((delivery) => queuedAttempt(delivery, clock.now()))
    for (let sends = 0; sends < maxSends && left.length > 0; sends += 1) {
      const ids = new Set(await deliveryQueue.send(left))
      left = left.filter(({ id }) => ids.has(id))
    }
    queued += found.length - left.length
    refused += left.length
    ;({ deliveries: found } = await deliveries.listDue(endOfTime, page, found.at(-1)))
  }
  return { queued, refused }
}
