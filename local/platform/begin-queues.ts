import type { GapStore } from '../../core/events/gap-store.ts'
import type { Clock } from '../../core/time.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { nowhere } from '../../connector/links/event-position.ts'
import { gapId } from '../../connector/links/gap-log.ts'
import { deadAfterMs } from '../../connector/reconcile/dead-connectors.ts'
import type { Assembly } from '../assembly/assembly.ts'
import type { LostMessages } from '../stores/kept-queues.ts'
import type { QueueRun } from '../stores/sqs.ts'
import { type PlatformContextDeps, platformContext } from './platform-context.ts'

/**
 * Begins the run of the embedded queues, after the loss of an earlier run is recorded as a gap. Returns a sentence about
 * it for the person at the terminal; `undefined` if nothing was lost.
 */
export async function beginQueues(
  assembly: Pick<Assembly, 'functions'>,
  run: QueueRun,
  deps: PlatformContextDeps,
): Promise<string | undefined> {
  const { lost } = run
  if (lost !== undefined) await recordWithStores(assembly, lost, deps)
  await run.begin()
  return (
    lost &&
    `the platform was not stopped in order: events since ${new Date(lost.from).toISOString()} may be lost, which is recorded as a gap`
  )
}

async function recordWithStores(
  assembly: Pick<Assembly, 'functions'>,
  lost: LostMessages,
  deps: PlatformContextDeps,
): Promise<void> {
  const [{ dynamoGapStore }, { dynamoConnectorStatusStore }] = await Promise.all([
    import('../../adapters/dynamodb/events/dynamo-gap-store.ts'),
    import('../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'),
  ])
  const context = platformContext(assembly, deps)
  await recordLostMessages(
    { gaps: dynamoGapStore(context), connectorStatus: dynamoConnectorStatusStore(context), clock: systemClock },
    lost,
  )
}

/** The dependencies of {@link recordLostMessages}. */
export interface RecordLostMessagesDeps {
  readonly gaps: Pick<GapStore, 'record'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list'>
  readonly clock: Clock
}

/**
 * Records the gap of messages that ended with the embedded queues, up to now. A connector may have handed over older
 * events from its disk after the last checkpoint, so the gap begins no later than the reading that connectors of that
 * time had fully handed over.
 */
export async function recordLostMessages(
  { gaps, connectorStatus, clock }: RecordLostMessagesDeps,
  { from, knownAt }: LostMessages,
): Promise<void> {
  const reports = await connectorStatus.list(knownAt - deadAfterMs)
  const gap = {
    connectorId: platform,
    engine: '',
    reason: 'queue-lost',
    from: Math.min(from, ...reports.map(({ handedOverTo }) => handedOverTo)),
  }
  await gaps.record({ ...gap, id: gapId(gap), recordedBy: platform, to: clock.now(), before: nowhere, after: nowhere })
}

/** The recorder of the lost messages: not a connector, but the platform of the laptop. */
const platform = 'local-platform'
