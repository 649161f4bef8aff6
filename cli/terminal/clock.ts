/** The time of now, and how far the user's clock is ahead of UTC at a time; both in milliseconds. */
export interface Clock {
  readonly now: () => number
  readonly aheadOfUtc: (at: number) => number
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: Date.now,
  aheadOfUtc: (at) => -new Date(at).getTimezoneOffset() * 60_000,
}
