import type { Versioned } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { CustomRole } from './custom-role.ts'
import type { RoleStore } from './role-store.ts'
import type { Caller } from './token.ts'
import { beyondOwnPermissions, exceeds } from './permission.ts'
import { aclOfRole, isDefaultRole, rootRole } from './roles.ts'

/** The most roles of one domain; all of them are one stored record, which has room for far more. */
export const maxRoles = 50

/**
 * Writes the roles of a domain as changed by `change`, and repeats it when another write came first: `change` always
 * judges a consistent set of roles.
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

/** Returns the custom role of a name. Throws `not_found`. */
export function findRole(roles: readonly CustomRole[], name: string): CustomRole {
  const found = roles.find((role) => role.name === name)
  if (found === undefined) throw noSuchRole()
  return found
}

/**
 * Returns the version of a role's full permissions, including those of its parents: it changes whenever the role or a
 * parent changes. It is the sum of their versions, which is unique because a parent in use cannot be removed and
 * created again.
 */
export function versionOfRole(role: CustomRole, all: readonly CustomRole[]): Versioned {
  const inherited: number[] = []
  // No parent is visited twice, so that even a cycle ends.
  const others = new Set(all.filter(({ name }) => name !== role.name))
  for (let at = parentOf(role, [...others]); at !== undefined; at = parentOf(at, [...others])) {
    inherited.push(at.version)
    others.delete(at)
  }
  return { createdAt: role.createdAt, version: role.version, inherited }
}

/** Returns the refusal of a missing role. */
export function noSuchRole(): DomainError {
  return new DomainError('not_found', 'Role not found')
}

/**
 * Refuses a role whose parent is missing, is root or leads back to the role itself, and one with a permission that its
 * author lacks. `all` are the roles after the change.
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
  if (exceeds(aclOfRole(name, all) ?? {}, caller.acl)) throw beyondOwnPermissions()
}

/** Lists what has a role in a domain; part of the stores of accounts and of tokens. */
export interface RoleHolders {
  list(domain: string): Promise<readonly { readonly role: string }[]>
}

/** The ports of {@link checkUnused}. */
export interface RoleUsers {
  readonly accounts: RoleHolders
  readonly domainTokens: RoleHolders
}

/** Refuses with `conflict` to remove a role that an account, a token or another role uses. */
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
