import type { Account } from '../accounts/account.ts'
import type { CustomRole } from '../access/custom-role.ts'
import type { Domain } from '../domains/domain.ts'
import type { DomainToken, Token } from '../access/token.ts'

/** The records that decide about a user's credential. */
export interface Credentials {
  readonly token: Token | undefined
  /** Absent for root. */
  readonly account: Account | undefined
  /** Absent for root, and once the deletion of the domain has begun. */
  readonly domain: Domain | undefined
  readonly roles: readonly CustomRole[]
}

/** The records that decide about a domain token. */
export interface DomainTokenCredentials {
  readonly token: DomainToken | undefined
  /** Also absent once the deletion of the domain has begun. */
  readonly domain: Domain | undefined
  readonly roles: readonly CustomRole[]
}

/** Reads everything that decides whether a request is authentic and what it may do, in one consistent read. */
export interface CredentialReader {
  read(who: { readonly domain: string; readonly login: string; readonly key: string }): Promise<Credentials>
  readDomainToken(which: { readonly domain: string; readonly uuid: string }): Promise<DomainTokenCredentials>
}

/** The times at which users were active; the source of the session counts of the status report. */
export interface SessionStore {
  /** Records that a user was active at `at` (epoch milliseconds). At most once a minute for each user and process. */
  touch(username: string, domain: string, at: number): Promise<void>
  /**
   * Records the network from which a credential is used. Returns `true` if it was not recorded in the last 90 days.
   * Written at most once for each pair and process.
   */
  meet(username: string, network: string, at: number): Promise<boolean>
  /**
   * Counts the users that were active at or after `since` (epoch milliseconds), in one domain if it is given, together
   * with the highest count of the same scope that was ever read, including this one.
   */
  count(since: number, domain?: string): Promise<{ users: number; domains: number; highest: number }>
}
