/** Values of which a fair sample is kept, so that many of them take no more room than few. */
export interface Times {
  /** Notes how long something took, in milliseconds; another host's clock never makes it negative. */
  note(ms: number): void
  /** Returns the values since the last call, in no order. */
  take(): readonly number[]
}

/** Keeps up to `limit` values; of more, each has the same chance. `random` gives 0 up to but not 1. */
export function times(limit: number, random: () => number): Times {
  let kept: number[] = []
  let seen = 0
  return {
    note: (ms) => {
      seen += 1
      const value = Math.max(0, ms)
      if (kept.length < limit) kept.push(value)
      else {
        const place = Math.floor(random() * seen)
        if (place < limit) kept[place] = value
      }
    },
    take: () => {
      const taken = kept
      kept = []
      seen = 0
      return taken
    },
  }
}
