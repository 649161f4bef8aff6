import type { Log } from '../../adapters/log/logger.ts'
import type {
  ConnectorReport,
  DomainCommands,
  EngineReport,
  EventLinkReport,
  SpoolReport,
} from '../../core/connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { type Engine, isHealthy } from '../runtime/engine.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import { type StatusTexts, statusTexts } from './status-texts.ts'

/** A report older than 30 s counts as silence, and the status page may be 15 s late. */
export const reportMs = 5_000

/** Whether an engine is connected is looked at this often, so that a change is reported at once. */
const lookMs = 250

/** Domains whose commands a report counts: each takes up to 300 bytes of an item, which holds 400 KB. */
const maxDomains = 500

export interface StatusDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'report' | 'countStart'>
  readonly engines: readonly Engine[]
  /** How many channels the engine of a name held when it was last heard; absent while that is not known. */
  readonly channelsOf: (engine: string) => number | undefined
  /** What is wrong with the clock of the engine of a name, if anything is. */
  readonly clockProblem?: (engine: string) => string | undefined
  /** Whether the engine of a name has TLS for gateways; absent while that is not known. */
  readonly hasGatewayTls?: (engine: string) => boolean | undefined
  readonly connectorId: string
  readonly version: string
  readonly startedAt: number
  readonly eventLinks: () => readonly EventLinkReport[]
  /** Every event that was read before this moment, epoch milliseconds, has been queued. */
  readonly handedOverTo: () => number
  /** Every event that was read before this moment, epoch milliseconds, has been queued or is on disk. */
  readonly keptTo: () => number
  /** Where its events wait on disk; absent where they do not. */
  readonly spool?: (() => SpoolReport | undefined) | undefined
  readonly queues: () => {
    readonly inFlight: number
    readonly waiting: number
    /** The busiest first. */
    readonly byDomain: readonly DomainCommands[]
  }
  readonly log: Log
}

/** How a stop ended. */
export interface StopOutcome {
  /** How far each engine's events had been read; that the links were let go of is no loss of them. */
  readonly eventLinks: readonly EventLinkReport[]
  /** Every event that was read before this moment, epoch milliseconds, has been queued, or its loss recorded. */
  readonly handedOverTo: number
  readonly left: number
}

/** Reports this connector for as long as it runs, and how it ended. */
export interface StatusReporter {
  /**
   * Counts this start once and reports every 5 s until aborted, and as soon as an engine is found or lost; then says
   * that the connector stops. A store that is gone is tried again with the next report; an engine that does not answer
   * holds no report up.
   */
  follow(signal: AbortSignal): Promise<void>
  /**
   * Reports every 5 s until aborted, once the beginning of a stop was reported, how far its events have been handed
   * over. Never rejects.
   */
  followStop(signal: AbortSignal): Promise<void>
  /**
   * Says how the stop ended, once and without waiting for a store that is gone: then what was said at its beginning
   * stands. Never rejects.
   */
  tellEnd(end: StopOutcome): Promise<void>
}

