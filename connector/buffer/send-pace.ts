import { type Allowance, takeOne } from '../../core/requests/rate-limit.ts'
import type { Clock } from '../../core/time.ts'

const burst = 10

/** The pace of batches that are not full: after a burst one for each interval. */
export class SendPace {
  readonly #clock: Clock
  readonly #allowance: Allowance
  /** When the whole burst is free again, epoch milliseconds. */
  #fullAt = 0

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#allowance = { intervalMs, burst }
  }

  /** Takes one batch and returns 0, or returns the milliseconds until one may go. */
  take(): number {
    const { verdict, fullAt } = takeOne(this.#known(), this.#allowance, this.#clock.now())
    this.#fullAt = fullAt
    return verdict.isAllowed ? 0 : verdict.waitMs
  }

  spend(): void {
    if (this.take() > 0) this.#fullAt = this.#clock.now() + burst * this.#allowance.intervalMs
  }

  /** Returns {@link #fullAt}, which is void if the clock was set back. */
  #known(): number | undefined {
    return this.#fullAt - this.#clock.now() > burst * this.#allowance.intervalMs ? undefined : this.#fullAt
  }
}
