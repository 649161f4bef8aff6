import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type Part,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { BucketName } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileStore, Upload, UploadedPart } from '../../core/recordings/file-store.ts'
import { s3ClientOfOneAttempt } from '../aws/s3-client.ts'
import type { AdapterContext } from '../context.ts'
import { signPart } from './signed-links.ts'
import { base64Of, bucketName, callObjects, refusalIn, sendBody, unlessAbsent } from './client.ts'

type Uploads = Pick<FileStore, 'beginUpload' | 'putPart' | 'signPart' | 'listParts' | 'completeUpload' | 'abortUpload'>

/** S3 keeps the connection alive by spaces while it puts parts together. */
export const completionMs = 100_000

const UNKNOWN = new Set(['NoSuchUpload', 'InvalidPart'])

/**
 * Uploads in parts to a bucket of S3, each part with its SHA-256, which the store verifies and returns. `lib-storage`
 * would upload a whole object at once and could not continue the upload of a process that died.
 */
export function s3Uploads(context: AdapterContext, bucket: BucketName): Uploads {
  const of = ({ key, uploadId }: Upload) => ({ Bucket: bucketName(context, bucket), Key: key, UploadId: uploadId })
  return {
    async beginUpload(key, contentType) {
      const command = new CreateMultipartUploadCommand({
        Bucket: bucketName(context, bucket),
        Key: key,
        ContentType: contentType,
        ChecksumAlgorithm: 'SHA256',
      })
      const { UploadId } = await callObjects(context, (client) => client.send(command))
      return { key, uploadId: given(UploadId, 'id of an upload') }
    },
    async putPart(upload, number, body) {
      const { ETag } = await sendBody(body, ({ input, limits }) => {
        const command = new UploadPartCommand({ ...of(upload), PartNumber: number, ...input })
        return callObjects(context, (client) => client.send(command, limits))
      })
      return { number, size: body.size, sha256: body.sha256, etag: given(ETag, 'etag of a part') }
    },
    signPart: (upload, part, seconds) => signPart(context, bucket, { upload, part, seconds }),
    listParts: (upload) => unlessAbsent(listParts(context, of(upload))),
    async completeUpload(upload, parts) {
      const Parts = parts.toSorted((a, b) => a.number - b.number).map(toPart)
      const command = new CompleteMultipartUploadCommand({ ...of(upload), MultipartUpload: { Parts } })
      const limits = { requestTimeout: completionMs }
      try {
        await callObjects(context, (client) => client.send(command, limits), s3ClientOfOneAttempt)
        return true
      } catch (error) {
        if (UNKNOWN.has(refusalIn(error)?.code ?? '')) return false
        throw error
      }
    },
    async abortUpload(upload) {
      const command = new AbortMultipartUploadCommand(of(upload))
      await unlessAbsent(callObjects(context, (client) => client.send(command)))
    },
  }
}

async function listParts(
  context: AdapterContext,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string },
): Promise<UploadedPart[]> {
  const found: UploadedPart[] = []
  let marker: string | undefined = '0'
  while (marker !== undefined) {
    const command: ListPartsCommand = new ListPartsCommand({ ...upload, PartNumberMarker: marker })
    const page = await callObjects(context, (client) => client.send(command))
    found.push(...(page.Parts ?? []).map(fromPart))
    marker = page.IsTruncated === true ? given(page.NextPartNumberMarker, 'marker of the next parts') : undefined
  }
  return found.sort((a, b) => a.number - b.number)
}

function fromPart({ PartNumber, Size, ETag, ChecksumSHA256 }: Part): UploadedPart {
  return {
    number: given(PartNumber, 'number of a part'),
    size: given(Size, 'size of a part'),
    sha256: Buffer.from(given(ChecksumSHA256, 'checksum of a part'), 'base64').toString('hex'),
    etag: given(ETag, 'etag of a part'),
  }
}

function toPart({ number, etag, sha256 }: UploadedPart) {
  return { PartNumber: number, ETag: etag, ChecksumSHA256: base64Of(sha256) }
}

function given<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value
  throw new DomainError('internal_error', `the object store answered without the ${what}`)
}