/** Makes a reporter that has reported nothing yet. */
export function statusReporter(parts: StatusDeps): StatusReporter {
  const { store, clock, timers, log } = parts
  const texts = statusTexts(parts)
  const unstored = errorLatch(log, 'the status of the connector could not be stored')
  let restarts: number | undefined
  let atStop: (ConnectorReport & { readonly stoppedAt: number }) | undefined

  /** A connector that is silent without having said that it stops counts as dead, and its commands are ended. */
  const tellStop = async (said: ConnectorReport) => {
    try {
      await store.report(said)
    } catch (problem) {
      log.error('that the connector stops could not be stored', problem)
    }
  }

  /** Reports overwrite each other, so one that says less must not arrive later. */
  let reporting: Promise<void> | undefined

  const tellProgress = async (since: ConnectorReport) => {
    try {
      await store.report({
        ...since,
        eventLinks: since.eventLinks.map((link) => lastOf(link, parts.eventLinks())),
        handedOverTo: parts.handedOverTo(),
        reportedAt: clock.now(),
      })
      unstored.over()
    } catch (problem) {
      unstored.note(problem)
    }
  }

  return {
    follow: async (signal) => {
      while (!signal.aborted) {
        const reported = whoIsThere(parts)
        try {
          restarts ??= await store.countStart()
          await store.report(await report(parts, texts, restarts))
          unstored.over()
        } catch (problem) {
          unstored.note(problem)
        }
        for (let waitedMs = 0; waitedMs < reportMs && !signal.aborted; waitedMs += lookMs) {
          if (whoIsThere(parts) !== reported) break
          await pause(timers, lookMs, signal)
        }
      }
      const last = await report(parts, texts, restarts ?? 0)
      atStop = { ...last, stoppedAt: last.reportedAt }
      await tellStop(atStop)
    },
    followStop: async (signal) => {
      while (!signal.aborted) {
        await pause(timers, reportMs, signal)
        if (atStop === undefined || signal.aborted) continue
        reporting = tellProgress(atStop)
        await reporting
      }
    },
    tellEnd: async ({ handedOverTo, left, eventLinks }) => {
      await reporting
      if (atStop === undefined) return
      const { eventLinks: before, spool } = atStop
      await tellStop({
        ...atStop,
        eventLinks: before.map((link) => lastOf(link, eventLinks)),
        handedOverTo,
        ...(spool === undefined ? {} : { spool: { ...spool, left } }),
        reportedAt: clock.now(),
      })
    },
  }
}

/**
 * A link that was down when the stop began no longer counts as listening, even if it came up since. The gap of the stop
 * begins where it did by the first report, so that it is recorded once.
 */
function lastOf(atStop: EventLinkReport, atEnd: readonly EventLinkReport[]): EventLinkReport {
  const ended = atStop.upSince === 0 ? undefined : atEnd.find(({ engine }) => engine === atStop.engine)
  return ended === undefined ? atStop : { ...ended, keptTo: atStop.keptTo }
}

function whoIsThere({ engines }: StatusDeps): string {
  return engines.map((engine) => (isHealthy(engine) ? '1' : '0')).join('')
}

async function report(parts: StatusDeps, texts: StatusTexts, restarts: number): Promise<ConnectorReport> {
  const status = await Promise.all(parts.engines.map((engine) => texts.of(engine)))
  const engines = parts.engines.map((engine, index) => engineReport(parts, engine, status[index] ?? ''))
  const { inFlight, waiting, byDomain } = parts.queues()
  const spool = parts.spool?.()
  return {
    connectorId: parts.connectorId,
    startedAt: parts.startedAt,
    version: parts.version,
    engines,
    eventLinks: parts.eventLinks(),
    handedOverTo: parts.handedOverTo(),
    keptTo: parts.keptTo(),
    ...(spool === undefined ? {} : { spool }),
    commandsInFlight: inFlight,
    commandsWaiting: waiting,
    commandsByDomain: byDomain.slice(0, maxDomains),
    restarts,
    reportedAt: parts.clock.now(),
  }
}

/** Connected as it is after the status text was asked for: that may have taken a while. */
function engineReport(
  { channelsOf, hasGatewayTls, clockProblem }: StatusDeps,
  engine: Engine,
  status: string,
): EngineReport {
  const { name, coreUuid, commands, events } = engine
  const connected = isHealthy(engine)
  const channels = channelsOf(name)
  const hasTls = hasGatewayTls?.(name)
  return {
    name,
    coreUuid,
    connected,
    heardAt: Math.floor(Math.max(0, commands.heardAt, events.heardAt)),
    status: connected ? [status, clockProblem?.(name)].filter(Boolean).join('\n') : '',
    ...(channels === undefined ? {} : { channels }),
    ...(hasTls === undefined ? {} : { hasGatewayTls: hasTls }),
  }
}
