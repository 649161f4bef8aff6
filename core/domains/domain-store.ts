import type { DeletedDomain, Domain } from './domain.ts'

/** The tenants. One whose deletion has begun is not there any more, but for the methods that say so. */
export interface DomainStore {
  /**
   * Writes a new domain; `false` when one of that name exists or is still being deleted. A repetition of the same
   * creation (of one `creationId`) answers `true` and changes nothing.
   */
  create(domain: Domain): Promise<boolean>
  read(name: string): Promise<Domain | undefined>
  /** Every domain, ordered by name. */
  list(): Promise<Domain[]>
  /**
   * Replaces the variables and parameters of a domain whose version is still `domain.version - 1`; `false` when
   * somebody else wrote first, or it is gone.
   */
  replaceSettings(domain: Domain): Promise<boolean>
  /** Whether the name is in use: by a domain, or by one that is still being deleted. */
  exists(name: string): Promise<boolean>
  /** Begins the deletion of a domain at `at` (epoch milliseconds): `true` exactly once for each domain. */
  beginDeletion(name: string, at: number): Promise<boolean>
  /** A domain whose deletion has begun and has not ended. */
  readDeleted(name: string): Promise<DeletedDomain | undefined>
  /** Every such domain, ordered by name. */
  listDeleted(): Promise<DeletedDomain[]>
  /** Frees the name of a domain whose deletion has begun; of any other domain, changes nothing. */
  endDeletion(name: string): Promise<void>
}

/** What the stores hold of a domain besides its own record. */
export interface DomainRemains {
  /**
   * Removes it, piece by piece, until nothing is left (`true`) or `until` (epoch milliseconds) has passed. To be called
   * only for a domain that nobody can write for any more; a call that was cut short is made good by the next one.
   */
  sweep(domain: string, until: number): Promise<boolean>
}
