import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signLink } from '../../../adapters/s3/signed-links.ts'
import { s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { environment } from '../../../contracts/environment.ts'
import { linkCors } from '../../../contracts/routes/cors.ts'
import { crossOriginFor, linkCrossOriginOf } from '../../../local/platform/cross-origin.ts'
import { Gateway } from '../../../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../../../packages/laptop/gateway/route-table.ts'
import { publicUrl } from '../../../local/platform/public-url.ts'
import { aFileBody } from '../../support/processes/file-bodies.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { type ObjectServer, startObjectServer } from '../../support/stores/object-server.ts'
import { contractRefusal } from '../../../local/platform/contract-refusal.ts'

const link = { key: 'a/b c.wav', contentType: 'audio/wav', disposition: 'attachment', seconds: 300 }

/** An address of this machine at which the stores do not listen, as a network's address is. */
const apiHost = '127.0.0.2'

let objects: ObjectServer
let gateway: Gateway
let origin: string

beforeAll(async () => {
  objects = await startObjectServer()
})

afterAll(() => objects.close())

beforeEach(async () => {
  gateway = new Gateway({ refuse: contractRefusal })
  origin = `http://${await gateway.open(apiHost, 0)}`
  const table = new RouteTable([{ key: '$default', target: 'unmatched' }])
  const invoke = () => Promise.resolve({ statusCode: 404, body: '{"error":"not_found"}' })
  gateway.serve({ table, invoke, answerLink: (asked, response) => objects.gate.answerLink(asked, response) })
})

afterEach(() => gateway.close(0))

const clock = movableClock(Date.now())
const context = () => ({ clock, random: systemRandomness, env: { ...objects.env, [environment.s3LinkOrigin]: origin } })

/** A signed link of an object with this content. */
async function aLink(content: string): Promise<string> {
  await s3RecordingFiles(context()).put(link.key, link.contentType, aFileBody(content))
  return (await signLink(context(), 'recordings', link)).url
}

test('the link of a recording points to the address of the API, which serves the recording there', async () => {
  const url = await aLink('the recording')

  const whole = await fetch(url)
  const part = await fetch(url, { headers: { range: 'bytes=4-6' } })

  expect(new URL(url).origin).toBe(origin)
  expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
    200,
    'audio/wav',
    'the recording',
  ])
  expect([part.status, await part.text()]).toEqual([206, 'rec'])
})

test('a page of an allowed origin may read a recording by its link, and a page of another origin may not', async () => {
  const table = new RouteTable([{ key: '$default', target: 'unmatched' }])
  const crossOrigin = crossOriginFor(['https://console.example.com'])
  gateway.serve({
    table,
    invoke: () => Promise.reject(new Error('no function answers a link')),
    crossOrigin,
    linkCrossOrigin: linkCrossOriginOf(crossOrigin),
    answerLink: (asked, response) => objects.gate.answerLink(asked, response),
  })
  const url = await aLink('the recording')
  const allowedTo = async (page: string) => {
    const { status, headers } = await fetch(url, { headers: { origin: page } })
    const names = ['access-control-allow-origin', 'access-control-expose-headers']
    return [status, ...names.map((name) => headers.get(name))]
  }

  expect(await allowedTo('https://console.example.com')).toEqual([
    200,
    'https://console.example.com',
    linkCors.exposedHeaders.join(',').toLowerCase(),
  ])
  expect(await allowedTo('https://other.example.com')).toEqual([200, null, null])
})

