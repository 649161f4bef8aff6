import { requireMatch } from '../concurrency/precondition.ts'
import type { PortsOf } from '../ports.ts'
import type { RoleContext } from './create-role.ts'
import { changeRoles, checkRoleWithin, checkUnused, findRole, versionOfRole } from './role-change.ts'
import { checkEditable } from './update-role.ts'

/** The ports of {@link deleteRole}. */
export type DeleteRolePorts = PortsOf<{
  readonly roles: readonly ['read', 'write']
  readonly accounts: readonly ['list']
  readonly domainTokens: readonly ['list']
}>

/**
 * Removes a role that nobody has. Throws `not_found`, `permission_denied` for a role above the caller's permissions and
 * for those of the platform, and `conflict` for one in use.
 */
export async function deleteRole(
  ports: DeleteRolePorts,
  name: string,
  { caller, domain, precondition }: RoleContext,
): Promise<void> {
  checkEditable(name)
  await changeRoles(ports.roles, domain, async (roles) => {
    const previous = findRole(roles, name)
    checkRoleWithin(name, roles, caller)
    requireMatch(precondition, versionOfRole(previous, roles))
    await checkUnused(ports, domain, name, roles)
    return roles.filter((role) => role.name !== name)
  })
}
