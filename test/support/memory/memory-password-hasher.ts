import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PasswordHasher } from '../../../core/secrets.ts'
import type { MemoryContext } from './memory-state.ts'

/** Marks the hashes of this adapter, so that none of them passes for a real one. */
const PREFIX = '$test-hmac$'

/**
 * Keyed hashes that cost nothing, for tests only: a real argon2id takes 30 ms. Salted, and as unlike the password as a
 * real one, so that a test that looks for a leaked password can trust what it does not find.
 */
export function memoryPasswordHasher({ random }: Pick<MemoryContext, 'random'>): PasswordHasher {
  const digest = (salt: string, password: string) => createHmac('sha256', salt).update(password).digest('hex')
  return {
    async hash(password) {
      const salt = Buffer.from(random.bytes(8)).toString('hex')
      return `${PREFIX}${salt}$${digest(salt, password)}`
    },
    async verify(password, hash) {
      const [salt, stored] = (hash?.startsWith(PREFIX) ? hash.slice(PREFIX.length) : '').split('$')
      if (salt === undefined || stored === undefined) return false
      const given = Buffer.from(digest(salt, password))
      return given.length === stored.length && timingSafeEqual(given, Buffer.from(stored))
    },
  }
}
