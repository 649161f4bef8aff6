import type { Log } from '../../adapters/log/logger.ts'
import type { ConnectorReport, EngineReport, EventLinkReport, SpoolReport } from '../../core/model.ts'
import type { ConnectorStatusStore } from '../../core/ports.ts'
import { type Engine, isHealthy } from '../engine.ts'
import { type Time, pause } from '../timers.ts'
import { trouble } from './trouble.ts'
import { type StatusTexts, statusTexts } from './status-texts.ts'

/** A report older than 30 s counts as silence, and the status page may be 15 s behind. */
const reportMs = 5_000

/** Whether an engine is connected is looked at this often, so that a change is told at once. */
const lookMs = 250

/** What a report is made from. */
export interface StatusParts extends Time {
  readonly store: Pick<ConnectorStatusStore, 'report' | 'countStart'>
  readonly engines: readonly Engine[]
  /** How many channels the engine of a name held when it was last heard; absent while that is not known. */
  readonly channelsOf: (engine: string) => number | undefined
  readonly connectorId: string
  readonly version: string
  readonly startedAt: number
  /** How far each engine's events have been read. */
  readonly eventLinks: () => readonly EventLinkReport[]
  /** Every event that was read before this moment, epoch milliseconds, has been queued. */
  readonly handedOverTo: () => number
  /** Where its events wait on disk; absent where they do not. */
  readonly spool?: (() => SpoolReport | undefined) | undefined
  readonly queues: () => { readonly inFlight: number; readonly waiting: number }
  readonly log: Log
}

/**
 * Counts this start once and reports every 5 s until aborted, and as soon as an engine is found or lost. A store that
 * is gone is tried again with the next report; an engine that does not answer holds no report up.
 */
export async function reportStatus(parts: StatusParts, signal: AbortSignal): Promise<void> {
  const texts = statusTexts(parts)
  const unstored = trouble(parts.log, 'the status of the connector could not be stored')
  let restarts: number | undefined
  while (!signal.aborted) {
    const told = whoIsThere(parts)
    try {
      restarts ??= await parts.store.countStart()
      await parts.store.report(await report(parts, texts, restarts))
      unstored.over()
    } catch (problem) {
      unstored.note(problem)
    }
    for (let waitedMs = 0; waitedMs < reportMs && !signal.aborted; waitedMs += lookMs) {
      if (whoIsThere(parts) !== told) break
      await pause(parts.timers, lookMs, signal)
    }
  }
  await tellStop(parts, texts, restarts ?? 0)
}

/** Says that it stops: whoever is silent without having said so is taken to be dead, and what it left is ended. */
async function tellStop(parts: StatusParts, texts: StatusTexts, restarts: number): Promise<void> {
  try {
    const last = await report(parts, texts, restarts)
    await parts.store.report({ ...last, stoppedAt: parts.clock.now() })
  } catch (problem) {
    parts.log.error('that the connector stops could not be stored', problem)
  }
}

/** The engines that are connected, as one text. */
function whoIsThere({ engines }: StatusParts): string {
  return engines.map((engine) => (isHealthy(engine) ? '1' : '0')).join('')
}

async function report(parts: StatusParts, texts: StatusTexts, restarts: number): Promise<ConnectorReport> {
  const status = await Promise.all(parts.engines.map((engine) => texts.of(engine)))
  const engines = parts.engines.map((engine, index) => engineReport(parts, engine, status[index] ?? ''))
  const first = engines.find(({ connected }) => connected)
  const { inFlight, waiting } = parts.queues()
  const spool = parts.spool?.()
  return {
    connectorId: parts.connectorId,
    startedAt: parts.startedAt,
    version: parts.version,
    engineConnected: first !== undefined,
    engineHeardAt: Math.max(0, ...engines.map(({ heardAt }) => heardAt)),
    engineId: first?.coreUuid ?? '',
    engineStatus: first?.status ?? '',
    engines,
    eventLinks: parts.eventLinks(),
    handedOverTo: parts.handedOverTo(),
    ...(spool === undefined ? {} : { spool }),
    commandsInFlight: inFlight,
    commandsWaiting: waiting,
    restarts,
    reportedAt: parts.clock.now(),
  }
}

/** Connected as it is after the status text was asked for: that may have taken a while. */
function engineReport({ channelsOf }: StatusParts, engine: Engine, status: string): EngineReport {
  const { name, coreUuid, commands, events } = engine
  const connected = isHealthy(engine)
  const channels = channelsOf(name)
  return {
    name,
    coreUuid,
    connected,
    heardAt: Math.floor(Math.max(0, commands.heardAt, events.heardAt)),
    status: connected ? status : '',
    ...(channels === undefined ? {} : { channels }),
  }
}
