import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import { Gate } from '../../../packages/laptop/gate/gate.ts'
import type { Credential } from '../../../packages/laptop/signature/credential.ts'
import { addressParts, signHeaders, signerFor } from '../../../packages/laptop/signature/sign.ts'
import { byteRange } from '../../../packages/laptop/stores/objects/byte-range.ts'
import { objectStore } from '../../../packages/laptop/stores/objects/object-store.ts'
import { errorAnswer } from '../../../packages/laptop/gate/backend.ts'
import { place } from '../../support/platform/small-assembly.ts'

const root = mkdtempSync(join(tmpdir(), 'objects-'))
const gate = new Gate()
const none = () => Promise.resolve(errorAnswer('None', 'none'))
let url: string
let signer: Credential

beforeAll(async () => {
  url = await gate.open()
  const arn = 'arn:aws:iam::000000000000:role/Recorder'
  const statements = readStatements({ Statement: { Effect: 'Allow', Action: 's3:*', Resource: 'arn:aws:s3:::*' } })
  const s3 = objectStore(root, new Set(['recordings']))
  gate.serve(place, [{ name: 'Recorder', arn, statements }], {
    dynamodb: none,
    sqs: none,
    secretsmanager: none,
    kms: none,
    s3,
  })
  signer = gate.issue(arn)
})

afterAll(async () => {
  await gate.close()
  rmSync(root, { recursive: true })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function send(
  method: string,
  path: string,
  options: { body?: string; hash?: string; headers?: Record<string, string> } = {},
) {
  const payloadHash = options.hash ?? sha256(options.body ?? '')
  const request = { method, url: new URL(path, url), service: 's3', region: 'us-east-1' }
  const { host: _host, ...headers } = await signHeaders(request, { 'x-amz-content-sha256': payloadHash }, signer)
  return fetch(request.url, { method, headers: { ...headers, ...options.headers }, body: options.body ?? null })
}

/** A link as the SDK would make it, signed `agoMs` ago. */
async function link(path: string, { agoMs = 0, expires = 60, extra = '' } = {}): Promise<string> {
  const address = addressParts(path, new URLSearchParams(extra))
  const headers = { host: new URL(url).host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  const { query = {} } = await signerFor('s3', 'us-east-1', signer).presign(
    { method: 'GET', ...address, headers },
    { signingDate: new Date(Date.now() - agoMs), expiresIn: expires },
  )
  const parameters = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return `${url}${path}?${new URLSearchParams(parameters).toString()}`
}

describe('the object store', () => {
  it('the object store returns what was stored, with its type and metadata', async () => {
    await send('PUT', '/recordings/a/call.wav', {
      body: 'sound',
      headers: { 'content-type': 'audio/wav', 'x-amz-meta-domain': 'd' },
    })

    const response = await send('GET', '/recordings/a/call.wav')

    expect(await response.text()).toBe('sound')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '5',
      'x-amz-meta-domain': 'd',
      etag: `"${createHash('md5').update('sound').digest('hex')}"`,
    })
  })

  it('the object store describes an object without its bytes', async () => {
    await send('PUT', '/recordings/head', { body: 'sound' })

    const response = await send('HEAD', '/recordings/head')

    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '5', ''])
  })

  it('the object store returns a part of an object', async () => {
    await send('PUT', '/recordings/part', { body: '0123456789' })

    const response = await send('GET', '/recordings/part', { headers: { range: 'bytes=2-4' } })

    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
    ])
  })

  it('the object store refuses a range without bytes', async () => {
    await send('PUT', '/recordings/part', { body: '0123456789' })

    const response = await send('GET', '/recordings/part', { headers: { range: 'bytes=10-' } })

    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  it('the object store forgets deleted objects, and deleting a missing one succeeds', async () => {
    await send('PUT', '/recordings/gone', { body: 'sound' })

    const statuses = [
      await send('DELETE', '/recordings/gone'),
      await send('DELETE', '/recordings/gone'),
      await send('GET', '/recordings/gone'),
    ]

    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 404])
  })

  it('the object store refuses a body that is not the signed one, and keeps nothing of it', async () => {
    const response = await send('PUT', '/recordings/forged', { body: 'forged', hash: sha256('signed') })

    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('XAmzContentSHA256Mismatch'),
    ])
    expect((await send('GET', '/recordings/forged')).status).toBe(404)
  })

  it.each(['/recordings/..%2F..%2Fescape', '/recordings/..%00x', `/recordings/${'k'.repeat(900)}`])(
    'the object store keeps %s inside its own folder',
    async (path) => {
      await send('PUT', path, { body: 'here' })

      expect(await (await send('GET', path)).text()).toBe('here')
      expect(readdirSync(root)).toEqual([Buffer.from('recordings').toString('base64url')])
    },
  )

  it('the object store knows only the buckets of the assembly', async () => {
    expect(await (await send('PUT', '/other/a', { body: 'x' })).text()).toContain('NoSuchBucket')
  })
})

describe('a link', () => {
  it('a signed link returns an object with the response headers that it names', async () => {
    await send('PUT', '/recordings/linked', { body: 'sound' })
    const extra =
      '&response-content-disposition=attachment%3B%20filename%3D%22call.wav%22&response-content-type=audio%2Fwav'

    const response = await fetch(await link('/recordings/linked', { extra }))

    expect(await response.text()).toBe('sound')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="call.wav"')
    expect(response.headers.get('content-type')).toBe('audio/wav')
  })

  it('a signed link no longer works once its time is over', async () => {
    await send('PUT', '/recordings/linked', { body: 'sound' })

    const response = await fetch(await link('/recordings/linked', { agoMs: 62_000, expires: 60 }))

    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Request has expired')])
  })

  it('a signed link does not work for another object', async () => {
    await send('PUT', '/recordings/secret', { body: 'secret' })

    const response = await fetch((await link('/recordings/linked')).replace('/linked?', '/secret?'))

    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
  })
})

describe('a link and a signed header in one request', () => {
  it.each(['s3', 'es'])(
    'a request with both a link and a signed header is refused, as S3 refuses it: a header that names %s',
    async (service) => {
      await send('PUT', '/recordings/linked', { body: 'sound' })
      const credential = `Credential=nobody/20260101/us-east-1/${service}/aws4_request`
      const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=${'0'.repeat(64)}`

      const response = await fetch(await link('/recordings/linked'), { headers: { authorization } })

      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('one auth mechanism')])
    },
  )
})

describe('byteRange', () => {
  it.each([
    [undefined, undefined],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=5-', { first: 5, last: 9 }],
    ['bytes=5-100', { first: 5, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-100', { first: 0, last: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=4-2', undefined],
    ['bytes=-', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
  ])('the range %s of an object of ten bytes is what HTTP says', (header, expected) => {
    expect(byteRange(header, 10)).toEqual(expected)
  })
})
