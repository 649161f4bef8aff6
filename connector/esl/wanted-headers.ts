/** The names of headers that a pass over an event looks for, ready to be compared with bytes. */
export class WantedHeaders {
  readonly #names: readonly Buffer[]
  /** Tells most other names apart by their length alone. */
  readonly #lengths = new Uint8Array(256)

  /** `names` in the spelling of the wire. */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => Buffer.from(name))
    for (const name of this.#names) this.#lengths[name.length & 255] = 1
  }

  get size(): number {
    return this.#names.length
  }

  /** The index of the name that lies at these offsets, or -1. */
  indexAt(bytes: Buffer, start: number, end: number): number {
    if (this.#lengths[(end - start) & 255] === 0) return -1
    for (let index = 0; index < this.#names.length; index += 1) {
      const name = this.#names[index]
      if (name && name.length === end - start && name.compare(bytes, start, end) === 0) return index
    }
    return -1
  }
}
