import { aCoreUuid } from '../engine/engine-event.ts'
import { aReport } from '../records/records.ts'
import { type PipelineHarness, harnessEngine } from './pipeline-harness.ts'

/** Stores the last report of a connector: it has listened to its engines for a minute. */
export async function report(
  { ports, time }: Pick<PipelineHarness, 'ports' | 'time'>,
  connectorId: string,
  engines: readonly string[] = [harnessEngine],
) {
  const reportedAt = time.clock.now()
  const last = { coreUuid: aCoreUuid, sequence: '4711' }
  const eventLinks = engines.map((engine) => ({ engine, last, upSince: reportedAt - 60_000 }))
  await ports.connectorStatus.report(aReport({ connectorId, reportedAt, eventLinks }))
}
