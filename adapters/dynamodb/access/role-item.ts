import * as z from 'zod/mini'
import { type AclPermission, type AclResource, aclPermissions, aclResources } from '../../../core/access/acl.ts'
import type { DomainRoles } from '../../../core/access/custom-role.ts'
import type { Item } from '../client.ts'
import { parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const resource = z.enum(aclResources as unknown as [AclResource, ...AclResource[]])
const permission = z.enum(aclPermissions as unknown as [AclPermission, ...AclPermission[]])

/** All roles of a tenant as they are stored: one item, so that a write is checked against all of them. */
const rolesItem = z.object({
  domain: z.string(),
  roles: z.array(
    z.object({
      name: z.string(),
      parent: z.nullable(z.string()),
      allows: z.partialRecord(resource, z.array(permission)),
      creationId: z.string(),
      createdAt: z.number(),
      version: z.number(),
    }),
  ),
  version: z.number(),
})

/** Returns the key of a tenant's roles. */
export function rolesKey(domain: string) {
  return { pk: joinKey(domain), sk: 'roles' }
}

/** Returns the roles of a tenant as an item. */
export function toRolesItem(roles: DomainRoles) {
  return { ...rolesKey(roles.domain), ...roles }
}

/** Returns the roles in a tenant's item, also of one that never made any. */
export function fromRolesItem(domain: string, item: Item | undefined): DomainRoles {
  return parseItem(rolesItem, item) ?? { domain, roles: [], version: 0 }
}
