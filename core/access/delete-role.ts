import { requireMatch } from '../requests/precondition.ts'
import type { RoleStore } from './role-store.ts'
import type { RoleContext } from './create-role.ts'
import { type RoleUsers, changeRoles, checkRoleWithin, checkUnused, findRole, versionOfRole } from './role-change.ts'
import { checkEditable } from './update-role.ts'

/** The ports of {@link deleteRole}. */
export interface DeleteRolePorts extends RoleUsers {
  readonly roles: Pick<RoleStore, 'read' | 'write'>
}

/**
 * Removes an unused role. Throws `not_found`, `permission_denied` for a role above the caller's permissions and for
 * those of the platform, and `conflict` for one in use.
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
