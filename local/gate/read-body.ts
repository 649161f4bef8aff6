import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** A body was longer than its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** A body came more slowly than it may. */
export class BodyTooSlow extends Error {
  override readonly name = 'BodyTooSlow'
}

/** The least speed of a transfer: after the grace, the bytes so far must never be fewer than the rate requires. */
export interface Pace {
  readonly graceMs: number
  readonly bytesPerSecond: number
}

const nothing = Buffer.alloc(0)

/** The limits on the body of an unauthenticated client. */
export interface Caution {
  /** Without one, a body may take any time. */
  readonly pace?: Pace
  /** Bytes above the limit that are read and dropped first, so that the sender sees the refusal; 0 unless given. */
  readonly droppedBytes?: number
}

/** Returns the time from the start within which so many bytes keep the pace, in milliseconds. */
export function timeFor(bytes: number, { graceMs, bytesPerSecond }: Pace): number {
  return graceMs + (bytes * 1000) / bytesPerSecond
}

/**
 * Returns the whole body of a request. Rejects with {@link BodyTooLarge} when the body exceeds the limit, with {@link
 * BodyTooSlow} as soon as it is slower than the pace, and when the sender disconnects. It uses events: an async iterator over
 * the request costs several times as much.
 */
export function readBody(
  request: Readable & { readonly headers: IncomingHttpHeaders },
  maxBytes: number,
  { pace, droppedBytes = 0 }: Caution = {},
): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(nothing)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  let chunks: Buffer[] = []
  let bytes = 0
  let isOver = false
  let stopWatch = () => {}
  const end = () => {
    isOver = true
    stopWatch()
  }
  const fail = (error: Error) => {
    end()
    reject(error)
  }
  const refuse = (error: Error) => {
    request.pause()
    fail(error)
  }
  const tooLarge = () => new BodyTooLarge(`the body has more than ${maxBytes} bytes`)
  // Most bodies come with their headers and need no timer, nor does what is read before it starts.
  const isHere = encoding === undefined && request.readableLength >= Number(length)
  if (pace !== undefined && !isHere) {
    setImmediate(() => {
      if (!isOver) stopWatch = watchPace(pace, () => bytes, refuse)
    })
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else {
      chunks = []
      if (bytes > maxBytes + droppedBytes) refuse(tooLarge())
    }
  })
  request.on('end', () => {
    end()
    if (bytes > maxBytes) reject(tooLarge())
    else resolve(chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks))
  })
  request.on('error', fail)
  request.on('aborted', () => fail(new Error('the sender went away')))
  return promise
}

/** Refuses a body as soon as it is slower than the pace. Returns a function that ends the watch. */
function watchPace(pace: Pace, bytes: () => number, refuse: (error: BodyTooSlow) => void): () => void {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout
  const check = (): void => {
    const leftMs = startedAt + timeFor(bytes(), pace) - performance.now()
    if (leftMs > 0) timer = setTimeout(check, Math.ceil(leftMs))
    else refuse(new BodyTooSlow(`the body came too slowly: send at least ${pace.bytesPerSecond} bytes a second`))
  }
  check()
  return () => clearTimeout(timer)
}