test('a changed link is refused at the address of the API as well as at the object store', async () => {
  const url = await aLink('the recording')

  const other = await fetch(url.replace('b%20c.wav', 'other.wav'))

  expect([other.status, await other.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
})

test.each<[string, RequestInit]>([
  ['PUT', { method: 'PUT', body: 'x' }],
  ['DELETE', { method: 'DELETE' }],
  ['POST', { method: 'POST', body: '{}', headers: { 'x-amz-target': 'AmazonSQS.ListQueues' } }],
])('a %s at the address of the API reaches no store, whatever is signed', async (_method, init) => {
  const url = await aLink('the recording')

  expect((await fetch(url, init)).status).toBe(404)
  expect(await (await fetch(url)).text()).toBe('the recording')
})

test('a link at the address of the API serves objects only, whatever service its headers name', async () => {
  const url = await aLink('the recording')

  const answer = await fetch(url, { headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables' } })
  const signed = await fetch(url, { headers: { authorization: 'AWS4-HMAC-SHA256 Credential=a' } })

  expect([answer.status, await answer.text()]).toEqual([200, 'the recording'])
  expect(signed.status).toBe(400)
})

test('a request without a signature in its query does not reach the object store', async () => {
  const { pathname } = new URL(await aLink('the recording'))

  const answer = await fetch(`${origin}${pathname}`)

  expect([answer.status, await answer.text()]).toEqual([404, '{"error":"not_found"}'])
})

test('a link whose path is not well-formed is refused in the form of the API', async () => {
  const asked = request(`${origin}/recordings/%E0%A4%A?X-Amz-Signature=1`).end()
  const [response] = await once(asked, 'response')
  response.resume()

  expect(response.statusCode).toBe(400)
})

const networks = {
  lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }],
  eth0: [
    { address: 'fe80::1', family: 'IPv6', internal: false },
    { address: '10.0.0.2', family: 'IPv4', internal: false },
  ],
}

test.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['10.0.0.7:8080', 'http://10.0.0.7:8080'],
  ['0.0.0.0:8080', 'http://10.0.0.2:8080'],
  ['[::]:8080', 'http://10.0.0.2:8080'],
])('an API that listens on %s calls itself %s, which other machines reach where it listens on all', (address, url) => {
  expect(publicUrl(address, networks)).toBe(url)
})

test('the address of an API that listens on all addresses is the loopback address if the machine has no network', () => {
  expect(publicUrl('0.0.0.0:8080', { lo: networks.lo })).toBe('http://127.0.0.1:8080')
})

describe('a link that stores a part of an upload', () => {
  const sound = aFileBody('sound')
  async function aPartLink() {
    const files = s3RecordingFiles(context())
    const key = `a/${systemRandomness.uuid()}`
    const upload = await files.beginUpload(key, 'audio/wav')
    const part = { number: 1, size: sound.size, sha256: sound.sha256 }
    return { files, upload, ...(await files.signPart(upload, part, 60)) }
  }
  const put = async (url: string, body: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'PUT', body, headers })).status

  test('an upload link points to the address of the API and stores its part', async () => {
    const { files, upload, url, checksum } = await aPartLink()

    expect(new URL(url).origin).toBe(origin)
    expect(await put(url, 'sound', { 'x-amz-checksum-sha256': checksum })).toBe(200)

    expect(await files.listParts(upload)).toMatchObject([{ number: 1, size: 5, sha256: sound.sha256 }])
  })

  test.each<[string, string, (checksum: string) => Record<string, string>]>([
    ['other bytes of the same length', 'sounD', (sum) => ({ 'x-amz-checksum-sha256': sum })],
    ['more bytes', 'sounds', (sum) => ({ 'x-amz-checksum-sha256': sum })],
    ['another checksum', 'sound', () => ({ 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') })],
    ['no checksum', 'sound', () => ({})],
  ])('the link takes no part with %s', async (_what, body, headers) => {
    const { files, upload, url, checksum } = await aPartLink()

    expect(await put(url, body, headers(checksum))).toBeGreaterThanOrEqual(400)

    expect(await files.listParts(upload)).toEqual([])
  })

  test('an upload link stores no other part and no whole object', async () => {
    const { files, upload, url, checksum } = await aPartLink()
    const headers = { 'x-amz-checksum-sha256': checksum }

    expect(await put(url.replace('partNumber=1', 'partNumber=2'), 'sound', headers)).toBe(403)
    expect(await put(url.replace(/&uploadId=[^&]*/, ''), 'sound', headers)).toBe(403)

    expect(await files.listParts(upload)).toEqual([])
    expect(await files.head(upload.key)).toBeUndefined()
  })
})
