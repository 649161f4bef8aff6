import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { type BucketName, buckets } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileBody } from '../../core/recordings/file-store.ts'
import { ServiceRefusal, callService } from '../aws/call-service.ts'
import { s3Client } from '../aws/s3-client.ts'
import { type AdapterContext, required } from '../context.ts'

/** Time for a body: 16 MiB at 168 KB/s. Less than an uploader's claim lasts. */
const bodyMs = 100_000

/** Codes of refusals of bytes that are not those of their checksum, or that are no part. */
const WRONG_BYTES = new Set([
  'BadDigest',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
  'EntityTooSmall',
  'EntityTooLarge',
  'IncompleteBody',
])

/** Returns the physical name of a bucket. */
export function bucketName(context: Pick<AdapterContext, 'env'>, bucket: BucketName): string {
  return required(context, buckets[bucket].variable)
}

/**
 * Calls the object store. Errors come as {@link callService} translates them; a refusal of bytes is a `bad_request`.
 */
export async function callObjects<T>(
  context: AdapterContext,
  send: (client: S3Client) => Promise<T>,
  clientOf = s3Client,
): Promise<T> {
  try {
    return await callService('the object store', () => send(clientOf(context)))
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal === undefined || !WRONG_BYTES.has(refusal.code)) throw error
    throw new DomainError('bad_request', 'the object store refused the bytes: they are not those of their checksum', {
      cause: refusal,
    })
  }
}

/** Waits for a call; returns `undefined` when the store answers that the object or upload does not exist. */
export async function unlessAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (refusalIn(error)?.status === 404) return undefined
    throw error
  }
}

/** Returns the store's refusal of a call. */
export function refusalIn(error: unknown): ServiceRefusal | undefined {
  return error instanceof DomainError && error.cause instanceof ServiceRefusal ? error.cause : undefined
}

/** Returns a checksum as S3 writes it. */
export function base64Of(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

interface BodyCall {
  readonly input: { readonly Body: Readable; readonly ContentLength: number; readonly ChecksumSHA256: string }
  readonly limits: { readonly requestTimeout: number; readonly abortSignal: AbortSignal }
}

/**
 * Sends a body, which flows from its source as fast as the store takes it, a single time. The store refuses bytes that
 * have another checksum. Fails with the source's own error when the source does.
 */
export async function sendBody<T>(body: FileBody, send: (call: BodyCall) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const Body = Readable.from(exactly(body), { objectMode: false })
  let failure: { readonly error: unknown } | undefined
  Body.once('error', (error) => {
    failure ??= { error }
    ending.abort(error)
  })
  const input = { Body, ContentLength: body.size, ChecksumSHA256: base64Of(body.sha256) }
  try {
    return await send({ input, limits: { requestTimeout: bodyMs, abortSignal: ending.signal } })
  } catch (error) {
    const cause = failure?.error ?? error
    // A store that refuses answers before it has taken all, and the rest of the body must not keep the connection.
    ending.abort()
    throw cause
  } finally {
    Body.destroy()
  }
}

/** Yields the bytes of a body; fails when their number differs from its size. */
async function* exactly({ bytes, size }: FileBody): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const piece of bytes) {
    sent += piece.length
    if (sent > size) break
    yield piece
  }
  if (sent !== size) throw new DomainError('bad_request', `the body has not the ${size} bytes that it says`)
}
