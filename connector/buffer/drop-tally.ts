import type { Log } from '../../adapters/log/logger.ts'
import type { DropClass } from './drop-class.ts'

/** Events of one class that were given up. */
export interface Drop {
  readonly class: DropClass
  readonly count: number
  /** When the first and the last of them were read, epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** Counts what is given up. */
export interface DropTally {
  /** Counts events that there was no room for. That there is none is logged once until it is over. */
  note(drop: Drop): void
  /** Counts events that were lost for another reason, which the caller logs. */
  lost(drop: Drop): void
  /** Says that there is room again. */
  over(): void
  readonly counts: Readonly<Record<DropClass, number>>
}

/** Makes a tally with nothing in it, which passes each drop on. */
export function dropTally(log: Log, onDropped: (drop: Drop) => void = () => {}): DropTally {
  const counts: Record<DropClass, number> = { 1: 0, 2: 0, 3: 0 }
  let isDropping = false
  const lost = (drop: Drop) => {
    counts[drop.class] += drop.count
    if (drop.count > 0) onDropped(drop)
  }
  return {
    note: (drop) => {
      lost(drop)
      if (!isDropping && drop.count > 0) {
        log.error('events are dropped: too many wait', undefined, { class: drop.class })
        isDropping = true
      }
    },
    lost,
    over: () => {
      isDropping = false
    },
    counts,
  }
}
