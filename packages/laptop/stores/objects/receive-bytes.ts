import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ObjectCall } from '../../gate/gate.ts'
import { ObjectRefusal } from './refusal.ts'

/** The received bytes. */
export interface ReceivedBytes {
  readonly size: number
  /** Hex MD5, which S3 calls an object's bytes by. */
  readonly md5: string
  /** Hex. */
  readonly sha256: string
}

/**
 * Writes a body to a file as it arrives and compares it with the signed hash and with its checksums. A body that
 * differs, or that is cut off, leaves nothing.
 */
export async function receiveBytes({ request, payloadHash }: ObjectCall, path: string): Promise<ReceivedBytes> {
  if (payloadHash.startsWith('STREAMING-')) {
    throw new ObjectRefusal(501, 'NotImplemented', 'a body signed in chunks is not known here')
  }
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sha256.update(chunk)
      md5.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(request, measure, createWriteStream(path, { mode: 0o600 }))
    const received = { size, md5: md5.digest('hex'), sha256: sha256.digest('hex') }
    check(received, payloadHash, request.headers['x-amz-checksum-sha256'], request.headers['content-md5'])
    return received
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

function check(
  { md5, sha256 }: ReceivedBytes,
  payloadHash: string,
  checksum: string | string[] | undefined,
  contentMd5: string | string[] | undefined,
): void {
  if (payloadHash !== 'UNSIGNED-PAYLOAD' && payloadHash !== sha256) {
    throw new ObjectRefusal(400, 'XAmzContentSHA256Mismatch', 'the body is not the one that was signed')
  }
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')
  if (checksum !== undefined && checksum !== base64(sha256)) {
    throw new ObjectRefusal(400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.')
  }
  if (contentMd5 !== undefined && contentMd5 !== base64(md5)) {
    throw new ObjectRefusal(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.')
  }
}
