import type { Log } from '../../adapters/log/logger.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type DropClass, dropOrder } from './drop-class.ts'

/** Events of one class that were given up for want of room. */
export interface Drop {
  readonly class: DropClass
  readonly count: number
  /** When the first and the last of them were read, epoch milliseconds. */
  readonly from: number
  readonly to: number
}

/** How long drops of a class are gathered before they are reported: one record a second, not one an event. */
const gatherMs = 1_000

/** Counts what is given up. */
export interface DropTally {
  /** Counts `count` events of a class that were read from `from` to `to`. */
  note(dropClass: DropClass, from: number, count?: number, to?: number): void
  /** Counts events that were lost for another reason, which the caller logs. */
  lost(dropClass: DropClass, from: number, count: number, to: number): void
  /** Says that there is room again: the next drop is logged again. */
  over(): void
  /** Reports the gathered drops now. */
  flush(): void
  /** So far, by class. */
  readonly counts: Readonly<Record<DropClass, number>>
}

/** Makes a tally with nothing in it. That events are dropped is logged once, with `reason`, until it is over. */
export function dropTally(
  parts: Time & { readonly log: Log; readonly reason: string; readonly onDropped?: ((drop: Drop) => void) | undefined },
): DropTally {
  const { timers, log, reason, onDropped } = parts
  const counts: Record<DropClass, number> = { 1: 0, 2: 0, 3: 0 }
  const gathered = new Map<DropClass, Drop>()
  let isDropping = false
  let cancel: (() => void) | undefined

  const flush = () => {
    cancel?.()
    cancel = undefined
    for (const dropClass of dropOrder) {
      const drop = gathered.get(dropClass)
      if (drop !== undefined) onDropped?.(drop)
    }
    gathered.clear()
  }

  const lost: DropTally['lost'] = (dropClass, from, count, to) => {
    if (count === 0) return
    counts[dropClass] += count
    const so = gathered.get(dropClass) ?? { class: dropClass, count: 0, from, to }
    const span = { from: Math.min(so.from, from), to: Math.max(so.to, to) }
    gathered.set(dropClass, { class: dropClass, count: so.count + count, ...span })
    cancel ??= timers.after(gatherMs, flush)
  }

  return {
    note: (dropClass, from, count = 1, to = from) => {
      if (count === 0) return
      lost(dropClass, from, count, to)
      if (!isDropping) log.error(`events are dropped: ${reason}`, undefined, { class: dropClass })
      isDropping = true
    },
    lost,
    over: () => {
      isDropping = false
    },
    flush,
    counts,
  }
}
