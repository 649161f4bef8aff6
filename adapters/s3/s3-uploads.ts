import type { BucketName } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileStore, Upload, UploadedPart } from '../../core/recordings/file-store.ts'
import type { AdapterContext } from '../context.ts'
import { ObjectRefusal, answered, failure, refusalOf } from './object-answers.ts'
import { type ObjectRequest, objectRequest } from './object-request.ts'
import { elements, textOfElement, xmlText } from './object-xml.ts'

type Uploads = Pick<FileStore, 'beginUpload' | 'putPart' | 'listParts' | 'completeUpload' | 'abortUpload'>

/** Requests without a body of bytes are answered within a second. */
const shortMs = 10_000

/** S3 keeps the connection alive by spaces while it puts parts together. */
export const completionMs = 100_000

/** Time for a body: 16 MiB at 168 KB/s. Less than an uploader's claim lasts. */
export const bodyMs = 100_000

/** Uploads in parts to a bucket of S3, each part with its SHA-256, which the store verifies and gives back. */
export function s3Uploads(context: AdapterContext, bucket: BucketName): Uploads {
  const ask = (request: Omit<ObjectRequest, 'bucket'>) => () => objectRequest(context, { ...request, bucket })
  return {
    async beginUpload(key, contentType) {
      const headers = { 'content-type': contentType, 'x-amz-checksum-algorithm': 'SHA256' }
      const request = ask({ key, method: 'POST', query: { uploads: '' }, headers, timeoutMs: shortMs })
      const { body } = await answered('begin an upload', request, { taken: [200] })
      return { key, uploadId: named(body, 'UploadId') }
    },
    async putPart({ key, uploadId }, number, body) {
      const query = { partNumber: String(number), uploadId }
      const headers = { 'x-amz-checksum-sha256': base64Of(body.sha256) }
      const request = ask({ key, method: 'PUT', query, headers, body, timeoutMs: bodyMs })
      const answer = await answered('put a part', request, { taken: [200], isOnce: true })
      return { number, size: body.size, sha256: body.sha256, etag: String(answer.headers.etag) }
    },
    listParts: (upload) => listParts(upload, ask),
    completeUpload: (upload, parts) => complete(upload, parts, ask),
    async abortUpload({ key, uploadId }) {
      const request = ask({ key, method: 'DELETE', query: { uploadId }, timeoutMs: shortMs })
      await answered('drop an upload', request, { taken: [204, 404] })
    },
  }
}

type Ask = (request: Omit<ObjectRequest, 'bucket'>) => () => ReturnType<typeof objectRequest>

async function listParts({ key, uploadId }: Upload, ask: Ask): Promise<UploadedPart[] | undefined> {
  const found: UploadedPart[] = []
  let marker = '0'
  for (;;) {
    const query = { uploadId, 'part-number-marker': marker }
    const request = ask({ key, method: 'GET', query, timeoutMs: shortMs })
    const answer = await answered('list parts', request, { taken: [200, 404] })
    if (answer.status === 404) return undefined
    const xml = answer.body?.toString() ?? ''
    found.push(...elements(xml, 'Part').map(partOf))
    if (textOfElement(xml, 'IsTruncated') !== 'true') return found.sort((a, b) => a.number - b.number)
    marker = textOfElement(xml, 'NextPartNumberMarker') ?? ''
  }
}

async function complete({ key, uploadId }: Upload, parts: readonly UploadedPart[], ask: Ask): Promise<boolean> {
  const listed = [...parts].sort((a, b) => a.number - b.number).map(partText)
  const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join('')}</CompleteMultipartUpload>`
  const request = ask({ key, method: 'POST', query: { uploadId }, body, timeoutMs: completionMs })
  const answer = await answered('complete an upload', request, { taken: [200, 400, 404], isOnce: true })
  const refusal = refusalOf('complete an upload', answer)
  if (['NoSuchUpload', 'InvalidPart'].includes(refusal.code)) return false
  // S3 may say 200 and only then find out that it cannot.
  if (answer.status !== 200) throw failure(refusal)
  if (refusal.code !== 'unnamed') throw failure(new ObjectRefusal('complete an upload', 500, refusal.code))
  return true
}

function partOf(xml: string): UploadedPart {
  const [number, size] = [Number(named(xml, 'PartNumber')), Number(named(xml, 'Size'))]
  const sha256 = Buffer.from(named(xml, 'ChecksumSHA256'), 'base64').toString('hex')
  return { number, size, sha256, etag: named(xml, 'ETag') }
}

function partText({ number, etag, sha256 }: UploadedPart): string {
  return `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(etag)}</ETag><ChecksumSHA256>${base64Of(sha256)}</ChecksumSHA256></Part>`
}

function named(xml: Buffer | string | undefined, name: string): string {
  const text = textOfElement(xml?.toString() ?? '', name)
  if (text === undefined) throw new DomainError('internal_error', `the object store named no ${name}`)
  return text
}

/** A checksum as S3 writes it. */
function base64Of(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}
