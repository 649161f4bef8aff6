import { Readable } from 'node:stream'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { BucketName } from '../../contracts/resources.ts'
import type { FileStore } from '../../core/recordings/file-store.ts'
import type { AdapterContext } from '../context.ts'
import { bucketName, callObjects, sendBody, unlessAbsent } from './client.ts'

/** Returns the bucket of what deliveries carry. */
export function s3PayloadFiles(context: AdapterContext): Pick<FileStore, 'put' | 'read'> {
  return s3Objects(context, 'payloads')
}

/** Returns the bucket of what deliveries carry, for its removal. */
export function s3PayloadTraces(context: AdapterContext): Pick<FileStore, 'read' | 'remove'> {
  return s3Objects(context, 'payloads')
}

/** Whole objects of a bucket of S3, written, read and removed. */
export function s3Objects(context: AdapterContext, bucket: BucketName): Pick<FileStore, 'put' | 'read' | 'remove'> {
  const at = (Key: string) => ({ Bucket: bucketName(context, bucket), Key })
  return {
    async read(key, maxBytes) {
      const command = new GetObjectCommand(at(key))
      return unlessAbsent(
        callObjects(context, async (client) => {
          const { Body } = await client.send(command)
          return Body instanceof Readable ? bytesOf(Body, maxBytes) : undefined
        }),
      )
    },
    async remove(key) {
      const command = new DeleteObjectCommand(at(key))
      await unlessAbsent(callObjects(context, (client) => client.send(command)))
    },
    async put(key, contentType, body) {
      await sendBody(body, ({ input, limits }) => {
        const command = new PutObjectCommand({ ...at(key), ContentType: contentType, ...input })
        return callObjects(context, (client) => client.send(command, limits))
      })
    },
  }
}

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
