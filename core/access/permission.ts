import { DomainError } from '../errors.ts'
import {
  type AccessScope,
  type Acl,
  type AclAction,
  type AclPermission,
  type AclResource,
  aclResources,
} from './acl.ts'
import type { Caller } from './token.ts'

/**
 * Returns the refusal of a forbidden request: 403 with the contract's fixed text. `problem` says which permission is
 * missing or which rule forbids it, and never depends on what is stored of others.
 */
export function permissionDenied(problem: string): DomainError {
  return new DomainError('permission_denied', 'Permission denied!', { details: [{ field: 'permission', problem }] })
}

/** Returns the refusal to give or change something that allows more than the caller's own role. */
export function beyondOwnPermissions(): DomainError {
  return permissionDenied(
    'you cannot give a role that allows more than your own, or change an account or a token that has one',
  )
}

/** Returns the reach of an action in a map: everything, only the caller's own things, or nothing (`null`). */
export function scopeOf(acl: Acl, resource: AclResource, action: AclAction): AccessScope | null {
  const held = acl[resource] ?? []
  if (held.includes('*') || held.includes(action)) return 'all'
  return held.includes(`${action}o`) ? 'own' : null
}

/**
 * Returns the reach of a caller for a required permission. With `own`, the action on the caller's own things is enough;
 * `and` names a second permission that must be held in full; `or` one that suffices in its place, for a `part` or the
 * caller's `own`. Throws `permission_denied` when the map allows less.
 */
export function decidePermission(
  acl: Acl,
  wanted: {
    readonly resource: AclResource
    readonly action: AclAction
    readonly own?: boolean
    readonly and?: { readonly resource: AclResource; readonly action: AclAction }
    readonly or?: { readonly resource: AclResource; readonly action: AclAction; readonly own?: boolean }
  },
): AccessScope {
  if (wanted.and !== undefined) decidePermission(acl, wanted.and)
  const scope = scopeOf(acl, wanted.resource, wanted.action)
  if (scope === 'all' || (scope === 'own' && wanted.own === true)) return scope
  const other = wanted.or && scopeOf(acl, wanted.or.resource, wanted.or.action)
  if (other === 'all') return 'part'
  if (other === 'own' && wanted.or?.own === true) return 'own'
  throw permissionDenied(`your role lacks the permission "${wanted.action}" of "${wanted.resource}"`)
}

const everyAction: readonly AclAction[] = ['c', 'r', 'u', 'd']

/** Returns whether one map allows anything that another does not. A caller may not grant such a role. */
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

/** Returns the login of the caller's own account; root and domain tokens have none. */
export function ownLogin(caller: Pick<Caller, 'kind' | 'domain' | 'login'>): string | undefined {
  return caller.kind === 'user' && caller.domain !== null ? caller.login : undefined
}

/**
 * Returns the presence id that identifies the caller's own calls, CDRs and recordings. A domain token owns none: its
 * value contains a character that no presence id of an account has, so that it never matches.
 */
export function ownPresenceId({ kind, username }: Pick<Caller, 'kind' | 'username'>): string {
  return kind === 'user' ? username : `token:${username}`
}
