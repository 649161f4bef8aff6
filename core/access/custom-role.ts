import type { Acl } from './acl.ts'

/** A role that a tenant made. */
export interface CustomRole {
  readonly name: string
  /** The role whose permissions this one has besides its own: a default one or another of the domain. */
  readonly parent: string | null
  /** Its own permissions, without those of its parent. */
  readonly allows: Acl
  /** Made with the role: tells its creation from another's. */
  readonly creationId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Rises by one with every write. */
  readonly version: number
}

/** All roles that a tenant made, as one record: whatever is written of them is checked against all of them. */
export interface DomainRoles {
  readonly domain: string
  readonly roles: readonly CustomRole[]
  /** Rises by one with every write; 0 where nothing was written yet. */
  readonly version: number
}
