import { DomainError, invalidField } from '../errors.ts'
import { type Acl, type AclPermission, type AclResource, aclPermissions, aclResources } from './acl.ts'
import { isDefaultRole } from './roles.ts'

/** The fields of a role in a request. */
export interface RoleInput {
  /** Resource to permissions. */
  readonly allows?: Readonly<Record<string, readonly string[]>> | undefined
  /** One parent, alone or in a list; empty or `null` means no parent. */
  readonly parents?: string | readonly string[] | null | undefined
}

/** A change of a role, checked in itself. An absent member stays unchanged. */
export interface RoleChange {
  readonly allows: Acl | undefined
  readonly parent: string | null | undefined
}

const isResource = (name: string): name is AclResource => aclResources.some((known) => known === name)
const isPermission = (text: string): text is AclPermission => aclPermissions.some((known) => known === text)

/** Reads a change of a role. Throws `invalid_field` for unknown resources or permissions, or several parents. */
export function readRoleInput({ allows, parents }: RoleInput): RoleChange {
  return { allows: allows && readAllows(allows), parent: readParent(parents) }
}

/** Refuses the name of a role that every domain has. */
export function checkCustomName(name: string): void {
  if (isDefaultRole(name)) throw new DomainError('conflict', `the role ${name} belongs to the platform`)
}

function readAllows(allows: Readonly<Record<string, readonly string[]>>): Acl {
  const read: Partial<Record<AclResource, readonly AclPermission[]>> = {}
  for (const [resource, permissions] of Object.entries(allows)) {
    const field = `allows.${resource}`
    if (!isResource(resource)) throw invalidField(field, `must be one of ${aclResources.join(', ')}`)
    const unknown = permissions.find((text) => !isPermission(text))
    if (unknown !== undefined) throw invalidField(field, `must be of ${aclPermissions.join(', ')}`)
    const held = aclPermissions.filter((permission) => permissions.includes(permission))
    if (held.length > 0) read[resource] = held.includes('*') ? ['*'] : held
  }
  return read
}

function readParent(parents: RoleInput['parents']): string | null | undefined {
  if (parents === undefined || parents === null || parents === '') return parents === undefined ? undefined : null
  const [parent, ...more] = typeof parents === 'string' ? [parents] : parents
  if (more.length > 0) throw invalidField('parents', 'must name at most one role')
  return parent ?? null
}
