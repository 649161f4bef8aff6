import type { Account } from '../accounts/account.ts'
import type { CustomRole } from '../access/custom-role.ts'
import type { Domain } from '../domains/domain.ts'
import type { DomainToken, Token } from './token.ts'

/** What a user's credential is judged by. */
export interface Credentials {
  readonly token: Token | undefined
  /** Absent for root. */
  readonly account: Account | undefined
  /** Absent for root, and when its deletion has begun. */
  readonly domain: Domain | undefined
  /** The roles that the domain made. */
  readonly roles: readonly CustomRole[]
}

/** What the credential of a domain itself is judged by. */
export interface DomainTokenCredentials {
  readonly token: DomainToken | undefined
  /** Absent too when its deletion has begun. */
  readonly domain: Domain | undefined
  /** The roles that the domain made. */
  readonly roles: readonly CustomRole[]
}

/** Reads all that decides whether a request is authentic and what it may do, in one consistent read. */
export interface CredentialReader {
  read(who: { readonly domain: string; readonly login: string; readonly key: string }): Promise<Credentials>
  readDomainToken(which: { readonly domain: string; readonly uuid: string }): Promise<DomainTokenCredentials>
}

/** Which users were active when; feeds the session counts of the status report. */
export interface SessionStore {
  /** Notes that a user was active at `at` (epoch milliseconds). Written at most once a minute a user and process. */
  touch(username: string, domain: string, at: number): Promise<void>
  /**
   * Notes from which network a credential is used: `true` when that was not noted in the last 90 days. Written at most
   * once for each pair and process.
   */
  meet(username: string, network: string, at: number): Promise<boolean>
  /**
   * Counts the users seen at or after `since` (epoch milliseconds), those of one domain where it is given, with the
   * highest such count of the same scope that was ever read, this one included.
   */
  count(since: number, domain?: string): Promise<{ users: number; domains: number; highest: number }>
}
