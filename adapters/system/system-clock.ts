import type { Clock } from '../../core/ports.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
