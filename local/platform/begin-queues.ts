import { systemClock } from '../../adapters/system/system-time.ts'
import { nowhere } from '../../connector/runtime/engine.ts'
import { gapId } from '../../connector/recovery/gap-log.ts'
import { deadAfterMs } from '../../connector/recovery/dead-connectors.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import type { GapStore } from '../../core/events/gap-store.ts'
import type { Clock } from '../../core/time.ts'
import type { Assembly, QueueRun } from '@callplane/laptop'
import { type PlatformContextDeps, platformContext } from './platform-context.ts'
import { type RequeueDeps, requeueWork } from './requeue.ts'

/**
 * Begins the run of the embedded queues: the loss of an earlier run is recorded as a gap first, and the work that was
 * under way when the platform ended is queued again. Returns sentences about both for the person at the terminal.
 */
export async function beginQueues(
  assembly: Pick<Assembly, 'functions'>,
  run: Pick<QueueRun, 'isLost' | 'begin'>,
  deps: PlatformContextDeps,
): Promise<string[]> {
  const [status, gaps, deliveries, deliveryQueue, domains, cleanups] = await Promise.all([
    import('../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'),
    import('../../adapters/dynamodb/events/dynamo-gap-store.ts'),
    import('../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'),
    import('../../adapters/sqs/sqs-delivery-queue.ts'),
    import('../../adapters/dynamodb/domains/dynamo-domain-store.ts'),
    import('../../adapters/sqs/sqs-cleanup-queue.ts'),
  ])
  const context = platformContext(assembly, deps)
  return beginOver(run, {
    connectorStatus: status.dynamoConnectorStatusStore(context),
    gaps: gaps.dynamoGapStore(context),
    deliveries: deliveries.dynamoDeliveryStore(context),
    deliveryQueue: deliveryQueue.sqsDeliveryQueue(context),
    domains: domains.dynamoDomainStore(context),
    cleanups: cleanups.sqsCleanupQueue(context),
    clock: systemClock,
  })
}

/** Does the work of {@link beginQueues} over given stores and queues. */
export async function beginOver(
  run: Pick<QueueRun, 'isLost' | 'begin'>,
  deps: RecordLostMessagesDeps & RequeueDeps,
): Promise<string[]> {
  const from = run.isLost ? await recordLostMessages(deps) : undefined
  run.begin()
  const { refused } = await requeueWork(deps)
  const lost =
    from === undefined
      ? []
      : [
          `the platform was not stopped in order: events since ${new Date(from).toISOString()} may be lost, which is recorded as a gap`,
        ]
  return refused === 0
    ? lost
    : [...lost, `${refused} deliveries could not be queued; the schedule retries them in six minutes`]
}

/** The dependencies of {@link recordLostMessages}. */
export interface RecordLostMessagesDeps {
  readonly gaps: Pick<GapStore, 'record'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list' | 'listWaits'>
  readonly clock: Clock
}

/** The recorder of the lost messages: not a connector, but the platform of the laptop. */
const platform = 'local-platform'

/**
 * Records the gap of messages that ended with the embedded queues, from the last reports on, up to now; returns its
 * beginning. Half a minute is allowed for the time that events wait in a queue, and more where the last waits that
 * functions noted are longer.
 */
export async function recordLostMessages(deps: RecordLostMessagesDeps): Promise<number> {
  const { gaps, connectorStatus, clock } = deps
  const to = clock.now()
  const reports = await connectorStatus.list(0)
  const lastAt = Math.max(0, ...reports.map(({ reportedAt }) => reportedAt))
  const last = reports.filter(({ reportedAt }) => reportedAt > lastAt - deadAfterMs)
  const waits = await connectorStatus.listWaits(lastAt - 2 * deadAfterMs)
  const from =
    Math.min(to, ...last.map(({ handedOverTo }) => handedOverTo), ...waits.map(({ at, ageMs }) => at - ageMs)) -
    deadAfterMs
  const gap = { connectorId: platform, engine: '', reason: 'queue-lost', from }
  await gaps.record({ ...gap, id: gapId(gap), recordedBy: platform, to, before: nowhere, after: nowhere })
  return from
}
