import type { DomainToken } from '../access/token.ts'

/** The credentials of domains themselves. Every method works inside the one domain that it is given. */
export interface DomainTokenStore {
  /**
   * Stores a new token; returns `false` when the domain has `limit` of them, including expired ones. A token that an
   * earlier run of the same request stored counts as stored.
   */
  create(token: DomainToken, limit: number): Promise<boolean>
  read(domain: string, uuid: string): Promise<DomainToken | undefined>
  /** Every token of the domain, ordered by uuid. */
  list(domain: string): Promise<DomainToken[]>
  /** Enables or disables a token; returns the changed token, or nothing if it does not exist. */
  setEnabled(domain: string, uuid: string, enabled: boolean): Promise<DomainToken | undefined>
  /** Removes a token; returns `false` if it does not exist. */
  remove(domain: string, uuid: string): Promise<boolean>
}
