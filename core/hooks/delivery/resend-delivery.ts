import { untilDone } from '../../concurrency/retry.ts'
import { DomainError } from '../../errors.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { type Delivery, deliveryLimits, queuedAttempt } from './delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'
import { readDelivery } from './read-delivery.ts'
import { readHook } from '../definition/read-hook.ts'

export interface Resending {
  readonly hooks: Pick<HookStore, 'read'>
  readonly deliveries: Pick<DeliveryStore, 'read' | 'readEvent' | 'reopen' | 'reschedule'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly clock: Clock
}

/**
 * Queues a delivery again, under its id, with all its retries before it; one that waits for its next attempt is queued
 * for now. Answers it as it is then. Throws `not_found`, `conflict` where it cannot be sent (its hook is disabled, what
 * it carried is not kept any more, it was sent too often), and `store_unavailable` where it was not taken.
 */
export async function resendDelivery(
  tools: Resending,
  name: Pick<Delivery, 'domain' | 'hookId' | 'id'>,
): Promise<Delivery> {
  const hook = await readHook(tools.hooks, { domain: name.domain, id: name.hookId })
  requireEnabled(hook)
  const delivery = await readDelivery(tools.deliveries, name)
  if ((await tools.deliveries.readEvent(delivery)) === undefined) {
    throw new DomainError('conflict', 'what this delivery carried is kept for 7 days, and those are over')
  }
  const opened = await untilDone(() => open(tools, name))
  const refused = await tools.deliveryQueue.send([queuedAttempt(opened, tools.clock.now())])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the delivery queue did not take the attempt')
  return opened
}

/** Throws `conflict` for a hook that is not enabled: whatever was queued for it would be skipped. */
export function requireEnabled({ enable }: Hook): void {
  if (!enable) throw new DomainError('conflict', 'the hook is disabled: enable it first')
}

async function open(
  { deliveries, clock }: Resending,
  name: Pick<Delivery, 'domain' | 'hookId' | 'id'>,
): Promise<Delivery | undefined> {
  const delivery = await readDelivery(deliveries, name)
  const now = clock.now()
  if (delivery.state === 'pending') {
    // Another plan than the one before, so that what was queued under that is void.
    const at = delivery.nextAttemptAt === now ? now + 1 : now
    return (await deliveries.reschedule(delivery, at)) ? { ...delivery, nextAttemptAt: at } : undefined
  }
  if (delivery.attempts.length >= deliveryLimits.reopened) {
    throw new DomainError(
      'conflict',
      `the delivery was attempted ${delivery.attempts.length} times: it is not sent again`,
    )
  }
  return deliveries.reopen(delivery, now)
}
