import { aclOfRole, rootName, rootRole } from '../access/roles.ts'
import { DomainError } from '../errors.ts'
import type { Credentials, DomainTokenCredentials } from './credentials.ts'
import type { Caller } from '../access/token.ts'

/**
 * Returns the refusal of an invalid credential. What is wrong with the headers themselves is said. The answer is the
 * same for every reason that depends on what is stored, so that it does not reveal whether a token, an account or a
 * domain exists.
 */
export function invalidToken(reason: keyof typeof problems = 'unknown'): DomainError {
  return new DomainError('invalid_token', 'Bad caller', { details: [problems[reason]] })
}

const problems = {
  noToken: { field: 'X-Access-Token', problem: 'must be given: POST /login answers it as token' },
  noKey: { field: 'X-Key', problem: 'must be given once: POST /login answers it as key' },
  malformed: { field: 'X-Access-Token', problem: 'is no token of this service, or was given twice' },
  otherKey: { field: 'X-Key', problem: 'must be the key of the token' },
  unknown: { field: 'X-Access-Token', problem: 'is unknown or has ended: log in again' },
} as const

/** The inputs for judging a presented token. */
export interface PresentedToken {
  readonly credentials: Credentials
  readonly digestMatches: boolean
  /** Epoch milliseconds. */
  readonly now: number
  /** The version of the root user's password; absent for the token of an account. */
  readonly rootVersion: string | undefined
}

/**
 * Returns the caller that presents a token. The token must be stored, enabled, unexpired and presented exactly; its
 * account and domain must exist; and it must have been issued since the last change of the account's password and role,
 * or of root's password. The permissions are the current ones of the role. Throws `invalid_token`, or `token_expired`
 * for a genuine token whose time is over.
 */
export function callerOfToken({ credentials, digestMatches, now, rootVersion }: PresentedToken): Caller {
  const { token, account, domain, roles } = credentials
  if (token === undefined || !digestMatches || !token.enabled) throw invalidToken()
  refuseExpired(token.expiresAt, now)
  const proven = { kind: 'user', tokenKey: token.key, expiresAt: token.expiresAt } as const
  if (token.domain === '') {
    if (token.login !== rootName || token.credentialsId !== rootVersion) throw invalidToken()
    const acl = aclOfRole(rootRole) ?? {}
    return { ...proven, username: rootName, login: rootName, domain: null, domainCreatedAt: null, role: rootRole, acl }
  }
  if (account === undefined || domain === undefined || account.credentialsId !== token.credentialsId) {
    throw invalidToken()
  }
  const { login, role } = account
  const acl = aclOfRole(role, roles) ?? {}
  const bound = { domain: domain.name, domainCreatedAt: domain.createdAt }
  return { ...proven, username: `${login}@${domain.name}`, login, ...bound, role, acl }
}

/** The inputs for judging a presented domain token. */
export interface PresentedDomainToken {
  readonly credentials: DomainTokenCredentials
  readonly digestMatches: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the program that presents a domain token, by the same rules. It owns no account and no call: no account can
 * have its login. Throws `invalid_token` and `token_expired`.
 */
export function callerOfDomainToken({ credentials, digestMatches, now }: PresentedDomainToken): Caller {
  const { token, domain, roles } = credentials
  if (token === undefined || domain === undefined || !digestMatches || !token.enabled) throw invalidToken()
  refuseExpired(token.expiresAt, now)
  const { uuid, role, expiresAt } = token
  const username = `${uuid}@${domain.name}`
  const acl = aclOfRole(role, roles) ?? {}
  return {
    kind: 'domain-token',
    username,
    login: username,
    domain: domain.name,
    domainCreatedAt: domain.createdAt,
    role,
    acl,
    tokenKey: uuid,
    expiresAt,
  }
}

function refuseExpired(expiresAt: number, now: number): void {
  if (expiresAt <= now) throw new DomainError('token_expired', 'the token has expired')
}
