import type { Log } from '../../adapters/log/logger.ts'

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

/** What a dropped event is counted as: see {@link dropClassOf}. */
export type DropClass = 1 | 2 | 3

/** Every class. */
export const dropClasses: readonly DropClass[] = [3, 2, 1]

/** The events that end a call or a recording: without them a call never ends for its followers. */
const terminal: ReadonlySet<string> = new Set(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY', 'RECORD_STOP'])

/**
 * Returns the class of an event, by its name as hooks write it (`CUSTOM->svc::…`) and the uuid of its call: 1 says that
 * something is over, 2 is of a call or the platform's own word, 3 is the rest.
 */
export function dropClassOf({ name, uuid }: { readonly name: string; readonly uuid: string }): DropClass {
  if (terminal.has(name)) return 1
  return uuid !== '' || name.startsWith('CUSTOM->svc::') ? 2 : 3
}
