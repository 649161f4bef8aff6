import { requireMatch } from '../concurrency/precondition.ts'
import { DomainError } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import type { RoleContext } from './create-role.ts'
import { changeRoles, checkRoleGiven, checkRoleWithin, findRole, noSuchRole, versionOfRole } from './role-change.ts'
import { type RoleInput, readRoleInput } from './role-input.ts'
import { isDefaultRole } from './roles.ts'

/** The ports of {@link updateRole}. */
export type UpdateRolePorts = PortsOf<{ readonly roles: readonly ['read', 'write'] }>

/**
 * Replaces the permissions of a role, its parent, or both: what is not given stays. Whoever has the role is bound by it
 * from his next request. Throws as the making of one does, `not_found`, and `permission_denied` too for a role that
 * already holds more than its editor and for the roles of the platform.
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

/** Refuses the roles of the platform, and names that no role can have. */
export function checkEditable(name: string): void {
  if (isDefaultRole(name)) throw new DomainError('permission_denied', 'the roles of the platform cannot be changed')
  if (!/^[a-z][a-z0-9_-]{1,31}$/.test(name)) throw noSuchRole()
}
