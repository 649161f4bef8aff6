import type { ConnectorReport } from './connector-report.ts'

/** The reports of the connectors. */
export interface ConnectorStatusStore {
  report(report: ConnectorReport): Promise<void>
  /** The newest report of each connector that reported since `since`. */
  list(since: number): Promise<ConnectorReport[]>
  /** Counts a start of a connector and answers how many there were before. */
  countStart(): Promise<number>
}
