import type { CustomRole } from './custom-role.ts'
import { type Acl, type AclPermission, type AclResource, aclResources } from './acl.ts'

/** The role of the deployment's own administrator; no account can have it. */
export const rootRole = 'root'

/** The name of the user that has it. */
export const rootName = 'root'

const userAcl: Acl = {
  account: ['r', 'uo'],
  'acl/roles': ['r'],
  blacklist: ['c', 'r', 'u'],
  channels: ['co', 'ro', 'uo', 'do'],
  cdr: ['ro'],
  'cdr/files': ['ro'],
  'cc/tiers': ['r'],
}

/** The resources over which admins have all rights, by the contract's list. */
const adminOwned: readonly AclResource[] = [
  'blacklist',
  'calendar',
  'rotes/default',
  'rotes/public',
  'rotes/extension',
  'rotes/domain',
  'channels',
  'cc/tiers',
  'cc/members',
  'cc/queue',
  'dialer',
  'dialer/members',
  'book',
  'hook',
  'cdr',
  'cdr/files',
  'cdr/media',
  'gateway',
  'domain/item',
  'account',
  'outbound/list',
]

const all = (resources: readonly AclResource[]): Acl => Object.fromEntries(resources.map((name) => [name, ['*']]))

const roles: ReadonlyMap<string, Acl> = new Map([
  [rootRole, all(aclResources)],
  ['admin', inherit(userAcl, { ...all(adminOwned), domain: ['ro', 'uo'], 'acl/roles': ['r'] })],
  ['user', userAcl],
])

/** The names of the roles that every domain has. */
export const defaultRoleNames: readonly string[] = ['admin', rootRole, 'user']

/** Returns whether a role is a default one, which exists in every domain and cannot be changed. */
export function isDefaultRole(role: string): boolean {
  return roles.has(role)
}

/**
 * Returns the current permissions of a role, including those of its parents. The role is a default one or one of
 * `custom`, the roles of the domain. `undefined` when there is no such role; a missing parent adds nothing.
 */
export function aclOfRole(role: string, custom: readonly CustomRole[] = []): Acl | undefined {
  const own = roles.get(role)
  if (own !== undefined) return own
  const found = custom.find(({ name }) => name === role)
  if (found === undefined) return undefined
  // Visited roles are excluded, so that even a cycle of parents ends.
  const others = custom.filter(({ name }) => name !== role)
  return inherit(found.parent === null ? {} : (aclOfRole(found.parent, others) ?? {}), found.allows)
}

/** Returns a map in the form of answers. */
export function shownAcl(acl: Acl): Record<string, string[]> {
  return Object.fromEntries(Object.entries(acl).map(([name, held]) => [name, [...held]]))
}

/** Returns a role as a number, as the published API shows it: root 2, admin 1, user 0, any other -1. */
export function numberOfRole(role: string): number {
  return ['user', 'admin', rootRole].indexOf(role)
}

function inherit(parent: Acl, own: Acl): Acl {
  return Object.fromEntries(
    aclResources
      .map((name) => [name, union(parent[name] ?? [], own[name] ?? [])] as const)
      .filter(([, permissions]) => permissions.length > 0),
  )
}

function union(a: readonly AclPermission[], b: readonly AclPermission[]): readonly AclPermission[] {
  const both = new Set([...a, ...b])
  return both.has('*') ? ['*'] : [...both]
}
