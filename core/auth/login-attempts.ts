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

/** The user that a login names, whether or not there is such an account; lower-cased, and without a domain for root. */
export interface LoginUser {
  readonly domain: string
  readonly login: string
}

/** The refusal of a right password without the one-time code that its account needs: it counts as no failed login. */
export class CodeMissing extends DomainError {
  constructor() {
    super('invalid_credentials', 'a one-time code is needed', { details: [{ field: 'code', problem: 'required' }] })
  }
}

/** Counts failed logins in a moving window, and keeps the networks that users logged in from. Keys are opaque text. */
export interface LoginThrottle {
  /**
   * Begins an attempt, which counts as a failure under way, unless the key has `room.limit` failures since `room.since`
   * already: then returns them, oldest first. The limit is exact, however many begin at one moment.
   */
  begin(
    key: string,
    room: { readonly limit: number; readonly since: number },
    at: number,
  ): Promise<{ readonly attempt: BegunAttempt } | { readonly failures: readonly LoginFailure[] }>
  /** Records that an attempt has failed: it is no longer under way, and counts. */
  settle(attempt: BegunAttempt): Promise<void>
  /** Takes back an attempt, which then counts no more. */
  release(attempt: BegunAttempt): Promise<void>
  /** Forgets the failures of a key, those under way included. */
  clear(key: string): Promise<void>
  /** Waits about `ms`, so that attempts under way can end; in memory as long as it takes others to go on. */
  pause(ms: number): Promise<void>
  /** Returns whether a user has logged in from a network at or after `since`, as far as its networks are kept. */
  isKnown(user: LoginUser, network: string, since: number): Promise<boolean>
  /** Notes that a user logged in from a network, and keeps the `most` newest networks of that user. */
  remember(user: LoginUser, network: string, at: number, most: number): Promise<void>
}
