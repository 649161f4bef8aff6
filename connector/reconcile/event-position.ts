import type { EventPosition } from '../../core/status/connector-report.ts'
import type { EngineEvent } from '../engine.ts'

/** Stands for an event that is not known. */
export const nowhere: EventPosition = { coreUuid: '', sequence: '' }

/** Which event it is. */
export function positionOf({ coreUuid, sequence }: EngineEvent): EventPosition {
  return { coreUuid, sequence }
}

/** When the engine made the event by its own clock, epoch milliseconds. */
export function engineTime(event: EngineEvent | undefined): number | undefined {
  const microseconds = Number(event?.header('Event-Date-Timestamp'))
  return microseconds > 0 ? microseconds / 1_000 : undefined
}
