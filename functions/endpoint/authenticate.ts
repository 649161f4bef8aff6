import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { callerOfToken, invalidToken } from '../../core/auth/caller.ts'
import { DomainError } from '../../core/errors.ts'
import type { Caller } from '../../core/model.ts'
import type { CredentialReader, SecretReader } from '../../core/ports.ts'
import { sameText } from './same-text.ts'
import { readTokenClaims, tokenDigest } from './token-text.ts'

type Headers = APIGatewayProxyEventV2['headers']

/**
 * Who presents `X-Access-Token` and `X-Key`, judged by one consistent read of token, account and domain. Both headers
 * must be there, once each: the gateway joins repeated ones with a comma, which neither can hold. Anything amiss is
 * `invalid_token`; a genuine token whose time is over is `token_expired`.
 */
export async function authenticateToken(
  headers: Headers,
  credentials: Pick<CredentialReader, 'read'>,
  { now, rootName }: { readonly now: number; readonly rootName: string },
): Promise<Caller> {
  const text = headers['x-access-token'] ?? ''
  const claims = readTokenClaims(text)
  const user = claims === undefined ? undefined : userOf(claims.username, claims.domain)
  if (claims === undefined || user === undefined || !isUuid(claims.key) || headers['x-key'] !== claims.key) {
    throw invalidToken()
  }
  const found = await credentials.read({ ...user, key: claims.key })
  const digestMatches = found.token !== undefined && sameText(found.token.digest, tokenDigest(text))
  return callerOfToken({ credentials: found, digestMatches, now, rootName })
}

/**
 * Lets the engine in: HTTP Basic with the user `engine` and the deployment's engine credential. Anything else is
 * `invalid_credentials`.
 */
export async function authenticateEngine(
  headers: Headers,
  secrets: Pick<SecretReader, 'engineCredential'>,
): Promise<void> {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(headers['authorization'] ?? '') ?? []
  const expected = `engine:${await secrets.engineCredential()}`
  if (sameText(Buffer.from(encoded, 'base64').toString(), expected)) return
  throw new DomainError('invalid_credentials', 'the engine credential is missing or wrong')
}

const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** Login and domain of a username that a token claims; `undefined` when it could be nobody's. */
function userOf(username: string, domain: string): { domain: string; login: string } | undefined {
  if (domain === '') return /^[\w.+-]{1,64}$/.test(username) ? { domain, login: username } : undefined
  const login = username.endsWith(`@${domain}`) ? username.slice(0, -domain.length - 1) : ''
  if (!/^[\w.+-]{1,64}$/.test(login) || !/^[a-z0-9.-]{1,253}$/.test(domain)) return undefined
  return { domain, login }
}
