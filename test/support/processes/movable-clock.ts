import type { Clock } from '../../../core/time.ts'

/** A clock that stands still until it is moved. */
export interface MovableClock extends Clock {
  /** Moves the clock by milliseconds. */
  move(ms: number): void
}

/** A clock that starts at an epoch millisecond; any moment will do where none is named. */
export function movableClock(start = Date.UTC(2026, 0, 15, 12)): MovableClock {
  let now = start
  return {
    now: () => now,
    move(ms) {
      now += ms
    },
  }
}
