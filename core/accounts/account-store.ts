import type { Account } from './account.ts'

/** How a write that reserves names ended. */
export type AccountCreation = 'created' | 'login_taken' | 'number_taken' | 'domain_missing' | 'domain_full'

/** The accounts of the tenants. Every method works inside the one domain that it is given. */
export interface AccountStore {
  /**
   * Writes an account, reserves its login and its numbers and counts it in its domain: all of it or nothing.
   * `limit` is the most accounts that the domain may have. A repetition of the same creation (of one `credentialsId`)
   * answers `created` and changes nothing.
   */
  create(account: Account, limit: number): Promise<AccountCreation>
  /** Finds an account by its login, without regard to case. */
  read(domain: string, login: string): Promise<Account | undefined>
  /** Finds an account by one of its numbers. */
  readByNumber(domain: string, number: string): Promise<Account | undefined>
  /** Every account of the domain, ordered by lower-cased login. */
  list(domain: string): Promise<Account[]>
  /**
   * Replaces an account whose version is still `account.version - 1`, and moves its number reservations from those of
   * `previous`. `version_changed`: somebody else wrote first, or it is gone.
   */
  update(account: Account, previous: Account): Promise<'updated' | 'version_changed' | 'number_taken'>
  /**
   * Removes an account, its reservations and its count; `false` when it is not there. One that was changed meanwhile is
   * removed, too, unless `exactly` this version is meant: then that is `false`.
   */
  remove(account: Account, exactly?: boolean): Promise<boolean>
  /**
   * Notes that the code of a step was used: `true` exactly once for each step, and never for one at or before the
   * latest. `false` too when the account's credentials or second factor are not those of `account` any more.
   */
  useCode(account: Account, step: number): Promise<boolean>
}
