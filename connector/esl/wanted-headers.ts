/** Where a value lies: the offsets of its first byte and behind its last. */
export type Span = readonly [start: number, end: number]

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

  /** The index of the name that lies at these offsets, or -1. */
  indexAt(bytes: Buffer, start: number, end: number): number {
    if (this.#lengths[(end - start) & 255] === 0) return -1
    for (let index = 0; index < this.#names.length; index += 1) {
      const name = this.#names[index]
      if (name?.length === end - start && isAt(name, bytes, start)) return index
    }
    return -1
  }

  /** One value for each name, `undefined` where there is no span for it. */
  values(spans: readonly (Span | undefined)[], valueOf: (span: Span) => string): (string | undefined)[] {
    return this.#names.map((_, index) => {
      const span = spans[index]
      return span && valueOf(span)
    })
  }
}

/** A name is short: comparing it here costs less than a call out of JavaScript. */
function isAt(name: Buffer, bytes: Buffer, start: number): boolean {
  for (let offset = 0; offset < name.length; offset += 1) {
    if (bytes[start + offset] !== name[offset]) return false
  }
  return true
}
