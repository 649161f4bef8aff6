import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { issueCredential } from '../../../packages/laptop/signature/credential.ts'
import { signHeaders, signerFor } from '../../../packages/laptop/signature/sign.ts'
import { type SignedParts, verifySignature } from '../../../packages/laptop/signature/verify-signature.ts'

const now = Date.parse('2026-02-03T04:05:06Z')
const credential = issueCredential('arn:aws:iam::000000000000:role/Reader')

const signer = (service: string) => signerFor(service, 'us-east-1', credential)

const body = '{"TableName":"A"}'

async function signedCall(): Promise<SignedParts> {
  const { headers } = await signer('dynamodb').sign(
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
  return { method: 'POST', rawPath: '/', rawQuery: '', headers, body: Buffer.from(body) }
}

async function signedLink(expiresIn = 900, path = '/bucket/a%20b%2Bc.wav'): Promise<SignedParts> {
  const { query = {} } = await signer('s3').presign(
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

const check = (parts: SignedParts, at = now) =>
  verifySignature(parts, {
    credentialOf: (id) => (id === credential.accessKeyId ? credential : undefined),
    now: at,
  })

describe('a signed call', () => {
  it('the signature of a call proves its credential and its service', async () => {
    expect(await check(await signedCall())).toEqual({ proof: { credential, service: 'dynamodb', payloadHash: '' } })
  })

  it('a call whose header states the hash of its body is valid with that body alone', async () => {
    const stated = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') }
    const request = { method: 'POST', url: new URL('http://127.0.0.1:9000/'), service: 'sqs', region: 'us-east-1' }
    const parts = {
      method: 'POST',
      rawPath: '/',
      rawQuery: '',
      headers: await signHeaders(request, stated, credential),
    }
    const at = Date.now()

    expect(await check({ ...parts, body: Buffer.from(body) }, at)).toMatchObject({ proof: { service: 'sqs' } })
    expect(await check({ ...parts, body: Buffer.from('{}') }, at)).toEqual({ refusal: 'SignatureDoesNotMatch' })
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

    expect(await check({ ...parts, ...change(parts) })).toEqual({ refusal: 'SignatureDoesNotMatch' })
  })

  it('a signed call with another body is refused', async () => {
    expect(await check({ ...(await signedCall()), body: Buffer.from('{}') })).toEqual({
      refusal: 'SignatureDoesNotMatch',
    })
  })

  it('a signed call is refused more than five minutes away from its time', async () => {
    const parts = await signedCall()

    expect(await check(parts, now + 299_000)).toHaveProperty('proof')
    expect(await check(parts, now + 301_000)).toEqual({ refusal: 'RequestTimeTooSkewed' })
    expect(await check(parts, now - 301_000)).toEqual({ refusal: 'RequestTimeTooSkewed' })
  })

  it('a signed call with an unknown key, or without its session token, is refused', async () => {
    const parts = await signedCall()
    const { 'x-amz-security-token': _token, ...headers } = parts.headers
    const other = parts.headers.authorization?.replace(credential.accessKeyId, 'ASIA0000000000000000')

    expect(await check({ ...parts, headers })).toEqual({ refusal: 'InvalidAccessKeyId' })
    expect(await check({ ...parts, headers: { ...parts.headers, authorization: other } })).toEqual({
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
  ])('a signed call with %s is refused', async (_name, headers, refusal) => {
    expect(await check({ method: 'POST', rawPath: '/', rawQuery: '', headers })).toEqual({ refusal })
  })
})

describe('a signed link', () => {
  it('a signed link is valid until its end and not a second longer', async () => {
    const parts = await signedLink(900)

    expect(await check(parts, now + 900_000)).toMatchObject({ proof: { service: 's3' } })
    expect(await check(parts, now + 901_000)).toEqual({ refusal: 'RequestExpired' })
  })

  it('a signed link is invalid for another object, method or response header', async () => {
    const parts = await signedLink()
    const refused = { refusal: 'SignatureDoesNotMatch' }

    expect(await check({ ...parts, rawPath: '/bucket/other.wav' })).toEqual(refused)
    expect(await check({ ...parts, method: 'PUT' })).toEqual(refused)
    expect(await check({ ...parts, rawQuery: parts.rawQuery.replace('audio%2Fwav', 'text%2Fhtml') })).toEqual(refused)
    expect(
      await check({ ...parts, rawQuery: parts.rawQuery.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000') }),
    ).toEqual(refused)
  })

  it('a signed link with a malformed percent sign is refused', async () => {
    expect(await check({ ...(await signedLink()), rawPath: '/bucket/%zz' })).toEqual({
      refusal: 'SignatureDoesNotMatch',
    })
  })
})
