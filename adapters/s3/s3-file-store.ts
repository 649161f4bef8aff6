import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
} from '@aws-sdk/client-s3'
import type { BucketName } from '../../contracts/resources.ts'
import { recordingsLock } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileHead, FileStore } from '../../core/files/file-store.ts'
import type { AdapterContext } from '../context.ts'
import { bucketName, callObjects, refusalIn, sendBody, unlessAbsent } from './client.ts'
import { s3Uploads } from './s3-uploads.ts'
import { signLink } from './sign-link.ts'

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
  const at = (Key: string) => ({ Bucket: bucketName(context, bucket), Key })
  return {
    ...s3Uploads(context, bucket),
    sign: (link) => signLink(context, bucket, link),
    async head(key) {
      const command = new HeadObjectCommand(at(key))
      const found = await unlessAbsent(callObjects(context, (client) => client.send(command)))
      return found && headOf(found)
    },
    async read(key, maxBytes) {
      const command = new GetObjectCommand(at(key))
      return unlessAbsent(
        callObjects(context, async (client) => {
          const { Body } = await client.send(command)
          return Body instanceof Readable ? bytesOf(Body, maxBytes) : undefined
        }),
      )
    },
    async put(key, contentType, body) {
      await sendBody(body, ({ input, limits }) => {
        const command = new PutObjectCommand({ ...at(key), ContentType: contentType, ...input })
        return callObjects(context, (client) => client.send(command, limits))
      })
    },
    async remove(key) {
      const command = new DeleteObjectCommand(at(key))
      await unlessAbsent(callObjects(context, (client) => client.send(command)))
    },
    async hold(key, isHeld) {
      if (!readVariable(recordingsLock, context.env)) return
      const command = new PutObjectLegalHoldCommand({ ...at(key), LegalHold: { Status: isHeld ? 'ON' : 'OFF' } })
      try {
        await unlessAbsent(callObjects(context, (client) => client.send(command)))
      } catch (error) {
        if (refusalIn(error)?.code !== noLock) throw error
        // Nothing in such a bucket is locked.
        if (isHeld)
          throw new DomainError('store_unavailable', 'the store of recordings does not lock objects yet', {
            cause: error,
          })
      }
    },
  }
}

/** The code with which a bucket without Object Lock refuses a legal hold. */
const noLock = 'InvalidRequest'

/** All bytes of an answer; nothing when there are more than `most`. */
async function bytesOf(body: Readable, most: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    if (!Buffer.isBuffer(piece)) continue
    length += piece.length
    // Leaving the loop ends the connection.
    if (length > most) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Storage classes whose objects have to be restored before they can be read. */
const archives = new Set(['GLACIER', 'DEEP_ARCHIVE'])

function headOf(found: HeadObjectCommandOutput): FileHead {
  const { ContentLength: size = 0, ContentType: contentType = '', StorageClass, ArchiveStatus, Restore = '' } = found
  const isArchived = archives.has(StorageClass ?? '') || ArchiveStatus !== undefined
  // `ongoing-request="false"` comes with the end of a restored copy, which can be read.
  const restore = /ongoing-request="(true|false)"/.exec(Restore)?.[1]
  const state = restore === 'true' ? 'restoring' : isArchived && restore === undefined ? 'archived' : 'ready'
  return { size, contentType, state }
}
