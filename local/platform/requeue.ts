import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import type { DeliveryQueue } from '../../core/hooks/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../core/hooks/delivery/delivery-store.ts'
import { queuedAttempt } from '../../core/hooks/delivery/queued-attempt.ts'
import type { Clock } from '../../core/time.ts'
import type { Assembly } from '../assembly/assembly.ts'
import type { Place } from '../assembly/place.ts'
import type { Environment } from '../functions/function-environment.ts'
import type { Gate } from '../gate/gate.ts'
import type { Settings } from '../settings/settings.ts'
import { sharedEnvironment } from './local-environment.ts'

/** The role of the platform itself: it acts for services whose own work no policy of the assembly covers. */
export const platformRole = {
  name: 'local-platform',
  arn: 'arn:aws:iam::000000000000:role/local-platform',
  statements: [
    {
      effect: 'Allow',
      actions: ['*'],
      exceptActions: false,
      resources: ['*'],
      exceptResources: false,
      conditions: {},
    },
  ],
} as const

/** The inputs for finding the work that was under way when the platform ended. */
export interface RequeueOptions {
  readonly place: Place
  readonly gate: Gate
  readonly settings: Settings
}

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
 * Finds the work that was under way when the platform ended, since the embedded queues are in memory: pending deliveries are
 * queued for their next attempt, with the rest of their delay if it is in the future.
 */
export async function requeueDeliveries(
  assembly: Pick<Assembly, 'functions'>,
  options: RequeueOptions,
): Promise<QueuedPending> {
  const [{ dynamoDeliveryStore }, { sqsDeliveryQueue }] = await Promise.all([
    import('../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'),
    import('../../adapters/sqs/sqs-delivery-queue.ts'),
  ])
  const context = platformContext(assembly, options)
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
export async function requeueCleanups(assembly: Pick<Assembly, 'functions'>, options: RequeueOptions): Promise<number> {
  const [{ dynamoDomainStore }, { sqsCleanupQueue }] = await Promise.all([
    import('../../adapters/dynamodb/domains/dynamo-domain-store.ts'),
    import('../../adapters/sqs/sqs-cleanup-queue.ts'),
  ])
  const context = platformContext(assembly, options)
  const deleted = await dynamoDomainStore(context).listDeleted()
  for (const { name, since } of deleted) {
    await sqsCleanupQueue(context).send({ domain: name, requestedAt: since, delaySeconds: 0 })
  }
  return deleted.length
}

/** Makes the context of adapters that work for the platform itself. */
export function platformContext(
  assembly: Pick<Assembly, 'functions'>,
  { place, gate, settings }: RequeueOptions,
): AdapterContext {
  const resources: Environment = Object.assign({}, ...assembly.functions.map(({ environment }) => environment))
  const env = { ...resources, ...sharedEnvironment(settings, place.storesUrl, gate.issue(platformRole.arn)) }
  return { env, clock: systemClock, random: systemRandomness }
}
