import { beyondOwnPermissions, exceeds } from '../access/permission.ts'
import { readRoles } from '../access/read-roles.ts'
import { aclOfRole, rootRole } from '../access/roles.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { CustomRole } from '../access/custom-role.ts'
import type { Caller, DomainToken } from '../access/token.ts'
import type { DomainTokenStore } from './domain-token-store.ts'
import type { RoleStore } from '../access/role-store.ts'

/** Tokens of one domain, by the contract's section on limits. */
export const maxDomainTokens = 100

/** Five years, two of which may be leap years. */
const longestLifeMs = (5 * 365 + 2) * 86_400_000

/** The caller that acts on tokens, and their domain. */
export interface DomainTokenContext {
  readonly caller: Pick<Caller, 'acl'>
  readonly domain: string
}

/** A domain's token as callers see it: never its text. */
export interface ShownDomainToken {
  readonly uuid: string
  /** Epoch milliseconds, as `createdOn` is. */
  readonly expire: number
  readonly roleName: string
  readonly description: string
  readonly createdBy: string
  readonly createdOn: number
  readonly enabled: boolean
}

/** See {@link ShownDomainToken}. */
export function shownDomainToken(token: DomainToken): ShownDomainToken {
  const { uuid, expiresAt, role, description, createdBy, createdAt, enabled } = token
  return { uuid, expire: expiresAt, roleName: role, description, createdBy, createdOn: createdAt, enabled }
}

/** Refuses an end that is not in the future or more than five years ahead. */
export function checkExpire(expire: number, now: number): void {
  if (expire <= now) throw invalidField('expire', 'must be in the future, in epoch milliseconds')
  if (expire > now + longestLifeMs) throw invalidField('expire', 'must be at most five years ahead')
}

/** Refuses a role that no token can have, and one that holds a permission which its issuer lacks. */
export function checkTokenRole(role: string, custom: readonly CustomRole[], { caller }: DomainTokenContext): void {
  const acl = role === rootRole ? undefined : aclOfRole(role, custom)
  if (acl === undefined) throw invalidField('role', 'must be "admin", "user" or a role of the domain')
  if (exceeds(acl, caller.acl)) throw beyondOwnPermissions()
}

/**
 * Returns the token of a uuid if the caller may change it: no caller may change a token above its own permissions.
 * Throws `not_found` and `permission_denied`.
 */
export async function findDomainToken(
  ports: { readonly domainTokens: Pick<DomainTokenStore, 'read'>; readonly roles: Pick<RoleStore, 'read'> },
  uuid: string,
  { caller, domain }: DomainTokenContext,
): Promise<DomainToken> {
  const token = isUuid(uuid) ? await ports.domainTokens.read(domain, uuid) : undefined
  if (token === undefined) throw noSuchToken()
  const custom = await readRoles(ports.roles, domain, [token.role])
  if (exceeds(aclOfRole(token.role, custom) ?? {}, caller.acl)) throw beyondOwnPermissions()
  return token
}

/** Returns the refusal of a missing token. */
export function noSuchToken(): DomainError {
  return new DomainError('not_found', 'Token not found')
}

/** Whether a text can be a token's uuid at all; no other is looked up. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
