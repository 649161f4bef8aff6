import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { s3ExportFiles, s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { withTimeLimit } from '../../../adapters/time-limit.ts'
import { aFileBody, manyBytes } from '../../support/processes/file-bodies.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'eu-central-1' }
const named = { ...credentials, BUCKET_RECORDINGS: 'calls', BUCKET_EXPORTS: 'lists' }
const clock = movableClock()
const context = (env: Record<string, string>) => ({ env, clock, random: systemRandomness })
const upload = { key: 'a/b', uploadId: 'u' }
const aPart = (number: number) => ({ number, size: 5, sha256: 'ff'.repeat(32), etag: `"e${number}"` })

let stop: () => Promise<void> = async () => {}
afterEach(() => stop())

/** A store that answers by the test's own words; every request it gets is kept. */
async function aStore(answer: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  const seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    seen.push({ method: request.method, url: request.url, headers: request.headers })
    answer(request, response, seen.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    stop = async () => {}
  }
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { seen, files: s3RecordingFiles(context({ ...named, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` })) }
}

const refusing = (status: number, code: string) => (request: IncomingMessage, response: ServerResponse) => {
  request.resume()
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

describe('the address of an object', () => {
  const link = { key: "a.example.com/2026/a (1)'+é.wav", contentType: 'audio/wav', disposition: 'inline', seconds: 300 }

  it('the address of an object in the cloud has the bucket in its host, and expires to the second', async () => {
    const { url, expires } = await s3RecordingFiles(context(named)).sign(link)

    expect(url).toMatch(
      /^https:\/\/calls\.s3\.eu-central-1\.amazonaws\.com\/a\.example\.com\/2026\/a%20%281%29%27%2B%C3%A9\.wav\?/,
    )
    expect(expires).toBe(clock.now() + 300_000)
    const query = new URL(url).searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      'X-Amz-Expires': '300',
      'X-Amz-SignedHeaders': 'host',
      'response-content-type': 'audio/wav',
      'response-content-disposition': 'inline',
      'response-cache-control': 'private, no-store',
    })
  })

  it('the address of an object at another endpoint has the bucket in its path', async () => {
    const env = { ...named, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }

    expect((await s3ExportFiles(context(env)).sign(link)).url).toMatch(
      /^http:\/\/127\.0\.0\.1:9\/lists\/a\.example\.com\//,
    )
  })

  it('the address of an object cannot be made without the name of the bucket, which the error names', async () => {
    await expect(s3RecordingFiles(context(credentials)).sign(link)).rejects.toThrow('BUCKET_RECORDINGS')
  })
})

describe('a store that does not do what it should', () => {
  it('a failing object store is asked three times', async () => {
    const { files, seen } = await aStore(refusing(503, 'SlowDown'))

    await expect(files.head('a')).rejects.toMatchObject({ code: 'store_unavailable', retryAfterSeconds: 2 })
    expect(seen).toHaveLength(3)
  })

  it('a repeated request to the object store counts with its later answer', async () => {
    const { files } = await aStore((request, response, count) => {
      if (count === 1) request.socket.destroy()
      else response.writeHead(200, { 'content-length': '7', 'content-type': 'audio/wav' }).end()
    })

    expect(await files.head('a')).toEqual({ size: 7, contentType: 'audio/wav', state: 'ready' })
  })

  it('an object store that breaks off in the middle of an object counts as unreachable', async () => {
    const { files } = await aStore((_request, response) => {
      response.writeHead(200, { 'content-length': '9' })
      response.write('sound', () => response.destroy())
    })

    await expect(files.read('a', 1_000)).rejects.toMatchObject({ code: 'store_unavailable', retryAfterSeconds: 2 })
  })

  it('an object store that closes the connection during an upload counts as unreachable', async () => {
    const { files, seen } = await aStore((request) => void request.socket.destroy())

    await expect(files.put('a', 'audio/wav', aFileBody('sound'))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(seen).toHaveLength(1)
  })

  it('the object store is asked only once to complete an upload, since the second answer would be "no such upload"', async () => {
    const { files, seen } = await aStore((request) => void request.socket.destroy())

    await expect(files.completeUpload(upload, [aPart(1)])).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(seen).toHaveLength(1)
  })

  it('the object store is given a body once, since its source can be read once', async () => {
    const { files, seen } = await aStore(refusing(500, 'InternalError'))

    await expect(files.put('a', 'audio/wav', aFileBody('sound'))).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(files.putPart(upload, 1, aFileBody('sound'))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(seen).toHaveLength(2)
  })

  it('a refusal by the object store counts even if it has not read the body', async () => {
    const { files } = await aStore((_request, response) => {
      response.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>')
    })

    const put = files.put('a', 'audio/wav', aFileBody(manyBytes(32 * 1024 * 1024)))

    // Its answer may be lost with the connection that it closes while bytes are on their way.
    await expect(put).rejects.toMatchObject({ code: expect.stringMatching(/^(?:internal_error|store_unavailable)$/) })
  })

  it.each([
    [403, 'AccessDenied', 'internal_error'],
    [403, 'SignatureDoesNotMatch', 'internal_error'],
    [400, 'BadDigest', 'bad_request'],
    [400, 'RequestTimeout', 'store_unavailable'],
  ])('an object store that answers a body %i %s makes it %s', async (status, code, expected) => {
    const { files } = await aStore(refusing(status, code))

    await expect(files.put('a', 'audio/wav', aFileBody('sound'))).rejects.toMatchObject({ code: expected })
  })

  it('an answer of the object store that begins with 200 and then reports a failed completion is a failure', async () => {
    const { files } = await aStore(refusing(200, 'InternalError'))

    await expect(files.completeUpload(upload, [aPart(1)])).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('the object store gets no request after the time of the work is over', async () => {
    const { files, seen } = await aStore(refusing(500, 'InternalError'))

    const late = withTimeLimit({ until: clock.now(), clock }, () => files.head('a'))

    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' })
    expect(seen).toEqual([])
  })
})

describe('answers of the store', () => {
  it.each([
    [{}, 'ready'],
    [{ 'x-amz-storage-class': 'GLACIER_IR' }, 'ready'],
    [{ 'x-amz-storage-class': 'GLACIER' }, 'archived'],
    [{ 'x-amz-storage-class': 'DEEP_ARCHIVE' }, 'archived'],
    [{ 'x-amz-storage-class': 'INTELLIGENT_TIERING', 'x-amz-archive-status': 'ARCHIVE_ACCESS' }, 'archived'],
    [{ 'x-amz-storage-class': 'GLACIER', 'x-amz-restore': 'ongoing-request="true"' }, 'restoring'],
    [
      {
        'x-amz-storage-class': 'GLACIER',
        'x-amz-restore': 'ongoing-request="false", expiry-date="Fri, 21 Dec 2029 00:00:00 GMT"',
      },
      'ready',
    ],
  ])('the head %j describes an object that is %s', async (headers, state) => {
    const { files } = await aStore((_request, response) => void response.writeHead(200, headers).end())

    expect((await files.head('a'))?.state).toBe(state)
  })

  it('several lists of parts of the object store are joined', async () => {
    const part = (number: number) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>&quot;e${number}&quot;</ETag><Size>5</Size>` +
      `<ChecksumSHA256>${Buffer.from('ff'.repeat(32), 'hex').toString('base64')}</ChecksumSHA256></Part>`
    const { files, seen } = await aStore((request, response) => {
      const isFirst = request.url?.includes('part-number-marker=0') === true
      const next = isFirst ? '<NextPartNumberMarker>1</NextPartNumberMarker>' : ''
      const list = `${next}<IsTruncated>${isFirst}</IsTruncated>${part(isFirst ? 1 : 2)}`
      response.writeHead(200).end(`<ListPartsResult>${list}</ListPartsResult>`)
    })

    expect(await files.listParts(upload)).toEqual([aPart(1), aPart(2)])
    expect(seen).toHaveLength(2)
  })

  it('the object store is asked by signed requests that name the bytes by their checksum', async () => {
    const { files, seen } = await aStore((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { etag: '"e"' }).end())
    })
    const body = aFileBody('sound')

    await files.put('a', 'audio/wav', body)

    expect(seen[0]?.headers).toMatchObject({
      'content-length': '5',
      'content-type': 'audio/wav',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      'x-amz-checksum-sha256': Buffer.from(body.sha256, 'hex').toString('base64'),
      authorization: expect.stringMatching(/SignedHeaders=[^,]*x-amz-checksum-sha256;x-amz-content-sha256/),
    })
  })
})
