import type { Versioned } from '../requests/precondition.ts'
import { applyList } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { CustomRole } from './custom-role.ts'
import type { RoleStore } from './role-store.ts'
import { noSuchRole, versionOfRole } from './role-change.ts'
import { aclOfRole, defaultRoleNames, isDefaultRole, shownAcl } from './roles.ts'

/** The ports of {@link listRoles} and {@link readRole}. */
export interface ShowRolesPorts {
  readonly roles: Pick<RoleStore, 'read'>
}

/** A role in the list: its own permissions, and the role from which it inherits. */
export interface RoleEntry {
  /** The role's name, under the key that the published API gives it. */
  readonly roles: string
  readonly allows: Record<string, string[]>
  /** Empty, or one role. */
  readonly parents: string[]
}

/** Lists the roles of a domain by name, including the default ones. */
export async function listRoles({ roles }: ShowRolesPorts, domain: string, query: ListQuery) {
  const { roles: custom } = await roles.read(domain)
  const platform = defaultRoleNames.map(
    (name): RoleEntry => ({ roles: name, allows: shownAcl(aclOfRole(name) ?? {}), parents: [] }),
  )
  const entries = [...platform, ...custom.map(entryOf)].sort((a, b) => (a.roles < b.roles ? -1 : 1))
  const { rows, headers } = applyList(entries, query, {
    id: (entry) => entry.roles,
    fields: ['roles', 'allows', 'parents'],
  })
  return { roles: rows.map(({ item }) => item), headers }
}

const platformVersion: Versioned = { createdAt: 0, version: 1 }

/**
 * Returns everything that a role allows, including inherited permissions, and the version of all that. Throws
 * `not_found`.
 */
export async function readRole(
  { roles }: ShowRolesPorts,
  domain: string,
  name: string,
): Promise<{ acl: Record<string, string[]>; record: Versioned }> {
  const custom = isDefaultRole(name) ? [] : (await roles.read(domain)).roles
  const acl = aclOfRole(name, custom)
  if (acl === undefined) throw noSuchRole()
  const own = custom.find((role) => role.name === name)
  return { acl: shownAcl(acl), record: own === undefined ? platformVersion : versionOfRole(own, custom) }
}

function entryOf({ name, allows, parent }: CustomRole): RoleEntry {
  return { roles: name, allows: shownAcl(allows), parents: parent === null ? [] : [parent] }
}
