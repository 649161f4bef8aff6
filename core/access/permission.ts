import { DomainError } from '../errors.ts'
import {
  type AccessScope,
  type Acl,
  type AclAction,
  type AclPermission,
  type AclResource,
  aclResources,
} from './acl.ts'

/** The refusal of whatever a caller may not do: 403 with the contract's fixed text. */
export function permissionDenied(): DomainError {
  return new DomainError('permission_denied', 'Permission denied!')
}

/** How far a map allows an action: on everything, on one's own things, or not at all (`null`). */
export function scopeOf(acl: Acl, resource: AclResource, action: AclAction): AccessScope | null {
  const held = acl[resource] ?? []
  if (held.includes('*') || held.includes(action)) return 'all'
  return held.includes(`${action}o`) ? 'own' : null
}

/**
 * How far a caller may act where a permission is wanted. `own` says that the action on one's own things is enough,
 * `and` names another permission that must be held in full besides.
 * Throws `permission_denied` when the map allows less.
 */
export function decidePermission(
  acl: Acl,
  wanted: {
    readonly resource: AclResource
    readonly action: AclAction
    readonly own?: boolean
    readonly and?: { readonly resource: AclResource; readonly action: AclAction }
  },
): AccessScope {
  if (wanted.and !== undefined) decidePermission(acl, wanted.and)
  const scope = scopeOf(acl, wanted.resource, wanted.action)
  if (scope === 'all' || (scope === 'own' && wanted.own === true)) return scope
  throw permissionDenied()
}

const everyAction: readonly AclAction[] = ['c', 'r', 'u', 'd']

/** Whether one map allows anything that another does not: a role that its giver may not give. */
export function exceeds(acl: Acl, limit: Acl): boolean {
  return aclResources.some((resource) =>
    (acl[resource] ?? []).some((permission) => !implied(limit, resource, permission)),
  )
}

function implied(limit: Acl, resource: AclResource, permission: AclPermission): boolean {
  if (permission === '*') return everyAction.every((action) => scopeOf(limit, resource, action) === 'all')
  const action = everyAction.find((letter) => permission.startsWith(letter))
  if (action === undefined) return false
  const scope = scopeOf(limit, resource, action)
  return permission === action ? scope === 'all' : scope !== null
}
