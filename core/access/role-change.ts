import type { Versioned } from '../concurrency/precondition.ts'
import { untilDone } from '../concurrency/until-done.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { CustomRole } from './custom-role.ts'
import type { RoleStore } from './role-store.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Caller } from '../auth/token.ts'
import type { DomainTokenStore } from '../domains/domain-token-store.ts'
import { exceeds, permissionDenied } from './permission.ts'
import { aclOfRole, isDefaultRole, rootRole } from './roles.ts'

/** Roles that one domain can make; all of them are one stored record, which holds far more. */
export const maxRoles = 50

/**
 * Writes the roles of a domain as `change` makes them of those that are there, again when somebody else wrote first:
 * what `change` throws is judged by all roles of one moment.
 */
export async function changeRoles(
  roles: Pick<RoleStore, 'read' | 'write'>,
  domain: string,
  change: (before: readonly CustomRole[]) => Promise<readonly CustomRole[]> | readonly CustomRole[],
): Promise<void> {
  await untilDone(async () => {
    const before = await roles.read(domain)
    const after = await change(before.roles)
    if (after === before.roles) return true
    return (await roles.write({ domain, roles: after, version: before.version + 1 })) ? true : undefined
  })
}

/** The custom role of a name. Throws `not_found`. */
export function findRole(roles: readonly CustomRole[], name: string): CustomRole {
  const found = roles.find((role) => role.name === name)
  if (found === undefined) throw noSuchRole()
  return found
}

/**
 * The version of what a role allows, its parents' permissions included: another one whenever the role or any of its
 * parents is changed. A parent in use cannot be removed and made anew, so that of parents the count alone is enough.
 */
export function versionOfRole(role: CustomRole, all: readonly CustomRole[]): Versioned {
  const inherited: number[] = []
  // No parent is met twice, so that even a circle of them would end.
  const others = new Set(all.filter(({ name }) => name !== role.name))
  for (let at = parentOf(role, [...others]); at !== undefined; at = parentOf(at, [...others])) {
    inherited.push(at.version)
    others.delete(at)
  }
  return { createdAt: role.createdAt, version: role.version, inherited }
}

/** The refusal of a role that is not there. */
export function noSuchRole(): DomainError {
  return new DomainError('not_found', 'Role not found')
}

/**
 * Refuses a role whose parent is not there, is root or leads back to the role itself, and one that is given a
 * permission which its author lacks. `all` are the roles as they would be.
 */
export function checkRoleGiven(role: CustomRole, all: readonly CustomRole[], author: Pick<Caller, 'acl'>): void {
  const seen = new Set<string>()
  for (let at: CustomRole | undefined = role; at !== undefined; at = parentOf(at, all)) {
    if (seen.has(at.name)) throw invalidField('parents', 'must not lead back to the role itself')
    seen.add(at.name)
  }
  const { parent } = role
  if (parent === rootRole || (parent !== null && aclOfRole(parent, all) === undefined)) {
    throw invalidField('parents', 'must be "admin", "user" or another role of the domain')
  }
  checkRoleWithin(role.name, all, author)
}

/** Refuses a role that holds a permission which the caller lacks. */
export function checkRoleWithin(name: string, all: readonly CustomRole[], caller: Pick<Caller, 'acl'>): void {
  if (exceeds(aclOfRole(name, all) ?? {}, caller.acl)) throw permissionDenied()
}

/** The ports of {@link checkUnused}. */
export interface RoleUsers {
  readonly accounts: Pick<AccountStore, 'list'>
  readonly domainTokens: Pick<DomainTokenStore, 'list'>
}

/** Refuses with `conflict` the removal of a role that an account, a token or another role has. */
export async function checkUnused(ports: RoleUsers, domain: string, name: string, all: readonly CustomRole[]) {
  if (all.some(({ parent }) => parent === name)) throw inUse('another role')
  const [accounts, tokens] = await Promise.all([ports.accounts.list(domain), ports.domainTokens.list(domain)])
  if (accounts.some(({ role }) => role === name)) throw inUse('an account')
  if (tokens.some(({ role }) => role === name)) throw inUse('a token')
}

function inUse(by: string): DomainError {
  return new DomainError('conflict', `the role is in use by ${by}`)
}

function parentOf({ parent }: CustomRole, all: readonly CustomRole[]): CustomRole | undefined {
  return parent === null || isDefaultRole(parent) ? undefined : all.find(({ name }) => name === parent)
}
