import type { Log } from '../../adapters/log/logger.ts'
import type { GapStore } from '../../core/events/gap-store.ts'
import type { Gap } from '../../core/events/gap.ts'
import type { ConnectorReport, EventLinkReport } from '../../core/connectors/connector-report.ts'
import {
  type Listening,
  hasListenedSince,
  lastAlive,
  lastKept,
  listeningOf,
  listenings,
} from '../../core/connectors/connectors.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { earlierReported, nowhere } from '../runtime/engine.ts'
import { gapId } from './gap-log.ts'

/** A connector reports every 5 s; one that was silent for so long and has not said that it stops is dead. */
export const deadAfterMs = 30_000

const lookMs = 10_000

const reportsMs = 86_400_000

/** A link that was up this long before counts as up when a moment was heard: clocks of hosts differ by less. */
const slackMs = 1_000

/** Dead connectors that are remembered as recorded; each is found again for a day. */
const maxRecorded = 1_000

export interface DeadConnectorsDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly gaps: Pick<GapStore, 'record'>
  readonly connectorId: string
  /**
   * Called once by each connector for each one that is gone for half a minute, to end what it left open: commands
   * that it had claimed end as unknown, also those whose last writes failed while it stopped in order. Several
   * connectors are called for the same one, also after a restart, so it must be idempotent. When it rejects it is
   * called again at the next look.
   */
  readonly onDeadConnector: (connectorId: string) => void | Promise<void>
  readonly log: Log
}

/**
 * Handles connectors that are gone, until aborted. Reports each, and records for each of its engines the time in which
 * no connector was connected, as `connector-killed`, or as `connector-stopped` if it had reported its stop. Exactly one
 * living connector records it, and none does if another connector's link to that engine was up all the time. While no
 * link to the engine is up, the gap is open and is checked again. A connector that was only silent, and reports again,
 * can be recorded as gone again later. Events on its disk that no connector took over are recorded as `spool-lost`. The
 * gap begins with the first missed event if the link was down when the connector went, or if not all of its gaps were
 * stored, since no other connector has reported those.
 */
export async function recordDeadConnectors(parts: DeadConnectorsDeps, signal: AbortSignal): Promise<void> {
  const recorded = new Set<string>()
  const unread = errorLatch(parts.log, 'the reports of connectors could not be looked through; it will be tried again')
  while (!signal.aborted) {
    try {
      const reports = await parts.store.list(parts.clock.now() - reportsMs)
      for (const gone of reports.filter((report) => isGone(parts, report) && !recorded.has(deathKey(report)))) {
        if (await recordDeath(parts, gone, reports)) remember(recorded, deathKey(gone))
      }
      unread.over()
    } catch (problem) {
      unread.note(problem)
    }
    await pause(parts.timers, lookMs, signal)
  }
}

function isDead({ clock, connectorId }: DeadConnectorsDeps, report: ConnectorReport): boolean {
  if (report.connectorId === connectorId || report.stoppedAt !== undefined) return false
  return report.reportedAt < clock.now() - deadAfterMs
}

/** A connector that stopped in order may have been the last listener, or may have failed to write its last report. */
function isGone(parts: DeadConnectorsDeps, report: ConnectorReport): boolean {
  return isDead(parts, report) || (report.stoppedAt !== undefined && report.connectorId !== parts.connectorId)
}

async function recordDeath(
  parts: DeadConnectorsDeps,
  gone: ConnectorReport,
  reports: readonly ConnectorReport[],
): Promise<boolean> {
  let isDone = gone.reportedAt < parts.clock.now() - deadAfterMs
  if (isDone) await parts.onDeadConnector(gone.connectorId)
  const others = reports.filter((report) => report.connectorId !== gone.connectorId)
  for (const link of linksOf(gone)) {
    const fate = spoolFate(gone, link.engine, others, parts.clock.now())
    if (fate === 'not known yet') isDone = false
    else if (fate !== 'handed over by others') await recordLostSpool(parts, gone, link, fate)
    const own = listeningOf(gone, link)
    if ((own.since ?? own.lostAt) === undefined) continue
    const heard = heardAgain(parts, own, others)
    if (heard === 'all the time') continue
    if (heard === undefined) isDone = false
    else await recordGap(parts, own, heard)
  }
  return isDone
}

