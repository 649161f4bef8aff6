/** A source is reported once in ten minutes, however often it calls. */
export const reportEveryMs = 600_000

/**
 * Sources that are remembered as reported. While that many are, further ones go unreported: the caller of a call may
 * invent its source.
 */
export const mostSources = 1_000

/** The ambiguous sources of calls that one process has reported lately. */
export class ReportedSources {
  /** Until when each source is not reported again; the earliest end is first. */
  readonly #ends = new Map<string, number>()

  isDue(source: string, now: number): boolean {
    for (const [known, end] of this.#ends) {
      if (now < end) break
      this.#ends.delete(known)
    }
    if (this.#ends.has(source) || this.#ends.size >= mostSources) return false
    this.#ends.set(source, now + reportEveryMs)
    return true
  }
}
