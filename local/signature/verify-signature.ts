import { timingSafeEqual } from 'node:crypto'
import type { SignedParts } from './canonical-request.ts'
import type { Credential } from './credential.ts'
import { signatureOf } from './signature.ts'

/** The reason why a signature is refused, in the words of S3, from which every service's own follow. */
export type Refusal =
  | 'MissingAuthenticationToken'
  | 'IncompleteSignature'
  | 'InvalidAccessKeyId'
  | 'SignatureDoesNotMatch'
  | 'RequestTimeTooSkewed'
  | 'RequestExpired'
  | 'InvalidArgument'

/** The result of a verified signature. */
export interface Proof {
  readonly credential: Credential
  readonly service: string
  /** The body's hex SHA-256 that was signed, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string
}

/** The result of a check. */
export type Verification = { readonly proof: Proof } | { readonly refusal: Refusal }

interface Claim {
  readonly accessKeyId: string
  readonly date: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
  readonly signedAt: string
  readonly token: string | undefined
  /** Seconds that a link lives; absent for a signed header. */
  readonly expiresSeconds: number | undefined
}

/** How far clocks may differ; S3 and the other services allow 15 and 5 minutes, a laptop has one clock. */
const maxSkewMs = 5 * 60_000
/** The longest life of a link: seven days. */
const maxExpiresSeconds = 604_800

/**
 * Verifies the AWS Signature Version 4 of a request, in its `Authorization` header or in its query. `bodyHash` is the hex
 * SHA-256 of the body if the caller has it; without it the signed header `x-amz-content-sha256` is trusted, and the reader of
 * the body must compare it.
 */
export function verifySignature(
  parts: SignedParts,
  options: { credentialOf(accessKeyId: string): Credential | undefined; now: number; bodyHash?: string | undefined },
): Verification {
  const query = new URLSearchParams(parts.rawQuery)
  const link = query.has('X-Amz-Signature')
  const isHeaderThere = parts.headers.authorization !== undefined
  if (!link && !isHeaderThere) return { refusal: 'MissingAuthenticationToken' }
  // The holder of a link must not change its meaning by a header.
  if (link && isHeaderThere) return { refusal: 'InvalidArgument' }
  const claim = link ? claimOfLink(query) : claimOfHeader(parts)
  if (claim === undefined || !claim.signedHeaders.includes('host')) return { refusal: 'IncompleteSignature' }
  const credential = options.credentialOf(claim.accessKeyId)
  if (credential === undefined || claim.token !== credential.sessionToken) return { refusal: 'InvalidAccessKeyId' }
  const late = judgeTime(claim, options.now)
  if (late !== undefined) return { refusal: late }
  const signedHash = parts.headers['x-amz-content-sha256']
  const payloadHash = link
    ? 'UNSIGNED-PAYLOAD'
    : (options.bodyHash ?? (typeof signedHash === 'string' ? signedHash : ''))
  if (!matches(parts, claim, credential, payloadHash)) return { refusal: 'SignatureDoesNotMatch' }
  return { proof: { credential, service: claim.service, payloadHash } }
}

function claimOfHeader(parts: SignedParts): Claim | undefined {
  const match = /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
    parts.headers.authorization ?? '',
  )
  const signedAt = parts.headers['x-amz-date']
  const token = parts.headers['x-amz-security-token']
  if (match === null || typeof signedAt !== 'string') return undefined
  return claimOf(match[1], match[2], match[3], signedAt, typeof token === 'string' ? token : undefined, undefined)
}

function claimOfLink(query: URLSearchParams): Claim | undefined {
  const seconds = Number(query.get('X-Amz-Expires'))
  if (query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return undefined
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > maxExpiresSeconds) return undefined
  return claimOf(
    query.get('X-Amz-Credential') ?? undefined,
    query.get('X-Amz-SignedHeaders') ?? undefined,
    query.get('X-Amz-Signature') ?? undefined,
    query.get('X-Amz-Date') ?? '',
    query.get('X-Amz-Security-Token') ?? undefined,
    seconds,
  )
}

function claimOf(
  scope: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
  signedAt: string,
  token: string | undefined,
  expiresSeconds: number | undefined,
): Claim | undefined {
  const [accessKeyId, date, region, service, end] = scope?.split('/') ?? []
  if (accessKeyId === undefined || date === undefined || region === undefined || service === undefined) return undefined
  if (end !== 'aws4_request' || signedHeaders === undefined || signature === undefined) return undefined
  if (!signedAt.startsWith(date)) return undefined
  const names = signedHeaders.split(';')
  return { accessKeyId, date, region, service, signedHeaders: names, signature, signedAt, token, expiresSeconds }
}

function judgeTime(claim: Claim, now: number): Refusal | undefined {
  const iso = claim.signedAt.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const signedAt = Date.parse(iso)
  if (Number.isNaN(signedAt)) return 'IncompleteSignature'
  if (signedAt > now + maxSkewMs) return 'RequestTimeTooSkewed'
  if (claim.expiresSeconds !== undefined) {
    return now > signedAt + claim.expiresSeconds * 1000 ? 'RequestExpired' : undefined
  }
  return signedAt < now - maxSkewMs ? 'RequestTimeTooSkewed' : undefined
}

function matches(parts: SignedParts, claim: Claim, credential: Credential, payloadHash: string): boolean {
  let expected: Buffer
  try {
    expected = signatureOf(parts, { ...claim, payloadHash }, credential)
  } catch {
    return false
  }
  const given = Buffer.from(claim.signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
