import type { Clock } from '../../core/time.ts'

/** Batches that may go in quick succession before the pace holds. */
const burst = 10

/** A token bucket: after a burst it allows one batch for each interval. */
export class SendPace {
  readonly #clock: Clock
  readonly #intervalMs: number
  /** When the bucket is full again, epoch milliseconds. */
  #fullAt = 0

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  take(): number {
    const waitMs = this.#owedMs() - (burst - 1) * this.#intervalMs
    if (waitMs > 0) return waitMs
    this.spend()
    return 0
  }

  /** Takes a token, or the last one again where there is none. */
  spend(): void {
    const owedMs = Math.min(this.#owedMs() + this.#intervalMs, burst * this.#intervalMs)
    this.#fullAt = this.#clock.now() + owedMs
  }

  /** Returns the time until the bucket is full: none when the clock was set back. */
  #owedMs(): number {
    const owedMs = this.#fullAt - this.#clock.now()
    return owedMs > 0 && owedMs <= burst * this.#intervalMs ? owedMs : 0
  }
}
