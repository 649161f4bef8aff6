import type { Acl } from './acl.ts'

/** A role that a tenant created. */
export interface CustomRole {
  readonly name: string
  readonly parent: string | null
  /** Its own permissions, without those of its parent. */
  readonly allows: Acl
  /** The id of the creation, which distinguishes it from another creation of the same name. */
  readonly creationId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly version: number
}

/** All custom roles of a domain, as one record: every write is checked against all of them. */
export interface DomainRoles {
  readonly domain: string
  readonly roles: readonly CustomRole[]
  /** Rises by one with every write; 0 before the first. */
  readonly version: number
}
