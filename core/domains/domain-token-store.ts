import type { DomainToken } from '../auth/token.ts'

/** The credentials of domains themselves. Every method works inside the one domain that it is given. */
export interface DomainTokenStore {
  /**
   * Keeps a new token; `false` when the domain has `limit` of them, those past their end included. One that is there
   * already, made by an earlier run of the same request, counts as kept.
   */
  create(token: DomainToken, limit: number): Promise<boolean>
  read(domain: string, uuid: string): Promise<DomainToken | undefined>
  /** Every token of the domain, ordered by uuid. */
  list(domain: string): Promise<DomainToken[]>
  /** Enables or disables a token; answers what it is then, or nothing when it is not there. */
  setEnabled(domain: string, uuid: string, enabled: boolean): Promise<DomainToken | undefined>
  /** Ends a token; `false` when it is not there. */
  remove(domain: string, uuid: string): Promise<boolean>
}
