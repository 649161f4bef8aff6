import type { BucketName } from '../../contracts/resources.ts'
import type { FileHead, FileStore } from '../../core/recordings/file-store.ts'
import type { AdapterContext } from '../context.ts'
import { answered } from './object-answers.ts'
import { type ObjectAnswer, type ObjectRequest, objectRequest } from './object-request.ts'
import { bodyMs, s3Uploads } from './s3-uploads.ts'
import { signLink } from './sign-link.ts'

/** A request of these ends well before the 28 s that a caller waits, even at its third try. */
const shortMs = 5_000

/** The recordings' bucket. */
export function s3RecordingFiles(context: AdapterContext): FileStore {
  return s3FileStore(context, 'recordings')
}

/** The exports' bucket. */
export function s3ExportFiles(context: AdapterContext): FileStore {
  return s3FileStore(context, 'exports')
}

/** The bucket of what deliveries carry. */
export function s3PayloadFiles(context: AdapterContext): FileStore {
  return s3FileStore(context, 'payloads')
}

function s3FileStore(context: AdapterContext, bucket: BucketName): FileStore {
  const ask = (request: Omit<ObjectRequest, 'bucket'>) => () => objectRequest(context, { ...request, bucket })
  return {
    ...s3Uploads(context, bucket),
    sign: (link) => signLink(context, bucket, link),
    async head(key) {
      const request = ask({ key, method: 'HEAD', timeoutMs: shortMs })
      const answer = await answered('look for an object', request, { taken: [200, 404] })
      return answer.status === 404 ? undefined : headOf(answer)
    },
    async read(key, maxBytes) {
      const request = ask({ key, method: 'GET', timeoutMs: shortMs, maxAnswerBytes: maxBytes })
      const { status, body } = await answered('read an object', request, { taken: [200, 404] })
      return status === 404 ? undefined : body
    },
    async put(key, contentType, body) {
      const headers = { 'content-type': contentType, 'x-amz-checksum-sha256': checksumOf(body.sha256) }
      const request = ask({ key, method: 'PUT', headers, body, timeoutMs: bodyMs })
      await answered('store an object', request, { taken: [200], isOnce: true })
    },
    async remove(key) {
      const request = ask({ key, method: 'DELETE', timeoutMs: shortMs })
      await answered('remove an object', request, { taken: [204, 404] })
    },
  }
}

/** Storage classes whose objects have to be restored before they can be read. */
const archives = new Set(['GLACIER', 'DEEP_ARCHIVE'])

function headOf({ headers }: ObjectAnswer): FileHead {
  const text = (name: string) => String(headers[name] ?? '')
  const isArchived = archives.has(text('x-amz-storage-class')) || text('x-amz-archive-status') !== ''
  // `ongoing-request="false"` comes with the end of a restored copy, which can be read.
  const restore = /ongoing-request="(true|false)"/.exec(text('x-amz-restore'))?.[1]
  const state = restore === 'true' ? 'restoring' : isArchived && restore === undefined ? 'archived' : 'ready'
  return { size: Number(headers['content-length']), contentType: text('content-type'), state }
}

function checksumOf(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64')
}
