import { requireMatch } from '../requests/precondition.ts'
import { DomainError } from '../errors.ts'
import type { RoleStore } from './role-store.ts'
import type { RoleContext } from './create-role.ts'
import { changeRoles, checkRoleGiven, checkRoleWithin, findRole, noSuchRole, versionOfRole } from './role-change.ts'
import { type RoleInput, readRoleInput } from './role-input.ts'
import { isDefaultRole } from './roles.ts'

/** The ports of {@link updateRole}. */
export interface UpdateRolePorts {
  readonly roles: Pick<RoleStore, 'read' | 'write'>
}

/**
 * Replaces the permissions of a role, its parent, or both; fields that are left out stay. The change applies to every
 * request that follows. Throws the errors of a creation, `not_found`, and also `permission_denied` for a role that
 * already exceeds its editor's permissions and for the roles of the platform.
 */
export async function updateRole(
  { roles }: UpdateRolePorts,
  name: string,
  input: RoleInput,
  { caller, domain, precondition }: RoleContext,
): Promise<void> {
  const { allows, parent } = readRoleInput(input)
  if (allows === undefined && parent === undefined) throw new DomainError('bad_request', 'give allows or parents')
  checkEditable(name)
  await changeRoles(roles, domain, (before) => {
    const previous = findRole(before, name)
    checkRoleWithin(name, before, caller)
    requireMatch(precondition, versionOfRole(previous, before))
    const role = {
      ...previous,
      allows: allows ?? previous.allows,
      parent: parent === undefined ? previous.parent : parent,
      version: previous.version + 1,
    }
    const after = before.map((each) => (each.name === name ? role : each))
    checkRoleGiven(role, after, caller)
    return after
  })
}

/** Refuses the roles of the platform, and invalid names. */
export function checkEditable(name: string): void {
  if (isDefaultRole(name)) throw new DomainError('permission_denied', 'the roles of the platform cannot be changed')
  if (!/^[a-z][a-z0-9_-]{1,31}$/.test(name)) throw noSuchRole()
}
