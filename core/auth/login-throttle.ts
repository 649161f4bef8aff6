import { DomainError } from '../errors.ts'

/** One failed login, or one that is still under way and counts as failed until its outcome is known. */
export interface LoginFailure {
  /** Epoch milliseconds. */
  readonly at: number
  readonly isUnderWay: boolean
}

/** An attempt that has begun; only the throttle reads it. */
export interface BegunAttempt {
  readonly key: string
  readonly slot: string
  readonly id: string
}

/** The user that a login names, whether or not it exists; lower-cased, and without a domain for root. */
export interface LoginUser {
  readonly domain: string
  readonly login: string
}

/** The refusal of a right password without the required one-time code, which does not count as a failed login. */
export class CodeMissing extends DomainError {
  constructor() {
    super('invalid_credentials', 'a one-time code is needed', { details: [{ field: 'code', problem: 'required' }] })
  }
}

/** Counts failed logins in a moving window, and keeps the networks from which users logged in. Keys are opaque text. */
export interface LoginThrottle {
  /**
   * Begins an attempt, which counts as a failure under way, unless the key already has `room.limit` failures since
   * `room.since`. In that case returns those failures, oldest first. The limit is exact even for simultaneous attempts.
   */
  begin(
    key: string,
    room: { readonly limit: number; readonly since: number },
    at: number,
  ): Promise<{ readonly attempt: BegunAttempt } | { readonly failures: readonly LoginFailure[] }>
  /** Records that an attempt has failed: it is no longer under way, and counts. */
  settle(attempt: BegunAttempt): Promise<void>
  release(attempt: BegunAttempt): Promise<void>
  /** Forgets the failures of a key, including those under way. */
  clear(key: string): Promise<void>
  /** Waits about `ms`, so that attempts under way can end; in memory only until other work has run. */
  pause(ms: number): Promise<void>
  /** Returns whether a user has logged in from a network at or after `since`, as far as its networks are kept. */
  isKnown(user: LoginUser, network: string, since: number): Promise<boolean>
  /** Records that a user logged in from a network, and keeps the `most` newest networks of that user. */
  remember(user: LoginUser, network: string, at: number, most: number): Promise<void>
}
