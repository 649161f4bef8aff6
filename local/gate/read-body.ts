import type { IncomingMessage } from 'node:http'

/** A body was longer than its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

const nothing = Buffer.alloc(0)

/**
 * The whole body of a request. Rejects with {@link BodyTooLarge} as soon as it passes the limit, and when the sender
 * goes away. By events: an async iterator over the request costs several times as much.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(nothing)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        request.pause()
        reject(new BodyTooLarge(`the body has more than ${maxBytes} bytes`))
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('aborted', () => reject(new Error('the sender went away')))
  })
}
