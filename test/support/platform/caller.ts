import type { Acl } from '../../../core/access/acl.ts'
import type { Caller } from '../../../core/access/token.ts'

const everything: Acl = { channels: ['*'], account: ['*'], domain: ['*'], hook: ['*'] }

/** A caller who may do everything in the domain a.example.com, except for the permissions that a test names. */
export function aCaller(given: Partial<Caller> = {}): Caller {
  const { login = '1000', domain = 'a.example.com' } = given
  return {
    kind: 'user',
    username: domain === null ? login : `${login}@${domain}`,
    login,
    domain,
    domainCreatedAt: domain === null ? null : 0,
    role: 'admin',
    acl: everything,
    tokenKey: '00000000-0000-4000-8000-000000000000',
    expiresAt: Number.MAX_SAFE_INTEGER,
    ...given,
  }
}

/** Root, who is bound to no domain. */
export function aRoot(): Caller {
  return aCaller({ login: 'root', domain: null, role: 'root' })
}
