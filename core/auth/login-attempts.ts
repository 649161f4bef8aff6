/** One failed login, or one that is still under way and counts as failed until it is known better. */
export interface LoginFailure {
  /** Epoch milliseconds. */
  readonly at: number
  readonly isUnderWay: boolean
}

/** An attempt that was let begin; means nothing to anybody but the throttle. */
export interface BegunAttempt {
  readonly key: string
  readonly slot: string
  readonly id: string
}

/** Counts failed logins inside a moving window. Keys are opaque text. */
export interface LoginThrottle {
  /** The failures of each key since `since`, in the order of `keys`, and when the oldest of them was. */
  read(keys: readonly string[], since: number): Promise<{ failures: number; oldestAt: number }[]>
  /** Adds one failure to each key. */
  fail(keys: readonly string[], at: number): Promise<void>
  /**
   * Begins an attempt, which counts as a failure under way, unless the key has `room.limit` failures since `room.since`
   * already: then answers them, oldest first. The limit holds exactly, however many begin at one moment, for a key that
   * `fail` is not used with.
   */
  begin(
    key: string,
    room: { readonly limit: number; readonly since: number },
    at: number,
  ): Promise<{ readonly attempt: BegunAttempt } | { readonly failures: readonly LoginFailure[] }>
  /** An attempt has failed: it is under way no more, and counts. */
  settle(attempt: BegunAttempt): Promise<void>
  /** An attempt came to no end: it counts no more. */
  release(attempt: BegunAttempt): Promise<void>
  /** Forgets the failures of a key, those under way included. */
  clear(key: string): Promise<void>
  /** Waits about `ms`, so that attempts under way can end; in memory as long as it takes others to go on. */
  pause(ms: number): Promise<void>
}
