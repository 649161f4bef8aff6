import type { EslDownReason } from './errors.ts'
import type { EslLimits } from './options.ts'

/** Time as an argument, so that a test can move it. */
export interface EslTimers {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Runs `run` once after `ms` milliseconds; the answer cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The process's own time: `now` is milliseconds since the epoch, but steady when the wall clock is set. */
export const systemEslTimers: EslTimers = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** The times and callbacks of a watch. */
export interface SilenceWatchOptions {
  readonly timers: EslTimers
  readonly silenceMs: number
  /** Called after half of it: a silent peer may have nothing to say unless asked. */
  readonly onQuiet: () => void
  /** Called once, after all of it; nothing is watched any more. */
  readonly onSilent: () => void
}

/** Notices that nothing comes any more, from when it was made. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions
  #heardAt: number
  #cancel = () => {}

  constructor(options: SilenceWatchOptions) {
    this.#options = options
    this.#heardAt = options.timers.now()
    this.#look()
  }

  heard(): number {
    this.#heardAt = this.#options.timers.now()
    return this.#heardAt
  }

  stop(): void {
    this.#cancel()
  }

  /** One timer that is set anew only when it fires, not with every chunk. */
  #look(): void {
    const { timers, silenceMs, onQuiet, onSilent } = this.#options
    const silentMs = timers.now() - this.#heardAt
    if (silentMs >= silenceMs) return onSilent()
    const quietMs = silenceMs / 2
    if (silentMs >= quietMs) onQuiet()
    const nextMs = (silentMs < quietMs ? quietMs : silenceMs) - silentMs
    this.#cancel = timers.after(nextMs, () => this.#look())
  }
}

/** Trying these again at once would change nothing and could get our address banned. */
const REFUSED: ReadonlySet<EslDownReason> = new Set(['auth-refused', 'access-rejected'])

/**
 * Returns the wait before reconnecting, partly random, so that many clients do not come back at once. It doubles with
 * each failure between the limits, and at least half of it is kept. After a refusal it is `refusedRetryMs` and up to a
 * quarter more.
 */
export function retryDelayMs(
  reason: EslDownReason,
  failuresBefore: number,
  limits: Pick<EslLimits, 'retryMinMs' | 'retryMaxMs' | 'refusedRetryMs'>,
  random: () => number,
): number {
  if (REFUSED.has(reason)) return limits.refusedRetryMs * (1 + random() / 4)
  const longestMs = Math.min(limits.retryMaxMs, limits.retryMinMs * 2 ** (failuresBefore + 1))
  return longestMs / 2 + random() * (longestMs / 2)
}
