import { createHmac, hash } from 'node:crypto'
import { type SignedParts, type SignedScope, canonicalRequest } from './canonical-request.ts'

/** The inputs of a signature in addition to the request. */
export interface SigningScope extends SignedScope {
  /** `20260131T235959Z` */
  readonly signedAt: string
  /** The first eight digits of `signedAt`. */
  readonly date: string
  readonly region: string
}

/** The key of a signer. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Returns the 32 bytes of an AWS Signature Version 4. Throws when the path or query holds a malformed percent sign. */
export function signatureOf(parts: SignedParts, scope: SigningScope, signer: Signer): Buffer {
  const requestHash = hash('sha256', canonicalRequest(parts, scope))
  const area = `${scope.date}/${scope.region}/${scope.service}/aws4_request`
  return hmac(signingKey(signer, scope), `AWS4-HMAC-SHA256\n${scope.signedAt}\n${area}\n${requestHash}`)
}

/** Signing keys are valid for a day. They belong to the signer, not to its key id, which is public. */
const signingKeys = new WeakMap<Signer, Map<string, Buffer>>()

function signingKey(signer: Signer, { date, region, service }: SigningScope): Buffer {
  const known = signingKeys.get(signer) ?? new Map<string, Buffer>()
  signingKeys.set(signer, known)
  const name = `${date}/${region}/${service}`
  const found = known.get(name)
  if (found !== undefined) return found
  let made = Buffer.from(`AWS4${signer.secretAccessKey}`)
  for (const part of [date, region, service, 'aws4_request']) made = hmac(made, part)
  // One a day and service, so few are ever needed at one time; a caller can ask for any date.
  if (known.size >= 20) known.clear()
  known.set(name, made)
  return made
}

function hmac(key: Uint8Array, text: string): Buffer<ArrayBuffer> {
  return createHmac('sha256', key).update(text).digest()
}
