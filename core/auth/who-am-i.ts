import { numberOfRole, shownAcl } from '../access/roles.ts'
import type { Caller } from './token.ts'

/** A caller as he is told of himself. */
export interface Identity {
  /** `<login>@<domain>`, the root name, or `<uuid>@<domain>` of a domain's token. */
  readonly id: string
  /** Empty for root. */
  readonly domain: string
  readonly role: number
  readonly roleName: string
  /** What the role allows now. */
  readonly acl: Record<string, string[]>
  /** When the token ends, epoch milliseconds. */
  readonly expires: number
}

/** Who a caller is and what he may do. */
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
