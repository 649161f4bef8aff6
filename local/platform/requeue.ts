import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { queuedAttempt } from '../../core/hooks/queued-attempt.ts'
import type { Assembly } from '../assembly/assembly.ts'
import type { Place } from '../assembly/place.ts'
import type { Environment } from '../functions/function-environment.ts'
import type { Gate } from '../gate/gate.ts'
import type { Settings } from '../settings.ts'
import { sharedEnvironment } from './local-environment.ts'

/** The role of the platform itself: it stands in for services whose own doings no policy of the assembly covers. */
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

/** What is needed to find again what was under way when the platform ended. */
export interface RequeueOptions {
  readonly place: Place
  readonly gate: Gate
  readonly settings: Settings
}

/** How many deliveries are read and queued at one time. */
const page = 500

/**
 * Finds again what was under way when the platform ended, since the embedded queues are in memory: pending deliveries
 * are queued for their next attempt, those that wait for a later moment with the rest of their wait. Answers how many.
 */
export async function requeueDeliveries(
  assembly: Pick<Assembly, 'functions'>,
  options: RequeueOptions,
): Promise<number> {
  const [{ dynamoDeliveryStore }, { sqsDeliveryQueue }] = await Promise.all([
    import('../../adapters/dynamodb/dynamo-delivery-store.ts'),
    import('../../adapters/sqs/sqs-delivery-queue.ts'),
  ])
  const context = platformContext(assembly, options)
  const [deliveries, queue] = [dynamoDeliveryStore(context), sqsDeliveryQueue(context)]
  let { deliveries: found } = await deliveries.listDue(endOfTime, page)
  let count = 0
  while (found.length > 0) {
    await queue.send(found.map((delivery) => queuedAttempt(delivery, systemClock.now())))
    count += found.length
    ;({ deliveries: found } = await deliveries.listDue(endOfTime, page, found.at(-1)))
  }
  return count
}

/** Behind every moment that an attempt is planned for, epoch milliseconds. */
const endOfTime = 9_999_999_999_999

/** The same for domains whose deletion has begun: their clean-up goes on. Answers how many. */
export async function requeueCleanups(assembly: Pick<Assembly, 'functions'>, options: RequeueOptions): Promise<number> {
  const [{ dynamoDomainStore }, { sqsCleanupQueue }] = await Promise.all([
    import('../../adapters/dynamodb/dynamo-domain-store.ts'),
    import('../../adapters/sqs/sqs-cleanup-queue.ts'),
  ])
  const context = platformContext(assembly, options)
  const deleted = await dynamoDomainStore(context).listDeleted()
  for (const { name, since } of deleted) {
    await sqsCleanupQueue(context).send({ domain: name, requestedAt: since, delaySeconds: 0 })
  }
  return deleted.length
}

/** What adapters of the platform itself are made from. */
function platformContext(
  assembly: Pick<Assembly, 'functions'>,
  { place, gate, settings }: RequeueOptions,
): AdapterContext {
  const resources: Environment = Object.assign({}, ...assembly.functions.map(({ environment }) => environment))
  const env = { ...resources, ...sharedEnvironment(settings, place.storesUrl, gate.issue(platformRole.arn)) }
  return { env, clock: systemClock, random: systemRandomness }
}
