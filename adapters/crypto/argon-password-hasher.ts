// Not a named import: a name that Node lacks would stop the module from loading.
import crypto, { randomBytes, timingSafeEqual } from 'node:crypto'
import type { PasswordHasher } from '../../core/secrets.ts'
import type { AdapterContext } from '../context.ts'
import { createLogger } from '../log/logger.ts'
import { type NodeCrypto, argon2idOf } from './argon2id.ts'

/** RFC 9106's second choice scaled to what OWASP asks of argon2id: 19 MiB, two passes, one lane. About 30 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, base64 without padding. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/** The parameters of the hash computed for a missing account, so that its refusal takes as long as any other. */
const missingAccount = { ...COST, nonce: Buffer.alloc(SALT_BYTES, 'missing'), expected: Buffer.alloc(HASH_BYTES) }

/** Hashes passwords with Argon2id. Logs a line if this Node lacks it and WebAssembly does the work. */
export function argonPasswordHasher(
  context: Pick<AdapterContext, 'env'>,
  nodeCrypto: NodeCrypto = crypto,
): PasswordHasher {
  const derive = argon2idOf(nodeCrypto, () =>
    createLogger('passwords', context).warn('this Node was built without Argon2; passwords are hashed in WebAssembly'),
  )
  return {
    async hash(password) {
      const nonce = randomBytes(SALT_BYTES)
      const hash = await derive({ ...COST, message: password, nonce, tagLength: HASH_BYTES })
      const { memory, passes, parallelism } = COST
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(hash)}`
    },
    async verify(password, hash) {
      const stored = hash === undefined ? undefined : parse(hash)
      const { expected, ...cost } = stored ?? missingAccount
      const derived = await derive({ ...cost, message: password, tagLength: expected.length })
      return timingSafeEqual(derived, expected) && stored !== undefined
    },
  }
}

function parse(hash: string) {
  const [, memory, passes, parallelism, salt, digest] = PHC.exec(hash) ?? []
  if (salt === undefined || digest === undefined) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    expected: Buffer.from(digest, 'base64'),
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
