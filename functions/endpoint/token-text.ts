import { createHash, timingSafeEqual } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The identity of a token's record. Everyone who holds the token can read it, and it proves nothing. */
export interface TokenClaims {
  readonly username: string
  /** Empty for root. */
  readonly domain: string
  readonly key: string
  readonly isDomainToken?: true
}

const base64url = (text: string | Uint8Array) => Buffer.from(text).toString('base64url')

/** The first part of every token. It names no algorithm: there is nothing to verify but the stored digest. */
const header = base64url(JSON.stringify({ typ: 'callplane' }))

/**
 * Returns a token's text: header, claims and 32 random bytes, each in base64url, joined by dots. Only its digest is
 * ever stored, so the text cannot be shown twice.
 */
export function writeToken({ username, domain, key, isDomainToken }: TokenClaims, secret: Uint8Array): string {
  const claims = { sub: username, dom: domain, key, ...(isDomainToken === true ? { static: true } : {}) }
  return [header, base64url(JSON.stringify(claims)), base64url(secret)].join('.')
}

/** Reads the claims of a token's text, without proof; `undefined` unless it has the form of {@link writeToken}. */
export function readTokenClaims(text: string): TokenClaims | undefined {
  const [, claims = ''] = /^[\w-]{1,128}\.([\w-]{1,1024})\.[\w-]{43}$/.exec(text) ?? []
  try {
    const {
      sub,
      dom,
      key,
      static: isStatic,
    } = Object(JSON.parse(Buffer.from(claims, 'base64url').toString())) as Record<string, unknown>
    if (typeof sub !== 'string' || typeof dom !== 'string' || typeof key !== 'string') return undefined
    return { username: sub, domain: dom, key, ...(isStatic === true ? { isDomainToken: true as const } : {}) }
  } catch {
    return undefined
  }
}

/** Returns the digest by which a token is stored and compared: SHA-256 of its whole text, lower-case hex. */
export function tokenDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns a digest that identifies the presented token, empty without one: no stored or logged value reveals it. */
export function tokenOf({ headers }: Pick<APIGatewayProxyEventV2, 'headers'>): string {
  const text = headers['x-access-token'] ?? ''
  return text === '' ? '' : createHash('sha256').update(`rate:${text}`).digest('base64url')
}

/** Returns whether two secrets are equal, in a time that does not depend on where they differ or how long they are. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
