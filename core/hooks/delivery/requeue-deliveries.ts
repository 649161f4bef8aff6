import { DomainError } from '../../errors.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { type Delivery, queuedAttempt } from './delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'

export interface Requeuing {
  readonly hooks: Pick<HookStore, 'read'>
  readonly deliveries: Pick<DeliveryStore, 'listDue' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send' | 'waiting'>
  readonly clock: Clock
}

/** The result of one run. */
export interface Requeued {
  readonly requeued: number
  /** Overdue ones that the queue did not take, or that somebody else moved on; the next run looks at them again. */
  readonly left: number
  /** Where in the store there are overdue deliveries, or hooks of some, that cannot be read: they were passed over. */
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
   * With more attempts than this in the queue, what is overdue is in there, and not lost. With more in that of slow
   * receivers it holds for theirs alone: a new plan would only make what waits void, and add a message to those.
   */
  backlog: 1_000,
  /** A delivery that is overdue by so long was lost, whatever the backlog: the queues keep no message longer. */
  droppedMs: 4 * 86_400_000,
  page: 100,
  most: 5_000,
  /** Deliveries that one run looks at, those of slow receivers that wait in their queue included. */
  looked: 20_000,
} as const

/**
 * Queues the attempts that are long overdue and whose messages are gone: lost by the queue, by a killed function, in a
 * dead-letter queue, or in an outage. Each gets a new plan, so that only one of several simultaneous runs counts, or of
 * a message that arrives after all. Works until nothing is overdue, {@link requeueLimits} are reached, or the time is
 * over (`until`, epoch milliseconds).
 */
export async function requeueDeliveries(tools: Requeuing, until: number): Promise<Requeued> {
  const { deliveries, deliveryQueue, clock } = tools
  const { usual, slow } = await deliveryQueue.waiting()
  const hasBacklog = usual > requeueLimits.backlog
  const dropped = clock.now() - requeueLimits.droppedMs
  const before = hasBacklog ? dropped : clock.now() - requeueLimits.overdueMs
  const unreadable = new Set<string>()
  const hookOf = hooksOf(tools, unreadable)
  let [requeued, left, looked] = [0, 0, 0]
  let after: Delivery | undefined
  for (;;) {
    const found = await deliveries.listDue(before, requeueLimits.page, after)
    const page = found.deliveries
    for (const place of found.unreadable) unreadable.add(place)
    const known = await Promise.all(page.map(async (delivery) => ({ delivery, hook: await hookOf(delivery) })))
    const isLost = ({ delivery, hook }: Overdue) =>
      slow <= requeueLimits.backlog || hook?.slowAt === undefined || (delivery.nextAttemptAt ?? 0) < dropped
    const lost = known.filter(isLost)
    const done = await requeue(tools, lost)
    requeued += done
    left += lost.length - done
    looked += page.length
    after = page.at(-1)
    const end = { requeued, left, unreadable: [...unreadable] }
    if (page.length < requeueLimits.page) return hasBacklog ? { ...end, stoppedBy: 'backlog' } : end
    const isFull = requeued + left >= requeueLimits.most || looked >= requeueLimits.looked
    if (isFull) return { ...end, stoppedBy: 'limit' }
    if (clock.now() >= until) return { ...end, stoppedBy: 'time' }
  }
}

/** Reads each hook once. One that cannot be read, of any tenant, must not end the search for all others. */
function hooksOf({ hooks }: Requeuing, unreadable: Set<string>): (delivery: Delivery) => Promise<Hook | undefined> {
  const known = new Map<string, Promise<Hook | undefined>>()
  const passOver = (key: string) => (error: unknown) => {
    if (!(error instanceof DomainError && error.code === 'internal_error')) throw error
    unreadable.add(key)
    return undefined
  }
  return ({ domain, hookId }) => {
    const key = `${domain}/${hookId}`
    const hook = known.get(key) ?? hooks.read(domain, hookId).catch(passOver(key))
    known.set(key, hook)
    return hook
  }
}

interface Overdue {
  readonly delivery: Delivery
  readonly hook: Hook | undefined
}

async function requeue({ deliveries, deliveryQueue, clock }: Requeuing, page: readonly Overdue[]): Promise<number> {
  const now = clock.now()
  const planned = await Promise.all(
    page.map(async ({ delivery, hook }) =>
      (await deliveries.reschedule(delivery, now))
        ? queuedAttempt({ ...delivery, nextAttemptAt: now }, now, hook)
        : undefined,
    ),
  )
  const ours = planned.filter((attempt) => attempt !== undefined)
  if (ours.length === 0) return 0
  const refused = await deliveryQueue.send(ours)
  return ours.length - refused.length
}
