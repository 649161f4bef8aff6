const NO_BYTES = Buffer.alloc(0)

/** Collects the pieces of a block up to a limit; each byte is copied a fixed number of times on average. */
export class GrowingBytes {
  readonly #limit: number
  #held = NO_BYTES
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  /** Adds a piece; `false` when the limit is passed. */
  append(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (length > this.#limit) return false
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#held.length, 256))
      this.#held.copy(larger, 0, 0, this.#length)
      this.#held = larger
    }
    piece.copy(this.#held, this.#length)
    this.#length = length
    return true
  }

  /** The bytes collected so far; valid until the next piece. */
  bytes(): Buffer {
    return this.#held.subarray(0, this.#length)
  }

  take(): Buffer {
    const bytes = this.bytes()
    this.#held = NO_BYTES
    this.#length = 0
    return bytes
  }
}
