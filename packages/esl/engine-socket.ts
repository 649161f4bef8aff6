import { connect, type Socket } from 'node:net'

/** As many as one read of the socket takes at most. So much may still come of each engine when reading should stop. */
const READ_BYTES = 64 * 1024

/** The settings and callbacks of a socket. `onClosed` may be called more than once. */
export interface EngineSocketOptions {
  readonly host: string
  readonly port: number
  /** Given what came, in memory that the next bytes are read into. Returns whether to read on before `readOn`. */
  readonly onBytes: (chunk: Buffer) => boolean
  readonly onDrain: () => void
  readonly onClosed: () => void
}

/** A TCP connection to an engine, from the attempt on. Reads as fast as bytes come and `onBytes` lets it. */
export class EngineSocket {
  readonly #socket: Socket
  #isConnected = false
  #problem: Error | undefined

  constructor({ host, port, onBytes, onDrain, onClosed }: EngineSocketOptions) {
    this.#socket = connect({ host, port, noDelay: true, keepAlive: true, onread: intoOneBuffer(onBytes) })
    this.#socket.on('connect', () => {
      this.#isConnected = true
    })
    this.#socket.on('drain', onDrain)
    this.#socket.on('error', (error) => {
      this.#problem = error
    })
    this.#socket.on('end', onClosed)
    this.#socket.on('close', onClosed)
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  get problem(): Error | undefined {
    return this.#problem
  }

  /** Writes bytes; `false` when no more should be written until `onDrain`. */
  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes)
  }

  readOn(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** Every read goes into the same memory: at 100 MB a second, new memory for each costs as much as reading. */
function intoOneBuffer(onBytes: EngineSocketOptions['onBytes']) {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const callback = (length: number): boolean => onBytes(buffer.subarray(0, length))
  return { buffer, callback }
}

/** Returns a word for an error. The system's error for a host with several addresses has a code but no message. */
export function codeOf(error: Error | undefined): string {
  return error && 'code' in error ? String(error.code) : (error?.message ?? 'closed')
}
