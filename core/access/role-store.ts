import type { DomainRoles } from './custom-role.ts'

/** The custom roles of the tenants. */
export interface RoleStore {
  /** Reads consistently. */
  read(domain: string): Promise<DomainRoles>
  /**
   * Replaces the roles of a domain if the stored version is still `roles.version - 1`; returns `false` when another
   * write came first.
   */
  write(roles: DomainRoles): Promise<boolean>
}
