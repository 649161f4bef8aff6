import type { Account } from './account.ts'

/** The result of a write that reserves names. */
export type AccountCreation = 'created' | 'login_taken' | 'number_taken' | 'domain_missing' | 'domain_full'

/** The accounts of the tenants. Every method works inside the given domain. */
export interface AccountStore {
  /**
   * Writes an account, reserves its login and its numbers, and counts it in its domain, all in one transaction. `limit`
   * is the most accounts that the domain may have. A repetition of the same creation (with the same `credentialsId`)
   * answers `created` and changes nothing.
   */
  create(account: Account, limit: number): Promise<AccountCreation>
  /** Finds an account by its login, without regard to case. */
  read(domain: string, login: string): Promise<Account | undefined>
  readByNumber(domain: string, number: string): Promise<Account | undefined>
  /** Lists every account of the domain, ordered by lower-cased login. */
  list(domain: string): Promise<Account[]>
  /**
   * Replaces an account whose version is still `account.version - 1`, and moves its number reservations from those of
   * `previous`. `version_changed`: another write came first, or the account is gone.
   */
  update(account: Account, previous: Account): Promise<'updated' | 'version_changed' | 'number_taken'>
  /**
   * Removes an account, its reservations and its count; returns `false` if it does not exist. An account that was
   * changed meanwhile is removed, too; with `exactly`, the result is `false` instead.
   */
  remove(account: Account, exactly?: boolean): Promise<boolean>
  /**
   * Records that the code of a step was used: returns `true` exactly once for each step, and never for a step at or
   * before the latest. Also returns `false` when the account's credentials or second factor differ from those of
   * `account`.
   */
  useCode(account: Account, step: number): Promise<boolean>
}
