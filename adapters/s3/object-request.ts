import { createHash } from 'node:crypto'
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SignatureV4 } from '@smithy/signature-v4'
import type { BucketName } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { FileBody } from '../../core/recordings/file-store.ts'
import { awsCredentials } from '../aws/credentials.ts'
import { Sha256 } from '../aws/sha256.ts'
import { type AdapterContext, required } from '../context.ts'
import { checkTimeLimit } from '../time-limit.ts'
import { objectAddress, queryText } from './object-address.ts'

/** One request about an object, before it is signed. */
export interface ObjectRequest {
  readonly bucket: BucketName
  readonly key: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FileBody
  /** For the whole of it. */
  readonly timeoutMs: number
  /** Bytes of the answer that are taken; 1 MiB where absent. */
  readonly maxAnswerBytes?: number
}

/** What the object store answered. `body` is absent where it had more bytes than are taken. */
export interface ObjectAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer | undefined
}

/** That the source of a body failed, by its `cause`. */
export class BodyFailed extends Error {
  override readonly name = 'BodyFailed'
}

/** ListParts answers at most a thousand parts, of about 300 bytes each. */
const usualAnswerBytes = 1024 * 1024

/** A peer that takes or gives nothing for so long is gone, however much time there is. */
const silenceMs = 10_000

const httpAgent = new HttpAgent({ keepAlive: true })
const httpsAgent = new HttpsAgent({ keepAlive: true })

/**
 * Sends a signed request to the object store. A body of bytes flows from its source as fast as the store takes it; its
 * checksum is signed, so that the store refuses other bytes. Rejects when no whole answer came in time, with
 * {@link BodyFailed} when the source did, and judges no status.
 */
export async function objectRequest(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  request: ObjectRequest,
): Promise<ObjectAnswer> {
  checkTimeLimit()
  const { method, query = {}, body = '' } = request
  const { origin, path } = objectAddress(context, request.bucket, request.key)
  const [sha256, size] = typeof body === 'string' ? [hash(body), Buffer.byteLength(body)] : [body.sha256, body.size]
  const signed = await (await signerOf(context)).sign(
    {
      method,
      protocol: origin.protocol,
      hostname: origin.hostname,
      path,
      query: { ...query },
      headers: {
        ...request.headers,
        host: origin.host,
        'x-amz-content-sha256': sha256,
        ...(method === 'PUT' || method === 'POST' ? { 'content-length': String(size) } : {}),
      },
    },
    { signingDate: new Date(context.clock.now()) },
  )
  const target = new URL(origin)
  target.pathname = path
  target.search = queryText(query)
  return send(target, { ...request, headers: signed.headers })
}

/** Signs with the process's own credentials, as S3 wants it: paths stand in the signature as they stand in the request. */
export async function signerOf(context: Pick<AdapterContext, 'env' | 'clock'>): Promise<SignatureV4> {
  const credentials = await awsCredentials(context)
  const region = required(context, 'AWS_REGION')
  return new SignatureV4({ credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false })
}

async function send(target: URL, given: ObjectRequest): Promise<ObjectAnswer> {
  const isSecure = target.protocol === 'https:'
  const { body = '', maxAnswerBytes = usualAnswerBytes } = given
  const request = (isSecure ? httpsRequest : httpRequest)(target, {
    method: given.method,
    headers: given.headers,
    agent: isSecure ? httpsAgent : httpAgent,
    timeout: silenceMs,
    signal: AbortSignal.timeout(given.timeoutMs),
  })
  request.on('timeout', () => request.destroy(new Error(`the object store was silent for ${silenceMs} ms`)))
  const answer = new Promise<ObjectAnswer>((resolve, reject) => {
    request.on('response', (response) => void readAnswer(response, maxAnswerBytes).then(resolve, reject))
    request.on('error', reject)
  })
  if (typeof body === 'string') {
    request.end(body)
    return answer
  }
  let sourceError: unknown
  const source = Readable.from(
    exactly(body, (error) => (sourceError = error)),
    { objectMode: false },
  )
  // A store that refuses answers before it has taken all: what it says counts, not the broken connection.
  const [sent, answered] = await Promise.allSettled([pipeline(source, request), answer])
  if (sourceError !== undefined) throw new BodyFailed('the body failed', { cause: sourceError })
  if (answered.status === 'fulfilled') return answered.value
  throw sent.status === 'rejected' ? sent.reason : answered.reason
}

/**
 * The bytes of a body; fails where they are not as many as it says. Errors of the body are told, those of whoever takes
 * the bytes are not; the source is closed in any case.
 */
async function* exactly({ bytes, size }: FileBody, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const next = async () => {
    try {
      return await source.next()
    } catch (error) {
      onError(error)
      throw error
    }
  }
  let sent = 0
  try {
    for (let step = await next(); step.done !== true && sent <= size; step = await next()) {
      sent += step.value.length
      if (sent <= size) yield step.value
    }
  } finally {
    await source.return?.()
  }
  if (sent === size) return
  const wrong = new DomainError('bad_request', `the body has not the ${size} bytes that it says`)
  onError(wrong)
  throw wrong
}

async function readAnswer(response: IncomingMessage, most: number): Promise<ObjectAnswer> {
  const { statusCode: status = 0, headers } = response
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response) {
    if (!Buffer.isBuffer(piece)) continue
    length += piece.length
    // Leaving the loop ends the connection.
    if (length > most) return { status, headers, body: undefined }
    pieces.push(piece)
  }
  return { status, headers, body: Buffer.concat(pieces) }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
