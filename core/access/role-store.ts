import type { DomainRoles } from './custom-role.ts'

/** The roles that tenants made. */
export interface RoleStore {
  /** Reads consistently. */
  read(domain: string): Promise<DomainRoles>
  /** Replaces the roles of a domain whose version is still `roles.version - 1`; `false` when somebody else wrote first. */
  write(roles: DomainRoles): Promise<boolean>
}