/** Its links; what it took over from an earlier process may be of engines, too, that it never reached itself. */
function linksOf({ eventLinks, engines, spool }: ConnectorReport): readonly EventLinkReport[] {
  if (spool === undefined || spool.taken.length === 0) return eventLinks
  const unreached = engines.filter(({ name }) => eventLinks.every(({ engine }) => engine !== name))
  return [...eventLinks, ...unreached.map(({ name }) => ({ engine: name, last: nowhere, upSince: 0 }))]
}

/**
 * The first link to the engine that was up after the one that is gone listened last; `undefined` while there is none.
 * Of all connectors, this one included, only persisted reports count; otherwise a later crash would go unnoticed. Of
 * two that died together only the one that was seen later speaks for the other.
 */
function heardAgain(
  { connectorId, clock }: DeadConnectorsDeps,
  gone: Listening,
  others: readonly ConnectorReport[],
): Listening | 'all the time' | undefined {
  const later = listenings(others, gone.engine)
    .filter((other) => other.since !== undefined)
    .filter((other) => (other.connectorId === connectorId ? clock.now() : other.aliveAt) > gone.heardTo)
    .toSorted((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity))
  const [first] = later
  if (first === undefined) return undefined
  return hasListenedSince(first, gone.keptTo - slackMs) ? 'all the time' : first
}

async function recordGap(
  { gaps, connectorId, log }: DeadConnectorsDeps,
  gone: Listening,
  heard: Listening,
): Promise<void> {
  const { engine, last, keptTo: from, hasStopped } = gone
  const reason = hasStopped ? 'connector-stopped' : 'connector-killed'
  const cause = { connectorId: gone.connectorId, engine, reason, from }
  const after = { coreUuid: heard.last.coreUuid, sequence: '' }
  const id = gapId({ ...cause, from: gone.aliveAt })
  const to = Math.max(from, heard.since ?? from)
  const gap: Gap = { ...cause, id, recordedBy: connectorId, to, before: last, after }
  if (!(await gaps.record(gap))) return
  log.warn('events may have been missed', { engine, reason, from, to, connector: gone.connectorId })
}

async function recordLostSpool(
  { gaps, connectorId, log }: DeadConnectorsDeps,
  gone: ConnectorReport,
  { engine, last, handedOverTo, keptTo }: EventLinkReport,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const cause = { connectorId: gone.connectorId, engine, reason: 'spool-lost', from }
  const sentFrom = earlierReported(from, handedOverTo ?? keptTo)
  const gap: Gap = {
    ...cause,
    id: gapId(cause),
    from: sentFrom,
    recordedBy: connectorId,
    to,
    before: nowhere,
    after: last,
  }
  if (!(await gaps.record(gap))) return
  const { connectorId: connector, spool } = gone
  log.warn('events may have been missed', { engine, reason: cause.reason, from, to, connector, left: spool?.left })
}

function deathKey(gone: ConnectorReport): string {
  return `${gone.connectorId} ${lastAlive(gone)}`
}

function remember(recorded: Set<string>, death: string): void {
  const oldest = recorded.values().next()
  if (recorded.size >= maxRecorded && oldest.done !== true) recorded.delete(oldest.value)
  recorded.add(death)
}

/** A process that is started again in its task has looked through its disk by then, and reported. */
const takenOverMs = 120_000

/** The fate of events that waited in the spool of a connector that ended. */
export type SpoolFate = 'handed over by others' | 'not known yet' | { readonly from: number; readonly to: number }

/**
 * Returns whether events of an engine on the disk of a connector that is gone are lost. They are if no connector has
 * reported within two minutes that it took them over, and no other connector has handed over what it read at that time.
 * A later process on the same machine proves nothing, since containers of one host have disks of their own. Lost events
 * are returned with the time in which they were read, epoch milliseconds, by the last report of the connector. Events
 * that were read after a stop had begun belong to the gap of the stop.
 */
function spoolFate(gone: ConnectorReport, engine: string, others: readonly ConnectorReport[], now: number): SpoolFate {
  const { reportedAt, stoppedAt: to = reportedAt, handedOverTo: from, spool } = gone
  if (from >= lastKept(gone)) return 'handed over by others'
  if (others.some((other) => spool !== undefined && other.spool?.taken.includes(spool.owner) === true)) {
    return 'handed over by others'
  }
  const later = listenings(others, engine).filter((one) => hasListenedSince(one, from) && one.reportedAt >= to)
  if (later.some(({ handedOverTo }) => handedOverTo >= to)) return 'handed over by others'
  const mayCatchUp = later.some((one) => one.reportedAt >= now - 30_000)
  return mayCatchUp || now < reportedAt + takenOverMs ? 'not known yet' : { from, to }
}
