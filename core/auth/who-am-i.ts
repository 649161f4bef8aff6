import { numberOfRole, shownAcl } from '../access/roles.ts'
import type { Caller } from '../access/token.ts'

/** The response of `GET /whoami`. */
export interface Identity {
  /** `<login>@<domain>`, the root name, or `<uuid>@<domain>` for a domain token. */
  readonly id: string
  /** Empty for root. */
  readonly domain: string
  readonly role: number
  readonly roleName: string
  readonly acl: Record<string, string[]>
  /** The end of the token, epoch milliseconds. */
  readonly expires: number
}

/** Describes a caller and its permissions. */
export function whoAmI({ username, domain, role, acl, expiresAt }: Caller): Identity {
  return {
    id: username,
    domain: domain ?? '',
    role: numberOfRole(role),
    roleName: role,
    acl: shownAcl(acl),
    expires: expiresAt,
  }
}
