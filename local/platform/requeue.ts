import { systemClock } from '../../adapters/system/system-time.ts'
import type { DeliveryQueue } from '../../core/hooks/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../core/hooks/delivery/delivery-store.ts'
import { queuedAttempt } from '../../core/hooks/delivery/delivery.ts'
import type { Clock } from '../../core/time.ts'
import type { Assembly } from '../assembly/assembly.ts'
import { type PlatformContextDeps, platformContext } from './platform-context.ts'

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

/**
 * Finds the work that was under way when the platform ended, since the embedded queues are in memory: pending
 * deliveries are queued for their next attempt, with the rest of their delay if it is in the future.
 */
export async function requeueDeliveries(
  assembly: Pick<Assembly, 'functions'>,
  deps: PlatformContextDeps,
): Promise<QueuedPending> {
  const [{ dynamoDeliveryStore }, { sqsDeliveryQueue }] = await Promise.all([
    import('../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'),
    import('../../adapters/sqs/sqs-delivery-queue.ts'),
  ])
  const context = platformContext(assembly, deps)
  return queuePending({
    deliveries: dynamoDeliveryStore(context),
    queue: sqsDeliveryQueue(context),
    clock: systemClock,
  })
}

/** The dependencies of {@link queuePending}. */
export interface QueuePendingDeps {
  readonly deliveries: Pick<DeliveryStore, 'listDue'>
  readonly queue: Pick<DeliveryQueue, 'send'>
  readonly clock: Clock
}

/** Queues the next attempt of each pending delivery. What the queue refuses is sent up to three times in all. */
export async function queuePending({ deliveries, queue, clock }: QueuePendingDeps): Promise<QueuedPending> {
  let [queued, refused] = [0, 0]
  let { deliveries: found } = await deliveries.listDue(endOfTime, page)
  while (found.length > 0) {
    let left = found.map((delivery) => queuedAttempt(delivery, clock.now()))
    for (let sends = 0; sends < maxSends && left.length > 0; sends += 1) {
      const ids = new Set(await queue.send(left))
      left = left.filter(({ id }) => ids.has(id))
    }
    queued += found.length - left.length
    refused += left.length
    ;({ deliveries: found } = await deliveries.listDue(endOfTime, page, found.at(-1)))
  }
  return { queued, refused }
}

/** Queues the clean-up of domains whose deletion has begun. Returns their number. */
export async function requeueCleanups(
  assembly: Pick<Assembly, 'functions'>,
  deps: PlatformContextDeps,
): Promise<number> {
  const [{ dynamoDomainStore }, { sqsCleanupQueue }] = await Promise.all([
    import('../../adapters/dynamodb/domains/dynamo-domain-store.ts'),
    import('../../adapters/sqs/sqs-cleanup-queue.ts'),
  ])
  const context = platformContext(assembly, deps)
  const deleted = await dynamoDomainStore(context).listDeleted()
  for (const { name, since } of deleted) {
    await sqsCleanupQueue(context).send({ domain: name, requestedAt: since, delaySeconds: 0 })
  }
  return deleted.length
}
