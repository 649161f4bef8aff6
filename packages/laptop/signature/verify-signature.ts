import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Credential } from './credential.ts'
import { addressParts, signerFor } from './sign.ts'

/** The parts of a request that its signature covers. */
export interface SignedParts {
  readonly method: string
  /** As it stood in the request line, without the query. */
  readonly rawPath: string
  /** As it stood in the request line, without the question mark. */
  readonly rawQuery: string
  readonly headers: IncomingHttpHeaders
  /** Present where it was read before the signature is verified. */
  readonly body?: Buffer | undefined
}

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
  /** The hex SHA-256 of the body that the signer states, or `UNSIGNED-PAYLOAD`. */
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
 * Verifies the AWS Signature Version 4 of a request, in its `Authorization` header or in its query. Without a body, the
 * signed header `x-amz-content-sha256` is trusted, and the reader of the body must compare it.
 */
export async function verifySignature(
  parts: SignedParts,
  options: { credentialOf(accessKeyId: string): Credential | undefined; now: number },
): Promise<Verification> {
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
  const stated = parts.headers['x-amz-content-sha256']
  const payloadHash = link ? 'UNSIGNED-PAYLOAD' : String(stated ?? '')
  const isOther = parts.body !== undefined && stated !== undefined && hash('sha256', parts.body) !== stated
  if (isOther || !(await matches(parts, claim, credential))) return { refusal: 'SignatureDoesNotMatch' }
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

/** The moment of a signature, epoch milliseconds. */
function momentOf({ signedAt }: Claim): number {
  return Date.parse(signedAt.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function judgeTime(claim: Claim, now: number): Refusal | undefined {
  const signedAt = momentOf(claim)
  if (Number.isNaN(signedAt)) return 'IncompleteSignature'
  if (signedAt > now + maxSkewMs) return 'RequestTimeTooSkewed'
  if (claim.expiresSeconds !== undefined) {
    return now > signedAt + claim.expiresSeconds * 1000 ? 'RequestExpired' : undefined
  }
  return signedAt < now - maxSkewMs ? 'RequestTimeTooSkewed' : undefined
}

/** Signs the request again as the signer claims to have done, and compares. */
async function matches(parts: SignedParts, claim: Claim, credential: Credential): Promise<boolean> {
  const { method, rawPath, rawQuery, headers, body } = parts
  const signableHeaders = new Set(claim.signedHeaders)
  const signed = Object.entries(headers).filter(([name]) => signableHeaders.has(name))
  const request = {
    method,
    ...addressParts(rawPath, new URLSearchParams(rawQuery)),
    headers: Object.fromEntries(signed.map(([name, value]) => [name, String(value)])),
  }
  const signer = signerFor(claim.service, claim.region, credential)
  const options = { signingDate: new Date(momentOf(claim)), signableHeaders }
  const expected =
    claim.expiresSeconds === undefined
      ? (await signer.sign({ ...request, body }, options)).headers['authorization']?.slice(-claim.signature.length)
      : (
          await signer.presign(
            // A body that is no text and no bytes is one that is not signed.
            { ...request, body: {} },
            { ...options, expiresIn: claim.expiresSeconds, unhoistableHeaders: signableHeaders },
          )
        ).query?.['X-Amz-Signature']
  const [one, other] = [claim.signature, String(expected)].map((text) => Buffer.from(text))
  return one !== undefined && other?.length === one.length && timingSafeEqual(one, other)
}
