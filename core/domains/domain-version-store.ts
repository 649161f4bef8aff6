import type { DomainVersion, DomainVersionHead } from './domain-version.ts'

/** The kept versions of domains. Every method works inside the given domain. Versions end after 400 days. */
export interface DomainVersionStore {
  /** Keeps a version and removes the one `limit` numbers before it; returns `false` if its number is taken. */
  create(version: DomainVersion, limit: number): Promise<boolean>
  /** Every version of a domain without its document, the newest first. */
  list(domain: string): Promise<DomainVersionHead[]>
  read(domain: string, number: number): Promise<DomainVersion | undefined>
}
