import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { rootName } from '../../core/access/roles.ts'
import { callerOfDomainToken, callerOfToken, invalidToken } from '../../core/auth/caller.ts'
import { DomainError } from '../../core/errors.ts'
import type { CredentialReader } from '../../core/auth/credentials.ts'
import type { SecretReader } from '../../core/secrets.ts'
import type { Caller } from '../../core/access/token.ts'
import { type TokenClaims, readTokenClaims, sameText, tokenDigest } from './token-text.ts'

type Headers = APIGatewayProxyEventV2['headers']

/** The inputs for judging a presented token. */
export interface TokenJudge {
  readonly credentials: Pick<CredentialReader, 'read' | 'readDomainToken'>
  readonly secrets: Pick<SecretReader, 'rootVersion'>
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the caller that presents `X-Access-Token` and `X-Key`, judged by one consistent read of everything that
 * decides it. Both headers must be present once: the gateway joins repeated headers with a comma, which neither value
 * can contain. A domain token needs no `X-Key`; if it is sent, it must be the token's uuid. Throws `token_expired` for
 * a genuine token whose time is over, and `invalid_token` in all other cases.
 */
export async function authenticateToken(headers: Headers, judge: TokenJudge): Promise<Caller> {
  const text = headers['x-access-token'] ?? ''
  const claims = readTokenClaims(text)
  if (text === '') throw invalidToken('noToken')
  if (claims === undefined || !isUuid(claims.key)) throw invalidToken('malformed')
  const key = headers['x-key'] ?? (claims.isDomainToken ? claims.key : undefined)
  if (key === undefined) throw invalidToken('noKey')
  if (key !== claims.key) throw invalidToken('otherKey')
  return claims.isDomainToken ? domainTokenCaller(text, claims, judge) : userCaller(text, claims, judge)
}

async function userCaller(text: string, claims: TokenClaims, judge: TokenJudge) {
  const { credentials, secrets, now } = judge
  const user = userOf(claims.username, claims.domain)
  if (user === undefined) throw invalidToken()
  const [found, rootVersion] = await Promise.all([
    credentials.read({ ...user, key: claims.key }),
    user.domain === '' && user.login === rootName ? secrets.rootVersion() : undefined,
  ])
  return callerOfToken({ credentials: found, digestMatches: proves(text, found.token), now, rootVersion })
}

async function domainTokenCaller(text: string, { domain, key, username }: TokenClaims, judge: TokenJudge) {
  if (!isDomainName(domain) || username !== `${key}@${domain}`) throw invalidToken()
  const found = await judge.credentials.readDomainToken({ domain, uuid: key })
  return callerOfDomainToken({ credentials: found, digestMatches: proves(text, found.token), now: judge.now })
}

function proves(text: string, token: { readonly digest: string } | undefined): boolean {
  return token !== undefined && sameText(token.digest, tokenDigest(text))
}

/**
 * Admits the engine: HTTP Basic with the user `engine` and the deployment's engine credential. Everything else is
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

const isDomainName = (text: string) => /^[a-z0-9.-]{1,253}$/.test(text)

const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** Returns login and domain of the username that a token claims; `undefined` if no account can have that name. */
function userOf(username: string, domain: string): { domain: string; login: string } | undefined {
  if (domain === '') return /^[\w.+-]{1,64}$/.test(username) ? { domain, login: username } : undefined
  const login = username.endsWith(`@${domain}`) ? username.slice(0, -domain.length - 1) : ''
  if (!/^[\w.+-]{1,64}$/.test(login) || !isDomainName(domain)) return undefined
  return { domain, login }
}
