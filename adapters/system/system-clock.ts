import type { Clock } from '../../core/time.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
