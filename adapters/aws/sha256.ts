import { type Hash, type Hmac, createHash, createHmac } from 'node:crypto'

type Bytes = string | ArrayBuffer | ArrayBufferView

/** SHA-256, or HMAC-SHA-256 where a key is given, in the form that the signer asks for. */
export class Sha256 {
  readonly #key: Bytes | undefined
  #hash: Hash | Hmac

  constructor(key?: Bytes) {
    this.#key = key
    this.#hash = fresh(key)
  }

  update(data: Bytes): void {
    this.#hash.update(plain(data))
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest())
  }

  reset(): void {
    this.#hash = fresh(this.#key)
  }
}

function fresh(key: Bytes | undefined): Hash | Hmac {
  return key === undefined ? createHash('sha256') : createHmac('sha256', plain(key))
}

function plain(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
