/** The remembered times of an engine's gaps, so that a call of such a time is known to have been missed. */
const maxTimes = 16

/** The engine's clock ticks in steps, and what is on its way when a link breaks is a little older than that. */
const slackMs = 1_000

/** A time of the engine's own clock in which its events were not heard. */
export interface MissedTime {
  /** Says when it ended, epoch milliseconds; until then it goes on. */
  end(at: number): void
}

/**
 * The times in which events of an engine were missed. When there are more than 16, the oldest two become one, including
 * the time between them.
 */
export class MissedTimes {
  #times: { from: number; to: number }[] = []

  get isEmpty(): boolean {
    return this.#times.length === 0
  }

  /** A time begins, epoch milliseconds. */
  begin(from: number): MissedTime {
    const time = { from: from - slackMs, to: Number.POSITIVE_INFINITY }
    const [oldest, second, ...rest] = this.#times
    if (oldest !== undefined && second !== undefined && this.#times.length >= maxTimes) {
      second.from = Math.min(oldest.from, second.from)
      second.to = Math.max(oldest.to, second.to)
      this.#times = [second, ...rest]
    }
    this.#times.push(time)
    return {
      end: (at) => {
        time.to = at + slackMs
      },
    }
  }

  /** Whether a moment, epoch milliseconds, falls into one of them. */
  has(at: number): boolean {
    return this.#times.some(({ from, to }) => from <= at && at <= to)
  }
}
