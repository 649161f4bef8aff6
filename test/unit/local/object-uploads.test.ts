import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { opened } from '../../support/processes/opened.ts'
import { startObjectServer } from '../../support/stores/object-server.ts'
import { type RawObjectRequest, elementIn, rawObjectRequest } from '../../support/stores/raw-object-request.ts'

const server = opened(startObjectServer)
const path = '/physical-BUCKET_RECORDINGS/a.example.com/object'

/** The answer of the store: its status, and its own word if it refuses. */
async function ask(request: Omit<RawObjectRequest, 'path'>) {
  const answer = await rawObjectRequest(server().env, { path, ...request })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, code: elementIn(text, 'Code') }
}

async function begin(headers: Record<string, string> = {}): Promise<string> {
  const { text } = await ask({ method: 'POST', query: { uploads: '' }, headers })
  return elementIn(text, 'UploadId') ?? ''
}

const put = (uploadId: string, partNumber: string, content = 'sound') =>
  ask({ method: 'PUT', query: { uploadId, partNumber }, body: content })

const complete = (uploadId: string, parts: string) =>
  ask({ method: 'POST', query: { uploadId }, body: `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>` })

const md5 = createHash('md5').update('sound').digest('hex')
const named = (number: number, sum = '') => `<Part><PartNumber>${number}</PartNumber><ETag>"${md5}"</ETag>${sum}</Part>`
const sum = `<ChecksumSHA256>${createHash('sha256').update('sound').digest('base64')}</ChecksumSHA256>`

describe('an upload in parts', () => {
  it.each(['0', '10001', '1.5', 'one', ''])('an upload in parts accepts no part of the number "%s"', async (number) => {
    expect(await put(await begin(), number)).toMatchObject({ status: 400, code: 'InvalidArgument' })
  })

  it.each([
    ['no parts', '', 'MalformedXML'],
    ['parts in another order', named(2) + named(1), 'InvalidPartOrder'],
    ['a part twice', named(1) + named(1), 'InvalidPartOrder'],
    ['a part that is not there', named(1) + named(3), 'InvalidPart'],
    ['a small part that is not the last', named(1) + named(2), 'EntityTooSmall'],
  ])('an upload in parts is not completed by %s', async (_, parts, code) => {
    const uploadId = await begin()
    await put(uploadId, '1')
    await put(uploadId, '2')

    expect(await complete(uploadId, parts)).toMatchObject({ status: 400, code })
    expect((await ask({ method: 'HEAD' })).status).toBe(404)
  })

  it('an upload that was begun with checksums is completed only with those of its parts', async () => {
    const uploadId = await begin({ 'x-amz-checksum-algorithm': 'SHA256' })
    await put(uploadId, '1')
    const wrong = sum.replace(/>./, '>!')

    expect(await complete(uploadId, named(1))).toMatchObject({ status: 400, code: 'InvalidPart' })
    expect(await complete(uploadId, named(1, wrong))).toMatchObject({ status: 400, code: 'InvalidPart' })
    const done = await complete(uploadId, named(1, sum))
    const ofSums = createHash('sha256').update(createHash('sha256').update('sound').digest()).digest('base64')
    expect([done.status, elementIn(done.text, 'ChecksumSHA256')]).toEqual([200, `${ofSums}-1`])
    const ofMd5 = createHash('md5').update(Buffer.from(md5, 'hex')).digest('hex')
    expect((await ask({ method: 'HEAD' })).headers.get('etag')).toBe(`"${ofMd5}-1"`)
    await ask({ method: 'DELETE' })
  })

  it("the list of an upload's parts has as many as requested, and names where the next list begins", async () => {
    const uploadId = await begin()
    for (const number of ['1', '5', '9']) await put(uploadId, number)

    const { text } = await ask({ method: 'GET', query: { uploadId, 'max-parts': '2', 'part-number-marker': '0' } })

    expect([elementIn(text, 'IsTruncated'), elementIn(text, 'NextPartNumberMarker')]).toEqual(['true', '5'])
    const rest = await ask({ method: 'GET', query: { uploadId, 'part-number-marker': '5' } })
    expect([elementIn(rest.text, 'IsTruncated'), elementIn(rest.text, 'PartNumber')]).toEqual(['false', '9'])
  })

  it('an upload with another kind of checksum, or under an unknown id, is refused', async () => {
    const other = await ask({
      method: 'POST',
      query: { uploads: '' },
      headers: { 'x-amz-checksum-algorithm': 'CRC32' },
    })

    expect(other).toMatchObject({ status: 501, code: 'NotImplemented' })
    for (const uploadId of ['', '..', '../..', 'f'.repeat(48)]) {
      expect(await put(uploadId, '1')).toMatchObject({ status: 404, code: 'NoSuchUpload' })
    }
  })
})

describe('a body', () => {
  it.each([
    ['x-amz-checksum-sha256', createHash('sha256').update('other').digest('base64')],
    ['content-md5', createHash('md5').update('other').digest('base64')],
  ])('a body that does not match its %s is refused and not kept', async (name, value) => {
    const answer = await ask({ method: 'PUT', headers: { [name]: value }, body: 'sound' })

    expect(answer).toMatchObject({ status: 400, code: 'BadDigest' })
    expect((await ask({ method: 'HEAD' })).status).toBe(404)
  })
})

it('an archived object can be described and not read', async () => {
  await ask({ method: 'PUT', headers: { 'x-amz-storage-class': 'DEEP_ARCHIVE' }, body: 'sound' })

  expect((await ask({ method: 'HEAD' })).headers.get('x-amz-storage-class')).toBe('DEEP_ARCHIVE')
  expect(await ask({ method: 'GET' })).toMatchObject({ status: 403, code: 'InvalidObjectState' })
  expect((await ask({ method: 'POST', query: { restore: '' } })).status).toBe(202)
  expect((await ask({ method: 'HEAD' })).headers.get('x-amz-restore')).toBe('ongoing-request="true"')
})
