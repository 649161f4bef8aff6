import type { EventPosition } from '../../core/connectors/connector-report.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/** Stands for an event that is not known. */
export const nowhere: EventPosition = { coreUuid: '', sequence: '' }

/** Returns the position of an event. */
export function positionOf({ coreUuid, sequence }: EngineEvent): EventPosition {
  return { coreUuid, sequence }
}

/** Returns when the engine made the event by its own clock, whole epoch milliseconds, no later than it says. */
export function engineTime(event: EngineEvent | undefined): number | undefined {
  const microseconds = Number(event?.header('Event-Date-Timestamp'))
  return microseconds > 0 ? Math.floor(microseconds / 1_000) : undefined
}

/** An engine's time that is further back says that its clock is wrong, and not how late its events are read. */
const maxLagMs = 600_000

/**
 * Returns the earlier of a moment of our own clock and a time of the engine's. Later events of the engine may not
 * have been read at that moment.
 */
export function earlierReported(moment: number, engineAt: number | undefined): number {
  return engineAt !== undefined && engineAt > moment - maxLagMs ? Math.min(moment, engineAt) : moment
}
