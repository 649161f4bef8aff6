import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** A body was longer than its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

const nothing = Buffer.alloc(0)

/**
 * Returns the whole body of a request. Rejects with {@link BodyTooLarge} when the body exceeds the limit, after up to
 * `droppedBytes` more were read, so that the sender sees the refusal, and when the sender disconnects. It uses events:
 * an async iterator over the request costs several times as much.
 */
export function readBody(
  request: Readable & { readonly headers: IncomingHttpHeaders },
  maxBytes: number,
  droppedBytes = 0,
): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(nothing)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  let chunks: Buffer[] = []
  let bytes = 0
  const tooLarge = () => new BodyTooLarge(`the body has more than ${maxBytes} bytes`)
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else {
      chunks = []
      if (bytes <= maxBytes + droppedBytes) return
      request.pause()
      reject(tooLarge())
    }
  })
  request.on('end', () => {
    if (bytes > maxBytes) reject(tooLarge())
    else resolve(chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks))
  })
  request.on('error', reject)
  request.on('aborted', () => reject(new Error('the sender went away')))
  return promise
}
