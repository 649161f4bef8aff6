/** The resources that a permission can name, in the spelling of the published API (`rotes` is not a slip here). */
export const aclResources = [
  'license',
  'system/reload',
  'account',
  'domain/item',
  'domain',
  'gateway/profile',
  'gateway',
  'outbound/list',
  'cdr/media',
  'cdr/files',
  'cdr',
  'hook',
  'book',
  'dialer/members',
  'dialer',
  'cc/queue',
  'cc/members',
  'cc/tiers',
  'channels',
  'rotes/domain',
  'rotes/extension',
  'rotes/public',
  'rotes/default',
  'calendar',
  'blacklist',
  'acl/resource',
  'acl/roles',
] as const

/** One resource of {@link aclResources}. */
export type AclResource = (typeof aclResources)[number]

/** Create, read, update, delete. */
export type AclAction = 'c' | 'r' | 'u' | 'd'

/** Every permission that a role can hold: an action, an action on one's own things (`ro`), or all of them (`*`). */
export const aclPermissions = ['c', 'r', 'u', 'd', 'co', 'ro', 'uo', 'do', '*'] as const

/** One permission of {@link aclPermissions}. */
export type AclPermission = (typeof aclPermissions)[number]

/** The permissions of a role: resource to permissions. A resource that is absent allows nothing. */
export type Acl = Readonly<Partial<Record<AclResource, readonly AclPermission[]>>>

/**
 * The reach of a permission: everything in the caller's domain, only the caller's own things, or the part that a second
 * permission shows in place of the first.
 */
export type AccessScope = 'all' | 'own' | 'part'
