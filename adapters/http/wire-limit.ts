import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { ResponseTooLarge } from './send-errors.ts'

/** Counts the bytes that a peer sends over one connection. */
export interface WireMeter {
  reset(): void
}

/**
 * Ends a connection whose peer sends more than `maxBytes` after the latest {@link WireMeter.reset}. Bytes are counted
 * as the operating system delivers them, before any parser: heads, interim answers, trailers, the extensions of chunks
 * and the padding of TLS count like bodies. Bytes up to the limit still reach the reader, which may need no more.
 */
export function limitWire(socket: Socket, maxBytes: number): WireMeter {
  let left = maxBytes
  let isOver = false
  const push = socket.push.bind(socket)
  socket.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    if (chunk === null) return push(null)
    if (isOver) return false
    if (chunk.length <= left) {
      left -= chunk.length
      return push(chunk, encoding)
    }
    isOver = true
    const taken = left === 0 || push(chunk.subarray(0, left), encoding)
    // The last bytes are processed before the next turn of the event loop, so a reader that has enough has already
    // finished.
    setImmediate(() => socket.destroy(new ResponseTooLarge()))
    return taken && false
  }
  return {
    reset: () => {
      left = maxBytes
    },
  }
}

/** Resets a meter with each write of a stream. A request is one write, so its answer is counted from its start. */
export function resetOnWrite(stream: Pick<Socket, 'write'>, meter: WireMeter): void {
  const write: (...given: never[]) => boolean = stream.write.bind(stream)
  stream.write = (...given: never[]) => {
    meter.reset()
    return write(...given)
  }
}

/**
 * Returns a stream over a limited socket, on which TLS is opened. Node reads a bare socket natively when TLS runs over
 * it, so its bytes could not be counted; the bytes of this stream pass through JavaScript. Time limits set on the
 * stream have no effect: the caller that opened the socket limits the whole exchange.
 */
export function streamOver(socket: Socket): Socket {
  const stream = Duplex.from({ readable: socket, writable: socket })
  return Object.assign(stream, { setTimeout: () => stream, setKeepAlive: () => stream }) as unknown as Socket
}
