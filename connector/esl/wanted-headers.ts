const COLON = 58

/** Read after the last byte; no name contains it. */
const NOTHING = 0

interface Name {
  readonly bytes: Buffer
  readonly index: number
}

/** A few names of headers that one pass over an event looks for, ready to be compared with bytes. */
export class WantedHeaders {
  /** The index of each name. */
  readonly indexes: ReadonlyMap<string, number>
  /** By byte: 1 for those that a name begins with, which is worth a look before any call. */
  readonly firsts = new Uint8Array(256)
  /** The names by their first byte. */
  readonly #byFirst: readonly (readonly Name[])[]

  /** `onWire` gives a name, which is not empty, as it is spelled in an event. */
  constructor(names: readonly string[], onWire = (name: string) => name) {
    this.indexes = new Map(names.map((name, index) => [name, index]))
    const all = names.map((name, index) => ({ bytes: Buffer.from(onWire(name)), index }))
    this.#byFirst = Array.from({ length: 256 }, (_, first) => all.filter(({ bytes }) => bytes[0] === first))
    for (const { bytes } of all) this.firsts[bytes[0] ?? NOTHING] = 1
  }

  /** The index of the name that lies at these offsets, or -1. */
  indexAt(bytes: Buffer, start: number, end: number): number {
    const names = this.#byFirst[bytes[start] ?? NOTHING] ?? []
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at]
      if (name?.bytes.length === end - start && isAt(name.bytes, bytes, start)) return name.index
    }
    return -1
  }

  /** The index of the name that begins here and that a colon follows, or -1. */
  indexBeforeColon(bytes: Buffer, start: number): number {
    const names = this.#byFirst[bytes[start] ?? NOTHING] ?? []
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at]
      if (name && bytes[start + name.bytes.length] === COLON && isAt(name.bytes, bytes, start)) return name.index
    }
    return -1
  }
}

/** A name is short: comparing it here costs less than a call out of JavaScript. */
function isAt(name: Buffer, bytes: Buffer, start: number): boolean {
  for (let offset = 0; offset < name.length; offset += 1) {
    if (bytes[start + offset] !== name[offset]) return false
  }
  return true
}
