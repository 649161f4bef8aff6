import type { Precondition } from '../requests/precondition.ts'
import { DomainError } from '../errors.ts'
import type { CustomRole } from './custom-role.ts'
import type { Caller } from './token.ts'
import type { RoleStore } from './role-store.ts'
import type { Clock, Randomness } from '../time.ts'
import { changeRoles, checkRoleGiven, maxRoles } from './role-change.ts'
import { type RoleInput, checkCustomName, readRoleInput } from './role-input.ts'

/** The author of a change of roles, and the domain. */
export interface RoleContext {
  readonly caller: Pick<Caller, 'acl'>
  readonly domain: string
  readonly clock: Clock
  readonly random: Randomness
  readonly precondition: Precondition
}

/** The ports of {@link createRole}. */
export interface CreateRolePorts {
  readonly roles: Pick<RoleStore, 'read' | 'write'>
}

/**
 * Creates a role. Throws `invalid_field`, `permission_denied` for a permission that its author lacks, and `conflict`
 * for a name in use and a domain that has {@link maxRoles}.
 */
export async function createRole(
  { roles }: CreateRolePorts,
  input: RoleInput & { readonly name: string },
  { caller, domain, clock, random }: RoleContext,
): Promise<void> {
  const { allows = {}, parent = null } = readRoleInput(input)
  checkCustomName(input.name)
  const creationId = random.uuid()
  const role: CustomRole = { name: input.name, parent, allows, creationId, createdAt: clock.now(), version: 1 }
  await changeRoles(roles, domain, (before) => {
    const same = before.find(({ name }) => name === role.name)
    // Created by an earlier run of the same request.
    if (same?.creationId === creationId) return before
    if (same !== undefined) throw new DomainError('conflict', 'the role exists')
    const after = [...before, role]
    checkRoleGiven(role, after, caller)
    if (after.length > maxRoles) throw new DomainError('conflict', `a domain has at most ${maxRoles} roles`)
    return after
  })
}
