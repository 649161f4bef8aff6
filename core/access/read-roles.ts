import type { CustomRole } from './custom-role.ts'
import type { RoleStore } from './role-store.ts'
import { isDefaultRole } from './roles.ts'

/** Reads the custom roles of a domain if they are needed to judge `names`: none if all are default roles. */
export async function readRoles(
  roles: Pick<RoleStore, 'read'>,
  domain: string,
  names: readonly (string | undefined)[],
): Promise<readonly CustomRole[]> {
  const isDecided = names.every((name) => name === undefined || isDefaultRole(name))
  return isDecided ? [] : (await roles.read(domain)).roles
}
