import type { Log } from '../../adapters/log/logger.ts'
import type { ConnectorReport } from '../../core/model.ts'
import type { ConnectorStatusStore } from '../../core/ports.ts'
import { type Engine, isReady } from '../engine.ts'
import { type Time, pause } from '../timers.ts'

/** A report older than 30 s counts as silence, and the status page may be 15 s behind. */
const reportMs = 5_000

/** Whether an engine is connected is looked at this often, so that a change is told at once. */
const lookMs = 250

/** The engine's status text is a dozen lines. */
const maxStatusLength = 4_096

/** What a report is made from. */
export interface StatusParts extends Time {
  readonly store: Pick<ConnectorStatusStore, 'report' | 'countStart'>
  readonly engines: readonly Engine[]
  readonly connectorId: string
  readonly version: string
  readonly startedAt: number
  readonly queues: () => { readonly inFlight: number; readonly waiting: number }
  readonly log: Log
}

/**
 * Counts this start once and reports every 5 s until aborted, and as soon as the engine is found or lost. Of several
 * engines the report tells of the first that is connected. A store that is gone is tried again with the next report.
 */
export async function reportStatus(parts: StatusParts, signal: AbortSignal): Promise<void> {
  let restarts: number | undefined
  while (!signal.aborted) {
    const told = readyEngine(parts) !== undefined
    try {
      restarts ??= await parts.store.countStart()
      await parts.store.report(await report(parts, restarts))
    } catch (problem) {
      parts.log.error('the status of the connector could not be stored', problem)
    }
    for (let waitedMs = 0; waitedMs < reportMs && !signal.aborted; waitedMs += lookMs) {
      if ((readyEngine(parts) !== undefined) !== told) break
      await pause(parts.timers, lookMs, signal)
    }
  }
}

function readyEngine({ engines }: StatusParts): Engine | undefined {
  return engines.find(({ commands, events }) => isReady(commands) && isReady(events))
}

async function report(parts: StatusParts, restarts: number): Promise<ConnectorReport> {
  const engine = readyEngine(parts)
  const heard = parts.engines.flatMap(({ commands, events }) => [commands.heardAt, events.heardAt])
  const { inFlight, waiting } = parts.queues()
  return {
    connectorId: parts.connectorId,
    startedAt: parts.startedAt,
    version: parts.version,
    engineConnected: engine !== undefined,
    engineHeardAt: Math.floor(Math.max(0, ...heard)),
    engineId: engine?.coreUuid ?? '',
    engineStatus: engine === undefined ? '' : await statusText(engine),
    commandsInFlight: inFlight,
    commandsWaiting: waiting,
    restarts,
    reportedAt: parts.clock.now(),
  }
}

async function statusText({ commands }: Engine): Promise<string> {
  try {
    return (await commands.api('status')).slice(0, maxStatusLength)
  } catch {
    return ''
  }
}
