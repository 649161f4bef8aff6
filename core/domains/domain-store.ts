import type { DeletedDomain, Domain } from './domain.ts'

/** The tenants. A domain whose deletion has begun counts as missing, except for the methods that say otherwise. */
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
   * Replaces the variables and parameters of a domain whose version is still `domain.version - 1`; returns `false` when
   * another write came first, or the domain is gone.
   */
  replaceSettings(domain: Domain): Promise<boolean>
  /** Whether the name is in use: by a domain, or by one that is still being deleted. */
  exists(name: string): Promise<boolean>
  /** Whether at least one of up to 100 different names is in use, as {@link exists} says. */
  anyExists(names: readonly string[]): Promise<boolean>
  /** Begins the deletion of a domain at `at` (epoch milliseconds): `true` exactly once for each domain. */
  beginDeletion(name: string, at: number): Promise<boolean>
  /** A domain whose deletion has begun and has not ended. */
  readDeleted(name: string): Promise<DeletedDomain | undefined>
  /** Every such domain, ordered by name. */
  listDeleted(): Promise<DeletedDomain[]>
  /** Frees the name of a domain whose deletion has begun; of any other domain, changes nothing. */
  endDeletion(name: string): Promise<void>
}

/** The records that the stores hold of a domain, except the domain's own. */
export interface TenantData {
  /**
   * Removes the records piece by piece, until none is left (`true`) or until `until` (epoch milliseconds). To be called
   * only for a domain for which no process can write any more; if a call was cut short, the next one completes it.
   */
  purge(domain: string, until: number): Promise<boolean>
}
