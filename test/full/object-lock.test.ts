/**
 * Legal holds as the adapter sets them, judged by the emulator of AWS, whose S3 refuses to remove a version under a
 * hold.
 */
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectLegalHoldCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { environment } from '../../contracts/environment.ts'
import { buckets } from '../../contracts/resources.ts'
import { recordingsLock } from '../../contracts/settings/platform.ts'
import { startControlPlane } from '../support/control-plane/control-plane.ts'
import { pythonTools } from '../support/control-plane/python-tools.ts'
import { aFileBody } from '../support/processes/file-bodies.ts'
import { opened } from '../support/processes/opened.ts'

const bin = pythonTools('no legal hold is tried at an emulated S3')
const Bucket = 'recordings'

/** The emulated S3 with a bucket that has Object Lock, the adapter over it, and an operator who may do everything. */
async function openBucket() {
  const control = await startControlPlane(bin ?? '')
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const operator = new S3Client({ endpoint: control.address, forcePathStyle: true, region: 'us-east-1', credentials })
  await operator.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  const env = {
    [environment.s3Endpoint]: control.address,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    [recordingsLock.variable]: 'on',
  }
  const filesOf = (bucket: string) =>
    s3RecordingFiles({
      env: { ...env, [buckets.recordings.variable]: bucket },
      clock: systemClock,
      random: systemRandomness,
    })
  return {
    operator,
    files: filesOf(Bucket),
    filesOf,
    async close() {
      operator.destroy()
      await control.close()
    },
  }
}

describe.skipIf(bin === undefined)('a legal hold in an emulated S3', () => {
  const bucket = opened(openBucket)
  const statusOf = async (Key: string) =>
    (await bucket().operator.send(new GetObjectLegalHoldCommand({ Bucket, Key }))).LegalHold?.Status

  it('an object under a legal hold cannot be removed by an operator who may remove every version', async () => {
    const { files, operator } = bucket()
    await files.put('call.wav', 'audio/wav', aFileBody('sound'))
    await files.hold('call.wav', true)

    await files.remove('call.wav')

    expect(await files.head('call.wav')).toBeUndefined()
    const { Versions = [] } = await operator.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'call.wav' }))
    expect(Versions).toHaveLength(1)
    const removal = new DeleteObjectCommand({ Bucket, Key: 'call.wav', VersionId: Versions[0]?.VersionId })
    await expect(operator.send(removal)).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  it('a legal hold on an object that was uploaded in parts begins and ends', async () => {
    const { files } = bucket()
    const upload = await files.beginUpload('parts.wav', 'audio/wav')
    const part = await files.putPart(upload, 1, aFileBody('sound'))
    expect(await files.completeUpload(upload, [part])).toBe(true)

    await files.hold('parts.wav', true)
    const held = await statusOf('parts.wav')
    await files.hold('parts.wav', false)

    expect([held, await statusOf('parts.wav')]).toEqual(['ON', 'OFF'])
  })

  it('a hold ends on an object that an operator removed and on one that an operator wrote over, and no version stays locked', async () => {
    const { files, operator } = bucket()
    for (const key of ['removed.wav', 'replaced.wav']) {
      await files.put(key, 'audio/wav', aFileBody('sound'))
      await files.hold(key, true)
    }
    await operator.send(new DeleteObjectCommand({ Bucket, Key: 'removed.wav' }))
    await files.put('replaced.wav', 'audio/wav', aFileBody('noise'))

    for (const key of ['removed.wav', 'replaced.wav']) await files.hold(key, false)

    const { Versions = [] } = await operator.send(new ListObjectVersionsCommand({ Bucket, Prefix: 're' }))
    expect(Versions).toHaveLength(3)
    for (const { Key, VersionId } of Versions) {
      await operator.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
    }
  })

  it('a hold reaches an object, and none whose key only begins like its own', async () => {
    const { files } = bucket()
    for (const key of ['a.wav', 'a.wave']) await files.put(key, 'audio/wav', aFileBody('sound'))

    await files.hold('a.wav', true)

    expect([await statusOf('a.wav'), await statusOf('a.wave')]).toEqual(['ON', undefined])
  })

  it('a bucket that was created without Object Lock locks recordings once versions and Object Lock are enabled', async () => {
    const { operator, filesOf } = bucket()
    await operator.send(new CreateBucketCommand({ Bucket: 'older' }))
    const files = filesOf('older')
    // The emulated S3 wants the bucket to be empty at this point, which S3 itself does not.
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await operator.send(new PutBucketVersioningCommand({ Bucket: 'older', VersioningConfiguration }))
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled' } as const
    await operator.send(new PutObjectLockConfigurationCommand({ Bucket: 'older', ObjectLockConfiguration }))
    await files.put('call.wav', 'audio/wav', aFileBody('sound'))

    await files.hold('call.wav', true)

    const { Versions = [] } = await operator.send(new ListObjectVersionsCommand({ Bucket: 'older' }))
    const removal = new DeleteObjectCommand({ Bucket: 'older', Key: 'call.wav', VersionId: Versions[0]?.VersionId })
    await expect(operator.send(removal)).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  it('a hold on a recording in a bucket without Object Lock fails as unavailable, and ending one succeeds', async () => {
    const { operator, filesOf } = bucket()
    await operator.send(new CreateBucketCommand({ Bucket: 'unlocked' }))
    const open = filesOf('unlocked')
    await open.put('call.wav', 'audio/wav', aFileBody('sound'))

    await expect(open.hold('call.wav', true)).rejects.toMatchObject({ code: 'store_unavailable' })
    await open.hold('call.wav', false)
  })
})
