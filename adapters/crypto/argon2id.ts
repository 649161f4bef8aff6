import { type argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { loadWasmArgon2 } from './wasm-argon2.cjs'

/** The input of Argon2id: memory in KiB, the length of the key in bytes. */
export interface Argon2idInput {
  readonly message: string
  readonly nonce: Buffer
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

/** Derives a key. Rejects input outside the limits of RFC 9106. */
export type Argon2id = (input: Argon2idInput) => Promise<Buffer>

/** Node's module of cryptography: it has Argon2 only if Node was built with it. */
export interface NodeCrypto {
  readonly argon2?: typeof argon2
}

/** The code of the error with which Node refuses when its OpenSSL has no Argon2. */
const notSupported = 'ERR_CRYPTO_ARGON2_NOT_SUPPORTED'

/**
 * Returns Argon2id on Node's own implementation, which works off the main thread. Where Node was built without it, the
 * same keys are derived in WebAssembly on the main thread, and `onMissing` is called once.
 */
export function argon2idOf({ argon2: native }: NodeCrypto, onMissing: () => void): Argon2id {
  let derive: Argon2id | undefined
  const useWasm = () => {
    if (derive !== wasmArgon2id) onMissing()
    derive = wasmArgon2id
    return wasmArgon2id
  }
  if (native !== undefined) {
    const nativeArgon2 = promisify(native)
    derive = async (input) => {
      try {
        return await nativeArgon2('argon2id', input)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === notSupported)) throw error
        return useWasm()(input)
      }
    }
  }
  return async (input) => (derive ?? useWasm())(input)
}

/** The package refuses an empty message, which is no password: random bytes take as long and match nothing. */
async function wasmArgon2id(input: Argon2idInput): Promise<Buffer> {
  const derived = await loadWasmArgon2().argon2id({
    password: input.message === '' ? randomBytes(32) : input.message,
    salt: input.nonce,
    memorySize: input.memory,
    iterations: input.passes,
    parallelism: input.parallelism,
    hashLength: input.tagLength,
    outputType: 'binary',
  })
  return Buffer.from(derived)
}
