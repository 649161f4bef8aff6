import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it } from 'vitest'
import type { SignedParts } from '../../../local/signature/canonical-request.ts'
import { issueCredential } from '../../../local/signature/credential.ts'
import { signRequest } from '../../../local/signature/sign-request.ts'
import { signatureOf } from '../../../local/signature/signature.ts'
import { verifySignature } from '../../../local/signature/verify-signature.ts'

const now = Date.parse('2026-02-03T04:05:06Z')
const credential = issueCredential('arn:aws:iam::000000000000:role/Reader')

class Sha256 {
  readonly #hash
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  }
  update(data: string | Uint8Array) {
    this.#hash.update(data)
  }
  digest() {
    return Promise.resolve(new Uint8Array(this.#hash.digest()))
  }
}

/** The SDK's own signer: what the platform's code signs with. */
function sdkSigner(service: string): SignatureV4 {
  return new SignatureV4({
    credentials: credential,
    region: 'us-east-1',
    service,
    // The type asks for every form of binary data; text and bytes are what the signer passes.
    sha256: Sha256 as never,
    uriEscapePath: service !== 's3',
  })
}

const body = '{"TableName":"A"}'
const bodyHash = createHash('sha256').update(body).digest('hex')

async function signedCall(): Promise<SignedParts> {
  const { headers } = await sdkSigner('dynamodb').sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: '/',
      headers: { host: '127.0.0.1:9000', 'x-amz-target': 'DynamoDB_20120810.GetItem', 'x-odd': '  two   spaces ' },
      body,
    },
    { signingDate: new Date(now) },
  )
  return { method: 'POST', rawPath: '/', rawQuery: '', headers }
}

