import type { DomainRoles } from '../../../core/access/custom-role.ts'
import type { RoleStore } from '../../../core/access/role-store.ts'
import type { MemoryContext, MemoryState } from './memory-state.ts'

/** Roles of tenants in memory. */
export function memoryRoleStore({ state }: MemoryContext): RoleStore {
  return {
    async read(domain) {
      return rolesOf(state, domain)
    },
    async write(roles) {
      if (rolesOf(state, roles.domain).version !== roles.version - 1) return false
      state.roles.set(roles.domain, roles)
      return true
    },
  }
}

/** The roles of a domain, also of one that never made any. */
export function rolesOf(state: MemoryState, domain: string): DomainRoles {
  return state.roles.get(domain) ?? { domain, roles: [], version: 0 }
}
