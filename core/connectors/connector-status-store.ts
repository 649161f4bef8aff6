import type { ConnectorReport } from './connector-report.ts'

/** How long the oldest message of a stage of the event pipeline had waited when its function took it. */
export interface StageWait {
  /** The name of the function. */
  readonly stage: string
  readonly ageMs: number
  /** When that was, epoch milliseconds. */
  readonly at: number
}

/** The reports of the connectors, and the waits that the functions of later stages report. */
export interface ConnectorStatusStore {
  report(report: ConnectorReport): Promise<void>
  list(since: number): Promise<ConnectorReport[]>
  /** Notes a wait in place of the earlier one of its stage. */
  noteWait(wait: StageWait): Promise<void>
  listWaits(since: number): Promise<StageWait[]>
  /** Counts a start of a connector and answers how many there were before. */
  countStart(): Promise<number>
}