async function signedLink(expiresIn = 900, path = '/bucket/a%20b%2Bc.wav'): Promise<SignedParts> {
  const { query = {} } = await sdkSigner('s3').presign(
    {
      method: 'GET',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path,
      headers: { host: '127.0.0.1:9000', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      query: { 'response-content-type': 'audio/wav' },
    },
    { signingDate: new Date(now), expiresIn },
  )
  const rawQuery = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')
  return { method: 'GET', rawPath: path, rawQuery, headers: { host: '127.0.0.1:9000' } }
}

const check = (parts: SignedParts, more: { at?: number; bodyHash?: string | undefined } = {}) =>
  verifySignature(parts, {
    credentialOf: (id) => (id === credential.accessKeyId ? credential : undefined),
    now: more.at ?? now,
    bodyHash: 'bodyHash' in more ? more.bodyHash : bodyHash,
  })

describe('a signed call', () => {
  it('the signature of a call proves its credential and its service', async () => {
    expect(check(await signedCall())).toEqual({ proof: { credential, service: 'dynamodb', payloadHash: bodyHash } })
  })

  it('a call that the platform itself signed is as valid as one of the SDK', () => {
    const url = new URL('http://127.0.0.1:9000/')
    const request = {
      url,
      service: 'sqs',
      region: 'us-east-1',
      target: 'AmazonSQS.X',
      body,
      contentType: 'application/json',
    }

    const headers = signRequest(request, credential, now)

    expect(check({ method: 'POST', rawPath: '/', rawQuery: '', headers })).toMatchObject({ proof: { service: 'sqs' } })
  })

  it.each<[string, (parts: SignedParts) => Partial<SignedParts>]>([
    ['method', () => ({ method: 'PUT' })],
    ['path', () => ({ rawPath: '/other' })],
    ['query', () => ({ rawQuery: 'x=1' })],
    ['target', ({ headers }) => ({ headers: { ...headers, 'x-amz-target': 'DynamoDB_20120810.PutItem' } })],
    ['host', ({ headers }) => ({ headers: { ...headers, host: 'elsewhere' } })],
    [
      'region',
      ({ headers }) => ({
        headers: { ...headers, authorization: headers.authorization?.replace('us-east-1', 'eu-west-1') },
      }),
    ],
    [
      'signature',
      ({ headers }) => ({
        headers: { ...headers, authorization: headers.authorization?.replace(/.{64}$/, '0'.repeat(64)) },
      }),
    ],
  ])('a signed call with another %s is refused', async (_name, change) => {
    const parts = await signedCall()

    expect(check({ ...parts, ...change(parts) })).toEqual({ refusal: 'SignatureDoesNotMatch' })
  })

  it('a signed call with another body is refused', async () => {
    expect(check(await signedCall(), { bodyHash: '0'.repeat(64) })).toEqual({ refusal: 'SignatureDoesNotMatch' })
  })

  it('a signed call is refused more than five minutes away from its time', async () => {
    const parts = await signedCall()

    expect(check(parts, { at: now + 299_000 })).toHaveProperty('proof')
    expect(check(parts, { at: now + 301_000 })).toEqual({ refusal: 'RequestTimeTooSkewed' })
    expect(check(parts, { at: now - 301_000 })).toEqual({ refusal: 'RequestTimeTooSkewed' })
  })

  it('a signed call with an unknown key, or without its session token, is refused', async () => {
    const parts = await signedCall()
    const { 'x-amz-security-token': _token, ...headers } = parts.headers
    const other = parts.headers.authorization?.replace(credential.accessKeyId, 'ASIA0000000000000000')

    expect(check({ ...parts, headers })).toEqual({ refusal: 'InvalidAccessKeyId' })
    expect(check({ ...parts, headers: { ...parts.headers, authorization: other } })).toEqual({
      refusal: 'InvalidAccessKeyId',
    })
  })

  it.each([
    ['no authorization', {}, 'MissingAuthenticationToken'],
    ['another scheme', { authorization: 'Bearer x', 'x-amz-date': '20260203T040506Z' }, 'IncompleteSignature'],
    [
      'no date',
      {
        authorization: `AWS4-HMAC-SHA256 Credential=a/20260203/r/s/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
      },
      'IncompleteSignature',
    ],
  ])('a signed call with %s is refused', (_name, headers, refusal) => {
    expect(check({ method: 'POST', rawPath: '/', rawQuery: '', headers })).toEqual({ refusal })
  })
})

describe('a signed link', () => {
  it('a signed link is valid until its end and not a second longer', async () => {
    const parts = await signedLink(900)

    expect(check(parts, { at: now + 900_000, bodyHash: undefined })).toMatchObject({ proof: { service: 's3' } })
    expect(check(parts, { at: now + 901_000, bodyHash: undefined })).toEqual({ refusal: 'RequestExpired' })
  })

  it('a signed link is invalid for another object, method or response header', async () => {
    const parts = await signedLink()
    const refused = { refusal: 'SignatureDoesNotMatch' }

    expect(check({ ...parts, rawPath: '/bucket/other.wav' })).toEqual(refused)
    expect(check({ ...parts, method: 'PUT' })).toEqual(refused)
    expect(check({ ...parts, rawQuery: parts.rawQuery.replace('audio%2Fwav', 'text%2Fhtml') })).toEqual(refused)
    expect(check({ ...parts, rawQuery: parts.rawQuery.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000') })).toEqual(
      refused,
    )
  })

  it('a signed link with a malformed percent sign is refused', async () => {
    expect(check({ ...(await signedLink()), rawPath: '/bucket/%zz' })).toEqual({ refusal: 'SignatureDoesNotMatch' })
  })
})

it('the signature in the example of the S3 documentation is reproduced', () => {
  const parts = {
    method: 'GET',
    rawPath: '/test.txt',
    rawQuery: '',
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
    },
  }
  const scope = {
    service: 's3',
    region: 'us-east-1',
    date: '20130524',
    signedAt: '20130524T000000Z',
    signedHeaders: ['host', 'range', 'x-amz-content-sha256', 'x-amz-date'],
    payloadHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  }
  const signer = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

  expect(signatureOf(parts, scope, signer).toString('hex')).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})
