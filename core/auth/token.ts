import type { Acl } from '../access/acl.ts'

/** A login's result as the service keeps it. The secret itself is not kept, only its SHA-256. */
export interface Token {
  /** UUID v4; what the caller sends in `X-Key`. */
  readonly key: string
  /** `<login>@<domain>`, or the root name. */
  readonly username: string
  /** Empty for root. */
  readonly domain: string
  readonly login: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  /** The account's `credentialsId` at login; for root the version of his password. */
  readonly credentialsId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** A credential of a domain itself, for programs. The secret is not kept, only its SHA-256. */
export interface DomainToken {
  readonly uuid: string
  readonly domain: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  readonly role: string
  readonly description: string
  /** Username of whoever issued it. */
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** Who makes a request: the identity that a credential proved. */
export interface Caller {
  /** `user`: a person, or root. `domain-token`: a program, which owns no account and no call. */
  readonly kind: 'user' | 'domain-token'
  /** `<login>@<domain>`, the root name, or `<uuid>@<domain>` of a domain's token. */
  readonly username: string
  /** Of a domain's token the whole username, which no account can have as its login. */
  readonly login: string
  /** The domain that the caller is bound to; root is bound to none. */
  readonly domain: string | null
  /** When that domain was made, epoch milliseconds. */
  readonly domainCreatedAt: number | null
  readonly role: string
  readonly acl: Acl
  /** The token's key, or the uuid of a domain's token. */
  readonly tokenKey: string
  /** When the token ends, epoch milliseconds. */
  readonly expiresAt: number
}
