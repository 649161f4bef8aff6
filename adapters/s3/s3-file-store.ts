import {
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectVersionsCommand,
  PutObjectLegalHoldCommand,
} from '@aws-sdk/client-s3'
import type { BucketName } from '../../contracts/resources.ts'
import { recordingsLock } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileHead, FileStore } from '../../core/recordings/file-store.ts'
import type { AdapterContext } from '../context.ts'
import { bucketName, callObjects, refusalIn, unlessAbsent } from './client.ts'
import { s3Objects } from './s3-objects.ts'
import { s3Uploads } from './s3-uploads.ts'
import { signLink } from './signed-links.ts'

/** Returns the recordings' bucket. */
export function s3RecordingFiles(context: AdapterContext): FileStore {
  return s3FileStore(context, 'recordings')
}

/** Returns the exports' bucket. */
export function s3ExportFiles(context: AdapterContext): FileStore {
  return s3FileStore(context, 'exports')
}

function s3FileStore(context: AdapterContext, bucket: BucketName): FileStore {
  const at = (Key: string) => ({ Bucket: bucketName(context, bucket), Key })
  return {
    ...s3Objects(context, bucket),
    ...s3Uploads(context, bucket),
    sign: (link) => signLink(context, bucket, link),
    async head(key) {
      const command = new HeadObjectCommand(at(key))
      const found = await unlessAbsent(callObjects(context, (client) => client.send(command)))
      return found && headOf(found)
    },
    async hold(key, isHeld) {
      if (!readVariable(recordingsLock, context.env)) return
      // By its id a version is reached under a delete marker, too, where a call without an id is refused.
      const list = new ListObjectVersionsCommand({ Bucket: at(key).Bucket, Prefix: key, MaxKeys: mostVersions })
      const { Versions = [] } = await callObjects(context, (client) => client.send(list))
      const LegalHold = { Status: isHeld ? 'ON' : 'OFF' } as const
      for (const { VersionId } of Versions.filter(({ Key }) => Key === key)) {
        const command = new PutObjectLegalHoldCommand({ ...at(key), VersionId, LegalHold })
        await unlessUnlockable(unlessAbsent(callObjects(context, (client) => client.send(command))), isHeld)
      }
    },
  }
}

/** A recording is written once. More versions come from others than the platform, the newest are reached. */
const mostVersions = 100

/** The code with which a bucket without Object Lock refuses a legal hold. */
const noLock = 'InvalidRequest'

/** Waits for a legal hold to be set or ended. It ends in a bucket without Object Lock, too: nothing in it is locked. */
async function unlessUnlockable(call: Promise<unknown>, isHeld: boolean): Promise<void> {
  try {
    await call
  } catch (error) {
    if (refusalIn(error)?.code !== noLock) throw error
    if (!isHeld) return
    const problem = 'the store of recordings does not lock objects yet'
    throw new DomainError('store_unavailable', problem, { cause: error })
  }
}

const archives = new Set(['GLACIER', 'DEEP_ARCHIVE'])

function headOf(found: HeadObjectCommandOutput): FileHead {
  const { ContentLength: size = 0, ContentType: contentType = '', StorageClass, ArchiveStatus, Restore = '' } = found
  const isArchived = archives.has(StorageClass ?? '') || ArchiveStatus !== undefined
  // `ongoing-request="false"` comes with the end of a restored copy, which can be read.
  const restore = /ongoing-request="(true|false)"/.exec(Restore)?.[1]
  const state = restore === 'true' ? 'restoring' : isArchived && restore === undefined ? 'archived' : 'ready'
  return { size, contentType, state }
}
