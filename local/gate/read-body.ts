import type { IncomingMessage } from 'node:http'

/** A body was longer than its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** The whole body of a request. Rejects with {@link BodyTooLarge} as soon as it passes the limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > maxBytes) throw new BodyTooLarge(`the body has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}
