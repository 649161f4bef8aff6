import type { DeliveryQueue } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { type Delivery, queuedAttempt } from './delivery.ts'
import type { Clock } from '../../time.ts'

export interface Requeuing {
  readonly deliveries: Pick<DeliveryStore, 'listDue' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send' | 'waiting'>
  readonly clock: Clock
}

/** The result of one run. */
export interface Requeued {
  readonly requeued: number
  /** Overdue ones that the queue did not take, or that somebody else moved on; the next run looks at them again. */
  readonly left: number
  /** Where in the store there are overdue deliveries that cannot be read: they were passed over. */
  readonly unreadable: readonly string[]
  /** Why nothing was looked for, or not all. */
  readonly stoppedBy?: 'backlog' | 'time' | 'limit' | undefined
}

/** The limits of one run. */
export const requeueLimits = {
  /**
   * An attempt that is overdue by so long was lost: longer than a message is invisible after a killed function (two
   * minutes), with time for it to be taken again.
   */
  overdueMs: 5 * 60_000,
  /**
   * With more attempts than this in the queue, what is overdue is in there, and not lost: a new plan would make that
   * void.
   */
  backlog: 1_000,
  /** A delivery that is overdue by so long was lost, whatever the backlog: the queue keeps no message longer. */
  droppedMs: 4 * 86_400_000,
  page: 100,
  most: 5_000,
} as const

/**
 * Queues the attempts that are long overdue and whose messages are gone: lost by the queue, by a killed function, in a
 * dead-letter queue, or in an outage. Each gets a new plan, so that only one of several simultaneous runs counts, or of
 * a message that arrives after all. Works until nothing is overdue, {@link requeueLimits} are reached, or the time is
 * over (`until`, epoch milliseconds).
 */
export async function requeueDeliveries(tools: Requeuing, until: number): Promise<Requeued> {
  const { deliveries, deliveryQueue, clock } = tools
  const hasBacklog = (await deliveryQueue.waiting()) > requeueLimits.backlog
  const before = clock.now() - (hasBacklog ? requeueLimits.droppedMs : requeueLimits.overdueMs)
  const unreadable = new Set<string>()
  let [requeued, left] = [0, 0]
  let after: Delivery | undefined
  for (;;) {
    const { deliveries: page, unreadable: places } = await deliveries.listDue(before, requeueLimits.page, after)
    for (const place of places) unreadable.add(place)
    const done = await requeue(tools, page)
    requeued += done
    left += page.length - done
    after = page.at(-1)
    const end = { requeued, left, unreadable: [...unreadable] }
    if (page.length < requeueLimits.page) return hasBacklog ? { ...end, stoppedBy: 'backlog' } : end
    if (requeued + left >= requeueLimits.most) return { ...end, stoppedBy: 'limit' }
    if (clock.now() >= until) return { ...end, stoppedBy: 'time' }
  }
}

async function requeue({ deliveries, deliveryQueue, clock }: Requeuing, page: readonly Delivery[]): Promise<number> {
  const now = clock.now()
  const planned = await Promise.all(
    page.map(async (delivery) =>
      (await deliveries.reschedule(delivery, now))
        ? queuedAttempt({ ...delivery, nextAttemptAt: now }, now)
        : undefined,
    ),
  )
  const ours = planned.filter((attempt) => attempt !== undefined)
  if (ours.length === 0) return 0
  const refused = await deliveryQueue.send(ours)
  return ours.length - refused.length
}
