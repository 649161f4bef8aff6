/**
 * The time for which records are kept after they stopped mattering. The store drops an item some time after its
 * `expiresAt` (DynamoDB: up to two days), so adapters that read one check it themselves: an expired record counts as
 * missing.
 */
import { type ExportJob, exportLifeMs } from '../core/cdr/exports/export-job.ts'
import type { ErasureJob } from '../core/erasures/erasure.ts'
import type { CommandRecord } from '../core/commands/commands.ts'
import type { Presence } from '../core/accounts/presence.ts'
import type { AuditRecord } from '../core/audit/audit-log.ts'
import type { Token } from '../core/access/token.ts'
import type { Gap } from '../core/events/gap.ts'
import type { DomainVersionHead } from '../core/domains/domain-version.ts'
import type { Delivery } from '../core/hooks/delivery/delivery.ts'
import type { StageWait } from '../core/connectors/connector-status-store.ts'
import type { ConnectorReport } from '../core/connectors/connector-report.ts'
import type { RequestKey } from '../core/requests/idempotency-key.ts'
import type { Recording } from '../core/recordings/recording.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Epoch milliseconds after which each kind of record counts as missing. */
export const keptUntil = {
  /** A day after its own end, so that its user sees "expired" and not "unknown". */
  token: (token: Token) => token.expiresAt + DAY,
  /** The status report looks back fifteen minutes. */
  session: (at: number) => at + HOUR,
  /** A credential that is used from a network for the first time in so long is worth a line in the trail. */
  network: (at: number) => at + 90 * DAY,
  /** As long as a network counts as known after a login from it, by the contract's section on logins. */
  loginNetwork: (at: number) => at + 30 * DAY,
  /** Longer than any window in which failures are counted. */
  loginFailure: (at: number) => at + DAY,
  presence: (presence: Presence) =>
    Math.max(presence.observedAt + DAY, ...presence.contacts.map((contact) => contact.expiresAt)),
  /** A connector writes it again before that, and removes it with its gateway. */
  gatewayState: (observedAt: number) => observedAt + DAY,
  /** Long enough to find out later how a command ended. */
  command: (record: CommandRecord) => record.deadlineAt + DAY,
  /** Not before its record, whose deadline is at most minutes after its outcome. */
  commandPart: (writtenAt: number) => writtenAt + 2 * DAY,
  /** Far longer than anybody waits for a command that was pointed to it within its first minute. */
  sharedOutcome: (writtenAt: number) => writtenAt + HOUR,
  /** Longer than any delivery to it. */
  removedHook: (removedAt: number) => removedAt + 31 * DAY,
  /** Longer than the CDR of the leg can still come: four days in its queue, fourteen among its dead letters. */
  recordedLeg: (at: number) => at + 30 * DAY,
  delivery: (delivery: Delivery) => delivery.createdAt + 30 * DAY,
  /** By the contract's rule on payloads. */
  deliveryEvent: (keptAt: number) => keptAt + 7 * DAY,
  /** Longer than nearly any call. */
  alias: (notedAt: number) => notedAt + 7 * DAY,
  /** Longer than a registration lasts: an hour, unless an operator changes the engine kit's setting. */
  pendingUnregistration: (notedAt: number) => notedAt + 7 * DAY,
  connectorReport: (report: ConnectorReport) => report.reportedAt + DAY,
  stageWait: ({ at }: StageWait) => at + DAY,
  /** By the contract's rule on the list of events. */
  loggedEvent: (loggedAt: number) => loggedAt + DAY,
  /**
   * Longer than an event can come again: four days in the queue, fourteen among its dead letters, and four days in the
   * queue again.
   */
  eventNumber: (loggedAt: number) => loggedAt + 23 * DAY,
  /** As long as the deliveries whose absence it may explain. */
  gap: (gap: Gap) => gap.to + 30 * DAY,
  /** By the contract's rule on idempotency keys. */
  requestKey: ({ createdAt }: RequestKey) => createdAt + DAY,
  /** An allowance that is full again carries no information. */
  allowance: (wholeAt: number) => wholeAt + HOUR,
  /** Longer than nearly any call. */
  knownCall: (knownAt: number) => knownAt + 7 * DAY,
  /** Without an object, as long as the CDR that shows it; while there may be an object, without limit. */
  recording: ({ state, closedAt, isRemoved }: Recording) =>
    state === 'failed' || (state === 'deleted' && isRemoved === true)
      ? (closedAt ?? 0) + 400 * DAY
      : Number.POSITIVE_INFINITY,
  /** As long as a mark: who asked can see for so long what was removed. */
  erasure: ({ createdAt }: ErasureJob) => createdAt + 30 * DAY,
  /** Longer than a report of a call can still come: four days in its queue, fourteen among its dead letters. */
  erasedMark: (at: number) => at + 30 * DAY,
  exportJob: ({ createdAt }: ExportJob) => createdAt + exportLifeMs,
  auditRecord: (record: AuditRecord) => record.at + 400 * DAY,
  /** As long as the line of the trail that names it. */
  domainVersion: ({ createdAt }: DomainVersionHead) => createdAt + 400 * DAY,
}
