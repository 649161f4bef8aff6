import { aclOfRole, rootRole } from '../access/roles.ts'
import { DomainError } from '../errors.ts'
import type { Caller } from '../model.ts'
import type { Credentials } from '../ports.ts'

/** The refusal of a credential that proves nothing; the same text whatever is wrong with it. */
export function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'Bad caller')
}

/** What a presented token is judged by. */
export interface PresentedToken {
  readonly credentials: Credentials
  /** Whether the digest of the presented text is the stored one. */
  readonly digestMatches: boolean
  /** Epoch milliseconds. */
  readonly now: number
  /** Name of the root user. */
  readonly rootName: string
}

/**
 * Who presents a token. It must be stored, enabled, unexpired and presented exactly, its account and domain must be
 * there, and it must have been issued since the last change of the account's password and role. The permissions are
 * those that the role has now. Throws `invalid_token`, or `token_expired` for a genuine one whose time is over.
 */
export function callerOfToken({ credentials, digestMatches, now, rootName }: PresentedToken): Caller {
  const { token, account, domain } = credentials
  if (token === undefined || !digestMatches || !token.enabled) throw invalidToken()
  if (token.expiresAt <= now) throw new DomainError('token_expired', 'the token has expired: log in again')
  if (token.domain === '') {
    if (token.login !== rootName) throw invalidToken()
    return callerWith(rootName, rootName, null, rootRole, token.key)
  }
  if (account === undefined || domain === undefined || account.credentialsId !== token.credentialsId) {
    throw invalidToken()
  }
  return callerWith(`${account.login}@${domain.name}`, account.login, domain.name, account.role, token.key)
}

function callerWith(username: string, login: string, domain: string | null, role: string, tokenKey: string): Caller {
  return { username, login, domain, role, acl: aclOfRole(role) ?? {}, tokenKey }
}
