import type { Acl } from './acl.ts'

/** A stored login. The secret itself is not stored, only its SHA-256. */
export interface Token {
  /** UUID v4; the caller sends it in `X-Key`. */
  readonly key: string
  /** `<login>@<domain>`, or the root name. */
  readonly username: string
  /** Empty for root. */
  readonly domain: string
  readonly login: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  /** The account's `credentialsId` at login; for root the version of its password. */
  readonly credentialsId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** A domain token: a credential for programs. The secret is not stored, only its SHA-256. */
export interface DomainToken {
  readonly uuid: string
  readonly domain: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  readonly role: string
  readonly description: string
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** The sender of a request: the identity that a credential proved. */
export interface Caller {
  /** `user`: a person, or root. `domain-token`: a program, which owns no account and no call. */
  readonly kind: 'user' | 'domain-token'
  /** `<login>@<domain>`, the root name, or `<uuid>@<domain>` for a domain token. */
  readonly username: string
  /** For a domain token the whole username, which no account can have as its login. */
  readonly login: string
  /** The domain that the caller is bound to; root is bound to none. */
  readonly domain: string | null
  /** The time at which that domain was created, epoch milliseconds. */
  readonly domainCreatedAt: number | null
  readonly role: string
  readonly acl: Acl
  /** The token's key, or the uuid of a domain token. */
  readonly tokenKey: string
  /** The end of the token, epoch milliseconds. */
  readonly expiresAt: number
}
